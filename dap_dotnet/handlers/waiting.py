"""`dap-dotnet/waiting`: what each thread waits for, who has it, and who waits for whom in a ring."""

from __future__ import annotations

from dap_dotnet.async_tasks.suspended_methods import task_chain
from dap_dotnet.blocking.blocked_threads import Wait, cycles, waits
from dap_dotnet.blocking.blocking_calls import WaitKind
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.handlers.async_tasks import task_line
from dap_dotnet.handlers.sources import described_now
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.waiting import WaitingArguments, WaitingResponseBody, WaitingThread
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.values.rendering import render

_LOOK_AT_FRAMES = 64
_WORDS = {
    WaitKind.ENTER: ("to enter the lock of {}", "to enter a lock"),
    WaitKind.LOCK: ("to enter the lock {}", "to enter a lock"),
    WaitKind.PULSE: ("for a pulse of {}", "for a pulse"),
    WaitKind.JOIN: ("for the end of {}", "for the end of a thread"),
    WaitKind.TASK: ("for {}", "for a task"),
    WaitKind.TASKS: ("for several tasks, {}", "for several tasks"),
    WaitKind.EVENT: ("for the event {}", "for an event"),
    WaitKind.SEMAPHORE: ("for the semaphore {}", "for a semaphore"),
    WaitKind.MUTEX: ("for the mutex {}", "for a mutex"),
    WaitKind.HANDLE: ("for the handle {}", "for an event or another handle"),
    WaitKind.READER_WRITER_LOCK: ("to enter the lock {}", "to enter a reader-writer lock"),
    WaitKind.COUNTDOWN: ("for the countdown {}", "for a CountdownEvent"),
    WaitKind.BARRIER: ("for the barrier {}", "for a Barrier"),
    WaitKind.COLLECTION: ("for the collection {}", "for a BlockingCollection"),
}
"""What a thread waits for, with its object and without."""


def waiting(session: Session, arguments: WaitingArguments) -> WaitingResponseBody:
    """What the threads of the stopped program are waiting for; running threads and the runtime's own are left out."""
    session.need_stopped()
    names = session.thread_names()
    found = waits(session.program())
    rings = cycles(found)
    shown = [_shown(session, wait, names) for wait in found]
    lines = [_sentence(one) for one in shown]
    lines += ["Deadlock: " + " → ".join(names.get(one, str(one)) for one in (*ring, ring[0])) for ring in rings]
    text = "\n".join(lines) or "No thread waits."
    return WaitingResponseBody(waiting=shown, cycles=[list(ring) for ring in rings], text=text)


def _shown(session: Session, wait: Wait, names: dict[ThreadId, str]) -> WaitingThread:
    rendered = render(session.program(), wait.object) if wait.object is not None else None
    shown = WaitingThread(
        thread_id=wait.thread,
        thread_name=names.get(wait.thread, ""),
        kind=wait.kind.value,
        object=rendered.text if rendered is not None else None,
        type=rendered.type or None if rendered is not None else None,
        task=_task(session, wait) if wait.kind is WaitKind.TASK else None,
        owner_id=wait.owner,
        owner_name=names.get(wait.owner) if wait.owner is not None else None,
        acquisitions=wait.acquisitions or None,
        text="",
        place=_place(session, wait.thread),
    )
    shown.text = _words(shown)
    return shown


def _task(session: Session, wait: Wait) -> str | None:
    """`Cart.Pay(), Cart.cs:31, which awaits Bank.Transfer(), Bank.cs:12, which waits for Task.Delay`."""
    if wait.object is None:
        return None
    program = session.program()
    chain = task_chain(program, wait.object)
    lines = [task_line(session, program, wait.thread, method) for method in chain.methods]
    if not lines:
        return chain.end or None
    return ", which awaits ".join(line.place for line in lines) + f", which {lines[-1].waits}"


def _place(session: Session, thread: ThreadId) -> str | None:
    try:
        frames, _ = session.stack(thread).page(0, _LOOK_AT_FRAMES)
    except DapDotnetError:
        return None
    for shown in frames:
        described = described_now(session, describe_frame(session.modules, shown.frame))
        if described.path and described.span is not None:
            line = session.view.line_to_client(described.span.line)
            return f"{described.name}, {file_name(described.path)}:{line}"
    return None


def _words(one: WaitingThread) -> str:
    kind = WaitKind(one.kind)
    owner = f"{one.owner_name} ({one.owner_id})" if one.owner_id is not None else None
    if kind is WaitKind.SLEEP:
        return "sleeps"
    with_object, without = _WORDS[kind]
    what = f"waits {with_object.format(_object(one, kind, owner)) if one.object is not None else without}"
    if owner is None or kind is WaitKind.JOIN:
        return what
    return f"{what}, which {owner} {'runs' if kind is WaitKind.TASK else 'has'}"


def _sentence(one: WaitingThread) -> str:
    return f"{one.thread_name} ({one.thread_id}) {one.text}" + (f", in {one.place}" if one.place else "")


def _object(one: WaitingThread, kind: WaitKind, owner: str | None) -> str:
    text = one.object or ""
    if kind is WaitKind.JOIN and owner is not None:
        return owner
    if kind is WaitKind.TASK and one.task is not None:
        return one.task
    if not one.type or one.type in text:
        return text
    return f"{one.type} ({text})" if " = " in text else f"{one.type} {text}"
