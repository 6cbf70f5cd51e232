"""Pointers in code (C# specification 24), what they point to, their arithmetic, calls by them; the memory of spans."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.conversions import OPERATOR_NAMES, convert, implicit
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Captured, Code, Operation, PointerCall, Zero, parts_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.member_access import is_by_reference
from dap_dotnet.evaluation.operations.operators import EQUALITY, ORDER
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.rules.overloads import no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.symbols.modules import LoadedModule
from portablepdb.signatures import FunctionPointerType, TypeSignature

_VOID = 0x01
_CONVENTION, _MANAGED = 0x0F, 0x00
"""The bits of a signature's header that say how it is called (ECMA-335 II.23.2.1)."""


def pointed(scope: Scope, pointer: Code, *indices: Code) -> Code:
    """`*pointer` and `pointer[index]`, a variable. CS0193, CS0242, CS0029."""
    return Operation(
        element_of(pointer.type), "Pointed", (pointer, *(implicit(scope, one, types.I8) for one in indices))
    )


def of_pointers(scope: Scope, operator: str, left: Code, right: Code) -> Code:
    """An operator of which an operand is a pointer. CS0019, CS0242."""
    first, second = left.type, right.type
    if operator in ("+", "-") and first.kind is Kind.POINTER and implicitly_converts(scope.universe, second, types.I8):
        element_of(first)
        distance = convert(scope, right, types.I8)
        if operator == "-":
            distance = Operation(types.I8, "Negate", (distance,))
        return Operation(first, "PointerOffset", (left, distance))
    if operator == "+" and second.kind is Kind.POINTER:
        return of_pointers(scope, operator, right, left)
    if operator == "-" and first is second:
        element_of(first)
        return Operation(types.I8, "PointerDistance", (left, right))
    if operator not in EQUALITY | ORDER or not {first.kind, second.kind} <= {Kind.POINTER, Kind.NULL}:
        raise no_operator(operator, first, second)
    pointer = first if first.kind is Kind.POINTER else second
    operands = tuple(Zero(pointer) if one.type.kind is Kind.NULL else one for one in (left, right))
    return Operation(types.BOOL, OPERATOR_NAMES[operator], operands)


def check_same_memory(*spans: Code) -> None:
    """Spans are equal where they are of the same memory. Raises `EvaluationError` where that cannot be known."""
    if any(part.is_constant and part.type is types.STRING for part in parts_of(spans) if isinstance(part, Captured)):
        raise EvaluationError(
            "Whether spans are of the same memory cannot be known of a string that the expression itself makes"
        )


def bind_pointer_call(scope: Scope, node: syntax.Call, name: str) -> Code | None:
    """`pointer(…)`, of a variable of the frame; None where that is no function pointer.

    Raises `EvaluationError` for signatures whose values cannot be passed as objects, CS1593 for the wrong number of
    arguments.
    """
    variables = scope.binder.variables
    known = variables.signature(scope.env, name) if variables is not None else None
    if known is None or not isinstance(known[1], FunctionPointerType):
        return None
    module, signature = known[0], known[1].signature
    if signature.header & _CONVENTION != _MANAGED:
        raise EvaluationError("Pointers to unmanaged functions are not called")
    parameters = tuple(_passed_type(scope, module, parameter) for parameter in signature.parameters)
    returns_nothing = getattr(signature.return_type, "code", None) == _VOID
    returned = types.VOID if returns_nothing else _passed_type(scope, module, signature.return_type)
    if len(node.arguments) != len(parameters):
        raise Diagnostic("CS1593 function pointer", name, len(node.arguments))
    arguments = tuple(
        implicit(scope, scope.code(argument.value, kind), kind)
        for argument, kind in zip(node.arguments, parameters, strict=True)
    )
    pointer = scope.code(syntax.Name(name))
    return PointerCall(returned, pointer, parameters, arguments)


def _passed_type(scope: Scope, module: LoadedModule, signature: TypeSignature) -> Type:
    """A type of the signature whose values can be boxed."""
    kind = scope.universe.of_signature(module, signature) if not is_by_reference(signature) else None
    if kind is None or kind.kind is Kind.POINTER or is_stack_only(scope.universe, kind):
        raise EvaluationError("Function pointers with references, pointers or ref structs in their type are not called")
    return kind


def element_of(kind: Type) -> Type:
    """What a pointer of a type points to. CS0193, CS0242."""
    if kind.kind is not Kind.POINTER:
        raise Diagnostic("CS0193")
    if kind.element is types.VOID:
        raise Diagnostic("CS0242")
    return kind.element
