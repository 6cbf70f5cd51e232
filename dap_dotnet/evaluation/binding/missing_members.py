"""What the compiler says of members that are missing after `base`, and of those that clauses of queries stand for."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand, Type


def of_call(node: syntax.Call, bound: Bound, base: Type | None) -> Bound:
    """A call of a member; others as they are. CS1936 for a clause whose source has no such method, CS0117 as below."""
    called = node.target
    if not isinstance(called, syntax.Member):
        return bound
    if not node.is_clause:
        return of_member(called, bound, base)
    source, name = called.target, called.name

    def missing(owner: str) -> EvaluationError:
        error = Diagnostic("CS1936", owner, name)
        error.trail.append(source.at)
        return error

    return _instead(bound, name, missing)


def of_member(node: syntax.Member, bound: Bound, base: Type | None) -> Bound:
    """A member; others than those after `base`, whose type is given, as they are. CS0117."""
    if not isinstance(node.target, syntax.Base) or base is None:
        return bound
    owner = base.name
    return _instead(bound, node.name, lambda _: Diagnostic("CS0117", owner, node.name))


def _instead(bound: Bound, name: str, missing: Callable[[str], EvaluationError]) -> Bound:
    """`missing` is made of the name of the type that has no member of the name."""
    run_it = bound.run

    def run(env: Environment) -> Operand:
        try:
            return run_it(env)
        except EvaluationError as error:
            if error.compiler_code != "CS1061" or not error.message.endswith(f"definition for '{name}'"):
                raise
            raise missing(error.message.split("'")[1]) from None

    return Bound(run, bound.type, bound.constant, bound.is_dynamic)
