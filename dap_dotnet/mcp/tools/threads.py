"""The threads of a stopped program: list them, keep some where they are."""

from __future__ import annotations

from pydantic import Field

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.debug_session import DebugSession, StopRecord
from dap_dotnet.mcp.models import Frame
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import Budget, clip, frame_of, frames_of
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.inspection import thread_names
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments
from dap_dotnet.protocol.wire_names import member, wire_name

_LOOKED_AT = 40
"""Frames of each thread, among which yours is looked for."""


class ThreadsArguments(SessionArguments):
    """Of `threads_get`."""

    start: int = Field(default=0, ge=0, le=1_000_000, description="The first thread.", examples=[0])
    count: int = Field(default=100, ge=1, le=1000, description="How many threads.", examples=[100])
    max_chars: MaxChars = MAX_CHARS


class FreezeArguments(SessionArguments):
    """Of `thread_freeze`."""

    thread_id: int = Field(ge=1, description="The thread.", examples=[4711])
    frozen: bool = Field(default=True, description="False: let it run with the others again.", examples=[False])


class ThreadState(Part):
    """A thread. `waits_in` is the framework's function that it has called; None: it is in your code, or unknown."""

    thread_id: int
    name: str
    is_stopped_here: bool
    waits_in: str | None = None
    waits_for: str | None = Field(default=None, description="What it waits for, and who has it, in words.")
    at: Frame | None = Field(default=None, description="The newest frame of your code.")


class ThreadsAnswer(Answer):
    """Threads."""

    threads: list[ThreadState]
    deadlocks: list[list[int]] | None = Field(default=None, description="Rings of threads that wait for each other.")

    def to_text(self) -> str:
        """A line for each."""
        lines = [
            f"{'>' if one.is_stopped_here else ' '} {one.thread_id} {one.name}"
            + (f" {one.waits_for}" if one.waits_for else f" waits in {one.waits_in}" if one.waits_in else "")
            + (f" at {one.at.to_text()}" if one.at else "")
            for one in self.threads
        ]
        lines += [f"Deadlock: {' waits for '.join(map(str, [*ring, ring[0]]))}" for ring in self.deadlocks or ()]
        return self.joined(lines)


class FreezeAnswer(Answer):
    """The threads that are frozen now."""

    frozen: list[int]

    def to_text(self) -> str:
        """A sentence."""
        return f"Frozen: {', '.join(map(str, self.frozen)) or 'no thread'}."


@tool(read_only=True)
def threads_get(call: Call, arguments: ThreadsArguments) -> ThreadsAnswer:
    """List the threads: where each is in your code, what it waits for, and deadlocks."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    names = thread_names(session)
    waiting = session.request("dap-dotnet/waiting")
    waits = {int(member(one, "thread_id")): clip(str(one.get("text")), 300) for one in waiting.get("waiting") or ()}
    page = list(names.items())[arguments.start : arguments.start + arguments.count]
    states = Budget(arguments.max_chars).fit(
        _thread_state(session, stop, thread_id, name, waits.get(thread_id)) for thread_id, name in page
    )
    shown = arguments.start + len(states)
    more = len(names) - shown
    return ThreadsAnswer(
        threads=states,
        deadlocks=waiting.get("cycles") or None,
        left_out=f"{more} more threads: ask with start: {shown}" if more > 0 else None,
    )


def _thread_state(
    session: DebugSession, stop: StopRecord, thread_id: int, name: str, waits_for: str | None
) -> ThreadState:
    try:
        frames = frames_of(session, stop, thread_id, 0, _LOOKED_AT)
        shown = [frame_of(session, frame, index) for index, frame in enumerate(frames)]
        waits = shown and not shown[0].is_user_code and thread_id != stop.thread_id
        waits_in = _called_by_your_code(session, thread_id) if waits else None
    except DapRequestError:  # a thread that is about to end has no stack
        shown, waits_in = [], None
    return ThreadState(
        thread_id=thread_id,
        name=name,
        is_stopped_here=thread_id == stop.thread_id,
        waits_in=waits_in,
        waits_for=waits_for,
        at=next((frame for frame in shown if frame.is_user_code), None),
    )


def _called_by_your_code(session: DebugSession, thread_id: int) -> str | None:
    """The function of the framework that a thread's code has called, which says more than what that came to.

    Of a thread without your code the newest function.
    """
    every = {wire_name("include_all"): True, "parameters": False}  # else they are one frame without a name
    asked = {wire_name("thread_id"): thread_id, "levels": _LOOKED_AT, "format": every}
    frames = member(session.request("stackTrace", asked), "stack_frames") or []
    shown = [frame_of(session, frame, index) for index, frame in enumerate(frames)]
    mine = next((index for index, frame in enumerate(shown) if frame.is_user_code), 0)
    return shown[max(mine - 1, 0)].function if shown else None


@tool()
def thread_freeze(call: Call, arguments: FreezeArguments) -> FreezeAnswer:
    """Keep a thread where it is while the others run, or let it run again.

    It stays frozen until then, or until the session ends. With it, races can be played through in a chosen order.
    """
    session = call.sessions.get(arguments.session)
    session.need_stopped()
    command = "dap-dotnet/freezeThread" if arguments.frozen else "dap-dotnet/thawThread"
    body = session.request(command, {wire_name("thread_id"): arguments.thread_id})
    return FreezeAnswer(frozen=body.get("frozen") or [])
