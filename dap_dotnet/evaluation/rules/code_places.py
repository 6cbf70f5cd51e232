"""Which code stands for a variable, and why C# refuses to store in other code (C# specification 9.5, 12.21.2)."""

from __future__ import annotations

from collections.abc import Mapping

from dap_dotnet.evaluation.bound_tree import (
    Code,
    FieldOf,
    Invoked,
    Operation,
    Steps,
    Stored,
    TypedOperation,
    Variable,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import ExactMethod
from dap_dotnet.evaluation.types.declared_methods import declared_method
from dap_dotnet.evaluation.types.universe import Universe

ELEMENTS = frozenset({"ArrayIndex", "ArrayAccess", "Pointed"})
"""The operations that give variables: elements of arrays, and what pointers point to."""
INLINE_ELEMENT = "InlineElement"
"""An element of an inline array or a fixed buffer, which is a part of the structure."""
CHOSEN = "ChosenVariable"
"""`condition ? ref first : ref second`."""
_READ_ONLY = 0x20
_NONE: Mapping[Code, str] = {}


def is_variable(universe: Universe, code: Code) -> bool:
    """Whether a call may change the structure that code gives; else it changes a copy."""
    return refusal(universe, code, is_part=True) is None


def refusal(
    universe: Universe, code: Code, fixed: Mapping[Code, str] = _NONE, *, is_part: bool = False
) -> Diagnostic | None:
    """What C# says where code is assigned to; None where it is a variable, or a property, which needs a setter.

    `fixed`: variables that are not assigned to, with what C# calls them for that, empty for constants. `is_part`: a
    part of the structure that the code gives is assigned, which takes a variable.
    """
    if isinstance(code, Steps):
        last = code.steps[-1]
        is_value = type(last) is Variable  # a temporary one
        return Diagnostic("CS0131") if is_value else refusal(universe, last, fixed, is_part=is_part)
    if isinstance(code, Variable):
        word = fixed.get(code)
        if word is None:
            return None
        return Diagnostic("CS1654" if is_part else "CS1656", code.name, word) if word else Diagnostic("CS0131")
    if isinstance(code, Stored):
        if code.locate is None and not code.is_of_console:
            return Diagnostic("CS0131")
        return Diagnostic("CS8332" if is_part else "CS8331", f"variable '{code.name}'") if code.is_read_only else None
    if isinstance(code, FieldOf):
        return _of_field(universe, code, fixed, is_part=is_part)
    if isinstance(code, Invoked):
        return _of_call(universe, code, fixed, is_part=is_part)
    if isinstance(code, Operation) and code.name == CHOSEN:
        _, first, second = code.operands
        return refusal(universe, first, fixed, is_part=is_part) or refusal(universe, second, fixed, is_part=is_part)
    if isinstance(code, Operation) and code.name == INLINE_ELEMENT:
        refused = refusal(universe, code.operands[0], fixed, is_part=True)
        if refused is not None and refused.compiler_code == "CS1648":
            return Diagnostic("CS8331", f"field '{refused.arguments[0]}'")
        return refused
    if isinstance(code, Operation) and code.name in ELEMENTS:
        return None
    if isinstance(code, Operation) and code.name == "ArrayLength":
        return Diagnostic("CS0200", "System.Array.Length")
    if is_part and isinstance(code, TypedOperation) and code.operand.type.is_reference:
        return Diagnostic("CS0445")
    return Diagnostic("CS0131")


def _of_field(universe: Universe, code: FieldOf, fixed: Mapping[Code, str], *, is_part: bool) -> Diagnostic | None:
    module = universe.module_of(code.owner)
    assert module is not None
    assert module.metadata is not None
    field = module.metadata.field(code.token)
    if field.flags & _READ_ONLY:
        keys = ("CS1650", "CS0198") if code.target is None else ("CS1648", "CS0191")
        return Diagnostic(keys[0] if is_part else keys[1], f"{code.owner.name}.{field.name}")
    if code.target is None or code.target.type.is_reference:
        return None
    return refusal(universe, code.target, fixed, is_part=True)


def _of_call(universe: Universe, code: Invoked, fixed: Mapping[Code, str], *, is_part: bool) -> Diagnostic | None:
    name, word = returned_word(universe, code.method)
    is_property = name.startswith("get_")
    if word == "ref":
        return None
    if word:
        shown = f"property '{name.removeprefix('get_')}'" if is_property else f"method '{name}'"
        return Diagnostic("CS8332" if is_part else "CS8331", shown)
    if is_part:
        return Diagnostic("CS1612", f"{code.method.owner.name}.{name.removeprefix('get_')}")
    if not is_property:
        return Diagnostic("CS0131")
    inner = code.target if code.target is not None and not code.target.type.is_reference else None
    return refusal(universe, inner, fixed, is_part=True) if inner is not None else None


def returned_word(universe: Universe, method: ExactMethod) -> tuple[str, str]:
    """The name of a method, and the word for what it returns: `ref`, `ref readonly`, empty for a value."""
    from portablepdb.signatures import ByRefType, ModifiedType

    own = declared_method(universe, method).method
    signature = own.signature.return_type
    if isinstance(signature, ByRefType):
        return own.name, "ref" if not isinstance(signature.element, ModifiedType) else "ref readonly"
    is_read_only = isinstance(signature, ModifiedType) and isinstance(signature.element, ByRefType)
    return own.name, "ref readonly" if is_read_only else ""
