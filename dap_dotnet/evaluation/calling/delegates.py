"""Delegates of the program that are made of its methods: `Delegate.CreateDelegate`. Lambdas: see `expression_trees`."""

from __future__ import annotations

from dap_dotnet.evaluation.calling.heap_arguments import framework_method
from dap_dotnet.evaluation.calling.program_calls import call, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.reflected_calls import method_object
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type


def group_delegate(env: Environment, delegate: Type, exact: ExactMethod, target: Operand | None) -> Operand:
    """A delegate of a method itself; `target` None for a static one. Raises `EvaluationError`."""
    held = target if target is not None else Operand(types.OBJECT, None)
    kind = type_object(env, delegate)
    method = method_object(env, exact)
    info = env.universe.named("System.Reflection.MethodInfo")
    create = framework_method(
        env, "System.Delegate", "CreateDelegate", 3, (env.universe.named("System.Type"), types.OBJECT, info)
    )
    made = result_operand(env, call(env, create, [kind, held, method], "Delegate.CreateDelegate"), delegate)
    return Operand(delegate, made.data, made.value)
