"""The names that arguments of a call may have: those of the parameters of the methods that it may mean."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.program_code.expressions import live_scope
from dap_dotnet.evaluation.binding.program_code.extensions import extensions, may_receive
from dap_dotnet.evaluation.binding.program_code.names import this, variable
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, constructors, methods_named


def argument_names(binder: NameBinder, callee: Node | Type) -> Iterator[str]:
    """Of what stands before the parentheses, or of a new object of a type. Raises `EvaluationError`; nothing runs."""
    if isinstance(callee, Type):
        yield from _names(constructors(binder.universe, callee))
        return
    scope = live_scope(binder)
    if isinstance(callee, syntax.Name):
        yield from _names(_of_name(scope, callee.name))
    elif isinstance(callee, syntax.Member):
        target = scope.entity(callee.target)
        if not isinstance(target, Namespace):
            yield from _names(
                methods_named(scope.universe, target if isinstance(target, Type) else target.type, callee.name)
            )
        if isinstance(target, Code):
            found = extensions(scope.env, binder.lookup, callee.name)
            yield from _names([one for one in found if may_receive(scope.universe, one, target.type)], first=2)


def _of_name(scope: Scope, name: str) -> list[Candidate]:
    delegate = variable(scope, name)
    if delegate is not None:
        return methods_named(scope.universe, delegate.type, "Invoke")
    own = this(scope)
    owners = [own.type] if own is not None else []
    owners += scope.binder.owners()
    return [one for owner in owners for one in methods_named(scope.universe, owner, name)]


def _names(found: list[Candidate], first: int = 1) -> Iterator[str]:
    """Those of the parameters from number `first` on."""
    for candidate in found:
        yield from (name for number, name in candidate.method.parameters.items() if number >= first and name)
