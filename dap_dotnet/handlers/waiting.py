"""`dap-dotnet/waiting`: what each thread waits for, who has it, and who waits for whom in a ring."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.waiting import WaitingArguments, WaitingResponseBody, WaitingThread
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.values.rendering import render
from dap_dotnet.values.waiting import Wait, WaitKind, cycles, waits

_LOOK_AT_FRAMES = 64


def waiting(session: Session, arguments: WaitingArguments) -> WaitingResponseBody:
    """What the threads of the stopped program wait for; those that run, sleep or wait for other things are left out."""
    session.need_stopped()
    names = session.thread_names()
    found = waits(session.program())
    rings = cycles(found)
    shown = [_shown(session, wait, names) for wait in found]
    lines = [_sentence(one) for one in shown]
    lines += ["Deadlock: " + " → ".join(names.get(one, str(one)) for one in (*ring, ring[0])) for ring in rings]
    text = "\n".join(lines) or "No thread waits for a lock."
    return WaitingResponseBody(waiting=shown, cycles=[list(ring) for ring in rings], text=text)


def _shown(session: Session, wait: Wait, names: dict[ThreadId, str]) -> WaitingThread:
    rendered = render(session.program(), wait.object)
    return WaitingThread(
        thread_id=wait.thread,
        thread_name=names.get(wait.thread, ""),
        kind=wait.kind.value,
        object=rendered.text,
        type=rendered.type or None,
        owner_id=wait.owner,
        owner_name=names.get(wait.owner) if wait.owner is not None else None,
        acquisitions=wait.acquisitions or None,
        place=_place(session, wait.thread),
    )


def _place(session: Session, thread: ThreadId) -> str | None:
    try:
        frames, _ = session.stack(thread).page(0, _LOOK_AT_FRAMES)
    except DapDotnetError:
        return None
    for shown in frames:
        described = describe_frame(session.modules, shown.frame)
        if described.path and described.span is not None:
            line = session.view.line_to_client(described.span.line)
            return f"{described.name}, {file_name(described.path)}:{line}"
    return None


def _sentence(one: WaitingThread) -> str:
    what = f"{one.type} {one.object}" if one.type and one.type not in one.object else one.object
    verb = {
        WaitKind.ENTER.value: f"waits to enter the lock of {what}",
        WaitKind.LOCK.value: f"waits to enter the lock {what}",
        WaitKind.PULSE.value: f"waits for a pulse of {what}",
    }[one.kind]
    owner = f"{one.owner_name} ({one.owner_id})" if one.owner_id is not None else None
    if owner is not None:
        verb += f", which {owner} has"
    return f"{one.thread_name} ({one.thread_id}) {verb}" + (f", in {one.place}" if one.place else "")
