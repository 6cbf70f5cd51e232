"""Code that is not the user's, in the eyes of Just My Code: runs of its frames are one in a call stack.

Not the user's are modules without symbols or with optimisations, what the runtime puts between methods, and methods
with one of the debugger's attributes. Session thread only; one lives for one stop.
"""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken
from dap_dotnet.stepping.skipped_methods import SkipReason, attribute_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, ModuleMemo
from dap_dotnet.symbols.stack_view import FUNCTION_EVALUATION, StackView, is_dynamic
from dap_dotnet.symbols.statements import first_visible

EXTERNAL_CODE = "[External Code]"
_LOOK_BEYOND = 8
"""Frames that are walked at once to find the end of a run."""
_NOT_THE_USERS = (SkipReason.HIDDEN, SkipReason.NON_USER_CODE, SkipReason.STEP_THROUGH)


class StackEntry(Struct, frozen=True):
    """A frame, or the first of a run of frames that are one for the user."""

    frame: Frame
    is_external: bool = False


class CollapsedStack:
    """The frames of one thread, walked as far as they are asked for, each run of external ones as one entry.

    The place where the thread stands is shown where there is source, whoever wrote it, unless the thread came there by
    chance and an attribute says that it is not the user's. Of a program that is optimised
    as a whole everything with source is shown: none of it would be left. A run that has nothing but dynamic methods is
    the user's: the framework makes its own, too, but calls them itself.
    """

    def __init__(
        self, modules: ModuleCatalog, physical: StackView, *, shows_top: bool = False, is_by_chance: bool = False
    ) -> None:
        """`shows_top`: the user has asked to stop in the method on top, whoever wrote it.

        `is_by_chance`: nothing has asked for a stop at that place: an exception was thrown, or the program was paused.
        """
        self._shows_top = shows_top
        self._is_by_chance = is_by_chance
        self._modules = modules
        self._physical = physical
        self._has_user_code = modules.have_user_code
        self._entries: list[StackEntry] = []
        self._run: list[Frame] = []
        self._taken = 0
        self._more = True

    @property
    def known(self) -> int:
        """How many entries have been walked so far."""
        return len(self._entries)

    def page(self, start: int, count: int) -> tuple[list[StackEntry], bool]:
        """Up to `count` entries from number `start`, and whether others follow. Raises as `Debuggee.stack`."""
        end = start + count
        while self._more and len(self._entries) < end:
            wanted = max(end - len(self._entries), _LOOK_BEYOND if self._run else 1)
            frames, self._more = self._physical.page(self._taken, wanted)
            self._taken += len(frames)
            for frame in frames:
                self._take(frame)
            if not self._more:
                self._end_run()
        return self._entries[start:end], self._more or len(self._entries) > end

    def _take(self, frame: Frame) -> None:
        if self._is_external(frame, is_top=not self._entries and not self._run):
            self._run.append(frame)
        else:
            self._end_run()
            self._entries.append(StackEntry(frame))

    def _end_run(self) -> None:
        if all(is_dynamic(frame) for frame in self._run):
            self._entries += [StackEntry(frame) for frame in self._run]
        else:
            self._entries.append(StackEntry(self._run[0], is_external=True))
        self._run = []

    def _is_external(self, frame: Frame, *, is_top: bool) -> bool:
        if frame.kind is not FrameKind.IL or frame.method is None:
            return frame.internal_type != FUNCTION_EVALUATION
        module = self._modules.get(frame.module)
        if module is None:
            return not (is_top and self._shows_top)
        has_source, is_marked = _METHODS(module, frame.method)
        if is_top and has_source:
            return is_marked and self._is_by_chance
        if not has_source:
            return not (is_top and self._shows_top)
        return is_marked or module.is_language_library or (self._has_user_code and not module.is_user_code)


def _method(module: LoadedModule, method: MethodToken) -> tuple[bool, bool]:
    """Whether a method has source, and whether an attribute says that it is not the user's."""
    if first_visible(module, method) is None:
        return False, False
    return True, attribute_of(module, method, just_my_code=True) in _NOT_THE_USERS


_METHODS = ModuleMemo("methods of the user's", _method)
