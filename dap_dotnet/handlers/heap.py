"""The heap: `dap-dotnet/references`, `dap-dotnet/retainedSize` and `dap-dotnet/heapTypes`, and as commands in text."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import partial

from dap_dotnet.errors import EvaluationError
from dap_dotnet.handlers.variables import context_of, counts, reference_of
from dap_dotnet.protocol.messages.heap import (
    HeapType,
    HeapTypesArguments,
    HeapTypesResponseBody,
    HeldObject,
    HoldersArguments,
    HoldersResponseBody,
    ObjectArguments,
    Reference,
    ReferencesResponseBody,
    RetainedSizeResponseBody,
)
from dap_dotnet.protocol.messages.variables import EvaluateResponseBody
from dap_dotnet.runtime.heap import RetainedSize
from dap_dotnet.runtime.model import Value, ValueHandle
from dap_dotnet.session.session import Session
from dap_dotnet.values.children import Container
from dap_dotnet.values.containers import container_for
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.heap.chains import chains_to_roots
from dap_dotnet.values.heap.instances import InstancesContainer, NamedObjects, heap_statistics
from dap_dotnet.values.heap.referrers import Referrer, Referrers, referrers
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.rendering import render

_COMMAND = re.compile(r"\s*\.(refs|size|heap)\b\s*(.*?)\s*;?\s*", re.DOTALL)
_USUAL_TYPES = 100
_HELD_OBJECTS = 3
_SHOWN_TYPES = 30


def references(session: Session, arguments: ObjectArguments) -> ReferencesResponseBody:
    """What refers to an object."""
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    found = _referrers(session, context, arguments.expression)
    return ReferencesResponseBody(
        references=[_reference(session, context, one) for one in found.found], left_out=found.left_out
    )


def retained_size(session: Session, arguments: ObjectArguments) -> RetainedSizeResponseBody:
    """An object's retained size: what it alone keeps alive."""
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    size = _retained(session, context, arguments.expression)
    return RetainedSizeResponseBody(bytes=size.bytes, objects=size.objects, own_bytes=size.own_bytes)


def heap_types(session: Session, arguments: HeapTypesArguments) -> HeapTypesResponseBody:
    """The types that have objects; for a given name, also the objects."""
    session.need_stopped()
    context = context_of(session, None)
    with _until_unwanted(session):
        found = heap_statistics(context.program, arguments.name)
    count = arguments.count if arguments.count is not None and arguments.count > 0 else _USUAL_TYPES
    opened = InstancesContainer(context, found) if arguments.name is not None and found else None
    return HeapTypesResponseBody(
        types=[HeapType(name=one.name, count=one.count, bytes=one.bytes) for one in found[:count]],
        total_types=len(found),
        total_objects=sum(one.count for one in found),
        total_bytes=sum(one.bytes for one in found),
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
    )


def holders(session: Session, arguments: HoldersArguments) -> HoldersResponseBody:
    """What keeps objects of a type alive, for the first of them: a chain of references from each to a root."""
    session.need_stopped()
    context = context_of(session, None)
    with _until_unwanted(session):
        found = heap_statistics(context.program, arguments.name)
        if not found:
            raise EvaluationError(f"The heap has no object of a type '{arguments.name}'")
        count = arguments.count if arguments.count is not None and arguments.count > 0 else _HELD_OBJECTS
        chains = list(chains_to_roots(context.program, found, count, context.thread))
    total = sum(one.count for one in found)
    lines = [f"{_counted(total, 'object')} of type {found[0].name}"]
    for number, chain in enumerate(chains):
        lines.append(
            f"  [{number}] is kept by " + (chain.links[0] if chain.links else "nothing, and waits to be collected")
        )
        lines += [f"      which is kept by {link}" for link in chain.links[1:]]
        if chain.links and not chain.is_whole:
            lines.append("      and so on")
    objects = [HeldObject(type=chain.type_name, links=chain.links, is_whole=chain.is_whole) for chain in chains]
    return HoldersResponseBody(objects=objects, total_objects=total, text="\n".join(lines))


def command(session: Session, context: FrameContext, text: str) -> EvaluateResponseBody | None:
    """What `.refs x`, `.size x`, `.heap` and `.heap TYPE` answer, typed in place of an expression; None for others."""
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    name, argument = match.groups()
    if name == "heap":
        return _heap_text(session, context, argument)
    if not argument:
        raise EvaluationError(f"Say which object: .{name} followed by an expression")
    if name == "size":
        size = _retained(session, context, argument)
        all_bytes, own_bytes = _counted(size.bytes, "byte"), _counted(size.own_bytes, "byte")
        text = f"{all_bytes} in {_counted(size.objects, 'object')} would be freed with it; it takes {own_bytes} itself"
        return EvaluateResponseBody(result=text, variables_reference=0)
    found = _referrers(session, context, argument)
    lines = [one.text for one in found.found]
    if found.left_out:
        lines.append(f"{_counted(found.left_out, 'more object')}")
    head = f"{_counted(len(found.found) + found.left_out, 'reference')} to it"
    opened = NamedObjects(context, [(one.text, one.object) for one in found.found if one.object is not None])
    for root in opened.roots:
        session.stop_state.opened_results.add(root)
    return _answer(session, "\n  ".join([head + (":" if lines else ""), *lines]), opened)


def _heap_text(session: Session, context: FrameContext, name: str) -> EvaluateResponseBody:
    with _until_unwanted(session):
        found = heap_statistics(context.program, name or None)
    if not found:
        raise EvaluationError(f"The heap has no object of a type '{name}'" if name else "The heap has no objects")
    head = f"{_counted(sum(one.count for one in found), 'object')}, {_counted(sum(one.bytes for one in found), 'byte')}"
    if len(found) == 1:
        return _answer(session, f"{head}, of type {found[0].name}", InstancesContainer(context, found))
    lines = [f"{head}, of {len(found):,} types:", f"{'objects':>12} {'bytes':>15}  type"]
    lines += [f"{one.count:>12,} {one.bytes:>15,}  {one.name}" for one in found[:_SHOWN_TYPES]]
    if len(found) > _SHOWN_TYPES:
        lines.append(f"{_counted(len(found) - _SHOWN_TYPES, 'more type')}")
    return _answer(session, "\n".join(lines), InstancesContainer(context, found) if name else None)


def _answer(session: Session, text: str, opened: Container | None) -> EvaluateResponseBody:
    has_children = opened is not None and (opened.named or opened.indexed)
    named, indexed = counts(session.view, opened)
    return EvaluateResponseBody(
        result=text,
        variables_reference=session.stop_state.variables.add(opened) if opened is not None and has_children else 0,
        named_variables=named,
        indexed_variables=indexed,
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _value(session: Session, context: FrameContext, expression: str) -> Value:
    from dap_dotnet.evaluation.evaluator import evaluate

    return evaluate(expression, context, session.caller_for(context.thread), may_store=False).value


def _handle(value: Value) -> ValueHandle:
    if value.handle is None or value.is_null or not value.address:
        raise EvaluationError("Only objects on the heap keep others alive: this is a value or null")
    return value.handle


def _referrers(session: Session, context: FrameContext, expression: str) -> Referrers:
    value = _value(session, context, expression)
    with _until_unwanted(session):
        return referrers(context.program, value, context.thread)


def _retained(session: Session, context: FrameContext, expression: str) -> RetainedSize:
    handle = _handle(_value(session, context, expression))
    with _until_unwanted(session):
        return context.program.debuggee.retained_size(handle)


@contextlib.contextmanager
def _until_unwanted(session: Session) -> Iterator[None]:
    """Inside, a look through the heap ends early where nobody waits for the request any more."""
    debuggee = session.program().debuggee
    debuggee.give_up_heap(False)
    try:
        with session.server.interrupts.giving_up(partial(debuggee.give_up_heap, True)):
            yield
    finally:
        debuggee.give_up_heap(False)


def _reference(session: Session, context: FrameContext, one: Referrer) -> Reference:
    if one.object is None:
        return Reference(kind=one.kind, text=one.text)
    shown = render(context.program, one.object)
    source = LiveValue(context.program, one.object, None)
    opened = container_for(context, source, shown, None)
    if opened is not None:
        session.stop_state.opened_results.add(source)
    return Reference(
        kind=one.kind,
        text=one.text,
        value=shown.text,
        type=shown.type or None,
        variables_reference=session.stop_state.variables.add(opened) if opened is not None else 0,
        memory_reference=reference_of(session, context.program, one.object),
    )
