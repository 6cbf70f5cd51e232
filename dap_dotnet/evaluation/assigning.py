"""Assign a new value to what a view shows, and declare variables of the debug console, which live as the session does.

What the user writes may be C# or what the view would show. What is changed must still be there when it is looked at
again. A part of a copy that is made anew is not: a proxy (DebuggerTypeProxy) and its arrays are such, and what a getter
copies each time. C# assigns there, unseen.
"""

from __future__ import annotations

import re

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.members import static_member, variable
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.scope import constant_of
from dap_dotnet.evaluation.binding.whole import outer_scope
from dap_dotnet.evaluation.bound_tree import Code, FieldOf, Invoked, Operation, Steps
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.evaluator import Evaluated, Evaluation, compiled, in_program
from dap_dotnet.evaluation.operations.assignables import keep
from dap_dotnet.evaluation.rules.inference import natural_delegate
from dap_dotnet.evaluation.running.run import closure
from dap_dotnet.evaluation.running.steps import Run
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.tree import Node, element_names
from dap_dotnet.evaluation.syntax.user_texts import ConsoleDeclaration
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, count_names
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import FrameContext

_SHOWN_CHAR = re.compile(r"\s*\d+ ('.+')\s*")
_SHOWN_NUMBER = re.compile(r"\s*-?(\d+\.\d+|\d+)(E[+-]?\d+)?\s*")
_SHOWN_NAMES = re.compile(r"\s*[^\W\d]\w*(\s*[|,]\s*[^\W\d]\w*)*\s*")
_SHOWN_ADDRESS = re.compile(r"\s*0x[0-9a-fA-F]{16}\s*")
_SHOWN = "<shown>"
_SHOWN_SPECIAL = {"NaN": "NaN", "Infinity": "PositiveInfinity", "-Infinity": "NegativeInfinity"}


def assign(target: str, value: str, context: FrameContext, caller: Caller | None) -> None:
    """Store the value of one expression in what another stands for, as `target = value` does.

    The value may also be written as the debugger shows it: an enum's member without its type, a char with its number, a
    float or decimal without its suffix. Raises as `evaluate`, with positions in `value` only. Session thread.
    """
    with Evaluation(context, caller, may_store=True) as evaluation:
        env = evaluation.env
        binder = NameBinder(env)
        binder.opens_properties = True  # the user changes what the view shows, wherever it is kept
        left = parse(target)
        place = compiled(binder, left)
        declared = place.type or (place.run(env).type if isinstance(left, syntax.Name) else None)
        right = _as_shown(binder, declared, value)
        if right is None:
            right = parse(value)
            evaluation.text, evaluation.tree = value, right
        assignment = compiled(binder, syntax.Assignment(left, "=", right))
        owner = _owner(place.code)
        if owner is not None and _is_made_anew(env, closure(env.universe, owner)):
            _assign_to_copy(env, place.run, assignment.run)
        else:
            assignment.run(env)


def _as_shown(binder: NameBinder, declared: Type | None, text: str) -> Node | None:
    """The tree of a new value as the debugger shows a value of the declared type; None for one that is to be C#."""
    char = _SHOWN_CHAR.fullmatch(text)
    if char is not None:
        return parse(char.group(1))
    scope = outer_scope(binder)
    kind = declared.stripped if declared is not None else None
    if kind in (types.R4, types.DECIMAL) and _SHOWN_NUMBER.fullmatch(text):
        return parse(text.strip() + ("f" if kind is types.R4 else "m"))
    special = _SHOWN_SPECIAL.get(text.strip()) if kind in (types.R4, types.R8) else None
    if kind is not None and special is not None and variable(scope, text.strip()) is None:
        return parse(f"{kind.name}.{special}")
    if kind is not None and kind.kind is Kind.POINTER and _SHOWN_ADDRESS.fullmatch(text):
        return _of_type(binder, kind, int(text, 16))
    if kind is not None and kind.kind is Kind.ENUM and _SHOWN_NAMES.fullmatch(text):
        number = 0
        for name in re.split(r"[|,]", text):
            member = static_member(scope, kind, name.strip())
            known = constant_of(member) if member is not None else None
            if known is None or variable(scope, name.strip()) is not None:
                return None
            number |= known.data
        return _of_type(binder, kind, number)
    return None


def _of_type(binder: NameBinder, kind: Type, number: int) -> Node:
    """A number as a value of a type that the source may have no name for."""
    binder.env.slots[_SHOWN] = Operand(kind, number)
    binder.declared.add(_SHOWN)
    return syntax.Name(_SHOWN)


def _owner(place: Code) -> Code | None:
    """The object that what is assigned to is a part of; None where it is a variable, or static."""
    part: Code | None = place.steps[-1] if isinstance(place, Steps) else place
    while isinstance(part, FieldOf | Invoked | Operation):
        if not isinstance(part, Operation):
            part = part.target
        else:
            part = part.operands[0] if part.name in ("ArrayIndex", "ArrayAccess") else None
        if part is not None and not part.type.is_value_type:
            return Steps(part.type, place.variables, (part,)) if isinstance(place, Steps) else part
    return None


def _is_made_anew(env: Environment, run: Run) -> bool:
    """Whether code gives another object each time."""
    first = run(env)
    if env.way is None:
        return False
    return not _is_same(first, run(env))


def _assign_to_copy(env: Environment, read: Run, assign: Run) -> None:
    """A setter may reach through the copy to what that is made from; raises `EvaluationError` where nothing changes."""
    old, given, now = read(env), assign(env), read(env)
    if _is_same(now, old) and not _is_same(now, given):
        raise EvaluationError(
            "Nothing that lasts can be changed here: this is part of a copy, which is made anew each time that it "
            "is looked at. Change what it is made from, by an expression or below 'Raw View'"
        )


def _is_same(one: Operand, other: Operand) -> bool:
    """Whether two operands are the same object, or equal values."""
    if not isinstance(one.data, Value) or not isinstance(other.data, Value):
        return bool(one.data == other.data)
    if one.data.is_reference:
        return one.data.address != 0 and one.data.address == other.data.address
    return one.data.raw != b"" and one.data.raw == other.data.raw


def declare(declaration: ConsoleDeclaration, context: FrameContext, caller: Caller | None) -> Evaluated:
    """Give variables of the debug console, new or not, the value of an expression.

    The value is the first variable's. Raises as `evaluate`; CS0128 where a name means something in the frame.
    """
    with Evaluation(context, caller, declaration.text, declaration.value, may_store=True) as evaluation:
        env = evaluation.env
        binder, kept = NameBinder(env), env.program.kept
        assert kept is not None
        for one in declaration.variables:
            if kept.variable(one.name) is None and variable(outer_scope(binder), one.name) is not None:
                raise Diagnostic("CS0128 console", one.name)
        first = declaration.variables[0].name
        operand = _apart(binder, declaration) if declaration.is_apart else _one(binder, declaration)
        made = kept.variable(first)
        assert made is not None
        value = env.debuggee.pinned(made.pin) if made.pin is not None else env.to_value(operand)
        evaluation.result = value
    return Evaluated(value, first, operand.names, env.has_stored, env.way, env.went_behind)


def _one(binder: NameBinder, declaration: ConsoleDeclaration) -> Operand:
    (variable,) = declaration.variables
    declared = binder.type(variable.type) if variable.type is not None else None
    value = compiled(binder, declaration.value, declared or _natural_delegate(binder, declaration.value))
    if declaration.is_constant and constant_of(value.code) is None:
        raise Diagnostic("CS0133", variable.name)
    return _keep(binder, variable, value.run(binder.env), is_constant=declaration.is_constant)


def _natural_delegate(binder: NameBinder, value: Node) -> Type | None:
    """The type that a lambda or a group of methods has by itself; None for other values. CS8917."""
    source = outer_scope(binder).source(value)
    kind = natural_delegate(binder.universe, source) if source is not None else None
    if source is not None and kind is None:
        raise Diagnostic("CS8917 console", "say its type" if source.is_group else "write the parameters' types")
    return kind


def _apart(binder: NameBinder, declaration: ConsoleDeclaration) -> Operand:
    """Several, of what a value is taken apart into."""
    whole = compiled(binder, declaration.value).run(binder.env)
    kept = [
        _keep(binder, variable, part)
        for variable, part in zip(declaration.variables, whole.data, strict=True)
        if variable.name != "_"
    ]
    return kept[0]


def _keep(binder: NameBinder, variable: syntax.Declaration, operand: Operand, *, is_constant: bool = False) -> Operand:
    """Keep a value of its type in a variable; the value as it is kept."""
    env = binder.env
    declared = binder.type(variable.type) if variable.type is not None else None
    operand = in_program(env, operand)
    if variable.type is not None and declared is not None and count_names(declared):
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
