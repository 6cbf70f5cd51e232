"""Code that is used twice and evaluated once: values in variables of their own, variables by what they consist of."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import (
    Alias,
    Captured,
    Code,
    FieldOf,
    Invoked,
    Operation,
    Steps,
    Stored,
    Variable,
    assigned,
)
from dap_dotnet.evaluation.rules.variables import CHOSEN, ELEMENTS, INLINE_ELEMENT, is_variable, returned_word


def kept_value(scope: Scope, code: Code, before: list[Code]) -> Code:
    """A value that is needed twice; `before` gets what evaluates it."""
    if isinstance(code, Captured) or (isinstance(code, Variable) and not code.name):
        return code
    kept = scope.declare(code.type)
    before.append(assigned(kept, code))
    return kept


def once(scope: Scope, code: Code, before: list[Code]) -> Code:
    """A variable or a property that is needed twice: what it is a part of is evaluated once, `before`."""
    if isinstance(code, Steps) and not code.variables:
        before += code.steps[:-1]
        return once(scope, code.steps[-1], before)
    if isinstance(code, FieldOf):
        return FieldOf(code.type, code.owner, code.token, kept_owner(scope, code.target, before))
    if (isinstance(code, Operation) and code.name == CHOSEN) or (
        isinstance(code, Invoked) and returned_word(scope.universe, code.method)[1]
    ):
        return alias(scope, code, before)
    if isinstance(code, Invoked):
        target = kept_owner(scope, code.target, before)
        arguments = tuple(kept_value(scope, argument, before) for argument in code.arguments)
        return Invoked(code.type, code.method, target, arguments, code.is_virtual)
    if isinstance(code, Operation) and code.name == INLINE_ELEMENT:
        target, index = code.operands
        return Operation(code.type, code.name, (once(scope, target, before), kept_value(scope, index, before)))
    if isinstance(code, Operation) and code.name in ELEMENTS:
        name = "ArrayAccess" if code.name == "ArrayIndex" else code.name
        return Operation(code.type, name, tuple(kept_value(scope, one, before) for one in code.operands))
    return code if isinstance(code, Variable | Stored) else kept_value(scope, code, before)


def alias(scope: Scope, code: Code, before: list[Code], name: str = "") -> Alias:
    """A `ref` variable that stands for the variable that code gives."""
    made = Alias(code.type, name)
    scope.own.append(made)
    before.append(Operation(code.type, "Alias", (made, code)))
    return made


def kept_owner(scope: Scope, target: Code | None, before: list[Code]) -> Code | None:
    """What a member is used of more than once, or after other code; None for a static one."""
    if target is None:
        return None
    if not target.type.is_reference and is_variable(scope.universe, target):
        return once(scope, target, before)
    return kept_value(scope, target, before)
