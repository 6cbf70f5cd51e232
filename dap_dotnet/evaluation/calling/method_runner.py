"""Running methods: what only reads is interpreted, the rest is called in the program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dap_dotnet.evaluation.calling.program_calls import call, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.interpretation import ReadingMethodRunner
from dap_dotnet.evaluation.operations.dispatch import method_of, shown_name
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand


class ProgramMethodRunner(ReadingMethodRunner):
    """Implements `environment.MethodRunner`. Has no state: one serves all evaluations (`METHOD_RUNNER`)."""

    def not_interpretable(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> Operand:
        """The result of a call in the program, which `env.caller` must allow. Raises `EvaluationError`."""
        owner, own = method.owner, method_of(env, method)
        module = env.universe.module_of(owner)
        assert module is not None
        type_of = partial(env.universe.of_signature, module, types=owner.arguments, methods=method.type_arguments)
        parameters = own.signature.parameters
        passed = [(argument, type_of(entry)) for argument, entry in zip(arguments, parameters, strict=True)]
        if target is not None:
            passed.insert(0, (target, None))
        value = call(env, method, passed, shown_name(owner, own.name), has_this=target is not None)
        return result_operand(env, value, type_of(own.signature.return_type))


METHOD_RUNNER = ProgramMethodRunner()
