"""Declare variables of the debug console, which live as long as the session."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.deconstruction import taken_apart
from dap_dotnet.evaluation.binding.method_groups import bind_argument
from dap_dotnet.evaluation.binding.variables import site_of
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.evaluator import Evaluated, in_program
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.kept_variables import keep
from dap_dotnet.evaluation.operations.natural_types import natural_delegate
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.operations.program_code import source_of
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax.console_declarations import ConsoleDeclaration
from dap_dotnet.evaluation.syntax.positions import locate
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import FrameContext


def declare(declaration: ConsoleDeclaration, context: FrameContext, caller: Caller | None) -> Evaluated:
    """Give variables of the debug console, new or not, the value of an expression.

    The value is the first variable's. Raises as `evaluate`; CS0128 where a name means something in the frame.
    """
    env = Environment(context, caller, METHOD_RUNNER)
    env.may_store = True
    value: Value | None = None
    try:
        binder = Binder(env, site_of(env))
        for variable in declaration.variables:
            _check(binder, variable.name)
        first = declaration.variables[0].name
        operand = _apart(binder, declaration) if declaration.is_apart else _one(binder, declaration)
        kept = env.program.kept.variable(first) if env.program.kept is not None else None
        assert kept is not None
        value = env.debuggee.pinned(kept.pin) if kept.pin is not None else to_value(env, operand)
    except RecursionError:
        raise EvaluationError("The expression nests too deeply to be evaluated here") from None
    except EvaluationError as error:
        locate(error, declaration.text, declaration.value)
        raise
    finally:
        env.release(value)
    return Evaluated(value, first, operand.names, env.has_stored, env.way)


def _check(binder: Binder, name: str) -> None:
    kept = binder.env.program.kept
    if kept is None or (kept.variable(name) is None and binder.variable(name) is not None):
        raise Diagnostic("CS0128 console", name)


def _one(binder: Binder, declaration: ConsoleDeclaration) -> Operand:
    (variable,) = declaration.variables
    env = binder.env
    declared = binder.type(variable.type) if variable.type is not None else None
    bound = binder.typed(declaration.value, declared) if declared else bind_argument(binder, declaration.value)
    if declaration.is_constant and bound.constant is None:
        raise Diagnostic("CS0133", variable.name)
    renaming = binder.renaming(variable.type, declared)
    return _keep(
        env,
        variable.name,
        declared,
        bound.run(env),
        bound.constant,
        renaming=renaming,
        is_constant=declaration.is_constant,
    )


def _apart(binder: Binder, declaration: ConsoleDeclaration) -> Operand:
    env, count = binder.env, len(declaration.variables)
    operand = binder.expression(declaration.value).run(env)
    before = len(env.live)
    env.live.append(operand)
    items = taken_apart(env, operand, count)
    env.live.extend(items)
    made = list[Operand]()
    for place, variable in enumerate(declaration.variables, before + 1):
        if variable.name != "_":
            declared = binder.type(variable.type) if variable.type is not None else None
            renaming = binder.renaming(variable.type, declared)
            made.append(_keep(env, variable.name, declared, env.live[place], renaming=renaming))
    return made[0]


def _keep(
    env: Environment,
    name: str,
    declared: Type | None,
    operand: Operand,
    constant: Operand | None = None,
    *,
    renaming: Callable[[Operand], Operand] | None = None,
    is_constant: bool = False,
) -> Operand:
    """Keep a value in a variable; the value as it is kept."""
    env.live.append(operand)
    source = source_of(operand)
    if source is not None:
        kind = declared or natural_delegate(env.universe, source)
        if kind is None:
            what = "say its type" if source.is_group else "write the parameters' types"
            raise Diagnostic("CS8917 console", what)
        operand = env.runner.delegate(env, operand, kind)
    elif declared is not None:
        operand = in_program(env, operand) if operand.type.kind is Kind.SEQUENCE else operand
        operand = convert_implicitly(env, operand, declared, constant)
        operand = renaming(operand) if renaming is not None else operand
        if isinstance(operand.data, tuple) and operand.type.kind is Kind.STRUCT:
            made = Operand(types.TUPLE, operand.data)
            env.runner.put_on_heap(env, made)
            operand = Operand(operand.type, made.data, made.value, operand.names)
    else:
        operand = in_program(env, operand)
    if operand.type.kind in (Kind.VOID, Kind.NULL):
        raise Diagnostic("CS0815 untyped")
    if declared is not None and operand.type is not declared and operand.type is not types.TUPLE:
        operand = Operand(declared, operand.data, operand.value, operand.names)
    keep(env, name, operand, is_constant=is_constant)
    return operand
