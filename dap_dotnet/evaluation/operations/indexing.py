"""`target[…]`: arrays of all ranks, strings, and the collections whose storage is known; others by their indexer."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.dictionaries import DICTIONARY, find_value, missing_key
from dap_dotnet.evaluation.operations.index_values import INDEX, IndexValue, made_index, opened
from dap_dotnet.evaluation.operations.member_access import MemberReader, array_shape
from dap_dotnet.evaluation.operations.methods_by_name import call_indexer, has_indexer
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.rules.conversions import not_assignable
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.collections.consecutive import read_repeated, read_span
from dap_dotnet.values.collections.items import Collection
from dap_dotnet.values.collections.known import known_collection
from dap_dotnet.values.inline_arrays import fixed_length, inline_length

_ROW = "System.Data.DataRow"
_NAMED = frozenset({"System.Collections.Generic.List`1", DICTIONARY})
"""Collections whose last generic argument is the type of what the indexer gives."""
_LISTS = {"System.Collections.Generic.List`1": ("_items", "_size")}


def read_index(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> Operand:
    """The element. Raises `EvaluationError`: null, out of range, no indexer (CS0021)."""
    found = _read(env, target, indices)
    if target.names and target.type.kind is not Kind.TUPLE and not found.names:
        own = env.own_type(target)
        if own.kind is Kind.ARRAY or own.full_name in _NAMED:
            found.names = tuple_names.of_argument(own, target.names, len(own.arguments) - 1)
    return found


def _read(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> Operand:
    if target.data is None:
        raise null_reference("the indexed value")
    kind = target.type.kind
    own = env.own_type(target) if kind is not Kind.POINTER else target.type
    given = indices
    if own.kind in (Kind.ARRAY, Kind.STRING, Kind.STRUCT) or own.full_name in _LISTS:
        given = [opened(env, index) for index in indices]
    if kind is Kind.ARRAY:
        return _array(env, target, given)
    if kind is Kind.STRING:
        return _string(env, target, given)
    if kind is Kind.POINTER:
        raise EvaluationError("Indexing a pointer is not supported")
    storage = _LISTS.get(own.full_name)
    if storage is not None and len(given) == 1 and _is_integral(given[0].operand):
        return _list(env, target, given[0], storage)
    if len(indices) == 1 and own.full_name == DICTIONARY and not indices[0].from_end:
        found = find_value(env, target, indices[0].operand)
        if found is not None:
            if found[1] is None:
                raise missing_key(env, indices[0].operand)
            return found[1]
    if len(indices) == 1 and own.full_name == _ROW:
        cell = _cell(env, target, indices[0].operand)
        if cell is not None:
            return cell
    if own.kind is Kind.STRUCT and len(given) == 1 and _is_integral(given[0].operand):
        length = length_of_inline(env, own)
        if length:
            return _inline(env, target, given[0], length)
        if own.full_name in SPANS:
            elements = _span(env, target)
            if elements is not None:
                return _element(env, elements, given[0])
    if own.kind is Kind.ARRAY:
        item = _array(env, Operand(own, target.data, target.value), given)
        element = target.type.arguments[0] if len(target.type.arguments) == 1 else None
        return cast(env, item, element) if element is not None and element.is_reference else item
    return call_indexer(env, target, indexer_arguments(env, target, indices))


def indexer_arguments(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> list[Operand]:
    """What an indexer is given: a System.Index where it takes one, else the position from the start. CS1061."""
    if not any(index.from_end or index.is_index for index in indices):
        return [index.operand for index in indices]
    kind = env.universe.named(INDEX)
    if kind is not None:
        shapes = [Operand(kind, None) if index.from_end else index.operand for index in indices]
        if has_indexer(env, target, shapes):
            return [made_index(env, kind, index) if index.from_end else index.operand for index in indices]
    length = count_of(env, target)
    return [Operand(types.I4, position_of(opened(env, index), length)) for index in indices]


def length_of_inline(env: Environment, own: Type) -> int:
    """How many elements an inline array or a fixed buffer has; 0 for other types."""
    definition, module = env.universe.definition_of(own), env.universe.module_of(own)
    if definition is None or module is None:
        return 0
    return inline_length(module, definition[1]) or fixed_length(module, definition[1])


def _inline(env: Environment, target: Operand, index: IndexValue, length: int) -> Operand:
    """An element of an inline array or a fixed buffer, in the memory of the value."""
    position = position_of(index, length)
    if not 0 <= position < length:
        raise out_of_range(position, length)
    value = target.program_value
    elements = read_repeated(env.program, value) if value is not None and value.handle is not None else None
    if elements is None:
        raise EvaluationError("The inline array cannot be read: it is no longer available, or its layout is not known")
    return env.operand(elements.page(position, 1)[0].value)


def _cell(env: Environment, row: Operand, index: Operand) -> Operand | None:
    """What a DataRow has in a column, by the column's exact name; None leaves it to the program."""
    value = row.program_value
    name = env.text(index) if index.type.kind is Kind.STRING and index.data is not None else None
    cells = known_collection(env.program, value) if name is not None and value is not None else None
    for cell in cells.page(0, cells.count) if cells is not None else ():
        if cell.key is not None and cell.key.text == name and cell.value.error is None:
            found = env.operand(cell.value)
            return boxed(env, found) if found.type.is_value_type else Operand(types.OBJECT, found.data, found.value)
    return None


def _span(env: Environment, target: Operand) -> Collection | None:
    """The elements of a span of numbers, which are read from memory; None for other spans."""
    value = target.program_value
    return read_span(env.program, value) if value is not None and value.handle is not None else None


def _element(env: Environment, elements: Collection, index: IndexValue) -> Operand:
    position = position_of(index, elements.count)
    if not 0 <= position < elements.count:
        raise out_of_range(position, elements.count)
    return env.operand(elements.page(position, 1)[0].value)


def count_of(env: Environment, target: Operand) -> int:
    """`target.Length` or `target.Count`. CS1061 where it has neither."""
    for name in ("Length", "Count"):
        found = MemberReader(name).read_if_any(env, target)
        if found is not None and _is_integral(found):
            return int(found.data)
    raise Diagnostic("CS1061", target.type.name, "Count")


def _is_integral(operand: Operand) -> bool:
    return operand.type.kind is Kind.NUMBER and operand.type.code in numeric.BITS


def position_of(index: IndexValue, length: int) -> int:
    """The position that an index means in a sequence of a length. CS0029 for what is no integer."""
    operand = index.operand
    if not _is_integral(operand):
        raise not_assignable(operand.type, types.I4)
    position = length - operand.data if index.from_end else operand.data
    return int(position)


def _position_by_int(env: Environment, index: IndexValue, length: int) -> int:
    """As `position_of`, where an indexer takes an `int`, as an array takes others, too. CS1503 for what is none."""
    operand = index.operand
    if not (index.from_end or implicitly_converts(env.universe, operand.type, types.I4)):
        raise Diagnostic("CS1503", 1, operand.type.name, types.I4.name, argument=0)
    return position_of(index, length)


def _source(index: IndexValue) -> Value | None:
    """The program's value that is the position, if it is one as it stands."""
    return None if index.from_end else index.operand.value


def out_of_range(position: int, length: int) -> EvaluationError:
    """Of an array or a span."""
    return EvaluationError(
        f"System.IndexOutOfRangeException: Index {position} was outside the bounds: there are {length} elements."
    )


def _array(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> Operand:
    flat = element_at(env, target, indices)
    source = _source(indices[0]) if target.data.element_type is ElementType.SZARRAY else None
    return env.operand(env.element(target.data, flat, source), target.type.element)


def element_at(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> int:
    """The flat position of an array's element. Raises `EvaluationError` out of range."""
    value: Value = target.data
    rank = max(target.type.rank, 1)
    if len(indices) != rank:
        raise Diagnostic("CS0022", rank)
    if value.handle is None:
        raise EvaluationError("The array cannot be read")
    if value.element_type is ElementType.SZARRAY:
        flat = position_of(indices[0], value.length)
        if not 0 <= flat < value.length:
            raise out_of_range(flat, value.length)
    else:
        from_end = next((number for number, index in enumerate(indices) if index.from_end), None)
        if from_end is not None:
            error = Diagnostic("CS0029", "System.Index", "int")
            error.argument = from_end
            raise error
        shape = array_shape(env, value)
        flat = 0
        for index, length, bound in zip(indices, shape.lengths, shape.lower_bounds, strict=True):
            position = position_of(index, length) - bound
            if not 0 <= position < length:
                raise out_of_range(position + bound, length)
            flat = flat * length + position
    return flat


def _string(env: Environment, target: Operand, indices: Sequence[IndexValue]) -> Operand:
    if len(indices) != 1:
        raise Diagnostic("CS1501 string")
    data = target.data
    raw = None if isinstance(data, Value) else data.encode("utf-16-le", "surrogatepass")
    length = data.length if raw is None else len(raw) // 2
    position = _position_by_int(env, indices[0], length)
    if not 0 <= position < length:
        raise out_of_range(position, length)
    if raw is None:
        unit = env.debuggee.string(data.handle, position, 1)
        return Operand(types.CHAR, ord(unit))
    return Operand(types.CHAR, int.from_bytes(raw[2 * position : 2 * position + 2], "little"))


def _list(env: Environment, target: Operand, index: IndexValue, storage: tuple[str, str]) -> Operand:
    items_name, size_name = storage
    items = env.operand(env.read_named(target.data, items_name))
    size = env.operand(env.read_named(target.data, size_name)).data
    position = _position_by_int(env, index, size)
    if not 0 <= position < size:
        raise EvaluationError(
            "System.ArgumentOutOfRangeException: Index was out of range. "
            f"Must be non-negative and less than the size of the collection ({size})."
        )
    if items.data is None:  # as another thread leaves it for a moment
        raise null_reference("the array of the collection")
    return env.operand(env.element(items.data, position, _source(index)), items.type.element)
