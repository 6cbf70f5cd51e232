"""The library of Visual Basic: code that uses its constants and no more runs without it."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.method_groups import is_method_group
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.calling.program_calls import load_assembly
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node, parts_of

_NAMESPACE = "Microsoft.VisualBasic"
_ASSEMBLY = "Microsoft.VisualBasic.Core"
_ONE_OF_ITS_TYPES = "Microsoft.VisualBasic.Strings"


def load_for(binder: NameBinder, tree: Node) -> None:
    """Let the program load it, where the source imports it and an expression has a name that means nothing else."""
    env = binder.env
    if env.caller is None or _NAMESPACE not in binder.lookup.imports.namespaces:
        return
    if env.universe.named(_ONE_OF_ITS_TYPES) is not None:
        return
    parts = list(parts_of(tree))
    own = {name for part in parts if isinstance(part, syntax.Lambda) for name in part.parameters}
    if any(isinstance(part, syntax.Name) and part.name not in own and _is_unknown(binder, part) for part in parts):
        load_assembly(env, _ASSEMBLY)
        binder.lookup.look_again()


def _is_unknown(binder: NameBinder, node: syntax.Name) -> bool:
    lookup, name = binder.lookup, node.name
    if name.startswith("$") or binder.variable(name) is not None or is_method_group(binder, node):
        return False
    return lookup.simple(binder.env, name, arity=len(node.type_arguments)) is None and lookup.namespace(name) is None
