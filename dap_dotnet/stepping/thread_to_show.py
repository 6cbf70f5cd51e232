"""Which thread a pause puts before the user. Session thread only, the program stopped."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId
from dap_dotnet.stepping.blocking_calls import blocking_call
from dap_dotnet.values.context import Program

_LOOK_AT_FRAMES = 12
_LOOK_AT_THREADS = 32


def thread_to_show(program: Program) -> ThreadId:
    """The thread to show after a pause: one at work in the user's code, the main one before others.

    If none is: the first that waits in a call from there; else the main one. At work is who has user code among its
    newest frames, and no call above it that is known to wait.
    """
    main = ThreadId(program.debuggee.process_id)
    ordered = sorted((info.thread for info in program.debuggee.threads()), key=lambda thread: thread != main)
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
        if blocking_call(program, thread, frames, is_whole=False) is None:
            return thread
        if waiting is None:
            waiting = thread
    return waiting or (ordered[0] if ordered else main)


def _is_of_user(program: Program, frame: Frame) -> bool:
    module = program.modules.get(frame.module)
    return frame.kind is FrameKind.IL and module is not None and module.is_user_code
