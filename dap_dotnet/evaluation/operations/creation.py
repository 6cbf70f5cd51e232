"""New strings and arrays, and the constructor that makes an object around another: that of a DebuggerTypeProxy."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import store_new
from dap_dotnet.evaluation.operations.operand_values import cast
from dap_dotnet.evaluation.operations.text import call_to_string
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates, is_subtype
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken, TypeId, Value
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.symbols.reflection_names import ReflectionName

MOST_ITEMS = 100_000
"""The longest array that an expression makes."""
_BATCH = 256


def new_string(env: Environment, operands: Sequence[Operand]) -> Operand:
    """`new string(operands)`, which no function evaluation can make. Raises `EvaluationError`."""
    if len(operands) == 2 and operands[0].type is types.CHAR and operands[1].type is types.I4:
        if operands[1].data < 0:
            raise EvaluationError(
                "System.ArgumentOutOfRangeException: 'count' must be non-negative. (Parameter 'count')"
            )
        if operands[1].data > MOST_ITEMS:
            raise EvaluationError(f"A string of more than {MOST_ITEMS} characters cannot be created here")
        return Operand(types.STRING, chr(operands[0].data) * operands[1].data)
    if len(operands) == 1 and operands[0].type.full_name in SPANS and operands[0].type.arguments == (types.CHAR,):
        return Operand(types.STRING, call_to_string(env, operands[0]))
    if operands and operands[0].type.kind is Kind.ARRAY and operands[0].type.element is types.CHAR:
        return _string_of(env, operands[0], *operands[1:])
    raise EvaluationError(
        "Of the constructors of string only new string(char, int) and those of char[] can be used here"
    )


def _string_of(env: Environment, chars: Operand, start: Operand | None = None, count: Operand | None = None) -> Operand:
    """Of an array of chars, or so many of them."""
    if chars.data is None:
        if start is None:
            return Operand(types.STRING, "")
        raise null_reference("the array of chars")
    value: Value = chars.data
    first, most = (start.data, count.data) if start is not None and count is not None else (0, value.length)
    check_range(first, first + most, value.length)
    if most > MOST_ITEMS or value.handle is None:
        raise EvaluationError(f"A string of more than {MOST_ITEMS} characters cannot be created here")
    raw = b"".join(one.raw for one in env.debuggee.elements(value.handle, first, most))
    return Operand(types.STRING, raw.decode("utf-16-le", "surrogatepass"))


def create_array(env: Environment, element: Type, items: Sequence[Operand]) -> Operand:
    """A new array with items, which convert to the element's type. Raises `EvaluationError`."""
    if len(items) > MOST_ITEMS:
        raise EvaluationError(f"An array of {len(items)} elements cannot be created here; the limit is {MOST_ITEMS}")
    converted = list[Operand]()
    for item in items:
        env.go_on()
        kept = Operand(item.type, item.data, item.value, item.names)
        if not (kept.type is types.PAIR and kept.data[2] is element):
            kept = cast(env, kept, element)
        for inner in with_items(kept):
            env.runner.put_on_heap(env, inner)
        converted.append(kept)
    made = env.runner.new_array(env, element, len(items))
    fill(env, made, converted)
    return made


def with_items(operand: Operand) -> list[Operand]:
    """The elements of a tuple or pair that the expression made, and of those in it; other operands themselves."""
    if not isinstance(operand.data, tuple):
        return [operand]
    items = operand.data[:2] if operand.type is types.PAIR else operand.data
    return [inner for item in items for inner in with_items(item)]


def fill(env: Environment, array: Operand, items: Sequence[Operand]) -> None:
    """Store items, of the element's type and in the program already where they are objects, in a new array."""
    value: Value = array.data
    assert value.handle is not None
    for start in range(0, len(items), _BATCH):
        part = items[start : start + _BATCH]
        for place, item in zip(env.debuggee.elements(value.handle, start, len(part), text_limit=0), part, strict=True):
            env.go_on()
            if item.data is not None:
                store_new(env, place, array.type.element, item)


def check_range(start: int, end: int, length: int) -> None:
    """Raises `EvaluationError` as System.Range does."""
    if not 0 <= start <= end <= length:
        raise EvaluationError(
            "System.ArgumentOutOfRangeException: Specified argument was out of the range of valid values. "
            f"(the range {start}..{end} of {length} elements)"
        )


def wrapping_constructor(
    env: Environment, target: Operand, wrapper: ReflectionName, arguments_of: TypeId
) -> tuple[Type, ExactMethod]:
    """The exact class of a name, and its constructor that takes the target, public or not.

    It is looked for in its assembly, else in the module of the type `arguments_of`, whose generic arguments the class
    takes where the name has none. Raises `EvaluationError` when there is none.
    """
    universe = env.universe
    shown_for = universe.of_id(env.program, arguments_of)
    if shown_for is None:
        raise EvaluationError(f"The type '{wrapper.full_name}' is not in a loaded module")
    kind = _exact(universe, wrapper, shown_for)
    for candidate in candidates(universe, kind):
        method = candidate.method
        if method.name != ".ctor" or method.is_static or len(method.signature.parameters) != 1:
            continue
        (parameter,) = candidate.parameter_types(universe)
        if parameter is not None and is_subtype(universe, env.own_type(target), parameter):
            return kind, ExactMethod(kind, MethodToken(method.token))
    raise EvaluationError(f"No constructor of '{kind.name}' takes a '{target.type.name}'")


def _exact(universe: Universe, name: ReflectionName, shown_for: Type) -> Type:
    first = universe.module_of(shown_for) if name.assembly is None else None
    definition = find_definition(universe.modules, name.full_name, first=first, assembly=name.assembly)
    found = universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or found is None or found.metadata is None:
        raise EvaluationError(f"The type '{name.full_name}' is not in a loaded module")
    count = len(found.metadata.generic_parameters_of(definition[1]))
    given = tuple(_exact(universe, one, shown_for) for one in name.arguments) or shown_for.arguments[:count]
    kind = universe.of_definition(definition, given)
    if kind is None or len(kind.arguments) != count:
        raise EvaluationError(f"The type '{name.full_name}' does not take the arguments of '{shown_for.name}'")
    for rank in name.ranks:
        kind = universe.array(kind, rank, is_vector=rank == 1)
    return kind
