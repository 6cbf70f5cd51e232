"""What is kept at an address, as a variable without a handle: elements of spans, what computed pointers point to.

References are not stored so: the garbage collector must be told of them, and only the program itself does that.
"""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.operand_values import pack
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, FieldRef, TypeId, Value
from dap_dotnet.values.placed_values import has_references, read_refs, size_at, value_in
from dap_dotnet.values.primitives import SIZES


class Placed(Stored):
    """What is kept at an address, which is asked for anew each time."""

    def __init__(
        self,
        declared: Type,
        kind: TypeId | None,
        place: Callable[[Environment], int],
        fill: Callable[[Environment, Operand], None] | None = None,
    ) -> None:
        """`place` gives the address as it is in the present generation; `fill` lets the program store there.

        `kind`: the exact type that `declared` is; None where the program cannot be asked for it, as for pointers.
        """
        super().__init__(declared, self._located)
        self._fill = fill
        self._kind = kind
        self._place = place

    def _located(self, env: Environment) -> Value:
        address, size, code = self._place(env), size_of(env, self.type, self._kind), self.type.code
        try:
            raw = env.debuggee.read_memory(address, size)
            if len(raw) != size:
                raise EvaluationError(f"There is no memory at 0x{address:016x}")
            if self._kind is None or (code in SIZES and self.type.kind is not Kind.ENUM):
                return Value(None, self._kind, code, raw=raw, address=address)
            return value_in(env.program, raw, address, self._kind)
        except RuntimeCallError as error:
            raise EvaluationError(f"What is at 0x{address:016x} cannot be read: {error.message}") from None

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` for references that the program cannot be let store."""
        if self.type.is_reference or has_references(self._located(env)):
            if self._fill is not None:
                self._fill(env, operand)
                env.stored()
                return
            raise EvaluationError(
                f"A variable of type '{self.type.name}' has references, which cannot be stored through a span, a "
                "pointer or a buffer here: assign to the array or the object that it is a part of"
            )
        content = self._content(env, operand)
        try:
            env.debuggee.write_memory(self._place(env), content)
        except RuntimeCallError as error:
            raise EvaluationError(f"The runtime does not let the value be changed: {error.message}") from None
        finally:
            env.stored()

    def _content(self, env: Environment, operand: Operand) -> bytes:
        kind, size = self.type, size_of(env, self.type, self._kind)
        if kind.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.POINTER):
            return pack(kind.underlying.code if kind.underlying is not None else kind.code, operand.data)
        if operand.data is None:
            return bytes(size)
        value = operand.program_value
        raw = b""
        if value is not None and self._kind is not None and kind.kind is Kind.STRUCT:
            raw = _bytes_of(env, value, self._kind, size)
        if len(raw) != size:
            raise EvaluationError(f"A value of type '{operand.type.name}' cannot be stored in an element here")
        return raw

    @override
    def field(self, env: Environment, ref: FieldRef, declared: Type) -> Stored:
        layout = env.debuggee.type_layout(self._kind) if self._kind is not None else None
        places = {one.field: one.offset for one in layout.fields} if layout is not None else {}
        kind = env.universe.id_of(env.program, declared)
        if ref.field not in places:
            raise EvaluationError("Where the runtime keeps this field is not known: nothing can be stored in it")
        place, offset = self._place, places[ref.field]
        return Placed(declared, kind, lambda env: place(env) + offset)


def size_of(env: Environment, declared: Type, kind: TypeId | None) -> int:
    """How many bytes a value of a type takes. Raises `EvaluationError` where that is not known."""
    if declared.kind is Kind.POINTER:
        return SIZES[ElementType.I]
    size = SIZES.get(declared.code) if kind is None else size_at(env.program, kind)
    if size is None:
        raise EvaluationError(f"The size of '{declared.name}' is not known, so that it is not read from an address")
    return size


def _bytes_of(env: Environment, value: Value, kind: TypeId, size: int) -> bytes:
    """The bytes of a structure without references; empty where they are not known."""
    if len(value.raw) == size:
        return value.raw
    if value.handle is None:
        return b""
    whole = bytearray(size)
    for place in env.debuggee.type_layout(kind).fields:
        (part,) = read_refs(env.program, value, [FieldRef(kind, place.field)])
        inner = size_at(env.program, part.type) if part.type is not None and not part.raw else len(part.raw)
        raw = _bytes_of(env, part, part.type, inner) if part.type is not None and inner else part.raw
        if not raw:
            return b""
        whole[place.offset : place.offset + len(raw)] = raw
    return bytes(whole)
