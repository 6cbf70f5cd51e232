"""`await` of what has completed: the program stands still, so that nothing else could."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand


def bind_await(binder: NameBinder, node: syntax.Await) -> Bound:
    """`await x`: the result of a task, or of anything else with `GetAwaiter`. CS1061 where it has none."""
    run, is_completed = binder.expression(node.operand).run, MemberReader("IsCompleted")

    def result(env: Environment) -> Operand:
        before = len(env.live)
        try:
            operand = run(env)
            if operand.data is None:
                raise null_reference("the awaited value")
            env.live.append(operand)
            awaiter = call_method(env, operand, operand.type, "GetAwaiter", Given(()))
            if awaiter is None:
                raise Diagnostic("CS1061", operand.type.name, "GetAwaiter")
            env.live.append(awaiter)
            if not is_completed.read(env, awaiter).data:
                raise EvaluationError(
                    "It has not completed, and cannot while the program is stopped: evaluate it later, or read "
                    ".Result, for which other threads may run"
                )
            made = call_method(env, awaiter, awaiter.type, "GetResult", Given(()))
            if made is None:
                raise Diagnostic("CS1061", awaiter.type.name, "GetResult")
            return made
        finally:
            del env.live[before:]

    return Bound(result)
