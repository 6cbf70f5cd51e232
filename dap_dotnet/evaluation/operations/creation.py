"""New objects: strings, arrays, and what a query gives as an array, a list, a dictionary, or LINQ's own groups.

And the constructor that makes an object around another: that of a DebuggerTypeProxy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import store_new
from dap_dotnet.evaluation.operations.framework import framework_method, framework_type
from dap_dotnet.evaluation.operations.linq.sequences import (
    GROUPING,
    Call,
    Function,
    Group,
    Lookup,
    Query,
    buffered,
    dispose,
    enumerable,
    plain,
    run_enumerable,
)
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


MOST_MADE = 10_000
"""How many elements of a result are put into an array or list of the program."""
_MADE = frozenset({Kind.LAMBDA, Kind.SEQUENCE, Kind.TUPLE})
"""Kinds of what only the expression has."""
_PAIR = "System.Collections.Generic.KeyValuePair`2"
_LIST = "System.Collections.Generic.List`1"


def in_program(env: Environment, query: Query) -> Operand:
    """All that a query gives, as an array; groups and lookups are LINQ's own. Raises `EvaluationError` for too many."""
    if query.in_program is not None and isinstance(query, Group | Lookup):
        return query.in_program(env)
    if query.in_program is not None and query.element.full_name == GROUPING:
        groups = enumerable(env, query.in_program(env), query.element)
        return run_enumerable(env, "ToArray", [groups], (query.element,))
    return to_array(env, query, query.element)


def to_array(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many."""
    return create_array(env, element, [_element(env, item, element) for item in _all(env, items)])


def to_list(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """As `to_array`, as a List<T>."""
    array = to_array(env, items, element)
    return _copied(env, framework_type(env, _LIST, (element,)), array)


def collected(
    env: Environment, items: Iterable[Operand], make: Callable[[list[Operand]], Operand]
) -> Operand | Callable[[], Operand]:
    """What makes a collection of the program of all elements; the collection itself where they are no values yet."""
    every = _all(env, items)
    return partial(make, every) if _are_values(every) else make(every)


def _are_values(items: Iterable[Operand]) -> bool:
    """Whether nothing is left to run of what made them."""
    return not any(item.type.kind in _MADE or item.type is types.PAIR for item in items)


def to_dictionary(
    call: Call, items: Query, by: Function, element: Function | None = None
) -> Operand | Callable[[], Operand]:
    """`ToDictionary(key)` and `ToDictionary(key, element)`.

    Raises `EvaluationError`, `CalleeThrew` for a key that comes twice.
    """
    env = call.env
    every = buffered(islice(items, MOST_MADE + 1))
    if len(every) > MOST_MADE:
        raise EvaluationError(f"No dictionary of more than {MOST_MADE:,} elements is made here: take a part of them")
    keys = [by(item) for item in every]
    held = [element(item) if element is not None else item for item in every]
    make = partial(_dictionary, env, call.result, keys, held)
    return make if _are_values([*keys, *held]) else make()


def _dictionary(env: Environment, kind: Type, keys: Sequence[Operand], held: Sequence[Operand]) -> Operand:
    of_keys, of_values = kind.arguments
    pair = framework_type(env, _PAIR, kind.arguments)
    pairs = [
        Operand(types.PAIR, (_element(env, key, of_keys), _element(env, value, of_values), pair))
        for key, value in zip(keys, held, strict=True)
    ]
    return _copied(env, kind, create_array(env, pair, pairs))


def _all(env: Environment, items: Iterable[Operand]) -> list[Operand]:
    opened = len(env.enumerators)
    every = buffered(islice(items, MOST_MADE + 1))
    dispose(env, opened)
    if len(every) > MOST_MADE:
        raise EvaluationError(f"The query gives more than {MOST_MADE:,} elements: take some of them, or count them")
    return every


def _element(env: Environment, item: Operand, kind: Type) -> Operand:
    """An element of a collection, as the program has it, but for pairs of its type and tuples."""
    if item.type is types.PAIR and item.data[2] is kind:
        return item
    if item.type.kind not in (Kind.LAMBDA, Kind.SEQUENCE):
        return plain(env, item)
    return item.data.in_program(env) if item.type.kind is Kind.LAMBDA else in_program(env, item.data)


def _copied(env: Environment, kind: Type, array: Operand) -> Operand:
    """A collection of a type with the items of an array."""
    items = framework_type(env, "System.Collections.Generic.IEnumerable`1", (array.type.element,))
    return env.runner.construct(env, kind, framework_method(env, kind, ".ctor", 1, [items]), [array])
