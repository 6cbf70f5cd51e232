"""`nameof(…)`: the last name of what its argument means, which must be there (C# specification 12.8.23)."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.extensions import has_extension_property
from dap_dotnet.evaluation.binding.program_code.local_functions import is_local_function
from dap_dotnet.evaluation.binding.program_code.members import member
from dap_dotnet.evaluation.binding.program_code.names import variable
from dap_dotnet.evaluation.binding.program_code.scope import Entity, Scope
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code, Variable, characters, is_late
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.inheritance import bases_of


def bind_name_of(scope: Scope, node: syntax.Node) -> Code:
    """The name as a constant. CS8081, CS8082, and for what is not there as for its value."""
    with passing(node.at):
        if not isinstance(node, syntax.Name | syntax.Member):
            raise Diagnostic("CS8081")
        _meant(scope, node)
    return characters(node.name)


def _meant(scope: Scope, node: syntax.Node) -> Entity | None:
    """What a name means; None for methods, and for members that have no value here."""
    with passing(node.at):
        if isinstance(node, syntax.Name):
            return _name(scope, node)
        if isinstance(node, syntax.Member):
            return _member(scope, node)
        if isinstance(node, syntax.This | syntax.Base | syntax.KeywordType):
            return scope.entity(node)
        raise Diagnostic("CS8082")


def _name(scope: Scope, node: syntax.Name) -> Entity | None:
    binder = scope.binder
    if node.unbound:
        return binder.lookup.simple(scope.env, node.name, arity=node.unbound)
    meant = variable(scope, node.name) or binder.type_or_namespace(node)
    if meant is not None:
        return meant
    if is_local_function(scope, node.name) or any(_declares(scope, one, node.name) for one in binder.owners()):
        return None
    raise binder.lookup.unknown(node.name, len(node.type_arguments))


def _member(scope: Scope, node: syntax.Member) -> Entity | None:
    owner = _meant(scope, node.target)
    if owner is None:
        return None
    if isinstance(owner, Namespace):
        return scope.binder.in_namespace(owner, node)
    kind = owner if isinstance(owner, Type) else owner.type
    value = member(scope, owner if isinstance(owner, Code) else Variable(owner, ""), node.name)
    if value is not None or _declares(scope, kind, node.name):
        return value
    if isinstance(owner, Type):
        nested = scope.binder.lookup.nested(owner, node.name, scope.binder.type_arguments(node.type_arguments))
        if nested is None:
            raise Diagnostic("CS0117", owner.name, node.name)
        return nested
    if is_late(owner) or has_extension_property(scope, node.name):
        return None
    raise Diagnostic("CS1061", kind.name, node.name)


def _declares(scope: Scope, kind: Type, name: str) -> bool:
    """Whether a type or one of its bases has a field, property, method or event of a name."""
    for owner in bases_of(scope.universe, kind):
        definition, module = scope.universe.definition_of(owner), scope.universe.module_of(owner)
        metadata = module.metadata if module is not None else None
        if definition is None or metadata is None:
            continue
        token = definition[1]
        fields, properties = metadata.fields_of(token), metadata.properties_of(token)
        methods, events = metadata.methods_of(token), metadata.type_def(token).events
        if any(one.name == name for one in (*fields, *properties, *methods, *events)):
            return True
    return False
