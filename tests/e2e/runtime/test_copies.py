"""Copies of a program: each shows what was when it was taken, whatever the program has done since."""

from __future__ import annotations

import os
import queue
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dap_dotnet.errors import FrozenError, LaunchError, RuntimeCallError
from dap_dotnet.launching.copying import start_copier
from dap_dotnet.runtime.copies import Copier, Snapshot
from dap_dotnet.runtime.cordebug_debuggee import CordebugDebuggee
from dap_dotnet.runtime.events import BreakpointHit, ModuleLoaded, RuntimeEvent
from dap_dotnet.runtime.frozen_debuggee import FrozenDebuggee
from dap_dotnet.runtime.model import FieldRef, FieldToken, ThreadId, TypeDefToken
from tests.e2e.runtime.harness import Process, Session, build, tokens_of
from tests.support.dotnet import Runtime
from tests.support.processes import children

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

ROUNDS = 5


@pytest.fixture(autouse=True)
def _new_enough(runtime: Runtime) -> None:
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("copies are tried from .NET 8 on")


class Past:
    """A copy, opened."""

    def __init__(self, snapshot: Snapshot, session: Session) -> None:
        self._events: queue.SimpleQueue[RuntimeEvent] = queue.SimpleQueue()
        self._session = session
        self.debuggee: FrozenDebuggee = snapshot.open(self._events.put, trust_runtime=True)

    def counter(self, thread: ThreadId) -> int:
        """The static field of the program that counts."""
        deadline = time.monotonic() + 10
        while True:
            event = self._events.get(timeout=deadline - time.monotonic())
            is_own = isinstance(event, ModuleLoaded) and Path(event.module.path).name == self._session.program.dll.name
            if isinstance(event, ModuleLoaded) and is_own:
                break
        tokens = self._session.tokens
        program = self.debuggee.make_type(event.module.module, TypeDefToken(tokens["Program"]), ())
        field = FieldRef(program, FieldToken(tokens["Program.Counter"]))
        (value,) = self.debuggee.static_fields([field], thread)
        return int(struct.unpack("<i", value.raw)[0])


@contextmanager
def copier_of(process: Process) -> Iterator[Copier]:
    copier = start_copier(process.pid, parent_reaps=False)
    try:
        yield copier
    finally:
        copier.close()


def texts(debuggee: CordebugDebuggee, thread: ThreadId) -> list[object]:
    """All that the stack shows, but for the numbers of modules, types and values."""
    lines: list[object] = []
    for frame in debuggee.stack(thread, 0, 50).frames:
        lines.append((frame.kind, frame.method, frame.il_offset, frame.stack_address))
        if frame.method is not None:
            values = [*debuggee.arguments(thread, frame.index), *debuggee.locals(thread, frame.index)]
            lines += [(value.element_type, value.raw, value.text, value.address, value.error) for value in values]
    return lines


def test_each_copy_shows_its_own_moment(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "loop", str(ROUNDS)) as session, copier_of(session.process) as copier:
        hit = session.run_to("Program.Mark")
        moments = []
        for _ in range(ROUNDS):
            moments.append((copier.snapshot(), texts(session.debuggee, hit.thread)))
            session.debuggee.resume(hit)
            hit = session.wait(BreakpointHit)
        assert len(children(session.process.pid)) == ROUNDS
        session.run_to_end(hit)
        counters = []
        pasts = [Past(snapshot, session) for snapshot, _ in moments]
        for past, (_, live) in zip(pasts, moments, strict=True):
            assert texts(past.debuggee, hit.thread) == live
            counters.append(past.counter(hit.thread))
        assert counters == list(range(counters[0], counters[0] + ROUNDS))
        assert texts(pasts[0].debuggee, hit.thread) == moments[0][1]
        for past, (snapshot, _) in zip(pasts, moments, strict=True):
            past.debuggee.close()
            snapshot.close()


def test_copy_is_read_only(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "values") as session, copier_of(session.process) as copier:
        hit = session.run_to("Program.Mark")
        snapshot = copier.snapshot()
        past = Past(snapshot, session)
        (amount, *_) = past.debuggee.arguments(hit.thread, 1)
        assert amount.handle is not None
        with pytest.raises(FrozenError):
            past.debuggee.store(amount.handle, struct.pack("<i", 9))
        with pytest.raises(FrozenError):
            past.debuggee.freeze(hit.thread, True)
        (here, *_) = session.debuggee.arguments(hit.thread, 1)
        assert here.handle is not None
        session.debuggee.store(here.handle, struct.pack("<i", 9))
        assert session.debuggee.arguments(hit.thread, 1)[0].raw == struct.pack("<i", 9)
        assert past.debuggee.arguments(hit.thread, 1)[0].raw == struct.pack("<i", 3)
        past.debuggee.close()
        snapshot.close()


@pytest.mark.parametrize("how", ["spin", "sleep"])
def test_running_program_is_copied_and_goes_on(runtime: Runtime, how: str) -> None:
    program = build(runtime)
    tokens = tokens_of(program)
    with Process(program, "forever", how) as process:
        process.wait_until_ready()
        with copier_of(process) as copier:
            for _ in range(ROUNDS):
                snapshot = copier.snapshot(runs=True)
                debuggee = snapshot.open(lambda event: None, trust_runtime=True)
                main = next(info.thread for info in debuggee.threads() if info.thread == process.pid)
                methods = [frame.method for frame in debuggee.stack(main, 0, 50).frames if frame.method is not None]
                assert {tokens["Program.Forever"], tokens["Program.Main"]} <= set(methods)
                debuggee.close()
                snapshot.close()
        assert children(process.pid) == set()
        if how == "spin":
            process.wait_until_busy()
        else:
            assert process.loops()
        statuses = [task / "status" for task in Path(f"/proc/{process.pid}/task").iterdir()]
        assert not any("SigBlk:\tf" in status.read_text() for status in statuses)


def test_killed_copier_leaves_nothing(runtime: Runtime) -> None:
    with Process(build(runtime), "forever", "sleep") as process:
        process.wait_until_ready()
        before = children(os.getpid())
        copier = start_copier(process.pid, parent_reaps=False)
        (launcher,) = children(os.getpid()) - before
        snapshots = [copier.snapshot(runs=True) for _ in range(ROUNDS)]
        copies = {snapshot.copy_process_id for snapshot in snapshots}
        assert children(process.pid) == copies
        os.kill(launcher, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(state(copy) not in ("Z", "X") for copy in copies):
            assert time.monotonic() < deadline, "the copies outlived their copier"
            time.sleep(0.01)
        with pytest.raises(RuntimeCallError, match="has ended"):
            copier.snapshot(runs=True)
        for snapshot in snapshots:
            snapshot.close()
        copier.close()
        assert children(process.pid) == set()
        assert process.loops()


def state(process_id: int) -> str:
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]


def test_program_that_ends_is_said_to_have_ended(runtime: Runtime) -> None:
    with Process(build(runtime), "forever", "sleep") as process:
        process.wait_until_ready()
        with copier_of(process) as copier:
            snapshot = copier.snapshot(runs=True)
            process.kill()
            process.wait()
            with pytest.raises(LaunchError, match="ended") as refused:
                copier.snapshot(runs=True)
            assert refused.value.code == "NO_PROCESS"
            debuggee = snapshot.open(lambda event: None, trust_runtime=True)
            assert debuggee.threads()
            debuggee.close()
            snapshot.close()
