"""The run of one of F#'s tasks without optimisation, remembered while the program runs. Session thread only."""

from __future__ import annotations

from dap_dotnet.async_tasks.state_machine import FSHARP_AWAITER, FSHARP_NEXT, FSHARP_RUNNER, MACHINE_FIELD
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, PinId, ThreadId, Value
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import find_field, has_members, read_field

_LOOK_AT_RUNNING = 4
"""Frames of the library's, from the first MoveNext on, that know what runs the task."""
_LOOK_AT_FRAMES = 32
_MOST_FRAMES = 1000


class ComputationRun:
    """By the object that runs the pieces, which is on the stack below each of them. `forget` it afterwards."""

    def __init__(self, thread: ThreadId, base: Frame | None, runner: PinId, following: PinId | None) -> None:
        """`base` is of the library's code that runs the task on a thread, where nothing of the user's has called that.

        `following` is the delegate that was to run next: another one from each await on.
        """
        self._thread = thread
        self._base = base
        self._runner = runner
        self._following = following

    def runner(self, program: Program) -> Value:
        """The object, of the present generation."""
        return program.debuggee.pinned(self._runner)

    def is_on(self, program: Program, thread: ThreadId) -> bool:
        """Whether the piece that is a thread's top frame is of it; True also where the stack does not tell."""
        running = _runner_on(program, thread)
        return running is None or running[1].address == self.runner(program).address

    def is_suspended(self, program: Program) -> bool:
        """Whether the task has come to await something: what its thread does now is not its own.

        It may have gone on by now, on another thread.
        """
        try:
            runner = self.runner(program)
            awaited, following = read_field(program, runner, FSHARP_AWAITER), read_field(program, runner, FSHARP_NEXT)
            former = program.debuggee.pinned(self._following) if self._following is not None else None
        except DapDotnetError:
            return False
        has_gone_on = (
            former is not None
            and following is not None
            and following.error is None
            and following.address != former.address
        )
        return has_gone_on or (awaited is not None and awaited.error is None and not awaited.is_null)

    def is_left_by(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether a thread is not in the task any more, nor in what goes on at its end.

        What it comes to then, a thread of the pool, has nothing to do with the task.
        """
        base = self._base
        return base is not None and thread == self._thread and found_again(debuggee, thread, base) is None

    def forget(self, debuggee: Debuggee) -> None:
        """Let go of the objects."""
        debuggee.unpin(self._runner)
        if self._following is not None:
            debuggee.unpin(self._following)


def run_on(program: Program, thread: ThreadId) -> ComputationRun | None:
    """That of the piece which is a thread's top frame; None where the stack does not have it."""
    running = _runner_on(program, thread)
    if running is None or running[1].handle is None:
        return None
    frame, runner = running
    debuggee = program.debuggee
    following = read_field(program, runner, FSHARP_NEXT)
    handle = following.handle if following is not None else None
    below = debuggee.stack(thread, frame.index + 1, _MOST_FRAMES).frames
    base = None if any(_is_users(program, one) for one in below) else frame
    return ComputationRun(
        thread,
        base,
        debuggee.pin(running[1].handle, weak=True),
        debuggee.pin(handle, weak=True) if handle is not None else None,
    )


def _is_users(program: Program, frame: Frame) -> bool:
    module = program.modules.get(frame.module)
    return module is not None and program.modules.is_users(module)


def _runner_on(program: Program, thread: ThreadId) -> tuple[Frame, Value] | None:
    """The object that runs the task whose piece is the top frame, and the frame that does."""
    left = _LOOK_AT_RUNNING
    for frame in program.debuggee.stack(thread, 1, _LOOK_AT_FRAMES).frames:
        module = program.modules.get(frame.module)
        if frame.kind is not FrameKind.IL or frame.method is None or module is None or module.metadata is None:
            continue
        if left == _LOOK_AT_RUNNING and module.metadata.method(frame.method).name != "MoveNext":
            continue
        if _is_users(program, frame) or not left:
            break
        left -= 1
        runner = _runner_in(program, thread, frame)
        if runner is not None:
            return frame, runner
    return None


def _runner_in(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The object that runs a task, as an argument of one of the library's frames refers to it.

    The library is optimised: what has run some thirty times may not keep all its arguments.
    """
    for argument in program.debuggee.arguments(thread, frame.index, text_limit=0):
        value = argument
        for name in (MACHINE_FIELD, FSHARP_RUNNER, FSHARP_AWAITER):
            if value.error is not None or value.is_null or not has_members(value):
                break
            if find_field(program, value.type, FSHARP_AWAITER) is not None:
                return value
            value = read_field(program, value, name) or value
    return None
