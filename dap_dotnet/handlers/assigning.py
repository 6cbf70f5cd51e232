"""`setVariable` and `setExpression`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from dap_dotnet.errors import EvaluationError
from dap_dotnet.handlers.variables import context_of, shown_result
from dap_dotnet.protocol.messages.variables import (
    EvaluateResponseBody,
    SetExpressionArguments,
    SetExpressionResponseBody,
    SetVariableArguments,
    SetVariableResponseBody,
    ValueFormat,
)
from dap_dotnet.session.session import Session
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.object_containers import NON_PUBLIC_MEMBERS, STATIC_MEMBERS

_POSITION = re.compile(r"\[(\d+)\]")
_GROUPS = (STATIC_MEMBERS, NON_PUBLIC_MEMBERS)
"""Clients that have looked for no groups name their members as those of the object."""
_PAGE = 1_000
_MOST_SEARCHED = 100_000


@contextmanager
def _refusals_are_shown() -> Iterator[None]:
    """An editor has no place of its own for why a value was refused, as it has for what a hover does not give."""
    try:
        yield
    except EvaluationError as error:
        error.show_user = True
        raise


def set_variable(session: Session, arguments: SetVariableArguments) -> SetVariableResponseBody:
    """Assign a value to a child of a scope or value. The response has its value afterwards."""
    session.need_stopped()
    with _refusals_are_shown():
        container = session.stop_state.variables.get(arguments.variables_reference)
        child = _child(container, container.own_name(arguments.name))
        if child is None:
            raise EvaluationError(f"There is no variable '{arguments.name}' here")
        if child.evaluate_name is None:
            raise EvaluationError(
                f"No C# expression means '{arguments.name}' here: it belongs to the result of a call, or only the "
                "members of its own class can name it: assign through a variable, or in a frame of that class"
            )
        new = _assigned(session, container.context, (child.evaluate_name, arguments.value), arguments.format)
    return SetVariableResponseBody(
        value=new.result,
        type=new.type,
        variables_reference=new.variables_reference,
        named_variables=new.named_variables,
        indexed_variables=new.indexed_variables,
    )


def set_expression(session: Session, arguments: SetExpressionArguments) -> SetExpressionResponseBody:
    """Assign a value to the target of an expression. The response has its value afterwards."""
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    with _refusals_are_shown():
        new = _assigned(session, context, (arguments.expression, arguments.value), arguments.format)
    return SetExpressionResponseBody(
        value=new.result,
        type=new.type,
        variables_reference=new.variables_reference,
        named_variables=new.named_variables,
        indexed_variables=new.indexed_variables,
    )


def _assigned(
    session: Session, context: FrameContext, assignment: tuple[str, str], form: ValueFormat | None
) -> EvaluateResponseBody:
    """Assign (target, value), and read the target again: a setter may have made something else of the value."""
    from dap_dotnet.evaluation.assigning import assign
    from dap_dotnet.evaluation.evaluator import evaluate

    target, value = assignment
    caller = session.caller_for(context.thread)
    try:
        assign(target, value, context, caller)
    finally:
        session.values_changed()
    return shown_result(session, context, evaluate(target, context, caller), form, expression=target)


def _child(container: Container, name: str) -> Child | None:
    """A child by its name, or a member in one of the groups; among many elements, by the position in it."""
    named = container.read_named(0, container.named)
    for child in named:
        if child.name == name:
            return child
    for group in named:
        if group.name in _GROUPS and group.container is not None:
            for child in group.container.read_named(0, group.container.named):
                if child.name == name:
                    return child
    position = _POSITION.fullmatch(name)
    if position is not None:
        found = container.read_indexed(int(position.group(1)), 1)
        if found and found[0].name == name:
            return found[0]
    for start in range(0, min(container.indexed, _MOST_SEARCHED), _PAGE):
        for child in container.read_indexed(start, _PAGE):
            if child.name == name:
                return child
    return None
