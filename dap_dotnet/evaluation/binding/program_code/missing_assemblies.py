"""Types of assemblies that the program has not loaded: it loads them where it may run."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.evaluation.binding.method_groups import is_method_group
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.calling.program_calls import load_assembly
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.symbols.unloaded_assemblies import unloaded_type


def load_missing(binder: NameBinder, tree: syntax.Node) -> bool:
    """Whether the program has loaded an assembly for a type that a name in the expression may mean.

    Raises `EvaluationError` where there is such an assembly, and the program may not run.
    """
    env = binder.env
    declared = set(_declared(tree))
    names = [name for root, path in _paths(tree) if path[0] not in declared for name in _meant(binder, root, path)]
    found = env.universe.derived(("not loaded", *names), lambda: unloaded_type(env.program.modules, names))
    if found is None:
        return False
    if env.caller is None:
        raise calls_forbidden(f"The type '{found.full_name}' is in '{found.assembly}', which is not loaded yet; that")
    load_assembly(env, found.assembly)
    binder.lookup.look_again()
    return True


def _paths(tree: syntax.Node) -> Iterator[tuple[syntax.Name | syntax.TypePart, tuple[str, ...]]]:
    """The names with dots in an expression, and what begins each; of `a.b.c` the longest one."""
    parts = list(syntax.parts_of(tree))
    inner = {id(part.target) for part in parts if isinstance(part, syntax.Member)}
    for part in parts:
        if isinstance(part, syntax.NamedTypeSyntax) and part.parts:
            yield part.parts[0], tuple(one.name for one in part.parts)
        if isinstance(part, syntax.Name | syntax.Member) and id(part) not in inner:
            names, node = list[str](), part
            while isinstance(node, syntax.Member):
                names.append(node.name)
                node = node.target  # type: ignore[assignment]
            if isinstance(node, syntax.Name):
                yield node, (node.name, *reversed(names))


def _declared(tree: syntax.Node) -> Iterator[str]:
    """The names of the variables that an expression declares, and of the parameters of its lambdas."""
    for part in syntax.parts_of(tree):
        if isinstance(part, syntax.Lambda):
            yield from (name for name in syntax.parts_of(part.parameters) if isinstance(name, str))
        elif not isinstance(part, syntax.Name | syntax.Member | syntax.TypePart):
            name = getattr(part, "name", None)
            yield from (name,) if isinstance(name, str) else ()


def _meant(binder: NameBinder, root: syntax.Name | syntax.TypePart, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The types, as (namespace, name), that a name may mean which means no variable, member or type that there is."""
    lookup, env, first = binder.lookup, binder.env, names[0]
    if lookup.simple(env, first, arity=len(root.arguments if isinstance(root, syntax.TypePart) else ())) is not None:
        return []
    if isinstance(root, syntax.Name) and (
        first.startswith("$") or binder.variable(first) is not None or is_method_group(binder, root)
    ):
        return []
    around = lookup.namespace(first)
    found = [] if around is not None else [(namespace, first) for namespace in lookup.namespaces()]
    for count in range(1, len(names)):
        namespace = ".".join((around or first, *names[1:count]))
        if lookup.in_namespace(namespace, names[count]) is not None:
            return []
        found.append((namespace, names[count]))
    return found
