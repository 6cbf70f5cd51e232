"""Declare variables of the debug console, which live as long as the session."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.members import variable as variable_of
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.whole import function_source, outer_scope
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.evaluating import Evaluation
from dap_dotnet.evaluation.evaluator import Evaluated, compiled, in_program
from dap_dotnet.evaluation.operations.assignables import keep
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.rules.conversions import natural_delegate
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node, element_names
from dap_dotnet.evaluation.syntax.user_texts import ConsoleDeclaration
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.tuple_names import count
from dap_dotnet.values.context import FrameContext


def declare(declaration: ConsoleDeclaration, context: FrameContext, caller: Caller | None) -> Evaluated:
    """Give variables of the debug console, new or not, the value of an expression.

    The value is the first variable's. Raises as `evaluate`; CS0128 where a name means something in the frame.
    """
    with Evaluation(context, caller, declaration.text, declaration.value, may_store=True) as evaluation:
        env = evaluation.env
        binder = NameBinder(env)
        for variable in declaration.variables:
            _check(binder, variable.name)
        first = declaration.variables[0].name
        operand = _apart(binder, declaration) if declaration.is_apart else _one(binder, declaration)
        kept = env.program.kept.variable(first) if env.program.kept is not None else None
        assert kept is not None
        value = env.debuggee.pinned(kept.pin) if kept.pin is not None else to_value(env, operand)
        evaluation.result = value
    return Evaluated(value, first, operand.names, env.has_stored, env.way, env.went_behind)


def _check(binder: NameBinder, name: str) -> None:
    kept = binder.env.program.kept
    if kept is None or (kept.variable(name) is None and variable_of(outer_scope(binder), name) is not None):
        raise Diagnostic("CS0128 console", name)


def _one(binder: NameBinder, declaration: ConsoleDeclaration) -> Operand:
    (variable,) = declaration.variables
    declared = binder.type(variable.type) if variable.type is not None else None
    value = compiled(binder, declaration.value, declared or _natural_delegate(binder, declaration.value))
    if declaration.is_constant and value.constant is None:
        raise Diagnostic("CS0133", variable.name)
    return _keep(binder, variable, value.run(binder.env), is_constant=declaration.is_constant)


def _natural_delegate(binder: NameBinder, value: Node) -> Type | None:
    """The type that a lambda or a group of methods has by itself; None for other values. CS8917."""
    source = function_source(binder, value)
    kind = natural_delegate(binder.universe, source) if source is not None else None
    if source is not None and kind is None:
        raise Diagnostic("CS8917 console", "say its type" if source.is_group else "write the parameters' types")
    return kind


def _apart(binder: NameBinder, declaration: ConsoleDeclaration) -> Operand:
    """Several, of what a value is taken apart into."""
    env, variables = binder.env, declaration.variables
    parts = syntax.Tuple(tuple(syntax.Declaration(one.type, one.name) for one in variables), (None,) * len(variables))
    whole = compiled(binder, syntax.Assignment(parts, "=", declaration.value)).run(env)
    kept = [
        _keep(binder, variable, part)
        for variable, part in zip(variables, whole.data, strict=True)
        if variable.name != "_"
    ]
    return kept[0]


def _keep(binder: NameBinder, variable: syntax.Declaration, operand: Operand, *, is_constant: bool = False) -> Operand:
    """Keep a value of its type in a variable; the value as it is kept."""
    env = binder.env
    declared = binder.type(variable.type) if variable.type is not None else None
    operand = in_program(env, operand)
    if variable.type is not None and declared is not None and count(declared):
        operand = Operand(operand.type, operand.data, operand.value, element_names(variable.type), operand.place)
    if isinstance(operand.data, tuple) and operand.type.kind is Kind.STRUCT:
        made = Operand(types.TUPLE, operand.data)
        env.runner.put_on_heap(env, made)
        operand = Operand(operand.type, made.data, made.value, operand.names)
    if operand.type.kind in (Kind.VOID, Kind.NULL):
        raise Diagnostic("CS0815 untyped")
    if declared is not None and operand.type is not declared and operand.type is not types.TUPLE:
        operand = Operand(declared, operand.data, operand.value, operand.names)
    keep(env, variable.name, operand, is_constant=is_constant)
    return operand
