"""Which thread a pause puts before the user. Session thread only, the program stopped."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.blocking.blocking_calls import blocking_call
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId
from dap_dotnet.symbols.statements import first_visible
from dap_dotnet.values.context import Program

_LOOK_AT_FRAMES = 12
_LOOK_AT_THREADS = 32


def thread_to_show(program: Program, named: ThreadId | None = None) -> ThreadId:
    """The thread to show after a pause: that which the client has `named`, if it has user code among its newest frames.

    Else one at work in the user's code, the main one before others. If none is: the first that waits in a call from
    there; else the main one. At work is who has user code among its newest frames, no call above it that is known to
    wait, and waits for no lock.
    """
    main = ThreadId(program.debuggee.process_id)
    threads = [info.thread for info in program.debuggee.threads()]
    ordered = sorted(threads, key=lambda thread: (thread != named, thread != main))
    waiting: ThreadId | None = None
    for number, thread in enumerate(ordered):
        if waiting is not None and number >= _LOOK_AT_THREADS:
            break  # a pause shall not take longer for the many threads of a program
        try:
            frames = program.debuggee.stack(thread, 0, _LOOK_AT_FRAMES).frames
        except DapDotnetError:
            continue
        if not any(_is_of_user(program, frame) for frame in frames):
            continue
        if thread == named or not _waits(program, thread, frames):
            return thread
        if waiting is None:
            waiting = thread
    return waiting or (main if main in threads or not threads else threads[0])


def thread_that_failed(debuggee: Debuggee) -> ThreadId | None:
    """The thread with the exception that has ended a process of which a core dump is left; None without such."""
    if not debuggee.is_frozen or debuggee.pause_ms is not None:
        return None
    threads = sorted((info.thread for info in debuggee.threads()), key=lambda thread: thread != debuggee.ended_by)
    for thread in threads:
        try:
            thrown = debuggee.current_exception(thread)
        except DapDotnetError:
            continue
        if thrown is not None and not thrown.is_null:
            return thread
    return None


def _waits(program: Program, thread: ThreadId, frames: Sequence[Frame]) -> bool:
    """Whether a thread waits: in a call that is known to, or for a monitor, of which only the runtime knows."""
    if blocking_call(program, thread, frames, is_whole=False) is not None:
        return True
    try:
        return bool(program.debuggee.blocking(thread))
    except DapDotnetError:
        return False


def _is_of_user(program: Program, frame: Frame) -> bool:
    """Not what the compiler has made without source, as the `<Main>` that waits for an async Main."""
    module = program.modules.get(frame.module)
    if frame.kind is not FrameKind.IL or module is None or not module.is_user_code or frame.method is None:
        return False
    return first_visible(module, frame.method) is not None
