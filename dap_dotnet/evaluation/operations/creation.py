"""New objects, arrays and parts of sequences."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.chosen_calls import convert_arguments, has_conversions
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.methods_by_name import call_to_string
from dap_dotnet.evaluation.operations.storing import store_new
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.constraints import check_required
from dap_dotnet.evaluation.rules.overload_errors import no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.delegate_types import delegate_signature
from dap_dotnet.runtime.model import Value

MOST_ITEMS = 100_000
"""The longest array that an expression makes."""
_ABSTRACT = 0x80 | 0x20  # interfaces too
_STATIC = 0x80 | 0x100
_BATCH = 256


def create(env: Environment, kind: Type, given: Given, initialised: frozenset[str] = frozenset()) -> Operand:
    """`new kind(arguments)`, before its initializer, which sets the members `initialised`.

    Raises `EvaluationError`: CS0144, CS1729 where no constructor fits, CS9035.
    """
    if kind.kind is Kind.NULLABLE:
        return convert_implicitly(env, given.operands[0], kind) if given.operands else Operand(kind, None)
    if kind is types.STRING:
        return new_string(env, given.operands)
    if delegate_signature(env.universe, kind) is not None:
        return _delegate(env, kind, given)
    _check_creatable(env, kind)
    constructors = [
        candidate
        for candidate in candidates(env.universe, kind)
        if candidate.method.name == ".ctor" and not candidate.method.is_static
    ]
    chosen = choose(env.universe, constructors, given, name=f"{kind.name}.{kind.name.rpartition('.')[2]}")
    if chosen is not None or not given.operands:
        check_required(env.universe, kind, chosen.candidate if chosen is not None else None, initialised)
    if chosen is not None:
        return _constructed(env, kind, chosen)
    if not given.operands and kind.is_value_type:
        if kind.kind is Kind.STRUCT:
            return env.runner.construct(env, kind, None, [])
        return cast(env, Operand(types.I4, 0), kind) if kind is not types.BOOL else types.FALSE
    known = no_overload(env.universe, constructors, given, kind.name) if constructors else None
    shown = ", ".join(argument.type.name for argument in given.operands)
    raise known or Diagnostic("CS1729 arguments", kind.name, shown)


def _constructed(env: Environment, kind: Type, chosen: Chosen) -> Operand:
    """By the chosen constructor, with its arguments converted as the program's operators do it."""
    given = convert_arguments(env, chosen) if has_conversions(chosen) else chosen.arguments
    return env.runner.construct(env, kind, chosen.exact, given)


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
    if len(operands) == 1 and operands[0].type.kind is Kind.STRING:
        return Operand(types.STRING, env.text(operands[0]) or "")
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
    if (start is None) is not (count is None) or any(one.type is not types.I4 for one in (start, count) if one):
        raise Diagnostic("CS1729 string")
    value: Value = chars.data
    first, most = (start.data, count.data) if start is not None and count is not None else (0, value.length)
    check_range(first, first + most, value.length)
    if most > MOST_ITEMS or value.handle is None:
        raise EvaluationError(f"A string of more than {MOST_ITEMS} characters cannot be created here")
    raw = b"".join(one.raw for one in env.debuggee.elements(value.handle, first, most))
    return Operand(types.STRING, raw.decode("utf-16-le", "surrogatepass"))


def _check_creatable(env: Environment, kind: Type) -> None:
    definition, module = env.universe.definition_of(kind), env.universe.module_of(kind)
    if definition is None or module is None or module.metadata is None:
        raise EvaluationError(f"No object of type '{kind.name}' can be made: its type has no metadata")
    flags = module.metadata.type_def(definition[1]).flags
    if flags & _STATIC == _STATIC:
        raise Diagnostic("CS0712", kind.name)
    if flags & _ABSTRACT:
        raise Diagnostic("CS0144", kind.name)


def _delegate(env: Environment, kind: Type, given: Given) -> Operand:
    """`new Func<int, bool>(…)` of another delegate. CS0149."""
    if len(given.operands) != 1:
        raise Diagnostic("CS0149")
    operand = given.operands[0]
    if operand.type.kind is Kind.LAMBDA:
        made: Operand = operand.data.in_program(env)
        return made
    if operand.type is not kind:
        raise Diagnostic("CS0029", operand.type.name, kind.name)
    return operand


def create_array(
    env: Environment,
    element: Type,
    items: Sequence[Operand],
    constants: Sequence[Operand | None] = (),
    lengths: Sequence[int] = (),
) -> Operand:
    """A new array with items, which are converted to the element's type; `constants` where they are such.

    `lengths` of an array of several dimensions, whose items come with the last index running fastest.
    """
    if len(items) > MOST_ITEMS:
        raise EvaluationError(f"An array of {len(items)} elements cannot be created here; the limit is {MOST_ITEMS}")
    converted = list[Operand]()
    for number, item in enumerate(items):
        env.go_on()
        kept = Operand(item.type, item.data, item.value, item.names)
        if kept.type is not element and not (kept.type is types.PAIR and kept.data[2] is element):
            known = constants[number] if constants else None
            try:
                kept = convert_implicitly(env, kept, element, known)
            except EvaluationError as error:
                error.argument = number
                raise
        for inner in with_items(kept):
            env.runner.put_on_heap(env, inner)
        converted.append(kept)
    made = env.runner.new_array(env, element, *(lengths or (len(items),)))
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
