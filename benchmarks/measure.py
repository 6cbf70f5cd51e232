"""What is measured of a debug adapter, through DAP alone, so that any adapter can be measured the same way."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dap_dotnet.client import DapClient
from tests.support import dotnet, programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program

TIMEOUT_S = 60.0
STACK_DEPTH = 200
STACK_FRAMES = 20


@dataclass
class Row:
    """One measurement: all its samples. `unit` is ms, 1/s or MB; `limit` is the mark that issue or docs set, if any."""

    name: str
    unit: str
    samples: list[float] = field(default_factory=list)
    limit: float | None = None
    is_best: bool = False
    """Its value is that of the best sample, for what else the machine does only makes it worse; else the median."""

    @property
    def value(self) -> float:
        """What the row says."""
        if self.is_best and self.samples:
            return max(self.samples) if self.unit == "1/s" else min(self.samples)
        return statistics.median(self.samples) if self.samples else float("nan")

    @property
    def is_met(self) -> bool | None:
        """Whether the mark is met; None without one. Rates must be at least the mark, everything else at most."""
        if self.limit is None or not self.samples:
            return None
        return self.value >= self.limit if self.unit == "1/s" else self.value <= self.limit

    @property
    def verdict(self) -> str:
        """The mark and whether it is met, for people; empty without one."""
        return "" if self.limit is None else f"mark {self.limit:g} {'PASS' if self.is_met else 'MISS'}"


class Measurement:
    """The rows of one adapter on one runtime."""

    def __init__(self, command: Sequence[str], marks: dict[str, float]) -> None:
        self._command = list(command)
        self._marks = marks
        self.rows: dict[str, Row] = {}

    def add(self, name: str, unit: str, sample: float, *, best: bool = False) -> None:
        """Take one sample; `best` as `Row.is_best`."""
        row = self.rows.setdefault(name, Row(name, unit, limit=self._marks.get(name), is_best=best))
        row.samples.append(sample)

    def timed(self, name: str, action: Callable[[], Any]) -> Any:
        """Run `action` and take its time, in ms."""
        began = time.perf_counter()
        result = action()
        self.add(name, "ms", (time.perf_counter() - began) * 1000)
        return result

    def spawn(self) -> DapClient:
        """A client with a fresh adapter."""
        return DapClient.spawn(self._command, timeout_s=TIMEOUT_S)


def start_up(measurement: Measurement, program: Program, rounds: int) -> None:
    """Spawn of the adapter to the stop in Main, and its parts."""
    path = str(program.source)
    for _ in range(rounds):
        began = time.perf_counter()
        with measurement.spawn() as client:
            client.initialize()
            measurement.add("initialize response", "ms", (time.perf_counter() - began) * 1000)
            starting = client.start("launch", {"program": str(program.dll), "env": dict(program.env)})
            client.set_breakpoints(path, [program.line("start")])
            if not starting.is_answered:
                # As editors do: configure while the program starts. Its own start is not counted to configurationDone.
                client.wait_until(lambda starting=starting: starting.is_answered, "the launch response", 2.0)
            configured = time.perf_counter()
            client.configuration_done()
            client.wait_for_stop()
            now = time.perf_counter()
            measurement.add("configurationDone to stop", "ms", (now - configured) * 1000)
            measurement.add("spawn to stop in Main", "ms", (now - began) * 1000)
            client.disconnect()


def stopping(measurement: Measurement, program: Program, hits: int, steps: int) -> None:
    """Hits of a breakpoint that the client continues from, steps, locals, memory."""
    path = str(program.source)
    with measurement.spawn() as client:
        client.launch(
            str(program.dll),
            ["1000000"],
            env=dict(program.env),
            breakpoints={path: [program.line("square")]},
        )
        client.wait_for_stop()
        began = time.perf_counter()
        for _ in range(hits):
            client.continue_()
            client.wait_for_stop()
        measurement.add("breakpoint hits, continued by the client", "1/s", hits / (time.perf_counter() - began))
        client.set_breakpoints(path, [])
        for _ in range(steps):
            measurement.timed("one step", client.step_over)
            stack = measurement.timed("stackTrace of the top frame", lambda: client.stack(count=1))
            measurement.timed("locals", lambda frame=stack[0].id: client.locals(frame))
        megabytes = resident_megabytes(client.process.process_id if client.process is not None else None)
        if megabytes is not None:
            measurement.add("memory of the adapter", "MB", megabytes)
        client.disconnect()


def stacks(measurement: Measurement, program: Program, rounds: int) -> None:
    """A stack of 20 on the way down a deep recursion, each at a fresh stop; the first of a session on its own."""
    path = str(program.source)
    for _ in range(rounds):
        with measurement.spawn() as client:
            client.launch(
                str(program.dll),
                [str(STACK_DEPTH)],
                env=dict(program.env),
                breakpoints={path: [program.line("recursion")]},
            )
            client.wait_for_stop()
            for _ in range(STACK_FRAMES):
                client.continue_()
                client.wait_for_stop()
            name = "stackTrace of 20, first of a session"
            for _ in range(STACK_FRAMES):
                frames = measurement.timed(name, lambda client=client: client.stack(count=STACK_FRAMES))
                assert len(frames) == STACK_FRAMES
                name = "stackTrace of 20"
                client.continue_()
                client.wait_for_stop()
            client.disconnect()


def resident_megabytes(process_id: int | None) -> float | None:
    """Resident memory of a process; None where the system does not say."""
    try:
        text = Path(f"/proc/{process_id}/status").read_text()
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return None


def bare_run(measurement: Measurement, program: Program, rounds: int) -> None:
    """The program alone, for comparison."""
    for _ in range(rounds):
        measurement.timed("bare run of the program", lambda: program.run("1"))


def build(runtime: Runtime, folder: Path, name: str, source: str) -> Program:
    """A program of one file that is measured, in a folder of its own inside of `folder`."""
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / f"{name}.cs").write_text(source, encoding="utf-8")
    return programs.build(place, runtime)


def print_rows(wanted: Sequence[str], measured: Callable[[Runtime], Measurement], decimals: int = 2) -> None:
    """Measure on each runtime of the major versions `wanted` (none: 10), and print the rows."""
    for runtime in dotnet.find().runtimes:
        if any(runtime.version.startswith(prefix + ".") for prefix in wanted or ["10"]):
            print(f".NET {runtime.version}, load {os.getloadavg()[0]:.1f}")
            for row in measured(runtime).rows.values():
                print(f"  {row.name:48} {row.value:9.{decimals}f} {row.unit:4} {row.verdict}")
