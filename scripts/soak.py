"""`make soak`: sessions that end at random moments, for minutes, and a count of everything that went wrong or was left.

Programs flood the debugger with messages, thread starts, exceptions, module loads or output. Each session attaches to
one or launches one, does a little (a log point, a pause, an evaluation that hangs), and ends by a disconnect, the end
of its input, a signal to the adapter, or the death of the launcher or the program. Then the program must run on, or be
gone. `--seed` repeats the choices, though not the moments; `--only` narrows them. The exit code is 0 when no fault was
counted.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from dap_dotnet.client import ClientError, adapter_command
from dap_dotnet.client.adapter import AdapterProcess
from dap_dotnet.client.connection import Connection
from dap_dotnet.source_lines import read_source_lines
from tests.support import dotnet, programs
from tests.support.dotnet import Runtime
from tests.support.flood import Flood
from tests.support.paths import PROGRAMS
from tests.support.processes import command_line, describe_process, has_ended

KINDS = ["none", "log", "threads", "exceptions", "modules", "output"]
ENDS = ["disconnect", "end of input", "SIGTERM", "SIGKILL"]
DEATHS = ["program killed", "launcher killed"]
COMMANDS = ["attach", "attach", "launch"]
DOINGS = ["nothing", "log point", "pause", "hanging evaluation"]
CHOICES = sorted({*COMMANDS, *KINDS, *DOINGS, *ENDS, *DEATHS})
ANSWER_S = 20.0
SETTLE_S = 30.0
LONGEST_STAY_S = 0.6
FDS_OF_AN_ATTACH = 6
"""The runtime's own: two for each debugger that it has met. After a kill the guardian is a second and a third one."""
FDS_OF_A_PROGRAM = 16
"""What a program may open in the course of its life."""
THREADS_OF_A_PROGRAM = 8
"""What a runtime starts besides in the course of its program's life: for tiered compilation, for a pool."""
MEMORY_OF_A_PROGRAM_MIB = 256
MEMORY_OF_AN_ADAPTER_MIB = 256
THREADS_OF_AN_ADAPTER = 32
FDS_OF_AN_ADAPTER = 64


@dataclasses.dataclass(frozen=True)
class Usage:
    """What one process uses now; its memory is the resident one, and has a peak."""

    threads: int
    fds: int
    memory_mib: int
    peak_mib: int

    @classmethod
    def of(cls, process_id: int) -> Usage:
        """Raises OSError when the process is gone, and KeyError while it ends."""
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
        status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
        memory, peak = (int(status[name][0]) // 1024 for name in ("VmRSS", "VmHWM"))
        return cls(int(status["Threads"][0]), len(os.listdir(f"/proc/{process_id}/fd")), memory, peak)


@dataclasses.dataclass(frozen=True)
class Plan:
    """What one session is to do."""

    command: str
    runtime: Runtime
    kind: str
    doing: str
    end: str
    stay_s: float

    def __str__(self) -> str:
        return f"{self.command} {self.runtime.id} {self.kind}, {self.doing}, {self.end} after {self.stay_s:.2f} s"


@dataclasses.dataclass
class Report:
    """What has been counted."""

    sessions: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    faults: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    most: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """The largest of each figure."""

    def note(self, what: str, figure: int) -> None:
        """Remember it where it is the largest so far."""
        self.most[what] = max(self.most[what], figure)

    def check(self, what: str, figure: int, allowed: int, where: str) -> bool:
        """Note a figure; whether it is allowed, and a fault where it is not."""
        self.note(what, figure)
        if figure > allowed:
            self.fault(what, f"{where}: {figure} of {allowed}")
        return figure <= allowed

    def fault(self, what: str, where: str) -> None:
        """Count a fault and show it."""
        self.faults[what] += 1
        print(f"FAULT {what}: {where}", flush=True)


class Soak:
    """The whole run: programs to attach to, one for each runtime and kind, and what is counted."""

    def __init__(self, folder: Path, runtimes: list[Runtime], seed: int, only: Sequence[str] = ()) -> None:
        self.report = Report()
        self._folder = folder
        self._runtimes = runtimes
        self._random = random.Random(seed)
        self._only = only
        self._semaphores = semaphores_left()
        self._floods: dict[tuple[str, str], Flood] = {}
        self._attaches: collections.Counter[int] = collections.Counter()
        self._first: dict[int, Usage] = {}

    def run(self, seconds: float, sessions: int | None) -> None:
        """Session after session, until the time is over or there have been enough of them."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and sum(self.report.sessions.values()) != sessions:
            plan = self._plan()
            try:
                (self._attach if plan.command == "attach" else self._launch)(plan)
            except (ClientError, OSError) as error:
                self.report.fault("session failed", f"{plan}: {error}")

    def close(self) -> None:
        """End the programs that are left."""
        for key in list(self._floods):
            self._end_flood(key)
        for left in processes_left():
            self.report.fault("process left", left)
        for trace in (*Path(self._folder).glob("clr-debug-pipe-*"), *Path(self._folder).glob("dotnet-diagnostic-*")):
            self.report.fault("pipe or socket left", trace.name)
        for semaphore in semaphores_left() - self._semaphores:
            self.report.fault("semaphore left", semaphore)

    def _plan(self) -> Plan:
        command = self._choice(COMMANDS)
        return Plan(
            command,
            self._random.choice(self._runtimes),
            self._choice(KINDS),
            self._choice(DOINGS),
            self._choice(ENDS if command == "attach" else [*ENDS, *DEATHS]),
            self._random.uniform(0, LONGEST_STAY_S),
        )

    def _choice(self, choices: list[str]) -> str:
        return self._random.choice([one for one in choices if one in self._only] or choices)

    def _attach(self, plan: Plan) -> None:
        flood = self._flood(plan.runtime, plan.kind)
        self._attaches[flood.pid] += 1
        self._session(plan, {"processId": flood.pid})
        let_go = time.monotonic()
        runs = flood.runs(SETTLE_S)
        self.report.note("ms until a program went on", int((time.monotonic() - let_go) * 1000))
        self._expect("guardian left", plan, lambda: not guardians(flood.pid))
        if not (runs and flood.runs(SETTLE_S)):
            code = flood.process.poll()
            self.report.fault("frozen" if code is None else "program ended", f"{plan}: exit code {code}")
            self._end_flood((plan.runtime.id, plan.kind))
            return
        if not self._is_as_before(flood, plan):
            self._end_flood((plan.runtime.id, plan.kind))

    def _is_as_before(self, flood: Flood, plan: Plan) -> bool:
        """Whether a program that was debugged uses not much more than before it ever was."""
        first, now = self._first[flood.pid], Usage.of(flood.pid)
        fds = FDS_OF_AN_ATTACH * self._attaches[flood.pid] + FDS_OF_A_PROGRAM
        grown = [
            ("descriptors added to a program", now.fds - first.fds, fds),
            ("threads added to a program", now.threads - first.threads, THREADS_OF_A_PROGRAM),
            ("MiB added to a program", now.memory_mib - first.memory_mib, MEMORY_OF_A_PROGRAM_MIB),
        ]
        checks = [self.report.check(what, figure, allowed, str(plan)) for what, figure, allowed in grown]
        return all(checks)

    def _check_adapter(self, process_id: int, plan: Plan) -> None:
        with contextlib.suppress(OSError, KeyError):  # it may have ended, with its program
            usage = Usage.of(process_id)
            self.report.check("descriptors of an adapter", usage.fds, FDS_OF_AN_ADAPTER, str(plan))
            self.report.check("threads of an adapter", usage.threads, THREADS_OF_AN_ADAPTER, str(plan))
            self.report.check("MiB of an adapter", usage.peak_mib, MEMORY_OF_AN_ADAPTER_MIB, str(plan))

    def _launch(self, plan: Plan) -> None:
        program = programs.build("Flood", plan.runtime)
        rounds = self._folder / "launched"
        rounds.write_bytes(bytes(8))
        arguments = {
            "program": str(program.dll),
            "args": [plan.kind, str(self._folder / "never"), str(rounds), "60"],
            "env": {**program.env, "DOTNET_ROOT": str(plan.runtime.root)},
        }
        process_id = self._session(plan, arguments)
        if process_id is not None:
            self._expect("orphaned", plan, lambda: has_ended(process_id))
            if plan.end != "launcher killed":  # then nobody is left who could remove them
                self._expect("traces left", plan, lambda: not traces(process_id))
            for path in traces(process_id):
                path.unlink(missing_ok=True)

    def _session(self, plan: Plan, arguments: Mapping[str, object]) -> int | None:
        """One session, up to the end of its adapter; returns the program's process id where the adapter gave it."""
        self.report.sessions[f"{plan.command}, {plan.end}"] += 1
        environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
        connection = Connection.spawn(adapter_command(), timeout_s=SETTLE_S, env=environment)
        adapter = connection.process
        assert adapter is not None
        try:
            connection.request("initialize", {"adapterID": "soak", "linesStartAt1": True})
            begun = connection.send(plan.command, arguments)
            if plan.doing == "log point":
                source = PROGRAMS / "Flood" / "Program.cs"
                line = next(n for n, text in enumerate(read_source_lines(source), 1) if "// @round" in text)
                points = [{"line": line, "logMessage": "round {zero}"}]
                connection.send("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": points})
            connection.send("configurationDone")
            if self._random.random() < 0.8:
                begun.result()
            self._do(connection, plan.doing)
            time.sleep(plan.stay_s)
            bodies = connection.events("process")
            process_id = int(bodies[0]["systemProcessId"]) if bodies else None
            self._check_adapter(adapter.process_id, plan)
            self._end(connection, plan, process_id)
            if adapter.wait(SETTLE_S) is None:
                self.report.fault("adapter left", f"{plan}\n{stacks_of(adapter)}")
            return process_id
        finally:
            connection.close()

    def _do(self, connection: Connection, doing: str) -> None:
        if doing not in ("pause", "hanging evaluation"):
            return
        connection.send("pause", {"threadId": 1})
        with contextlib.suppress(ClientError):
            stopped = connection.wait_for("stopped", timeout_s=2.0)
            if doing == "hanging evaluation":
                frames = connection.request("stackTrace", {"threadId": stopped.body.get("threadId", 1), "levels": 1})
                for frame in frames["stackFrames"]:
                    hang = {"expression": "System.Threading.Thread.Sleep(100000)", "frameId": frame["id"]}
                    connection.send("evaluate", hang)

    def _end(self, connection: Connection, plan: Plan, process_id: int | None) -> None:
        adapter = connection.process
        assert adapter is not None
        if plan.end == "end of input":
            adapter.close_input()
        elif plan.end in ("SIGTERM", "SIGKILL"):
            os.kill(adapter.process_id, getattr(signal, plan.end))
        elif plan.end == "disconnect":
            answer = connection.send("disconnect")
            try:
                answer.result(ANSWER_S)
            except ClientError as error:
                self.report.fault("disconnect unanswered", f"{plan}: {error}")
        else:
            target = process_id if plan.end == "program killed" else parent_of(process_id)
            if target is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(target, signal.SIGKILL)
            with contextlib.suppress(ClientError):
                connection.wait_for("terminated", timeout_s=ANSWER_S)
            adapter.close_input()

    def _flood(self, runtime: Runtime, kind: str) -> Flood:
        key = (runtime.id, kind)
        if key not in self._floods:
            folder = self._folder / f"{runtime.id}-{kind}-{len(self._attaches)}"
            folder.mkdir()
            flood = self._floods[key] = Flood(runtime, kind, folder, seconds=24 * 3600)
            flood.runs()
            self._first[flood.pid] = Usage.of(flood.pid)
        return self._floods[key]

    def _end_flood(self, key: tuple[str, str]) -> None:
        flood = self._floods.pop(key)
        flood.close()
        for path in traces(flood.pid):
            path.unlink(missing_ok=True)  # killed, and nobody's to clean up after

    def _expect(self, fault: str, plan: Plan, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SETTLE_S
        while not condition():
            if time.monotonic() > deadline:
                self.report.fault(fault, str(plan))
                return
            time.sleep(0.02)


def process_ids() -> Iterator[int]:
    """All processes now."""
    return (int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit())


def guardians(process_id: int) -> list[int]:
    """The launcher processes that watch over a process."""
    wanted = ["--watch", str(process_id)]
    return [one for one in process_ids() if command_line(one).split()[-2:] == wanted and not has_ended(one)]


def parent_of(process_id: int | None) -> int | None:
    """The parent's id; None where there is no such process."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[1])


def stacks_of(adapter: AdapterProcess) -> str:
    """What the threads of an adapter that does not end are doing. Ends it."""
    waiting = describe_process(adapter.process_id)
    os.kill(adapter.process_id, signal.SIGABRT)
    adapter.end()
    return f"{waiting}\n{adapter.error_output}"


def processes_left() -> list[str]:
    """The adapters, launchers and guardians that are children, or orphans, of this run."""
    marker = f"TMPDIR={tempfile.gettempdir()}".encode()
    found = []
    for one in process_ids():
        with contextlib.suppress(OSError):
            is_of_this_run = marker in Path(f"/proc/{one}/environ").read_bytes().split(b"\0")
            if is_of_this_run and one != os.getpid() and not has_ended(one):
                found.append(f"{one} {command_line(one)}")
    return found


def traces(process_id: int) -> list[Path]:
    """The semaphores, pipes and sockets of a runtime and its debugger."""
    folder = Path(tempfile.gettempdir())
    found = [*folder.glob(f"clr-debug-pipe-{process_id}-*"), *folder.glob(f"dotnet-diagnostic-{process_id}-*")]
    return [*found, *Path("/dev/shm").glob(f"sem.clr??{process_id:08x}*")]


def semaphores_left() -> set[str]:
    """The start-up semaphores of processes that are gone; a machine may have other debuggers at work."""
    found = {path.name for path in Path("/dev/shm").glob("sem.clr*")}
    return {name for name in found if has_ended(int(name[len("sem.clrxx") :][:8], 16))}


def main() -> int:
    """Run, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, help="the most sessions; without it only the time counts")
    parser.add_argument("--runtime", action="append", help="such as net10.0; by default all that are found")
    parser.add_argument("--only", action="append", default=[], choices=CHOICES, help="of what there is to choose from")
    options = parser.parse_args()
    runtimes = [one for one in dotnet.find().runtimes if not options.runtime or one.id in options.runtime]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        soak = Soak(Path(folder), runtimes, options.seed, options.only)
        try:
            soak.run(options.minutes * 60, options.sessions)
        finally:
            soak.close()
    report = soak.report
    print(f"\n{options.minutes:g} minutes, seed {options.seed}, {', '.join(one.version for one in runtimes)}")
    for name, count in sorted(report.sessions.items()):
        print(f"{count:6} {name}")
    for name, figure in sorted(report.most.items()):
        print(f"{figure:6} {name}, at most")
    print(f"{sum(report.sessions.values()):6} sessions, {sum(report.faults.values())} faults")
    for name, count in report.faults.most_common():
        print(f"{count:6} {name}")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
