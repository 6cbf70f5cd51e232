"""A thread's stack as the client is shown it: what is on it, and what belongs to it in the eyes of the user.

Above the frames of the stack: where an exception was thrown that the framework has brought over from another method
(`await` does so). Below them: the methods that await the async method that the thread runs. Session thread only; one
lives for one stop.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from dap_dotnet.async_tasks.async_callers import async_callers, resumed_method
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, ThreadId, Value
from dap_dotnet.session.external_code import CollapsedStack
from dap_dotnet.symbols.rethrow import is_thrown_again, is_thrown_by_compiler
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_MOST_LOOKED_AT = 10_000
_ASYNC_NUMBERS = 1_000_000
"""From here on (negated) the frames of awaiting methods are numbered, those of a throw from 1."""


class ShownFrame(Struct, frozen=True):
    """A frame with what makes it special. Its `index` is negative when it is not on the stack."""

    frame: Frame
    machine: Value | None = None
    """Of a method that awaits: its state machine, which holds its variables."""
    is_external: bool = False
    """Whether it stands for a run of frames that are not the user's, as their first."""

    @property
    def is_async(self) -> bool:
        """Whether it is a method that awaits what the thread runs."""
        return self.machine is not None


class CallStack:
    """See the module's docstring."""

    def __init__(
        self,
        program: Callable[[], Program],
        thread: ThreadId,
        *,
        has_thrown: bool,
        just_my_code: bool,
        shows_top: bool = False,
        is_by_chance: bool = False,
    ) -> None:
        """`has_thrown`: the thread has stopped for an exception.

        `shows_top`, `is_by_chance`: see `CollapsedStack`.
        """
        self._program = program
        self._thread = thread
        self._has_thrown = has_thrown
        self._just_my_code = just_my_code
        self._physical = StackView(program().debuggee, thread)
        self._collapsed: CollapsedStack | None = None
        if just_my_code:
            self._collapsed = CollapsedStack(
                program().modules, self._physical, shows_top=shows_top, is_by_chance=is_by_chance
            )
        self._thrown: list[ShownFrame] | None = None
        self._left_at: int | None = None
        """The IL offset at which an exception came into the topmost method, whose code throws it again unseen."""
        self._callers: list[ShownFrame] | None = None

    def top(self) -> Frame | None:
        """The topmost method that is on the stack; None for a thread without any."""
        return self._physical.top()

    def page(self, start: int, count: int, *, collapsed: bool = False) -> tuple[list[ShownFrame], bool]:
        """Up to `count` frames from number `start`, and whether others follow. Raises as `Debuggee.stack`.

        `collapsed`: with Just My Code, runs of frames that are not the user's are one.
        """
        above = self._thrown_frames()
        shown = above[start : start + count]
        first = max(start - len(above), 0)
        if collapsed and self._collapsed is not None:
            entries, more = self._collapsed.page(first, count - len(shown))
            shown += [ShownFrame(entry.frame, is_external=entry.is_external) for entry in entries]
            known = self._collapsed.known
        else:
            found, more = self._physical.page(first, count - len(shown))
            shown += [ShownFrame(frame) for frame in found]
            known = self._physical.known
        if self._left_at is not None and start <= len(above) < len(shown) + start:
            top = shown[len(above) - start]
            shown[len(above) - start] = replace(top, frame=replace(top.frame, il_offset=self._left_at))
        if more:
            return shown, True
        callers = self._async_frames()
        before = len(above) + known
        place = max(start + len(shown) - before, 0)
        wanted = callers[place : place + count - len(shown)]
        return shown + wanted, place + len(wanted) < len(callers)

    def _thrown_frames(self) -> list[ShownFrame]:
        if self._thrown is None:
            frames: list[Frame] = []
            if self._has_thrown:
                try:
                    frames, self._left_at = _thrown_elsewhere(self._program(), self._thread, self._physical)
                except DapDotnetError:
                    pass
            self._thrown = [ShownFrame(frame) for frame in frames]
        return self._thrown

    def _async_frames(self) -> list[ShownFrame]:
        if self._callers is None:
            program = self._program()
            frame = resumed_method(program.modules, self._physical.page(0, _MOST_LOOKED_AT)[0])
            callers = []
            if frame is not None:
                try:
                    just_my_code = self._just_my_code and program.modules.have_user_code
                    callers = async_callers(program, self._thread, frame, just_my_code=just_my_code)
                except DapDotnetError:
                    pass
            self._callers = [
                ShownFrame(caller.frame(number), caller.machine)
                for number, caller in enumerate(callers, _ASYNC_NUMBERS)
            ]
        return self._callers


def _thrown_elsewhere(program: Program, thread: ThreadId, physical: StackView) -> tuple[list[Frame], int | None]:
    """The frames with source that an exception came through before it was brought to this stack, leaf first.

    And where it came into the topmost method, if the compiler's code in that has thrown it again; else None.
    """
    top = physical.top()
    thrown = program.debuggee.current_exception(thread)
    if top is None or thrown is None or thrown.handle is None:
        return [], None
    is_by_compiler = is_thrown_by_compiler(program.modules, [top])
    if not is_by_compiler and not is_thrown_again(program.modules, top):
        return [], None
    on_stack = [(frame.module, frame.method) for frame in physical.page(0, _MOST_LOOKED_AT)[0]]
    trace = program.debuggee.exception_frames(thrown.handle)
    methods = [(frame.module, frame.method) for frame in trace]
    gone = next(start for start in range(len(trace) + 1) if methods[start:] == on_stack[: len(trace) - start])
    found = []
    for number, frame in enumerate(trace[:gone], 1):
        module = program.modules.get(frame.module)
        if module is not None and module.pdb is not None and frame.il_offset is not None:
            found.append(_numbered(frame, -number))
    return found, trace[gone].il_offset if is_by_compiler and gone < len(trace) else None


def _numbered(frame: Frame, index: int) -> Frame:
    return Frame(index, frame.kind, frame.module, frame.method, frame.il_offset, frame.mapping, 0, 0)
