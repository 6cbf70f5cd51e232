"""Elements of arrays, strings and spans, and of collections whose storage is known: read without running code.

Keys of dictionaries are compared here where they compare by value (numbers, enums, strings) under a comparer that is
known; others need a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import cast
from dap_dotnet.evaluation.operations.text import strings_equal, to_text
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, FieldRef, Value
from dap_dotnet.values.collections.consecutive import read_repeated, read_span
from dap_dotnet.values.collections.items import Collection
from dap_dotnet.values.inline_arrays import fixed_length, inline_length
from dap_dotnet.values.members import find_field

DICTIONARY = "System.Collections.Generic.Dictionary`2"
_LIST = "System.Collections.Generic.List`1"
_MOST_ENTRIES = 1000
_BATCH = 64
_FREE = -1
_BY_VALUE = frozenset({Kind.STRING, Kind.NUMBER, Kind.ENUM, Kind.BOOL})
_PLAIN_COMPARERS = (
    "GenericEqualityComparer`1", "EnumEqualityComparer`1", "ByteEqualityComparer", "StringEqualityComparer",
    "+DefaultComparer", "+OrdinalComparer", "OrdinalCaseSensitiveComparer",
)  # fmt: skip


def array_element(env: Environment, array: Operand, indices: Sequence[Operand]) -> Operand:
    """An element of an array of any rank. Raises `EvaluationError`: null, out of range."""
    if array.data is None:
        raise null_reference("the indexed value")
    flat = flat_position(env, array.data, indices)
    source = indices[0].value if array.data.element_type is ElementType.SZARRAY else None
    return env.operand(env.element(array.data, flat, source), array.type.element)


def flat_position(env: Environment, array: Value, indices: Sequence[Operand]) -> int:
    """The flat position of an array's element. Raises `EvaluationError` out of range."""
    if array.handle is None:
        raise EvaluationError("The array cannot be read")
    if array.element_type is ElementType.SZARRAY:
        return in_range(indices[0], array.length)
    shape = env.debuggee.array_shape(array.handle)
    flat = 0
    for index, length, bound in zip(indices, shape.lengths, shape.lower_bounds, strict=True):
        if not bound <= index.data < bound + length:
            raise _out_of_range(index.data, length)
        flat = flat * length + index.data - bound
    return flat


def in_range(index: Operand, length: int) -> int:
    """The position itself, of an array or a span. Raises `EvaluationError` out of range."""
    position = int(index.data)
    if not 0 <= position < length:
        raise _out_of_range(position, length)
    return position


def _out_of_range(position: int, length: int) -> Thrown:
    return Thrown(
        "System.IndexOutOfRangeException", f"Index {position} was outside the bounds: there are {length} elements."
    )


def repeated_length(universe: Universe, kind: Type) -> int:
    """How many elements an inline array or a fixed buffer has; 0 for other types."""
    declared = universe.declaration(kind)
    if declared is None:
        return 0
    module, _, token = declared
    return inline_length(module, token) or fixed_length(module, token)


def repeated_element(env: Environment, whole: Operand, index: Operand) -> Operand:
    """An element of an inline array or a fixed buffer, in the memory of the value."""
    position = in_range(index, repeated_length(env.universe, env.own_type(whole)))
    value = whole.program_value
    elements = read_repeated(env.program, value) if value is not None and value.handle is not None else None
    if elements is None:
        raise EvaluationError("The inline array cannot be read: it is no longer available, or its layout is not known")
    return env.operand(elements.page(position, 1)[0].value)


def known_element(env: Environment, target: Operand, index: Operand, kind: Type) -> Operand | None:
    """What an indexer of the framework gives, as a value of type `kind`; None where only its own code can tell.

    Raises `EvaluationError` for what it throws.
    """
    found = _known_element(env, target, index)
    return cast(env, found, kind) if found is not None else None


def _known_element(env: Environment, target: Operand, index: Operand) -> Operand | None:
    own = env.own_type(target)
    if own.full_name == DICTIONARY:
        return _value_of(env, target, index)
    if index.type is not types.I4:
        return None
    if own.kind is Kind.ARRAY:  # seen as a list
        return array_element(env, Operand(own, target.data, target.value), [index])
    if own is types.STRING:
        return char_at(env, target, index)
    if own.full_name == _LIST:
        return _item(env, target, index)
    span = _span(env, target) if own.full_name in SPANS else None
    return env.operand(span.page(in_range(index, span.count), 1)[0].value) if span is not None else None


def _span(env: Environment, target: Operand) -> Collection | None:
    """The elements of a span of numbers, which are read from memory; None for other spans."""
    value = target.program_value
    return read_span(env.program, value) if value is not None and value.handle is not None else None


def char_at(env: Environment, string: Operand, index: Operand) -> Operand:
    """A char of a string. Raises `EvaluationError` out of range."""
    data = string.data
    if isinstance(data, Value):
        position = in_range(index, data.length)
        if data.handle is not None:
            return Operand(types.CHAR, ord(env.debuggee.string(data.handle, position, 1)))
    raw = (env.text(string) or "").encode("utf-16-le", "surrogatepass")
    position = in_range(index, len(raw) // 2)
    return Operand(types.CHAR, int.from_bytes(raw[2 * position : 2 * position + 2], "little"))


def _item(env: Environment, target: Operand, index: Operand) -> Operand:
    """An item of a List<T>."""
    items = env.operand(env.read_named(target.data, "_items"))
    size = env.operand(env.read_named(target.data, "_size")).data
    if not 0 <= index.data < size:
        raise EvaluationError(
            "System.ArgumentOutOfRangeException: Index was out of range. "
            f"Must be non-negative and less than the size of the collection ({size})."
        )
    if items.data is None:  # as another thread leaves it for a moment
        raise null_reference("the array of the collection")
    return env.operand(env.element(items.data, index.data, index.value), items.type.element)


def _value_of(env: Environment, target: Operand, key: Operand) -> Operand | None:
    """The value that a dictionary has for a key."""
    found = find_value(env, target, key)
    if found is None:
        return None
    if found[1] is None:
        raise EvaluationError(
            "System.Collections.Generic.KeyNotFoundException: "
            f"The given key '{to_text(env, key)}' was not present in the dictionary."
        )
    return found[1]


def find_value(env: Environment, target: Operand, key: Operand) -> tuple[bool, Operand | None] | None:
    """(whether the key is there, its value) of a dictionary; None when only its own code can answer."""
    own = env.own_type(target)
    if own.full_name != DICTIONARY or own.arguments[0].kind not in _BY_VALUE or key.data is None:
        return None
    if not implicitly_converts(env.universe, key.type, own.arguments[0], key if key.type.kind is Kind.NUMBER else None):
        return None
    comparer = env.operand(env.read_named(target.data, "_comparer"))
    if comparer.data is not None and not env.own_type(comparer).full_name.endswith(_PLAIN_COMPARERS):
        return None
    wanted = cast(env, key, own.arguments[0])
    count = env.operand(env.read_named(target.data, "_count")).data
    if count > _MOST_ENTRIES:
        return None
    entries = env.operand(env.read_named(target.data, "_entries"))
    if entries.data is None and count:  # as another thread leaves it for a moment
        raise null_reference("the array of the dictionary")
    for candidate, value in _entries(env, entries, count):
        is_text = wanted.type.kind is Kind.STRING
        if strings_equal(env, candidate, wanted) if is_text else candidate.data == wanted.data:
            return True, env.operand(value, own.arguments[1])
    return False, None


def _entries(env: Environment, entries: Operand, count: int) -> Iterator[tuple[Operand, Value]]:
    """(key, value) of the entries in use; `next` of the others is below -1."""
    if not isinstance(entries.data, Value) or entries.data.handle is None:
        return
    refs: list[FieldRef] = []
    for start in range(0, count, _BATCH):
        env.step(min(_BATCH, count - start))
        for entry in env.debuggee.elements(entries.data.handle, start, min(_BATCH, count - start)):
            if entry.handle is None:
                raise EvaluationError("The dictionary's entries cannot be read")
            if not refs:
                found = [find_field(env.program, entry.type, name) for name in ("next", "key", "value")]
                refs = [field.ref for field in found if field is not None]
                if len(refs) != len(found):
                    raise EvaluationError("The dictionary's entries have an unknown layout")
            following, key, value = env.fields(entry, refs)
            if env.operand(following).data >= _FREE:
                yield env.operand(key), value
