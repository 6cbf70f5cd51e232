"""Calls and creations in code: the overload that C# chooses, its arguments converted."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.bound import Bound, Namespace
from dap_dotnet.evaluation.binding.extension_methods import choose_extension, extensions
from dap_dotnet.evaluation.binding.names_of import bind_name_of
from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.members import (
    check_this,
    checked_type,
    member,
    methods,
    result_of,
    static_member,
    this,
    variable,
)
from dap_dotnet.evaluation.binding.program_code.pointers import bind_pointer_call
from dap_dotnet.evaluation.binding.program_code.scope import Scope, stand_in, unsupported
from dap_dotnet.evaluation.binding.program_code.string_handlers import applied
from dap_dotnet.evaluation.binding.static_types import is_named_as_its_type
from dap_dotnet.evaluation.operations.applicable import Chosen, Given
from dap_dotnet.evaluation.operations.overloads import choose, why_no_overload
from dap_dotnet.evaluation.operations.program_code import (
    Captured,
    Code,
    Invoked,
    Made,
    Zero,
    know_names,
    source_of,
)
from dap_dotnet.evaluation.operations.required_members import check_required
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.delegate_types import delegate_signature
from dap_dotnet.runtime.model import MethodToken

_ABSTRACT = 0x80 | 0x20


def bind_call(scope: Scope, node: syntax.Call) -> Code:
    """A call of a method or a delegate."""
    target = node.target
    if isinstance(target, syntax.Name):
        return _simple(scope, node, target)
    if not isinstance(target, syntax.Member):
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    if isinstance(target.target, syntax.Base):
        raise unsupported("'base'")
    owner = scope.entity(target.target)
    arguments = _arguments(scope, node, target.type_arguments)
    if isinstance(owner, Namespace):
        raise Diagnostic("CS0234", target.name, owner.name)
    if isinstance(owner, Type):
        return _static(scope, owner, target.name, arguments)
    if owner.type is types.VOID:
        raise Diagnostic("CS0023", ".", owner.type.name)
    if owner.type.kind is Kind.NULL:
        raise Diagnostic("CS0023", ".", "<null>")
    named = isinstance(target.target, syntax.Name) and is_named_as_its_type(
        target.target, Bound(_unused, owner.type)
    )  # fmt: skip
    return on_value(scope, owner, target.name, arguments, is_named_as_its_type=named)


def _arguments(scope: Scope, node: syntax.Call, type_arguments: tuple[syntax.TypeSyntax, ...] = ()) -> Arguments:
    return Arguments(scope, node.arguments, scope.binder.type_arguments(type_arguments), node.receiver)


def _held(scope: Scope, name: str) -> Bound | None:
    """A variable of the code, for its name and its type only; None for other names."""
    if name not in scope.variables and name not in scope.captured:
        return None
    return Bound(_unused, scope.code(syntax.Name(name)).type)


def _simple(scope: Scope, node: syntax.Call, target: syntax.Name) -> Code:
    if target.name == "nameof" and len(node.arguments) == 1:
        bound = bind_name_of(scope.binder, node.arguments[0].value, lambda name: _held(scope, name))
        assert bound.constant is not None
        return captured_constant(bound.constant)
    if target.name in scope.variables or target.name in scope.captured:
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    by_pointer = bind_pointer_call(scope, node, target.name)
    if by_pointer is not None:
        return by_pointer
    arguments = _arguments(scope, node, target.type_arguments)
    own = this(scope)
    if own is not None:
        made = _method_of(scope, own.type, own, target.name, arguments)
        if isinstance(made, Invoked) and made.target is own:
            check_this(scope, own)
        if made is not None:
            return made
    for owner in (*scope.binder.user_types(), *scope.binder.lookup.imports.static_types):
        made = _method_of(scope, owner, None, target.name, arguments)
        if made is not None:
            return made
    held = variable(scope, target.name)
    if held is None:
        raise Diagnostic("CS0103", target.name)
    return _invoke(scope, held, arguments)


def captured_constant(operand: Operand) -> Code:
    """A constant of the source."""
    return Captured(operand.type, operand, is_constant=True)


def _static(scope: Scope, owner: Type, name: str, arguments: Arguments) -> Code:
    made = _method_of(scope, owner, None, name, arguments)
    if made is not None:
        return made
    held = static_member(scope, owner, name)
    if held is None:
        raise Diagnostic("CS0117", owner.name, name)
    return _invoke(scope, held, arguments)


def on_value(
    scope: Scope, target: Code, name: str, arguments: Arguments, *, is_named_as_its_type: bool = False
) -> Code:
    """`target.name(arguments)`: a method, a delegate that a member holds, or an extension method. CS1061."""
    know_names([Operand(target.type, None, None, scope.names.get(target, ())), *arguments.given.operands])
    found = methods(scope, target.type, name)
    if is_named_as_its_type and found and all(one.method.is_static for one in found):
        return _static(scope, target.type, name, arguments)
    made = _method_of(scope, target.type, target, name, arguments, is_instance=not is_named_as_its_type)
    if made is not None:
        return made
    if not found:
        held = member(scope, target, name)
        if held is not None:
            return _invoke(scope, held, arguments)
    receiver = stand_in(target)
    lookup, given = scope.binder.lookup, arguments.given
    chosen = choose_extension(scope.env, lookup, name, receiver, given, of_spans=False)  # no tree has spans
    if chosen is None and any(one.method.is_static for one in found):
        raise Diagnostic("CS0176", found[0].owner.name, name)
    if chosen is None:
        if found or not extensions(scope.env, lookup, name):
            raise Diagnostic("CS1061", target.type.name, name)
        offered = Given([receiver, *given.operands], (), given.types)
        raise why_no_overload(scope.universe, extensions(scope.env, lookup, name), offered, name)
    arguments.receive(receiver, target)
    return called(scope, chosen, None, arguments)


def _method_of(
    scope: Scope, owner: Type, target: Code | None, name: str, arguments: Arguments, *, is_instance: bool = False
) -> Code | None:
    """A call of a method by its name; None where there is none, or only ones that an extension method stands for.

    `is_instance`: the target is a value, which no static method is called on.
    """
    found = methods(scope, owner, name)
    if target is None or is_instance:
        found = [one for one in found if one.method.is_static is (target is None)]
    if not found:
        return None
    shown = f"{owner.name}.{name}"
    chosen = choose(scope.universe, found, arguments.given, name=shown)
    if chosen is None:
        if target is not None and extensions(scope.env, scope.binder.lookup, name):
            return None
        raise why_no_overload(scope.universe, found, arguments.given, shown)
    return called(scope, chosen, None if chosen.candidate.method.is_static else target, arguments)


def called(scope: Scope, chosen: Chosen, target: Code | None, arguments: Arguments) -> Code:
    """A call of the chosen method."""
    made = result_of(scope, chosen)
    return applied(scope, arguments, chosen, target, lambda held, passed: Invoked(made, chosen.exact, held, passed))


def _invoke(scope: Scope, held: Code, arguments: Arguments) -> Code:
    """A call of a delegate. CS0149."""
    if delegate_signature(scope.universe, held.type) is None:
        raise Diagnostic("CS0149")
    made = _method_of(scope, held.type, held, "Invoke", arguments)
    assert made is not None
    return made


def constructed(scope: Scope, kind: Type, arguments: Arguments, initialised: frozenset[str] = frozenset()) -> Code:
    """`new kind(arguments)`, before its initializer. CS0144, CS1729, CS9035."""
    given = arguments.given
    definition, module = scope.universe.definition_of(kind), scope.universe.module_of(kind)
    if kind.kind in (Kind.ARRAY, Kind.NULLABLE) or definition is None or module is None or module.metadata is None:
        raise unsupported(f"new {kind.name}(…)")
    if module.metadata.type_def(definition[1]).flags & _ABSTRACT:
        raise Diagnostic("CS0144", kind.name)
    if delegate_signature(scope.universe, kind) is not None:
        return _delegate(scope, kind, given)
    found = [one for one in candidates(scope.universe, kind) if one.method.name == ".ctor"]
    chosen = choose(scope.universe, found, given, name=kind.name)
    if chosen is None:
        if given.operands or not kind.is_value_type:
            shown = ", ".join(argument.type.name for argument in given.operands)
            raise Diagnostic("CS1729 arguments", kind.name, shown)
        check_required(scope.env, kind, None, initialised)
        return Zero(kind)
    check_required(scope.env, kind, chosen.candidate, initialised)
    exact = ExactMethod(kind, MethodToken(chosen.candidate.method.token))
    made = checked_type(scope, kind)
    return applied(scope, arguments, chosen, None, lambda _, passed: Made(made, exact, passed))


def _delegate(scope: Scope, kind: Type, given: Given) -> Code:
    source = source_of(given.operands[0]) if len(given.operands) == 1 else None
    if source is None:
        raise Diagnostic("CS0149")
    return scope.function(source, kind)


def _unused(env: object) -> Operand:
    raise AssertionError
