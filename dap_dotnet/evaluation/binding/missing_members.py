"""What the compiler says of members that are missing after `base`, and of those that clauses of queries stand for."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.member_access import Missing
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand


def missing_method(binder: NameBinder, node: syntax.Call) -> Missing | None:
    """CS1936 for a clause whose source has no such method, CS0117 after `base`; None: as for other members."""
    called = node.target
    if not isinstance(called, syntax.Member):
        return None
    if not node.is_clause:
        return missing_member(binder, called)
    at = called.target.at

    def missing(env: Environment, target: Operand, name: str) -> Diagnostic:
        error = Diagnostic("CS1936", env.own_type(target).name, name)
        error.trail.append(at)
        return error

    return missing


def missing_member(binder: NameBinder, node: syntax.Member) -> Missing | None:
    """CS0117 after `base`; None for other members."""
    base = binder.expression(node.target).type if isinstance(node.target, syntax.Base) else None
    return (lambda env, target, name: Diagnostic("CS0117", base.name, name)) if base is not None else None
