"""Assignments in code: to variables of the lambda, fields, elements, and by setters and indexers."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import passing
from dap_dotnet.evaluation.binding.program_code.conversions import converts, explicit, implicit
from dap_dotnet.evaluation.binding.program_code.indexing import element, indexer
from dap_dotnet.evaluation.binding.program_code.operators import binary, conditional
from dap_dotnet.evaluation.binding.program_code.scope import CONSTANT, Scope
from dap_dotnet.evaluation.operations.dispatch import backing_field, method_of
from dap_dotnet.evaluation.operations.program_code import (
    Captured,
    Code,
    FieldOf,
    Invoked,
    Operation,
    Steps,
    Stored,
    Variable,
    Zero,
)
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken

_READ_ONLY, _LITERAL = 0x20, 0x40


def bind_assignment(scope: Scope, node: syntax.Assignment) -> Code:
    """`target operator value`."""
    if isinstance(node.target, syntax.Name) and node.target.name == "_" and "_" not in scope.variables:
        return scope.code(node.value)
    before: list[Code] = []
    target = assigned_target(scope, node.target, before)
    operator = node.operator[:-1]
    if operator == "":
        return _steps(scope, before, store(scope, target, typed(scope, node.value, target.type)))
    value = scope.code(node.value, target.type)
    if operator == "??":
        if target.type.is_value_type and target.type.kind is not Kind.NULLABLE:
            raise no_operator("??=", target.type, value.type)
        missing = binary(scope, "==", target, Zero(types.NULL))
        return _steps(scope, before, conditional(scope, missing, store(scope, target, value), target))
    return _steps(scope, before, store(scope, target, _compound(scope, operator, target, value)))


def bind_reference(scope: Scope, node: syntax.Node) -> Code:
    """A variable, an element or a field that is passed by reference. CS1510."""
    before: list[Code] = []
    found = assigned_target(scope, node, before)
    if isinstance(found, Invoked):
        raise Diagnostic("CS1510")
    return _steps(scope, before, found)


def typed(scope: Scope, node: syntax.Node, kind: Type) -> Code:
    """A value for a target of a type, which may be a lambda."""
    source = scope.source(node)
    return scope.function(source, kind) if source is not None else implicit(scope, scope.code(node, kind), kind)


def _compound(scope: Scope, operator: str, target: Code, value: Code) -> Code:
    """C# specification 12.21.4: the result may be cast back where the right side converts."""
    made = binary(scope, operator, target, value)
    if made.type is target.type:
        return made
    if operator in ("<<", ">>", ">>>") or converts(scope, value, target.type) or target.type.kind is Kind.ENUM:
        return explicit(scope, made, target.type)
    return implicit(scope, made, target.type)


def bind_increment(scope: Scope, node: syntax.Increment) -> Code:
    """`++` and `--`."""
    before: list[Code] = []
    try:
        target = assigned_target(scope, node.target, before)
    except EvaluationError as error:
        if error.compiler_code != "CS0131":
            raise
        with passing(node.target.at):
            raise Diagnostic("CS1059") from None
    one = Captured(types.I4, Operand(types.I4, 1), is_constant=True)
    if node.is_prefix:
        stepped = explicit(scope, binary(scope, node.operator[0], target, one), target.type)
        return _steps(scope, before, store(scope, target, stepped))
    old = scope.declare(target.type)
    stepped = explicit(scope, binary(scope, node.operator[0], old, one), target.type)
    return Steps(
        target.type,
        (),
        (*before, Operation(old.type, "Assign", (old, target)), store(scope, target, stepped), old),
    )


def _steps(scope: Scope, before: list[Code], last: Code) -> Code:
    return Steps(last.type, (), (*before, last)) if before else last


def assigned_target(scope: Scope, node: syntax.Node, before: list[Code]) -> Code:
    """What is assigned to, so that it can be read and written: what it is a part of is evaluated once, `before`."""
    while isinstance(node, syntax.Parenthesized):
        node = node.inner
    if isinstance(node, syntax.Index):
        indices = [scope.code(argument.value) for argument in node.arguments]
        kept = [kept_value(scope, code, before) for code in (scope.code(node.target), *indices)]
        return element(scope, kept[0], kept[1:], is_target=kept[0].type.kind is Kind.ARRAY)
    found = scope.code(node)
    if isinstance(found, Captured):
        name = node.name if isinstance(node, syntax.Name) else ""
        if not name:
            raise Diagnostic("CS0131")
        raise EvaluationError(
            f"A lambda that the program runs cannot assign to '{name}': it has a copy of the frame's variable"
        )
    if isinstance(found, Invoked) and not method_of(scope.env, found.method).name.startswith("get_"):
        raise Diagnostic("CS0131")
    if isinstance(found, FieldOf):
        return FieldOf(found.type, found.owner, found.token, _owner(scope, found.target, before))
    if isinstance(found, Invoked) and not found.arguments:
        return Invoked(found.type, found.method, _owner(scope, found.target, before), ())
    if isinstance(found, Variable) and scope.fixed.get(found) == CONSTANT:
        raise Diagnostic("CS0131")
    if isinstance(found, Variable) and found in scope.fixed:
        raise Diagnostic("CS1656", found.name, scope.fixed[found])
    if isinstance(found, Stored):
        _check_stored(scope, found)
    if isinstance(found, Variable | Invoked | Stored):
        return found
    raise Diagnostic("CS0131")


def _check_stored(scope: Scope, found: Stored, *, code: str = "CS8331") -> None:
    """Whether a variable of the frame may be changed. CS0131, and `code` where it is passed by `in`."""
    if found.place is None:
        raise Diagnostic("CS0131")
    variables = scope.binder.variables
    if variables is not None and found.name != "this" and variables.is_read_only(scope.env, found.name):
        raise Diagnostic(code, found.name)


def _owner(scope: Scope, target: Code | None, before: list[Code]) -> Code | None:
    if target is None:
        return None
    if target.type.is_value_type:
        if isinstance(target, Stored):
            _check_stored(scope, target, code="CS8332")
        if isinstance(target, Variable | Stored):
            return target
        if isinstance(target, Invoked) and scope.binder.opens_properties:
            field = backing_field(scope.universe, target.method)
            if field is not None:
                target = FieldOf(target.type, target.method.owner, field.token, target.target)
        if isinstance(target, FieldOf):
            return FieldOf(target.type, target.owner, target.token, _owner(scope, target.target, before))
        if isinstance(target, Operation) and target.name in ("ArrayIndex", "ArrayAccess"):
            kept = tuple(kept_value(scope, one, before) for one in target.operands)
            return Operation(target.type, "ArrayAccess", kept)
        raise Diagnostic("CS1612 unnamed")
    return kept_value(scope, target, before)


def kept_value(scope: Scope, code: Code, before: list[Code]) -> Code:
    """A value that is needed twice."""
    if isinstance(code, Variable | Captured):
        return code
    kept = scope.declare(code.type)
    before.append(Operation(code.type, "Assign", (kept, code)))
    return kept


def store(scope: Scope, target: Code, value: Code, *, initialises: bool = False) -> Code:
    """The assignment of a value to what `assigned_target` gave, with the value as its own. CS0191, CS0200."""
    value = implicit(scope, value, target.type)
    if isinstance(target, FieldOf):
        _check_writable(scope, target)
    if not isinstance(target, Invoked):
        return Operation(target.type, "Assign", (target, value))
    getter = method_of(scope.env, target.method)
    name = getter.name.replace("get_", "set_", 1)
    wanted = [*(argument.type for argument in target.arguments), target.type]
    for candidate in candidates(scope.universe, target.method.owner):
        if candidate.method.name != name or candidate.parameter_types(scope.universe) != wanted:
            continue
        if not initialises and _is_init_only(candidate.method.signature.return_type):
            raise Diagnostic("CS0200", getter.name.removeprefix("get_"))
        exact = ExactMethod(target.method.owner, MethodToken(candidate.method.token))
        kept = scope.declare(target.type)
        call = Invoked(types.VOID, exact, target.target, (*target.arguments, kept))
        return Steps(target.type, (), (Operation(target.type, "Assign", (kept, value)), call, kept))
    raise Diagnostic("CS0200", getter.name.removeprefix("get_"))


def _is_init_only(returned: object) -> bool:
    """Whether a setter is `init`: its result is modified."""
    from portablepdb.signatures import ModifiedType

    return isinstance(returned, ModifiedType)


def _check_writable(scope: Scope, target: FieldOf) -> None:
    module = scope.universe.module_of(target.owner)
    assert module is not None
    assert module.metadata is not None
    field = module.metadata.field(target.token)
    if field.flags & (_READ_ONLY | _LITERAL):
        raise Diagnostic("CS0191", field.name)


__all__ = ["bind_assignment", "bind_increment", "indexer", "store", "typed"]
