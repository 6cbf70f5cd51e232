"""Elements and members that are known without running a getter or a method of the program.

Elements of arrays, strings and spans, and of collections whose storage is known. Keys of dictionaries are compared here
where they compare by value (numbers, enums, strings) under a comparer that is known; others need a call.

Members of arrays, strings, numbers, enums, types and queries; and those that objects have only for `dynamic` code. An
ExpandoObject keeps them in arrays, while its own members (Count, Keys) are those of interfaces, which only a cast
reaches in C#. Others (DynamicObject) are asked in the program, by what the C# runtime library has for debuggers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import MOST_TEXT, Environment
from dap_dotnet.evaluation.operations.framework import call_framework, type_full_name, type_name, type_namespace
from dap_dotnet.evaluation.operations.operand_values import boxed, cast, unbox
from dap_dotnet.evaluation.operations.operators import same_reference
from dap_dotnet.evaluation.operations.text import known_text, string_length, strings_equal, to_text
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, Kind, Operand, Type, boolean
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, FieldRef, Value
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.values.collections.consecutive import read_repeated, read_span
from dap_dotnet.values.collections.items import Collection
from dap_dotnet.values.collections.known import known_collection
from dap_dotnet.values.inline_arrays import fixed_length, inline_length
from dap_dotnet.values.members import find_field

DICTIONARY = "System.Collections.Generic.Dictionary`2"
_LIST = "System.Collections.Generic.List`1"
_ROW = "System.Data.DataRow"
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
    if own.full_name == _ROW:
        return _cell(env, target, index)
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


def _cell(env: Environment, row: Operand, index: Operand) -> Operand | None:
    """What a DataRow has in a column, by the column's exact name; None leaves it to the program."""
    value, name = row.program_value, env.text(index) if index.type.kind is Kind.STRING else None
    cells = known_collection(env.program, value) if name is not None and value is not None else None
    for cell in cells.page(0, cells.count) if cells is not None else ():
        if cell.key is not None and cell.key.text == name and cell.value.error is None:
            return env.operand(cell.value)
    return None


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


EXPANDO = "System.Dynamic.ExpandoObject"
_NO_MEMBER = "DynamicBindingFailedException"
_FOR_DEBUGGERS = "Microsoft.CSharp.RuntimeBinder.DynamicMetaObjectProviderDebugView"


def expando_member(env: Environment, target: Value, name: str) -> Operand | None:
    """The member of an ExpandoObject, as the type that it has now; None when there is none.

    Raises `EvaluationError` when the object's layout is not the known one.
    """
    names, values = _keys_and_values(env, target)
    if name not in names:
        return None
    value = env.element(values, names.index(name))
    own = env.opened_box(value) if value.is_boxed else env.operand(value)
    type_name = env.own_type(own).full_name if isinstance(own.data, Value) else ""
    if type_name == "System.Object" and own.data is not None:
        return None  # the mark of a member that was removed
    return own


def expando_names(env: Environment, target: Value) -> list[str]:
    """The members that an ExpandoObject has, or had. As `expando_member`."""
    return [name for name in _keys_and_values(env, target)[0] if name is not None]


def _keys_and_values(env: Environment, target: Value) -> tuple[list[str | None], Value]:
    data = env.read_named(target, "_data")
    keys = env.read_named(env.read_named(data, "Class"), "_keys")
    values = env.read_named(data, "_dataArray")
    if keys.handle is None or values.handle is None or values.length < keys.length:
        raise EvaluationError(f"The members of the {EXPANDO} cannot be read")
    return [env.text(env.operand(key)) for key in env.debuggee.elements(keys.handle, 0, keys.length)], values


def dynamic_member(env: Environment, target: Operand, name: str) -> Operand:
    """A member that an object has for `dynamic` code. Raises `EvaluationError` where it has none, or may not say."""
    if target.data is None:
        raise null_reference(f"the target of '.{name}'")
    value = target.program_value
    own = env.own_type(target)
    if value is not None and own.full_name == EXPANDO:
        member = expando_member(env, value, name)
        if member is None:
            raise EvaluationError(f"'{EXPANDO}' does not contain a definition for '{name}'")
        return member
    definition = find_definition(env.universe.modules, _FOR_DEBUGGERS, assembly="Microsoft.CSharp")
    owner = env.universe.of_definition(definition) if definition is not None else None
    if owner is None:  # the program has not used `dynamic` yet
        raise Diagnostic("CS1061", own.name, name)
    if env.caller is None:
        raise calls_forbidden(f"{own.name}.{name}")
    given = [target if target.type.is_reference else boxed(env, target), Operand(types.STRING, name), types.FALSE]
    try:
        return env.as_dynamic(call_framework(env, None, owner, "TryGetMemberValue", given))
    except CalleeThrew as thrown:
        if env.own_type(Operand(types.OBJECT, thrown.exception)).full_name.endswith(_NO_MEMBER):
            raise Diagnostic("CS1061", own.name, name) from None
        raise


_PROPERTIES: dict[tuple[Kind, str], Callable[[Environment, Operand], Operand]] = {
    (Kind.ARRAY, "Length"): lambda env, target: Operand(types.I4, target.data.length),
    (Kind.ARRAY, "LongLength"): lambda env, target: Operand(types.I8, target.data.length),
    (Kind.ARRAY, "Rank"): lambda env, target: Operand(types.I4, max(env.own_type(target).rank, 1)),
    (Kind.STRING, "Length"): lambda env, target: Operand(types.I4, string_length(target)),
    (Kind.PAIR, "Key"): lambda env, target: target.data[0],
    (Kind.PAIR, "Value"): lambda env, target: target.data[1],
    (Kind.SEQUENCE, "Key"): lambda env, target: target.data.key,
    (Kind.SEQUENCE, "Count"): lambda env, target: Operand(types.I4, len(target.data.groups)),
    (Kind.TYPE, "Name"): lambda env, target: Operand(types.STRING, type_name(target.data)),
    (Kind.TYPE, "FullName"): lambda env, target: Operand(types.STRING, type_full_name(env.universe, target.data)),
    (Kind.TYPE, "Namespace"): lambda env, target: Operand(types.STRING, type_namespace(target.data)),
}
PROPERTY_NAMES = frozenset(name for _, name in _PROPERTIES)
"""The names of all properties that `known_property` may have."""
_ORDINAL = {"Contains": (types.STRING, types.CHAR), "StartsWith": (types.CHAR,), "EndsWith": (types.CHAR,)}
"""Methods of strings by what they take; with others they follow the program's culture, which only the program knows."""
_TEXTUAL = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRING, Kind.TYPE, Kind.TUPLE})


def known_property(env: Environment, target: Operand, name: str) -> Operand | None:
    """A property that needs no getter of the program; None for others."""
    kind = env.own_type(target).kind if target.type.kind is Kind.CLASS else target.type.kind
    access = _PROPERTIES.get((kind, name))
    return access(env, target) if access is not None else None


def known_method(env: Environment, target: Operand, name: str, arguments: Sequence[Operand]) -> Operand | None:
    """The result of an instance method; None when it has to be looked for in the program."""
    kind = target.type.kind
    if _is_long(target) or any(map(_is_long, arguments)):
        if name == "ToString" and not arguments:
            return target
        if name not in ("GetType", "Equals"):
            return None
    if not arguments:
        if name == "GetType" and target.data is not None:
            own = env.own_type(target)
            if isinstance(target.data, Value) and target.data.is_reference:
                env.witnesses[own] = target
            return Operand(types.TYPE, own)
        if name == "ToString" and kind in _TEXTUAL:
            return Operand(types.STRING, to_text(env, target))
        return None
    if len(arguments) != 1:
        return None
    first = unbox(env, arguments[0]) if name in ("Equals", "HasFlag") else arguments[0]
    if name == "ToString" and kind in (Kind.NUMBER, Kind.ENUM) and first.type is types.STRING:
        shown = known_text(env, target, env.text(first) or "") if target.type is not types.CHAR else None
        return Operand(types.STRING, shown) if shown is not None else None
    if kind is Kind.STRING and name in _ORDINAL and first.type in _ORDINAL[name] and first.data is not None:
        text, other = env.text(target) or "", chr(first.data) if first.type is types.CHAR else env.text(first) or ""
        if name == "Contains":
            return boolean(other in text)
        return boolean(text.startswith(other) if name == "StartsWith" else text.endswith(other))
    if kind is Kind.STRING and name == "Equals" and first.type.kind in (Kind.STRING, Kind.NULL):
        return boolean(strings_equal(env, target, first))
    if kind is Kind.ENUM and name == "HasFlag" and first.type is target.type:
        return boolean(target.data & first.data == first.data)
    if kind in (Kind.NUMBER, Kind.BOOL) and name == "Equals" and first.type is target.type:
        both_nan = target.data != target.data and first.data != first.data
        return boolean(target.data == first.data or both_nan)
    if name == "ContainsKey" and env.own_type(target).full_name == DICTIONARY:
        found = find_value(env, target, first)
        return boolean(found[0]) if found is not None else None
    if kind is Kind.TYPE and name == "Equals":
        return boolean(same_reference(env, target, first))
    return None


def _is_long(operand: Operand) -> bool:
    """Whether it is a string of which only the program can tell something that takes all of it."""
    value = operand.data
    return isinstance(value, Value) and value.element_type is ElementType.STRING and value.length > MOST_TEXT


def known_static(env: Environment, owner: Type, name: str, arguments: Sequence[Operand]) -> Operand | None:
    """The result of a static method; None when it has to be looked for in the program."""
    strings = all(argument.type.kind in (Kind.STRING, Kind.NULL) for argument in arguments)
    if owner is types.STRING and strings:
        if name == "IsNullOrEmpty" and len(arguments) == 1:
            return boolean(not _is_long(arguments[0]) and not env.text(arguments[0]))
        if name not in ("Equals", "ReferenceEquals") and any(map(_is_long, arguments)):
            return None
        if name == "IsNullOrWhiteSpace" and len(arguments) == 1:
            return boolean(not (env.text(arguments[0]) or "").strip())
        if name == "Equals" and len(arguments) == 2:
            return boolean(strings_equal(env, arguments[0], arguments[1]))
    if owner is types.OBJECT and name == "ReferenceEquals" and len(arguments) == 2:
        return boolean(same_reference(env, arguments[0], arguments[1]))
    return None
