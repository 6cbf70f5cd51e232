"""What the calls of a statement have returned, for the user to see where a step over it has ended.

Right behind each call stands a temporary breakpoint of the step, where the runtime can say what the call has returned.
A step out, and one over the end of a method, asks for the value of the call that it comes back from. Structs, which the
runtime cannot say, are read from where the statement stores them; others are left out. Session thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BoundId,
    ElementType,
    Frame,
    MethodToken,
    PinId,
    RuntimeCallErrorInfo,
    ThreadId,
    Value,
)
from dap_dotnet.stepping.ranges import left_to
from dap_dotnet.stepping.returned_types import may_be_shown
from dap_dotnet.stepping.stored_results import Store, store_of
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.calls import CLONES, CallSite, called_name, calls_in
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values.context import Program
from dap_dotnet.values.enums import underlying_type

_log = logging.getLogger(__name__)

_MOST_CALLS = 32
_MOST_FOREIGN_HITS = 50
"""By other activations and threads: a method that calls itself a thousand times is to be stepped over all the same."""
Ranges = Sequence[tuple[int, int]]
"""Half-open, of IL offsets."""
_MOST_STATEMENTS = 2_000
"""By method and IL ranges, of statements that were stepped over: loops are, many times."""
_OF_THE_COMPILER = ("System.Runtime.CompilerServices.", "<PrivateImplementationDetails>")


class Returned(Struct, frozen=True):
    """What one call has returned, for as long as the stop lasts."""

    name: str
    """`Type.Method`; `await` for the result of one, `with` for the object that one makes."""
    value: Value
    """As it was read; its handle is of that time."""
    pin: PinId | None = None
    """Of an object."""
    read: Callable[[Program], Value | None] | None = None
    """Reads a struct again, where that is stored."""


class _StoredResults(Struct, frozen=True):
    """Calls of a statement, by their names, with the places where it stores what they return."""

    module: LoadedModule
    method: MethodToken
    ranges: tuple[tuple[int, int], ...]
    stores: list[tuple[str, Store]]

    def read(self, program: Program, thread: ThreadId, frame: Frame) -> list[Returned]:
        """What is there, if a frame, the thread's top one, is where the statement leads."""
        if (frame.module, frame.method) != (self.module.id, self.method):
            return []
        if frame.il_offset not in left_to(self.module, (self.method, self.ranges)):
            return []
        found = []
        for name, store in self.stores:
            read = partial(store.read, thread=thread, module=self.module)
            value = read(program)
            if value is not None and value.error is None:
                found.append(Returned(name, value, read=read))
        return found


class ReturnValues:
    """See the module's docstring."""

    def __init__(self) -> None:
        self._calls: dict[BoundId, tuple[str, CallSite]] = {}
        self._activation: tuple[ThreadId, int] | None = None
        self._foreign_hits = 0
        self._seen: set[int] = set()
        """IL offsets of the calls that have returned."""
        self._stored: _StoredResults | None = None
        self._returned: list[Returned] = []

    def arm(
        self,
        program: Program,
        thread: ThreadId,
        module: LoadedModule,
        frame: Frame,
        ranges: Ranges,
    ) -> None:
        """Set the breakpoints behind the calls in the ranges of a step from a frame, the thread's top one."""
        debuggee = program.debuggee
        self.disarm(debuggee)
        self._activation = thread, frame.stack_address
        self._stored = _stored_results(program, module, frame, ranges)
        calls = _shown_calls(program, module, frame, ranges)[:_MOST_CALLS]
        if not calls:
            return
        self._foreign_hits = 0
        self._seen.clear()
        try:
            made = debuggee.create_return_breakpoints(thread, frame.index, [site.il_offset for _, site in calls])
        except DapDotnetError as error:
            _log.info("what calls return is not known here: %s", error.message)
            return
        for call, bound in zip(calls, made, strict=True):
            if not isinstance(bound, RuntimeCallErrorInfo):
                self._calls[bound] = call

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of these breakpoints."""
        return event.bound in self._calls

    def hit(self, program: Program, event: BreakpointHit) -> None:
        """One of them was hit; the process goes on."""
        top = program.debuggee.top_frame(event.thread)
        if top is None or (event.thread, top.stack_address) != self._activation:
            self._foreign_hits += 1
            if self._foreign_hits >= _MOST_FOREIGN_HITS:
                self.disarm(program.debuggee)
            return
        name, site = self._calls[event.bound]
        self._seen.add(site.il_offset)
        self._remember(program, name, event.thread, top, site)

    def ended(self, program: Program, thread: ThreadId, frame: Frame) -> None:
        """The step has ended, perhaps right behind a call whose breakpoint has not been reported yet."""
        if (thread, frame.stack_address) != self._activation:
            return
        for name, site in self._calls.values():
            if site.il_offset not in self._seen:
                self._remember(program, name, thread, frame, site)
        if self._stored is not None:
            self._returned += self._stored.read(program, thread, frame)

    def came_back(self, program: Program, thread: ThreadId, module: LoadedModule, frame: Frame, ranges: Ranges) -> None:
        """A step has come out of a method into the midst of a statement: what the method has returned, if anything."""
        for name, site in _shown_calls(program, module, frame, ranges):
            if self._remember(program, name, thread, frame, site):
                return

    def _remember(self, program: Program, name: str, thread: ThreadId, frame: Frame, site: CallSite) -> bool:
        debuggee = program.debuggee
        try:
            value = debuggee.return_value(thread, frame.index, site.il_offset)
            if value.error is None and _outlives_the_step(program, value):
                keeps = value.handle is not None and _has_to_be_kept(value)
                pin = debuggee.pin(value.handle) if value.handle is not None and keeps else None
                self._returned.append(Returned(name, value, pin))
        except DapDotnetError as error:
            _log.debug("what %s has returned is not known: %s", name, error.message)
            return False
        return True

    def disarm(self, debuggee: Debuggee) -> None:
        """Take the breakpoints out of the runtime; what they have brought stays."""
        if self._calls:
            debuggee.remove_breakpoints(list(self._calls))
        self._calls = {}
        self._activation = self._stored = None

    def forget(self, debuggee: Debuggee) -> None:
        """The stop is over: let go of the values."""
        for returned in self._returned:
            if returned.pin is not None:
                debuggee.unpin(returned.pin)
        self._returned = []

    @property
    def names(self) -> list[str]:
        """Of the calls whose values are known, in the order in which they returned."""
        return [returned.name for returned in self._returned]

    def value(self, program: Program, number: int) -> Value | None:
        """What the call of a number (from 0) returned, of the present generation; None where there is none."""
        if not 0 <= number < len(self._returned):
            return None
        value, pin, read = self._returned[number].value, self._returned[number].pin, self._returned[number].read
        if read is not None:
            return read(program)
        if pin is not None:
            return msgspec.structs.replace(program.debuggee.pinned(pin), text=value.text)
        return msgspec.structs.replace(value, handle=None, address=0)


def has_shown_calls(program: Program, module: LoadedModule, frame: Frame, ranges: Ranges) -> bool:
    """Whether any call in ranges of a frame's method returns what can be shown."""
    return bool(_shown_calls(program, module, frame, ranges))


def _shown_calls(program: Program, module: LoadedModule, frame: Frame, ranges: Ranges) -> list[tuple[str, CallSite]]:
    """The calls whose values can be shown, with their names."""
    if frame.method is None:
        return []
    calls = _NAMED_CALLS(module, (frame.method, tuple(ranges)))
    return [call for call in calls if may_be_shown(program.modules, module, call[1].token)]


def _stored_results(program: Program, module: LoadedModule, frame: Frame, ranges: Ranges) -> _StoredResults | None:
    """The other calls that the statement stores the results of; None without any."""
    if frame.method is None:
        return None
    statement = frame.method, tuple(ranges)
    others = [
        call for call in _NAMED_CALLS(module, statement) if not may_be_shown(program.modules, module, call[1].token)
    ]
    stores = [(name, store_of(module, *statement, site.il_offset)) for name, site in others]
    known = [(name, store) for name, store in stores if store is not None]
    return _StoredResults(module, *statement, known) if known else None


def _find_named_calls(
    module: LoadedModule, statement: tuple[MethodToken, tuple[tuple[int, int], ...]]
) -> list[tuple[str, CallSite]]:
    """The calls that the user has written, or means by what is written, with their names."""
    method, ranges = statement
    is_async = async_info(module, method) is not None
    named = []
    for site in calls_in(module, method, ranges):
        name = called_name(module, site.token, method)
        if site.is_constructor or (is_async and name.endswith(".GetAwaiter")):
            continue
        is_awaited = name.endswith(".GetResult")
        if site.declaring_type.startswith(_OF_THE_COMPILER) and not is_awaited:
            continue
        if name.endswith(f".{CLONES}"):
            name = "with"
        named.append(("await" if is_async and is_awaited else name, site))
    return named


_NAMED_CALLS = ModuleMemo("calls of statements", _find_named_calls, _MOST_STATEMENTS)


def _has_to_be_kept(value: Value) -> bool:
    """Whether it is an object that has more to show than what was read of it."""
    is_read = value.text is not None and len(value.text.encode("utf-16-le", "surrogatepass")) // 2 == value.length
    return value.is_reference and not value.is_null and not is_read


def _outlives_the_step(program: Program, value: Value) -> bool:
    """Whether it can still be shown when the process has run: of structs only what is in their bytes, as in enums."""
    if value.is_reference or value.element_type is not ElementType.VALUETYPE:
        return True
    return value.type is not None and underlying_type(program, program.debuggee.type_info(value.type)) is not None
