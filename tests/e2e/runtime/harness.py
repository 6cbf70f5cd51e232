"""A debuggee straight on the seam: started behind a gate or attached to, its events collected with deadlines."""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from dap_dotnet.runtime.cordebug import CordebugDebuggee, attach, prepare_startup
from dap_dotnet.runtime.events import BreakpointHit, ModuleLoaded, ProcessExited, RuntimeEvent, StopCompleted
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    FieldRef,
    FieldToken,
    MethodToken,
    ModuleId,
    ThreadId,
    TypeDefToken,
    TypeId,
    Value,
)
from tests.support import programs
from tests.support.dotnet import Runtime

HERE = Path(__file__).parent
TIMEOUT_S = 30.0

E = TypeVar("E", bound=RuntimeEvent)


def build(runtime: Runtime, *, optimize: bool = False) -> programs.Program:
    """The test program for a runtime."""
    return programs.build(HERE / "Shim", runtime, optimize=optimize)


@lru_cache
def tokens_of(program: programs.Program) -> dict[str, int]:
    """Metadata tokens by "Type" and "Type.Member", as the program's own reflection reports them."""
    lines = program.run("tokens").stdout.decode().splitlines()
    return {name: int(token, 16) for name, token in (line.rsplit(" ", 1) for line in lines)}


class Process:
    """A gated process with a parent of its own."""

    def __init__(self, program: programs.Program, *arguments: str, env: dict[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._output = Path(self._folder.name, "output")
        command = [sys.executable, str(HERE / "gate.py"), *program.command, *arguments]
        self._gate = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=program.environment({"LD_PRELOAD": "", "SHIM_TEST_OUTPUT": str(self._output), **(env or {})}),
        )
        assert self._gate.stdout is not None
        word, number = self._gate.stdout.readline().split()
        assert word == "pid"
        self.pid = int(number)

    def open_gate(self) -> None:
        assert self._gate.stdin is not None
        self._gate.stdin.write("x")
        self._gate.stdin.flush()

    def is_alive(self) -> bool:
        return self._gate.poll() is None and not self._is_zombie()

    def _is_zombie(self) -> bool:
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return True
        return stat.rpartition(")")[2].split()[0] == "Z"

    def kill(self) -> None:
        if self._gate.poll() is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def wait_until_ready(self) -> None:
        """Open the gate and wait until the program of mode "forever" runs in its loop."""
        self.open_gate()
        deadline = time.monotonic() + TIMEOUT_S
        while "ready" not in self.output():
            assert time.monotonic() < deadline, "the program did not come up"
            time.sleep(0.005)

    def output(self) -> str:
        """What the program wrote so far."""
        return self._output.read_text(encoding="utf-8") if self._output.exists() else ""

    def loops(self) -> bool:
        """Whether the main thread of mode "forever" makes progress: it goes to sleep again and again."""
        before = self._sleeps()
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            if self._sleeps() >= before + 5:
                return True
            time.sleep(0.01)
        return False

    def wait_until_busy(self) -> None:
        """Until the main thread has computed for a tenth of a second more: it is in its loop."""
        enough = self._cpu_ticks() + os.sysconf("SC_CLK_TCK") // 10
        deadline = time.monotonic() + TIMEOUT_S
        while self._cpu_ticks() < enough:
            assert time.monotonic() < deadline, "the program does not compute"
            time.sleep(0.01)

    def _cpu_ticks(self) -> int:
        stat = Path(f"/proc/{self.pid}/task/{self.pid}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return int(user) + int(system)

    def _sleeps(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.rpartition("\nvoluntary_ctxt_switches:")[2].split()[0])

    def wait(self) -> int:
        """The exit code as a shell reports it."""
        assert self._gate.stdout is not None
        ready, _, _ = select.select([self._gate.stdout], [], [], TIMEOUT_S)
        assert ready, "the program did not end"
        word, number = self._gate.stdout.readline().split()
        assert word == "exit"
        self._gate.wait(TIMEOUT_S)
        code = os.waitstatus_to_exitcode(int(number))
        return code if code >= 0 else 128 - code

    def close(self) -> None:
        self.kill()
        for stream in (self._gate.stdin, self._gate.stdout):
            assert stream is not None
            stream.close()
        self._gate.wait(TIMEOUT_S)
        self._folder.cleanup()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session:
    """A debuggee and its events. Events that hold and that no test waits for are resumed."""

    def __init__(
        self,
        program: programs.Program,
        debuggee_of: Callable[[Callable[[RuntimeEvent], None]], CordebugDebuggee],
        process: Process,
    ) -> None:
        self.program = program
        self.process = process
        self.tokens = tokens_of(program)
        self.events: queue.SimpleQueue[RuntimeEvent] = queue.SimpleQueue()
        self.seen: list[RuntimeEvent] = []
        self.module: ModuleId | None = None
        self.own_flags = True
        self.debuggee = debuggee_of(self.events.put)

    @classmethod
    def launch(cls, program: programs.Program, *arguments: str, env: dict[str, str] | None = None) -> Session:
        process = Process(program, *arguments, env=env)
        try:
            startup = prepare_startup(process.pid)
            process.open_gate()
            session = cls(
                program, lambda sink: startup.connect(sink, timeout_ms=20_000, is_alive=process.is_alive), process
            )
        except BaseException:
            process.close()
            raise
        session.debuggee.on_terminate = process.kill
        return session

    @classmethod
    def attach(cls, program: programs.Program, process: Process) -> Session:
        return cls(program, lambda sink: attach(process.pid, sink, 10_000), process)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.debuggee.close()
        if self.debuggee.on_terminate is not None:
            self.process.close()

    def wait(self, kind: type[E], *, timeout_s: float = TIMEOUT_S, only: Callable[[E], bool] = lambda event: True) -> E:
        """The next event of a kind. Others are let go."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                event = self.events.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {kind.__name__} in {timeout_s} s; seen {self.seen[-10:]}") from None
            self.seen.append(event)
            if isinstance(event, ModuleLoaded) and Path(event.module.path).name == self.program.dll.name:
                self.module = event.module.module
            if isinstance(event, kind) and only(event):
                return event
            assert not isinstance(event, ProcessExited), f"ended while waiting for {kind.__name__}; {self.seen[-10:]}"
            self.debuggee.resume(event)

    def wait_for_module(self) -> ModuleLoaded:
        """Until the program's own module is loaded; it holds. It is marked as the user's code."""
        loaded = self.wait(ModuleLoaded, only=lambda event: event.module.module == self.module)
        if self.own_flags:
            self.debuggee.set_module_flags(loaded.module.module, just_my_code=True, disable_optimizations=True)
        return loaded

    def break_at(self, member: str, il_offset: int = 0) -> BoundId:
        """A breakpoint in a method of the program, by "Type.Member"."""
        assert self.module is not None
        location = BreakpointLocation(self.module, MethodToken(self.tokens[member]), il_offset)
        (bound,) = self.debuggee.create_breakpoints([location])
        assert isinstance(bound, int), bound
        return bound

    def run_to(self, member: str, from_event: RuntimeEvent | None = None) -> BreakpointHit:
        """Run from the program's module load, or from an event, to a method's start."""
        held = from_event or self.wait_for_module()
        bound = self.break_at(member)
        self.debuggee.resume(held)
        return self.wait(BreakpointHit, only=lambda event: event.bound == bound)

    def run_to_end(self, held: RuntimeEvent) -> int:
        self.debuggee.resume(held)
        self.wait(ProcessExited)
        return self.process.wait()

    def method_at(self, thread: ThreadId, index: int) -> int | None:
        return self.debuggee.stack(thread, index, 1).frames[0].method

    def stop(self) -> StopCompleted:
        self.debuggee.request_stop(10_000)
        return self.wait(StopCompleted)

    def type_of(self, name: str, *arguments: TypeId) -> TypeId:
        assert self.module is not None
        return self.debuggee.make_type(self.module, TypeDefToken(self.tokens[name]), arguments)

    def field(self, value: Value, type_id: TypeId, member: str) -> Value:
        assert value.handle is not None, value
        (found,) = self.debuggee.fields(value.handle, [FieldRef(type_id, FieldToken(self.tokens[member]))])
        return found
