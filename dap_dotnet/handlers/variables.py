"""`variables`, and what shows a value to the client."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from msgspec import structs

from dap_dotnet.errors import EvaluationError, NotStoppedError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.variables import (
    EvaluateResponseBody,
    ValueFormat,
    Variable,
    VariablePresentationHint,
    VariablesArguments,
    VariablesResponseBody,
)
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.session.session import Session
from dap_dotnet.values import implicit_calls, tuple_names
from dap_dotnet.values.children import Child, Container, FirstElements
from dap_dotnet.values.containers import container_for, content_of_nullable
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.debugger_attributes import Display, has_displays
from dap_dotnet.values.delegates import called_method
from dap_dotnet.values.dynamic_view import DynamicContainer, is_dynamic
from dap_dotnet.values.frame_variables import frame_variables
from dap_dotnet.values.lazy_containers import LazyContainer
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.members import has_members
from dap_dotnet.values.memory import as_reference, memory_reference
from dap_dotnet.values.object_containers import ObjectContainer
from dap_dotnet.values.object_shapes import display_of_member
from dap_dotnet.values.rendering import Format, Rendered, display_name, render, shown_by
from dap_dotnet.values.ways import BEHIND, CALLED, INTERPRETED

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
    style = Format(hexadecimal=_is_hexadecimal(container.context.program, arguments.format))
    start = max(arguments.start or 0, 0)
    count = arguments.count if arguments.count and 0 < arguments.count < _ALL else _MAX_CHILDREN
    later: list[implicit_calls.Wanted] = []
    with container.context.program.allowance.limited():
        children = _children(container, arguments.filter, start, count)
        page = _Page(session, container, style, later)
        found = [page.plain_object(child) or _variable(page, child) for child in children]
    implicit_calls.run(container.context.program, later, style)
    return VariablesResponseBody(variables=found)


def _is_hexadecimal(program: Program, form: ValueFormat | None) -> bool:
    asked = program.display.hexadecimal
    return bool(form and form.hex) if asked is None else asked


def _children(container: Container, wanted: str | None, start: int, count: int) -> list[Child]:
    if wanted == "named":
        return container.read_named(start, count)
    return container.read_indexed(start, count) if wanted == "indexed" else container.read_all(start, count)


class _Page:
    """The children of one answer, and what those of one type have in common."""

    def __init__(self, session: Session, parent: Container, style: Format, later: list[implicit_calls.Wanted]) -> None:
        """`later` takes what only running the program tells the text of."""
        self.session = session
        self.parent = parent
        self.style = style
        self.later = later
        self._plain: dict[TypeId, tuple[Rendered, int | None]] = {}
        """Of plain objects by their types: how they are shown, and how many named children they have."""
        self._has_references = session.view.supports_memory_references
        self._generation = parent.context.program.clock.generation

    def learn(self, child: Child, shown: Rendered, opened: Container | None) -> None:
        """All plain objects of a type are shown as this child is, where their members are counted by that."""
        kind = child.value.type if child.value is not None else None
        if kind is None or not shown.is_plain or child.display is not None or child.names:
            return
        if isinstance(opened, ObjectContainer) and opened.is_counted_by_type:
            self._plain[kind] = shown, opened.named or None

    def plain_object(self, child: Child) -> Variable | None:
        """A further object of a plain type; None for other children. It is looked into when it is opened."""
        value = child.value
        known = self._plain.get(value.type) if value is not None and value.type is not None else None
        if known is None or value is None or child.reread is None or child.key is not None:
            return None
        if child.display is not None or child.names:
            return None
        if value.element_type is not ElementType.CLASS or value.is_null or value.handle is None or value.error:
            return None
        shown, named = known
        at = value.address if self._has_references else 0
        return Variable(
            name=child.name,
            value=shown.text,
            type=shown.type or None,
            evaluate_name=child.evaluate_name,
            presentation_hint=_hint(child),
            memory_reference=as_reference(at) if at else None,
            variables_reference=self.session.stop_state.variables.add_later(partial(self._open, child, value)),
            named_variables=named,
            declaration_location_reference=_declared_at(self.session, child) if child.declared_at else None,
        )

    def _open(self, child: Child, value: Value) -> Container:
        context = self.parent.context
        source = LiveValue(context.program, value, child.reread, child.run, self._generation)
        return ObjectContainer(context, source, child.evaluate_name, container_for)


def _variable(page: _Page, child: Child) -> Variable:
    """A child as the protocol has it."""
    session, parent, style, later = page.session, page.parent, page.style, page.later
    if child.value is None:
        reference = session.stop_state.variables.add(child.container) if child.container is not None else 0
        return Variable(
            name=child.name,
            value=child.text,
            evaluate_name=child.evaluate_name,
            variables_reference=reference,
            presentation_hint=_hint(child),
            declaration_location_reference=_declared_at(session, child),
        )
    program = parent.context.program
    shown = render(program, child.value, style, names=child.names)
    if child.display is not None:
        shown = shown_by(program, child.value, child.display, shown, style)
    name, source, opened = child.name, None, None
    is_object = shown.inner is not None or has_members(child.value)
    if is_object or shown.has_named or shown.indexed:  # most elements of large arrays are none of these
        name = _name_of(parent, child, shown, style)
        source = LiveValue(program, child.value, child.reread, child.run)
        opened = container_for(parent.context, source, shown, child.evaluate_name)
        if (opened is not None or shown.needs_call) and child.reread is None:
            session.stop_state.opened_results.add(source)
    named, indexed = counts(session.view, opened)
    variable = Variable(
        name=name,
        value=shown.text,
        type=shown.type or child.type_name or None,
        evaluate_name=child.evaluate_name,
        presentation_hint=_hint(child),
        memory_reference=reference_of(session, program, child.value),
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
        named_variables=named,
        indexed_variables=indexed,
        declaration_location_reference=_declared_at(session, child),
        value_location_reference=(
            _called_at(session, program, child.value) if shown.has_named and not shown.is_plain else None
        ),
    )
    page.learn(child, shown, opened)
    if child.key is not None:
        later.append((child.key, partial(_name_entry, parent, child.name, variable)))
    if shown.needs_call and source is not None:
        of = source if shown.inner is None else content_of_nullable(program, source, shown.inner)
        later.append((of, partial(_called_text, variable, "value")))
    return variable


def _called_text(shown: Variable | EvaluateResponseBody, field: str, text: str) -> None:
    """Show the text that running the program has given, and say so."""
    setattr(shown, field, text)
    hint = shown.presentation_hint or VariablePresentationHint()
    found = [one for one in hint.attributes or () if one not in (CALLED, INTERPRETED)]
    shown.presentation_hint = structs.replace(hint, attributes=[*found, CALLED])


def _name_of(parent: Container, child: Child, shown: Rendered, style: Format) -> str:
    """The name of a child: its own, or the one that its DebuggerDisplay has for it."""
    assert child.value is not None
    if child.keeps_name:
        return child.name
    renamed = display_name(parent.context.program, child.value, shown, style, child.display)
    if not renamed:
        return child.name
    parent.show_as(child.name, renamed)
    return renamed


def _name_entry(parent: Container, own_name: str, variable: Variable, key: str) -> None:
    """An entry of a dictionary has the text of its key for its name."""
    variable.name = f"[{key}]"
    parent.show_as(own_name, variable.name)


def _called_at(session: Session, program: Program, value: Value) -> int | None:
    called = called_method(program, value)
    return session.stop_state.locations.shared(called) if called is not None else None


def _declared_at(session: Session, child: Child) -> int | None:
    return session.stop_state.locations.shared(child.declared_at) if child.declared_at is not None else None


def counts(view: ClientView, opened: Container | None) -> tuple[int | None, int | None]:
    """How many named and indexed children the client is told of; None and None: it asks for all, in our order."""
    if opened is None:
        return None, None
    named, indexed = opened.named or None, opened.indexed or None
    if view.shows_named_first and named and indexed and indexed <= _FEW:
        return None, None
    return named, indexed


def _hint(child: Child) -> VariablePresentationHint:
    is_string = child.value is not None and child.value.text is not None
    is_lazy = isinstance(child.container, LazyContainer)
    held = child.is_static, child.is_constant, child.is_read_only, is_string, is_lazy
    return _shared_hint(child.kind, child.visibility, held, child.way)


_ATTRIBUTES = ("static", "constant", "readOnly", "rawString", "hasSideEffects")


@lru_cache(maxsize=256)
def _shared_hint(
    kind: str, visibility: str | None, held: tuple[bool, ...], way: str | None
) -> VariablePresentationHint:
    """One for all who say the same: a page has a hundred. Nobody changes it. `held`: which of the attributes."""
    attributes = [name for name, holds in zip(_ATTRIBUTES, held, strict=True) if holds]
    is_lazy = "hasSideEffects" in attributes
    if way is not None:
        attributes.append(way)
    return VariablePresentationHint(
        kind=kind, attributes=attributes or None, visibility=visibility, lazy=is_lazy or None
    )


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
    dynamic_view: bool = False,
) -> EvaluateResponseBody:
    """The value of `expression` as the client shows it; `whole`: strings without quotes, and not cut.

    `may_run`: the program may run where nothing else tells the text. `most`: of its elements only so many.
    `dynamic_view`: of its members only the dynamic ones. Raises `EvaluationError` where it cannot have such.
    """
    style = Format(_is_hexadecimal(context.program, form), whole_strings=whole, quotes=quotes and not whole)
    shown = render(context.program, found.value, style, names=found.names or _names(context, expression, found.value))
    display = _display_of_member(context, expression) if shown.has_named or shown.inner is not None else None
    if display is not None:
        shown = shown_by(context.program, found.value, display, shown, style)
    source = _source(session, context, found, expression)
    opened = container_for(context, source, shown, found.path)
    if dynamic_view:
        if found.value.is_null or not is_dynamic(context.program, found.value.type):
            raise EvaluationError("Only objects that are dynamic (IDynamicMetaObjectProvider) have a Dynamic View")
        if not shown.is_collection:  # the members of an ExpandoObject are its items
            opened = DynamicContainer(context, source, found.path)
    if opened is not None and most is not None and opened.indexed > most:
        opened = FirstElements(opened, most)
    named, indexed = counts(session.view, opened)
    runs = shown.needs_call and may_run
    if opened is not None or runs:
        session.stop_state.opened_results.add(source)
    attributes = [found.way] if found.way is not None else []
    attributes += [BEHIND] if found.is_behind else []
    body = EvaluateResponseBody(
        result=shown.text,
        type=found.type_name or shown.type or None,
        presentation_hint=VariablePresentationHint(attributes=attributes) if attributes else None,
        memory_reference=reference_of(session, context.program, found.value),
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
        named_variables=named,
        indexed_variables=indexed,
        value_location_reference=_called_at(session, context.program, found.value) if shown.has_named else None,
    )
    if runs:
        of = source if shown.inner is None else content_of_nullable(context.program, source, shown.inner)
        implicit_calls.run(context.program, [(of, partial(_called_text, body, "result"))], style)
    return body


def _source(session: Session, context: FrameContext, found: Evaluated, expression: str) -> LiveValue:
    """The result of an expression. A structure is read or made again when it is asked for later: nothing pins it."""
    value = found.value
    is_called = found.way is not None and not found.has_stored  # what was stored is read where it was stored
    is_lasting = value.is_reference or found.path is None or is_called or not has_members(value)
    if is_lasting and not value.parts is not None:
        return LiveValue(context.program, value, None)
    from dap_dotnet.evaluation.evaluator import evaluate

    again = found.path or expression

    def run(call_timeout_s: float) -> Value:
        caller = session.caller_for(context.thread, call_timeout_s)
        return evaluate(again, context, caller, may_store=False).value

    return LiveValue(context.program, value, lambda: evaluate(again, context, None, may_store=False).value, run)


def _display_of_member(context: FrameContext, expression: str) -> Display | None:
    """The DebuggerDisplay of the member that an expression names, where what it is of can be read."""
    from dap_dotnet.evaluation.evaluator import evaluate
    from dap_dotnet.evaluation.syntax import tree
    from dap_dotnet.evaluation.syntax.parser import parse

    before, dot, _ = expression.strip().rpartition(".")
    if not dot or not has_displays(context.program):
        return None
    try:
        node = parse(expression)
        if not isinstance(node, tree.Member):
            return None
        owner = evaluate(before, context, None, may_store=False).value
    except EvaluationError:
        return None
    return display_of_member(context.program, owner.type, node.name) if owner.type is not None else None


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
        raise NotStoppedError("There is no frame to evaluate in: give a frameId.")
    return FrameContext(session.program(), stop.thread, frame)
