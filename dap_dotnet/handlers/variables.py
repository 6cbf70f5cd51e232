"""`variables`, and what shows a value to the client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dap_dotnet.errors import NotStoppedError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.variables import (
    EvaluateResponseBody,
    ValueFormat,
    Variable,
    VariablePresentationHint,
    VariablesArguments,
    VariablesResponseBody,
)
from dap_dotnet.runtime.model import Value
from dap_dotnet.session.session import Session
from dap_dotnet.values import implicit_calls, tuple_names
from dap_dotnet.values.children import Child, Container, FirstElements
from dap_dotnet.values.containers import container_for, content_of_nullable
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.frame_variables import frame_variables
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.memory import memory_reference
from dap_dotnet.values.object_containers import LazyContainer
from dap_dotnet.values.rendering import Format, display_name, render

if TYPE_CHECKING:
    from dap_dotnet.evaluation.evaluator import Evaluated

_ALL = (1 << 31) - 1
"""What clients ask for that want all, besides nothing and 0."""
_FEW = 100
"""Elements that are shown without pages."""
_MAX_CHILDREN = 10_000
"""Children given when the client asks for all at once: no view shows more, and an array may have millions."""


def variables(session: Session, arguments: VariablesArguments) -> VariablesResponseBody:
    """Children of a scope or value. `filter`, `start` and `count` choose; nothing else is read."""
    session.need_stopped()
    container = session.stop_state.variables.get(arguments.variables_reference)
    style = Format(hexadecimal=bool(arguments.format and arguments.format.hex))
    start = max(arguments.start or 0, 0)
    count = arguments.count if arguments.count and 0 < arguments.count < _ALL else _MAX_CHILDREN
    children: list[Child] = []
    if arguments.filter == "named":
        children = container.read_named(start, count)
    elif arguments.filter == "indexed":
        children = container.read_indexed(start, count)
    else:
        children = container.read_all(start, count)
    later: list[implicit_calls.Wanted] = []
    found = [_variable(session, container, child, style, later) for child in children]
    implicit_calls.run(container.context.program, later, style)
    return VariablesResponseBody(variables=found)


def _variable(
    session: Session,
    parent: Container,
    child: Child,
    style: Format,
    later: list[implicit_calls.Wanted],
) -> Variable:
    """A child as the protocol has it; `later` takes what only running the program tells the text of."""
    hint = VariablePresentationHint(kind=child.kind, attributes=_attributes(child), visibility=child.visibility)
    if child.value is None:
        reference = session.stop_state.variables.add(child.container) if child.container is not None else 0
        hint.lazy = True if isinstance(child.container, LazyContainer) else None
        return Variable(
            name=child.name,
            value=child.text,
            evaluate_name=child.evaluate_name,
            variables_reference=reference,
            presentation_hint=hint,
        )
    program = parent.context.program
    shown = render(program, child.value, style, names=child.names)
    renamed = display_name(program, child.value, shown, style) if not child.keeps_name else None
    if renamed:
        parent.show_as(child.name, renamed)
    source = LiveValue(program, child.value, child.reread)
    opened = container_for(parent.context, source, shown, child.evaluate_name)
    named, indexed = counts(session.view, opened)
    if (opened is not None or shown.needs_call) and child.reread is None:
        session.stop_state.roots.add(source)
    variable = Variable(
        name=renamed or child.name,
        value=shown.text,
        type=shown.type or None,
        evaluate_name=child.evaluate_name,
        presentation_hint=hint,
        memory_reference=reference_of(session, program, child.value),
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
        named_variables=named,
        indexed_variables=indexed,
    )
    if shown.needs_call:
        of = source if shown.inner is None else content_of_nullable(program, source, shown.inner)
        later.append((of, partial(setattr, variable, "value")))
    return variable


def counts(view: ClientView, opened: Container | None) -> tuple[int | None, int | None]:
    """How many named and indexed children the client is told of; None and None: it asks for all, in our order."""
    if opened is None:
        return None, None
    named, indexed = opened.named or None, opened.indexed or None
    if view.shows_named_first and named and indexed and indexed <= _FEW:
        return None, None
    return named, indexed


def _attributes(child: Child) -> list[str] | None:
    found = []
    if child.is_static:
        found.append("static")
    if child.is_constant:
        found.append("constant")
    if child.is_read_only:
        found.append("readOnly")
    if child.value is not None and child.value.text is not None:
        found.append("rawString")
    if isinstance(child.container, LazyContainer):
        found.append("hasSideEffects")
    return found or None


def shown_result(
    session: Session,
    context: FrameContext,
    found: Evaluated,
    form: ValueFormat | None,
    *,
    expression: str,
    whole: bool = False,
    may_run: bool = True,
    quotes: bool = True,
    most: int | None = None,
) -> EvaluateResponseBody:
    """The value of `expression` as the client shows it; `whole`: strings without quotes, and not cut.

    `may_run`: the program may run where nothing else tells the text. `most`: of its elements only so many.
    """
    style = Format(hexadecimal=bool(form and form.hex), whole_strings=whole, quotes=quotes and not whole)
    shown = render(context.program, found.value, style, names=found.names or _names(context, expression, found.value))
    source = LiveValue(context.program, found.value, None)
    opened = container_for(context, source, shown, found.path)
    if opened is not None and most is not None and opened.indexed > most:
        opened = FirstElements(opened, most)
    named, indexed = counts(session.view, opened)
    runs = shown.needs_call and may_run
    if opened is not None or runs:
        session.stop_state.roots.add(source)
    body = EvaluateResponseBody(
        result=shown.text,
        type=shown.type or None,
        memory_reference=reference_of(session, context.program, found.value),
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
        named_variables=named,
        indexed_variables=indexed,
    )
    if runs:
        of = source if shown.inner is None else content_of_nullable(context.program, source, shown.inner)
        implicit_calls.run(context.program, [(of, partial(setattr, body, "result"))], style)
    return body


def _names(context: FrameContext, expression: str, value: Value) -> tuple_names.Names:
    """Of the tuple elements in the type of a variable of the frame; the values of other expressions are without."""
    if not tuple_names.count(context.program, value.type):
        return ()
    return frame_variables(context).names(expression.strip())


def reference_of(session: Session, program: Program, value: Value) -> str | None:
    """The memory reference of a value, for clients that take such."""
    return memory_reference(program, value) if session.view.supports_memory_references else None


def context_of(session: Session, frame_id: int | None) -> FrameContext:
    """The frame of an id; without one, the top one of the thread that stopped. Raises `NotStoppedError`."""
    if frame_id:  # 0 is what typed clients send for none
        return session.stop_state.frame_on_stack(frame_id)
    stop = session.current_stop
    frame = session.stack(stop.thread).top() if stop is not None else None
    if stop is None or frame is None:
        raise NotStoppedError("There is no frame to evaluate in: name one with frameId.")
    return FrameContext(session.program(), stop.thread, frame)
