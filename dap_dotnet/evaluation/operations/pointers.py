"""What pointers point to: `*p`, `p->name` and `p[n]` (C# specification 24.6)."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import Value
from dap_dotnet.values import primitives


def pointed(env: Environment, pointer: Operand) -> Operand:
    """`*pointer`. Raises `EvaluationError`: CS0193, CS0242, and where there is no memory."""
    return env.operand(_target(env, pointer), element_of(pointer.type))


def element_at(env: Environment, pointer: Operand, index: Operand) -> Operand:
    """`pointer[index]`. Raises as `pointed`, and for elements after the first that are no numbers."""
    kind = element_of(pointer.type)
    number = convert_implicitly(env, index, types.I8).data
    if not number:
        return pointed(env, pointer)
    code = (kind.underlying or kind).code
    size = primitives.SIZES.get(code)
    if kind.kind not in (Kind.NUMBER, Kind.BOOL, Kind.ENUM) or size is None:
        raise EvaluationError(f"Of a pointer to '{kind.name}' only the first element can be read here")
    try:
        raw = env.debuggee.read_memory(pointer.data + number * size, size) if pointer.data else b""
    except RuntimeCallError:
        raw = b""
    data = primitives.decode(code, raw) if len(raw) == size else None
    if data is None:
        raise EvaluationError("The pointer cannot be followed: there is no memory")
    return Operand(kind, data)


def stored_at(pointer: Operand) -> Stored:
    """`*pointer` as a variable; the pointer is in flight."""
    return Stored(element_of(pointer.type), lambda env: _target(env, pointer))


def element_of(kind: Type) -> Type:
    """What a pointer of a type points to. Raises `EvaluationError`: CS0193, CS0242."""
    if kind.kind is not Kind.POINTER:
        raise EvaluationError("error CS0193: The * or -> operator must be applied to a pointer")
    if kind.element is types.VOID:
        raise EvaluationError("error CS0242: The operation in question is undefined on void pointers")
    return kind.element


def _target(env: Environment, pointer: Operand) -> Value:
    if not pointer.data:
        raise EvaluationError("System.NullReferenceException: the pointer is null")
    value = pointer.value
    if value is None or value.handle is None:
        raise EvaluationError("A computed pointer cannot be followed here: only one that is kept in the program")
    found = env.debuggee.dereference(value.handle)
    if found.error is not None:
        raise EvaluationError(f"The pointer cannot be followed: {found.error}")
    return found
