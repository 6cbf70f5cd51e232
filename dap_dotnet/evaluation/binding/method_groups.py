"""Groups of methods where a value stands: `numbers.Select(Math.Abs)`, `new Func<int, bool>(IsOdd)`."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import member_type
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import methods_named

ITEM = "<item>"
"""The parameter of the lambda that stands for a group of methods."""


def bind_argument(binder: NameBinder, node: syntax.Node) -> Bound:
    """A value; a group of methods is a lambda that calls one of them (C# specification 10.8)."""
    if isinstance(node, syntax.Member) and _is_member_group(binder, node):
        return _group(binder, node)
    try:
        return binder.expression(node)
    except EvaluationError:
        if not is_method_group(binder, node):
            raise
    return _group(binder, node)


def _group(binder: NameBinder, node: syntax.Node) -> Bound:
    return binder.expression(syntax.Lambda((ITEM,), syntax.Call(node, (syntax.Argument(syntax.Name(ITEM)),))))


def _is_member_group(binder: NameBinder, node: syntax.Member) -> bool:
    """Whether `value.name` names methods, and no field or property, of the value's type."""
    if isinstance(node.target, syntax.Receiver | syntax.Base):
        return False
    target = binder.entity(node.target)
    kind = target.type if isinstance(target, Bound) else None
    return (
        kind is not None
        and member_type(binder.universe, kind, node.name) is None
        and has_method(binder, kind, node.name)
    )


def is_method_group(binder: NameBinder, node: syntax.Node) -> bool:
    """Whether a name, or a member of a type, is that of methods."""
    if isinstance(node, syntax.Name):
        owners, name = binder.user_types(), node.name
    elif isinstance(node, syntax.Member) and _may_name_type(node.target):
        owner = binder.entity(node.target)
        owners, name = [owner] if isinstance(owner, Type) else [], node.name
    else:
        return False
    return any(has_method(binder, owner, name) for owner in owners)


def has_method(binder: NameBinder, owner: Type, name: str) -> bool:
    """Whether a type or one of its bases has methods of a name."""
    return bool(methods_named(binder.universe, owner, name))


def _may_name_type(node: syntax.Node) -> bool:
    while isinstance(node, syntax.Member):
        node = node.target
    return isinstance(node, syntax.Name | syntax.KeywordType)
