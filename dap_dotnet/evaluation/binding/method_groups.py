"""Arguments that name a group of methods: `numbers.Select(Math.Abs)`."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of

_ITEM = "<item>"
"""The parameter of the lambda that stands for a group of methods."""


def bind_argument(binder: NameBinder, node: syntax.Node) -> Bound:
    """An argument; a group of methods is a lambda that calls one of them (C# specification 10.8)."""
    try:
        return binder.expression(node)
    except EvaluationError:
        if not _is_method_group(binder, node):
            raise
    item = syntax.Name(_ITEM)
    return binder.expression(syntax.Lambda((_ITEM,), syntax.Call(node, (syntax.Argument(item),))))


def _is_method_group(binder: NameBinder, node: syntax.Node) -> bool:
    if isinstance(node, syntax.Name):
        owners, name = binder.user_types(), node.name
    elif isinstance(node, syntax.Member) and _may_name_type(node.target):
        owner = binder.entity(node.target)
        owners, name = [owner] if isinstance(owner, Type) else [], node.name
    else:
        return False
    return any(
        candidate.method.name == name
        for owner in owners
        for base in bases_of(binder.universe, owner)
        for candidate in candidates(binder.universe, base)
    )


def _may_name_type(node: syntax.Node) -> bool:
    while isinstance(node, syntax.Member):
        node = node.target
    return isinstance(node, syntax.Name | syntax.KeywordType)
