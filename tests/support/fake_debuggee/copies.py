"""Copies of a fake debuggee: what its stack was."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from msgspec import structs

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.events import EventSink, ModuleLoaded, StopCompleted, ThreadStarted
from dap_dotnet.runtime.model import ModuleId, ModuleInfo, ThreadId
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.frames import FakeFrame, SlotFrame


class FakeCopier:
    """Of one debuggee."""

    def __init__(self, debuggee: FakeDebuggee) -> None:
        self._debuggee = debuggee
        self.snapshots: list[FakeSnapshot] = []
        """All that were made."""
        self.pause_ms = 2.0
        """What a copy takes."""
        self.refuses = False
        self.is_closed = False

    def snapshot(self, *, runs: bool = False) -> FakeSnapshot:
        self._debuggee.process.check("snapshot", held=True)
        if self.refuses:
            raise RuntimeCallError("The system makes no copy.", hresult=0, hresult_name="")
        made = FakeSnapshot(self._debuggee, self.pause_ms)
        self.snapshots.append(made)
        return made

    def close(self) -> None:
        self.is_closed = True


class FakeSnapshot:
    """See the module's docstring."""

    def __init__(self, debuggee: FakeDebuggee, pause_ms: float) -> None:
        self.copy_process_id = 1
        self.pause_ms = pause_ms
        self.is_closed = False
        self.is_killed = False
        self.opened: list[FrozenFake] = []
        self._frames = [_copied(frame) for frame in debuggee.frames]
        self._live = debuggee

    def memory(self) -> int:
        return 100

    def open(self, sink: EventSink, *, trust_runtime: bool, shown_first: ThreadId | None = None) -> FrozenFake:
        assert not self.is_closed
        if self.is_killed:
            raise RuntimeCallError("The copy has ended.", hresult=0, hresult_name="")
        modules = [structs.replace(one, module=_renumbered(one.module)) for one in self._live.loaded]
        made = FrozenFake(self._live, sink, self._frames, modules)
        self.opened.append(made)
        return made

    def close(self) -> None:
        self.is_closed = True


def _renumbered(module: ModuleId) -> ModuleId:
    """A runtime numbers what it finds in a copy in its own order."""
    return ModuleId(1000 - module)


def _copied(frame: FakeFrame) -> SlotFrame:
    arguments, local = copy.deepcopy(frame.read_arguments()), copy.deepcopy(frame.read_locals())
    module = _renumbered(frame.module) if frame.module is not None else None
    return SlotFrame(frame.method, module, frame.il_offset, arguments, local, frame.type_arguments, frame.kind)


class FrozenFake(FakeDebuggee):
    """Over a copy."""

    def __init__(
        self, live: FakeDebuggee, sink: EventSink, frames: Sequence[FakeFrame], modules: Sequence[ModuleInfo]
    ) -> None:
        super().__init__(live.types, sink, process_id=live.process_id)
        self.is_frozen = True
        self.frozen_as = "a copy"
        self.start_copier = None
        self.frames = frames
        self.loaded = list(modules)
        self._report = sink

    def request_stop(self, timeout_ms: int) -> None:
        for module in self.loaded:
            self._report(ModuleLoaded(module=module))
        self._report(ThreadStarted(thread=ThreadId(self.process_id)))
        self._report(self.process.hold(StopCompleted()))
