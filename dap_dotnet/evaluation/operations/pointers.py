"""What pointers point to, as variables: `*p`, `p->name` and `p[n]` (C# specification 24.6)."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.placed import Placed, size_of
from dap_dotnet.evaluation.operations.storing import store
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import FieldRef, TypeId, Value


def pointed(env: Environment, pointer: Operand, index: Operand | None = None) -> Stored:
    """`*pointer`, or `pointer[index]`. Raises `EvaluationError`: CS0193, CS0242, null."""
    number = convert_implicitly(env, index, types.I8).data if index is not None else 0
    return pointed_as(env, pointer, element_of(pointer.type), number)


def pointed_as(env: Environment, pointer: Operand, kind: Type, number: int = 0) -> Stored:
    """The variable of a type that is at an address, or `number` such variables after it. Raises as `pointed`."""
    if not pointer.data:
        raise Thrown("System.NullReferenceException", "the pointer is null")
    type_id = env.universe.id_of(env.program, kind)
    if not number and pointer.type.kind is Kind.POINTER and pointer.type.element is kind:
        return _Pointed(kind, type_id, pointer)
    address = pointer.data + number * size_of(env, kind, type_id) if number else pointer.data
    return Placed(kind, type_id, lambda env: address & _MOST)


_MOST = (1 << 64) - 1


class _Pointed(Placed):
    """What a pointer of its own type leads to: the runtime follows one that is kept in the program, and gives a handle.

    A call ends that handle; the address stays what it is.
    """

    def __init__(self, declared: Type, kind: TypeId | None, pointer: Operand) -> None:
        super().__init__(declared, kind, lambda env: pointer.data)
        self._pointer = pointer

    @override
    def _located(self, env: Environment) -> Value:
        return self._followed(env) or super()._located(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        place = self._followed(env)
        if place is not None:
            store(env, place, self.type, operand)
        else:
            super().write(env, operand)

    @override
    def field(self, env: Environment, ref: FieldRef, declared: Type) -> Stored:
        return (Stored if self._followed(env) is not None else Placed).field(self, env, ref, declared)

    def _followed(self, env: Environment) -> Value | None:
        value = self._pointer.value
        if value is None or value.handle is None:
            return None
        found = env.debuggee.dereference(value.handle)
        if found.error is not None:
            raise EvaluationError(f"The pointer cannot be followed: {found.error}")
        return found


def element_of(kind: Type) -> Type:
    """What a pointer of a type points to. Raises `EvaluationError`: CS0193, CS0242."""
    if kind.kind is not Kind.POINTER:
        raise Diagnostic("CS0193")
    if kind.element is types.VOID:
        raise Diagnostic("CS0242")
    return kind.element
