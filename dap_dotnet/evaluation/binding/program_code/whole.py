"""Whole expressions in code, bound before anything runs; what queries of providers need is loaded before that."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.program_code.expressions import bind_whole
from dap_dotnet.evaluation.binding.program_code.missing_assemblies import load_missing
from dap_dotnet.evaluation.bound_tree import Code, Invoked, TypedOperation, parts_of
from dap_dotnet.evaluation.calling.program_calls import load_assembly
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.anonymous_objects import prepare_type
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.inheritance import ancestors_of
from dap_dotnet.evaluation.types.universe import Universe

_ENUMERABLE, _QUERYABLE, _PROVIDED = "System.Linq.Enumerable", "System.Linq.Queryable", "System.Linq.IQueryable"
Names = tuple["str | None", ...]


def bound_whole(binder: NameBinder, tree: syntax.Node, target: Type | None = None) -> tuple[Code, Names]:
    """An expression that is evaluated here, and the names of the elements where it is a tuple.

    `target`: the type that its value is converted to. Raises `EvaluationError`, in the compiler's words where it
    is no C#. No code of the expression runs; where it is a query that its provider runs, the program loads
    System.Linq.Queryable first, and the assemblies of types that are not loaded yet.
    """
    for _ in range(_MOST_ASSEMBLIES):
        try:
            return _bound(binder, tree, target)
        except EvaluationError:
            if not load_missing(binder, tree):
                raise
    return _bound(binder, tree, target)


_MOST_ASSEMBLIES = 8
"""So many may be loaded for one expression."""


def _bound(binder: NameBinder, tree: syntax.Node, target: Type | None) -> tuple[Code, Names]:
    for part in syntax.parts_of(tree):
        if isinstance(part, syntax.Anonymous):
            prepare_type(binder.env, part.names)
    try:
        made = bind_whole(binder, tree, target)
    except EvaluationError as error:
        is_named = isinstance(error, Diagnostic) and bool({"AsQueryable", "Queryable"} & set(error.arguments))
        if not is_named or not _load_queryable(binder):
            raise
        return bind_whole(binder, tree, target)
    if not _asks_provider(binder.universe, made[0]) or not _load_queryable(binder):
        return made
    return bind_whole(binder, tree, target)


def _load_queryable(binder: NameBinder) -> bool:
    """Let the program load what queries of providers need; False where it has none such, or may not run."""
    env, universe = binder.env, binder.universe
    if env.caller is None or universe.named(_PROVIDED) is None:
        return False
    if universe.named(_QUERYABLE) is None:
        load_assembly(env, _QUERYABLE)
    return True


def _asks_provider(universe: Universe, code: Code) -> bool:
    """Whether a method of Enumerable was taken for what has a provider: Queryable is not loaded."""
    return universe.named(_QUERYABLE) is None and any(
        isinstance(part, Invoked)
        and part.method.owner.full_name == _ENUMERABLE
        and bool(part.arguments)
        and isinstance(part.arguments[0], TypedOperation)
        and any(one.full_name == _PROVIDED for one in ancestors_of(universe, part.arguments[0].operand.type))
        for part in parts_of(code)
    )
