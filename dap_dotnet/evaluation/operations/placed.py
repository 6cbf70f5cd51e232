"""Where values are kept: fields, elements of arrays, spans and buffers, and what references and pointers lead to.

What is at an address is a variable without a handle. References are not stored so: the garbage collector must be told
of them, and only the program itself does that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.errors import EvaluationError, RuntimeCallError, Thrown
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.framework import call_framework
from dap_dotnet.evaluation.operations.known_members import flat_position, in_range, repeated_length
from dap_dotnet.evaluation.operations.member_access import method_of, read_static, shown_name
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, FieldRef, TypeId, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.collections.consecutive import first_of_repeated, span_memory
from dap_dotnet.values.placed_values import has_references, read_refs, size_at, value_in
from dap_dotnet.values.primitives import SIZES

# fields, elements of arrays, and what methods return by reference


def static_field(owner: Type | None, ref: FieldRef, declared: Type, name: str) -> Stored:
    """A static field: its class is initialised before it is changed, as by any access."""

    def locate(env: Environment) -> Value:
        read_static(env, owner, ref, declared, name)
        return env.static(ref)

    return Stored(declared, locate)


def element(env: Environment, array: Operand, indices: Sequence[Operand], declared: Type) -> Stored:
    """An element of an array: that there is none shows when it is read or stored, behind the value's own calls."""

    def locate(env: Environment) -> Value:
        if array.data is None:
            raise null_reference("the indexed value")
        position = flat_position(env, array.data, indices)
        return env.debuggee.elements(array.data.handle, position, 1)[0]

    return Stored(env.own_type(array).element if array.data is not None else declared, locate)


class Returned(Stored):
    """What a method returns by reference: it runs when the variable is first read or written."""

    def __init__(
        self,
        env: Environment,
        declared: Type,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
    ) -> None:
        """Operands are in flight; `target` None: a static method. `declared`: the type of the variable."""
        if target is not None and target.type.is_value_type:
            raise EvaluationError("The reference that a member of a structure gives cannot be followed here")
        super().__init__(declared, self._located)
        self._call = method, target, arguments
        self._name = shown_name(method.owner, method_of(env, method).name)
        self._found: tuple[Value, int] | None = None
        """The variable, and the number of calls after which it was."""
        self._only_reads = False
        self._written: Operand | None = None

    @override
    def read(self, env: Environment) -> Operand:
        return self._written or super().read(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        super().write(env, operand)
        self._written = operand  # what was read of the variable before is old, and a second run may do more than read

    def _located(self, env: Environment) -> Value:
        value, calls = self._found or (None, 0)
        if value is None or (self._only_reads and calls != env.calls):
            value, self._only_reads = env.runner.reference(env, *self._call)
            self._found = value, env.calls
            env.roots.note_changed_in_place(value)
        elif calls != env.calls:
            raise EvaluationError(
                f"The program has run since {self._name} gave its reference, which may be of something else now: "
                "compute the value first, in a variable of the console"
            )
        return value


# what is known by its address


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
    def store(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` for references that the program cannot be let store."""
        if not (self.type.is_reference or has_references(self._located(env))):
            env.debuggee.write_memory(self._place(env), self._content(env, operand))
        elif self._fill is not None:
            self._fill(env, operand)
        else:
            raise EvaluationError(
                f"A variable of type '{self.type.name}' has references, which cannot be stored through a span, a "
                "pointer or a buffer here: assign to the array or the object that it is a part of"
            )

    def _content(self, env: Environment, operand: Operand) -> bytes:
        kind, size = self.type, size_of(env, self.type, self._kind)
        if kind.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.POINTER):
            return primitives.encode(kind.underlying.code if kind.underlying is not None else kind.code, operand.data)
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


# elements of spans, inline arrays and fixed buffers


def span_element(env: Environment, span: Operand, index: Operand) -> Stored:
    """An element of a span. Raises `EvaluationError` out of range."""
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
    position = in_range(index, count)
    declared, size = env.type_of(kind), size_at(env.program, kind)
    if declared is None or size is None:
        raise EvaluationError("The type of the span's elements is not known")

    def fill(env: Environment, operand: Operand) -> None:
        """`span.Slice(position, 1).Fill(operand)`: the garbage collector is told of what the program itself stores."""
        memory(env)
        part = call_framework(env, span, span.type, "Slice", [Operand(types.I4, position), Operand(types.I4, 1)])
        call_framework(env, part, part.type, "Fill", [Operand(declared, operand.data, operand.value)])

    return Placed(declared, kind, lambda env: memory(env)[0] + position * size, fill)


def repeated_place(env: Environment, kept: Stored, index: Operand) -> Stored:
    """An element of an inline array or a fixed buffer, which is kept in the program. Raises out of range."""
    position = in_range(index, repeated_length(env.universe, kept.type))

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


# what pointers point to (C# specification 24.6)


def pointed(env: Environment, pointer: Operand, kind: Type, index: Operand | None = None) -> Stored:
    """`*pointer`, or `pointer[index]`, of type `kind`; the pointer is in flight. Raises `EvaluationError` for null."""
    if not pointer.data:
        raise Thrown("System.NullReferenceException", "the pointer is null")
    type_id = env.universe.id_of(env.program, kind)
    offset = index.data * size_of(env, kind, type_id) if index is not None else 0
    return Placed(kind, type_id, lambda env: (pointer.data + offset) & _MOST)


_MOST = (1 << 64) - 1
