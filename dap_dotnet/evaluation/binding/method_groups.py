"""Simple names of methods."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.declared_methods import methods_named


def is_method_group(binder: NameBinder, node: syntax.Name) -> bool:
    """Whether a simple name is that of methods."""
    owners = (*binder.user_types(), *binder.lookup.imports.static_types)
    return any(methods_named(binder.universe, owner, node.name) for owner in owners)
