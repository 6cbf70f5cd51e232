"""Whether a value has the bytes that a place or a parameter of the program takes. Looked at before any are written."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.runtime.model import ElementType, Value

_NO_PRIMITIVES = frozenset({ElementType.OBJECT, ElementType.STRING, ElementType.VOID})


def check_fits(env: Environment, value: Value, kind: Type | None, what: str) -> None:
    """Raise `EvaluationError` (`what`, and why) where a value is none of the type `kind`; None: it is not known.

    The runtime copies as many bytes as the type has, whatever they are: a T in the place of a T? would be taken for its
    flag, a number in the place of an object for a reference, and the program would end or go on with false values.
    """
    if kind is not None and kind.is_value_type:
        own = _value_type(env, value)
        fits = own is not None and _has_layout_of(own, kind)
    else:
        own, fits = None, not isinstance(value, MadeBox) and (value.is_null or value.is_reference)
    if not fits:
        own = own or env.type_of(value.type)
        shown = f"a value of type '{own.name}'" if own is not None else "a value of a type that is not known"
        raise EvaluationError(f"{what}: {shown} is not what '{kind.name if kind is not None else 'it'}' takes")


def _value_type(env: Environment, value: Value) -> Type | None:
    """The type of the bytes of a value; None where it has none, or they are not known."""
    if value.is_null:
        return None
    if value.element_type in types.PRIMITIVES and value.element_type not in _NO_PRIMITIVES:
        return types.PRIMITIVES[value.element_type]
    return env.type_of(value.type)


def _has_layout_of(one: Type, other: Type) -> bool:
    """Whether values of two value types have the same bytes: instantiations over any reference types have."""
    if one is other or (one.kind is Kind.POINTER and other.kind is Kind.POINTER):
        return True
    if other.parameter is not None:  # of the frame's code: bound by its constraints, and the actual type is `one`
        return True
    if Kind.ENUM in (one.kind, other.kind):
        return (one.underlying or one) is (other.underlying or other)
    return (
        one.definition is not None
        and one.definition == other.definition
        and all(
            (left.is_reference and right.is_reference) or _has_layout_of(left, right)
            for left, right in zip(one.arguments, other.arguments, strict=True)
        )
    )
