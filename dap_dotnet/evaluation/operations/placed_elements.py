"""Elements of spans, inline arrays and fixed buffers as variables, which have an address and no handle.

References are not stored so: the garbage collector must be told of them, and only the program itself does that.
"""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import length_of_inline, out_of_range, position_of
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.operand_values import pack
from dap_dotnet.evaluation.operations.pointers import element_of, stored_at
from dap_dotnet.evaluation.operations.read_only import ReadOnlyElementError
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import FieldRef, TypeId, Value
from dap_dotnet.values.collections.consecutive import first_of_repeated, span_memory
from dap_dotnet.values.placed_values import has_references, size_at, value_in
from dap_dotnet.values.primitives import SIZES

_WRITABLE = "System.Span`1"
_READ_ONLY = "System.ReadOnlySpan`1"


class Placed(Stored):
    """What is kept at an address, which is asked for anew each time."""

    def __init__(
        self,
        declared: Type,
        kind: TypeId,
        place: Callable[[Environment], int],
        fill: Callable[[Environment, Operand], None] | None = None,
    ) -> None:
        """`place` gives the address as it is in the present generation; `fill` lets the program store there."""
        super().__init__(declared, self._located)
        self._fill = fill
        self._kind = kind
        self._place = place

    def _located(self, env: Environment) -> Value:
        address, size = self._place(env), size_at(env.program, self._kind)
        if size is None:
            raise EvaluationError(f"The size of '{self.type.name}' is not known, so that nothing can be stored in it")
        code = self.type.code
        try:
            raw = env.debuggee.read_memory(address, size)
            if code in SIZES and self.type.kind is not Kind.ENUM:
                return Value(None, self._kind, code, raw=raw, address=address)
            return value_in(env.program, raw, address, self._kind)
        except RuntimeCallError as error:
            raise EvaluationError(f"The element cannot be read: {error.message}") from None

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` for references that the program cannot be let store."""
        if self.type.is_reference or has_references(self._located(env)):
            if self._fill is not None:
                self._fill(env, operand)
                env.stored()
                return
            raise EvaluationError(
                f"An element of type '{self.type.name}' has references, which cannot be stored through a span or a "
                "buffer here: assign to the array or the object that it is a part of"
            )
        content = self._content(env, operand)
        try:
            env.debuggee.write_memory(self._place(env), content)
        except RuntimeCallError as error:
            raise EvaluationError(f"The runtime does not let the value be changed: {error.message}") from None
        finally:
            env.stored()

    def _content(self, env: Environment, operand: Operand) -> bytes:
        kind, size = self.type, size_at(env.program, self._kind) or 0
        if kind.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
            return pack(kind.underlying.code if kind.underlying is not None else kind.code, operand.data)
        if operand.data is None:
            return bytes(size)
        value = operand.program_value
        raw = _bytes_of(env, value, self._kind, size) if value is not None and kind.kind is Kind.STRUCT else b""
        if len(raw) != size:
            raise EvaluationError(f"A value of type '{operand.type.name}' cannot be stored in an element here")
        return raw

    def field(self, env: Environment, ref: FieldRef, declared: Type) -> Placed:
        """A field of the structure."""
        places = {one.field: one.offset for one in env.debuggee.type_layout(self._kind).fields}
        kind = env.universe.id_of(env.program, declared)
        if ref.field not in places or kind is None:
            raise EvaluationError("Where the runtime keeps this field is not known: nothing can be stored in it")
        place, offset = self._place, places[ref.field]
        return Placed(declared, kind, lambda env: place(env) + offset)


def _bytes_of(env: Environment, value: Value, kind: TypeId, size: int) -> bytes:
    """The bytes of a structure without references; empty where they are not known."""
    if len(value.raw) == size:
        return value.raw
    if value.handle is None:
        return b""
    whole = bytearray(size)
    for place in env.debuggee.type_layout(kind).fields:
        (part,) = env.debuggee.fields(value.handle, [FieldRef(kind, place.field)])
        inner = size_at(env.program, part.type) if part.type is not None and not part.raw else len(part.raw)
        raw = _bytes_of(env, part, part.type, inner) if part.type is not None and inner else part.raw
        if not raw:
            return b""
        whole[place.offset : place.offset + len(raw)] = raw
    return bytes(whole)


def span_element(env: Environment, span: Operand, index: IndexValue) -> Stored:
    """An element of a span. Raises `EvaluationError`: out of range, CS8331 for a ReadOnlySpan."""
    if env.own_type(span).full_name == _READ_ONLY:
        raise ReadOnlyElementError("property 'this'")
    place, calls = span.place, env.calls

    def memory(env: Environment) -> tuple[int, int, TypeId]:
        if place is None and env.calls != calls:
            raise EvaluationError("The program has run since this span was made: keep it in a variable of the program")
        value = place(env) if place is not None else span.program_value
        found = span_memory(env.program, value) if value is not None else None
        if found is None:
            raise EvaluationError("The span cannot be read: it is no longer available")
        return found

    _, count, kind = memory(env)
    position = position_of(index, count)
    if not 0 <= position < count:
        raise out_of_range(position, count)
    declared, size = env.type_of(kind), size_at(env.program, kind)
    if declared is None or size is None:
        raise EvaluationError("The type of the span's elements is not known")

    def fill(env: Environment, operand: Operand) -> None:
        """`span.Slice(position, 1).Fill(operand)`: the garbage collector is told of what the program itself stores."""
        memory(env)
        one = [Operand(types.I4, position), Operand(types.I4, 1)]
        part = call_method(env, span, span.type, "Slice", Given(one))
        assert part is not None
        call_method(env, part, part.type, "Fill", Given([Operand(declared, operand.data, operand.value)]))

    return Placed(declared, kind, lambda env: memory(env)[0] + position * size, fill)


def pointed_element(env: Environment, pointer: Operand, index: Operand) -> Stored:
    """`pointer[index]`. Raises as `pointers.stored_at`."""
    number, declared = convert_implicitly(env, index, types.I8).data, element_of(pointer.type)
    kind = env.universe.id_of(env.program, declared)
    size = size_at(env.program, kind) if kind is not None else None
    if not number:
        return stored_at(pointer)
    if kind is None or size is None or declared.is_reference:
        raise EvaluationError(f"Of a pointer to '{declared.name}' only the first element can be assigned here")
    address = pointer.data + number * size
    return Placed(declared, kind, lambda env: address)


def inline_element(env: Environment, kept: Stored, own: Type, index: IndexValue) -> Stored:
    """An element of an inline array or a fixed buffer, which is kept in the program. Raises out of range."""
    length = length_of_inline(env, own)
    position = position_of(index, length)
    if not 0 <= position < length:
        raise out_of_range(position, length)

    def first(env: Environment) -> Value:
        found = first_of_repeated(env.program, kept.locate(env))
        if found is None or not found.address or found.type is None:
            raise EvaluationError("The element cannot be changed: where it is kept is not known")
        return found

    value = first(env)
    assert value.type is not None
    kind = value.type
    declared, size = env.type_of(kind), size_at(env.program, kind)
    if value.is_reference or declared is None or size is None:
        raise EvaluationError(
            "An element that is a reference cannot be stored in an inline array here: assign to the whole"
        )
    return Placed(declared, kind, lambda env: first(env).address + position * size)


def is_placed(env: Environment, own: Type) -> bool:
    """Whether the elements of a structure have addresses only."""
    return own.full_name in (_WRITABLE, _READ_ONLY) or length_of_inline(env, own) > 0
