"""The names that arguments of a call may have: those of the parameters of the methods that it may mean."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.evaluation.binding.bound import Namespace
from dap_dotnet.evaluation.binding.extension_methods import extensions, may_receive
from dap_dotnet.evaluation.binding.program_code.members import methods, this, variable
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates


def argument_names(scope: Scope, callee: Node) -> Iterator[str]:
    """Of what stands before the parentheses, or of a new object. Raises `EvaluationError`; nothing runs."""
    if isinstance(callee, syntax.New) and callee.type is not None:
        created = candidates(scope.universe, scope.binder.type(callee.type))
        yield from _names([one for one in created if one.method.name == ".ctor"])
    elif isinstance(callee, syntax.Name):
        yield from _names(_of_name(scope, callee.name))
    elif isinstance(callee, syntax.Member):
        target = scope.entity(callee.target)
        if not isinstance(target, Namespace):
            yield from _names(methods(scope, target if isinstance(target, Type) else target.type, callee.name))
        if isinstance(target, Code):
            found = extensions(scope.env, scope.binder.lookup, callee.name)
            yield from _names([one for one in found if may_receive(scope.universe, one, target.type)], first=2)


def _of_name(scope: Scope, name: str) -> list[Candidate]:
    delegate = variable(scope, name)
    if delegate is not None:
        return methods(scope, delegate.type, "Invoke")
    own = this(scope)
    owners = [own.type] if own is not None else []
    owners += [*scope.binder.user_types(), *scope.binder.lookup.imports.static_types]
    return [one for owner in owners for one in methods(scope, owner, name)]


def _names(found: list[Candidate], first: int = 1) -> Iterator[str]:
    """Those of the parameters from number `first` on."""
    for candidate in found:
        yield from (name for number, name in candidate.method.parameters.items() if number >= first and name)
