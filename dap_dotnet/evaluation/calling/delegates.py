"""Delegates of the program, made of lambdas and groups of methods of an expression.

A lambda becomes an expression tree (`System.Linq.Expressions`), node by node, which the program then compiles: a few
function evaluations for each node. Its code may use private members, as the compiled method skips those checks. What
it captures of the frame are copies of the values, but for variables that the compiler has moved into a closure.
A group of methods needs no tree: `Delegate.CreateDelegate`.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Captured, Function, Group, source_of
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.calling.expression_trees import TreeMaker
from dap_dotnet.evaluation.calling.heap_arguments import framework_method
from dap_dotnet.evaluation.calling.program_calls import call, result_operand
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.reflected_calls import method_object
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.conversions import delegate_of, natural_delegate, takes_delegates
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import delegate_signature


def make_delegate(env: Environment, function: Operand, kind: Type) -> Operand:
    """See `environment.MethodRunner.delegate`. The expression's operands stay in flight."""
    source = source_of(function)
    if source is not None and takes_delegates(kind):
        natural = natural_delegate(env.universe, source)
        if natural is None and source.is_group:
            raise Diagnostic("CS0030 method group", kind.name)
        kind = natural or kind
    wanted = delegate_of(kind)
    signature = delegate_signature(env.universe, wanted)
    if signature is None or source is None:
        raise Diagnostic("CS1660", kind.name)
    if env.caller is None:
        raise calls_forbidden(f"A new delegate of type '{kind.name}'")
    if kind is not wanted and source.is_async:
        raise Diagnostic("CS1989")
    code = source.code(wanted, signature)
    before = len(env.live)
    try:
        if isinstance(code, Group):
            target = code.target.operand if isinstance(code.target, Captured) else None
            made = group_delegate(env, code.type, code.method, target)
        else:
            assert isinstance(code, Function)
            trees = TreeMaker(env)
            made = trees.tree(code) if kind is not wanted else trees.compiled(code)
    except CalleeThrew as error:
        raise EvaluationError(f"The program cannot create a delegate from this lambda: {error.message}") from None
    finally:
        del env.live[before:]
    return Operand(kind, made.data, made.value)


def group_delegate(env: Environment, delegate: Type, exact: ExactMethod, target: Operand | None) -> Operand:
    """A delegate of a method itself; `target` None for a static one."""
    target = target if target is not None else Operand(types.OBJECT, None)
    env.live.append(target)
    kind = type_object(env, delegate)
    env.live.append(kind)
    method = method_object(env, exact)
    env.live.append(method)
    info = env.universe.named("System.Reflection.MethodInfo")
    create = framework_method(
        env, "System.Delegate", "CreateDelegate", 3, (env.universe.named("System.Type"), types.OBJECT, info)
    )
    return result_operand(env, call(env, create, [kind, target, method], "Delegate.CreateDelegate"), delegate)
