"""What the compiler says of clauses of queries, which are calls of methods that the text does not have."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand


def of_clause(node: syntax.Call, bound: Bound) -> Bound:
    """The call that a clause stands for; others as they are. CS1936 where the source has no such method."""
    called = node.target
    if not node.is_clause or not isinstance(called, syntax.Member):
        return bound
    source, name, run_call = called.target, called.name, bound.run

    def run(env: Environment) -> Operand:
        try:
            return run_call(env)
        except EvaluationError as error:
            if error.compiler_code != "CS1061" or not error.message.endswith(f"definition for '{name}'"):
                raise
            owner = error.message.split("'")[1]
            missing = EvaluationError(
                f"error CS1936: Could not find an implementation of the query pattern for source type '{owner}'.  "
                f"'{name}' not found."
            )
            missing.trail.append(source.at)
            raise missing from None

    return Bound(run, bound.type, bound.constant)
