"""`nameof(…)`: the last name of what its argument means, which must be there, and is not evaluated.

C# specification 12.8.23.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Entity, Namespace, constant, passing
from dap_dotnet.evaluation.binding.extension_members import extension_properties
from dap_dotnet.evaluation.binding.local_functions import local_functions
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import member_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.inheritance import bases_of

Held = Callable[[str], Bound | None]
"""A variable of the code around a lambda's node, which the binder does not know."""


def bind_name_of(binder: NameBinder, node: syntax.Node, held: Held = lambda name: None) -> Bound:
    """The name as a constant. Raises `EvaluationError`: CS8081, and for what is not there as for its value."""
    if not isinstance(node, syntax.Name | syntax.Member):
        with passing(node.at):
            raise Diagnostic("CS8081")
    _meant(binder, node, held)
    return constant(Operand(types.STRING, node.name))


def _meant(binder: NameBinder, node: syntax.Node, held: Held) -> Entity | None:
    """What a name means; None where that is not known: a group of methods, a member of what only a value shows."""
    with passing(node.at):
        if isinstance(node, syntax.Name):
            return _name(binder, node, held)
        if isinstance(node, syntax.Member):
            return _member(binder, node, held)
        if isinstance(node, syntax.This | syntax.Base | syntax.KeywordType):
            return binder.entity(node)
        raise Diagnostic("CS8082")


def _name(binder: NameBinder, node: syntax.Name, held: Held) -> Entity | None:
    found: Entity | None = held(node.name)
    if found is None and node.unbound:
        found = binder.lookup.simple(binder.env, node.name, arity=node.unbound)
    if found is not None:
        return found
    try:
        return binder.entity(node)
    except EvaluationError as error:
        if error.compiler_code not in ("CS0103", "CS0246", "CS0305", "CS0308"):
            return None  # methods, and what has no value here
        owner = next((one for one in binder.user_types() if _declares(binder, one, node.name)), None)
        if owner is not None:
            return Bound(_never, member_type(binder.universe, owner, node.name))
        functions = local_functions(binder, node.name)
        if functions.plain or functions.captured:
            return None
        raise


def _member(binder: NameBinder, node: syntax.Member, held: Held) -> Entity | None:
    owner = _meant(binder, node.target, held)
    if owner is None:
        return None
    if isinstance(owner, Namespace):
        return _in_namespace(binder, owner.name, node)
    kind = owner if isinstance(owner, Type) else owner.type
    if kind is None or (isinstance(owner, Bound) and owner.is_dynamic):
        return None
    if _declares(binder, kind, node.name):
        return Bound(_never, member_type(binder.universe, kind, node.name))
    if isinstance(owner, Type):
        nested = binder.lookup.nested(owner, node.name, binder.type_arguments(node.type_arguments))
        if nested is None:
            raise Diagnostic("CS0117", owner.name, node.name)
        return nested
    if _may_have(binder, node, owner, kind):
        return None
    raise Diagnostic("CS1061", kind.name, node.name)


def _in_namespace(binder: NameBinder, namespace: str, node: syntax.Member) -> Entity:
    made = binder.lookup.in_namespace(namespace, node.name, binder.type_arguments(node.type_arguments))
    inner = binder.lookup.namespace(node.name, namespace) if made is None else None
    if made is None and inner is None:
        raise Diagnostic("CS0234", node.name, namespace)
    return made or Namespace(inner or "")


def _may_have(binder: NameBinder, node: syntax.Member, owner: Bound, kind: Type) -> bool:
    """Whether a value may have a member that its type does not declare: an extension property, a tuple's element."""
    if tuple_names.is_tuple(kind) or kind.kind is Kind.TUPLE:
        return not isinstance(node.target, syntax.Name) or node.name in owner.run(binder.env).names
    return bool(extension_properties(binder.env, binder.lookup, node.name))


def _declares(binder: NameBinder, kind: Type, name: str) -> bool:
    """Whether a type or one of its bases has a field, property, method or event of a name."""
    if kind.kind is Kind.NULLABLE and name in ("Value", "HasValue"):
        return True
    for owner in bases_of(binder.universe, kind):
        definition, module = binder.universe.definition_of(owner), binder.universe.module_of(owner)
        metadata = module.metadata if module is not None else None
        if definition is None or metadata is None:
            continue
        token = definition[1]
        fields, properties = metadata.fields_of(token), metadata.properties_of(token)
        methods, events = metadata.methods_of(token), metadata.type_def(token).events
        if any(one.name == name for one in (*fields, *properties, *methods, *events)):
            return True
    return False


def _never(env: Environment) -> Operand:
    raise AssertionError("what nameof names is not evaluated")
