"""Measures how often a breakpoint that does not stop is passed: `python -m benchmarks.rates [--runtime 10]`.

Conditions that never hold, a hit condition and a log point, in a method that is called in a loop; with the accelerator
and read plans (`DAP_DOTNET_ACCELERATOR`, `DAP_DOTNET_READ_PLAN`) as they are, and without. The machine is seldom quiet,
and noise only ever slows down: each row is the best of its samples. And how often a watched field is stored to, without
a change.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import TIMEOUT_S, Measurement, build, print_rows
from dap_dotnet.client import DapClient, adapter_command
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program

BREAKPOINTS: dict[str, dict[str, str]] = {
    "condition on an int local": {"condition": "local == -1"},
    "condition on a field of this": {"condition": "field == -1"},
    "condition on a string": {"condition": 'word == "nothing"'},
    "condition on a getter of a field": {"condition": "Field == -1"},
    "hit condition alone": {"hitCondition": ">= 1000000000"},
    "log point with a local": {"logMessage": "local={local}"},
}
MARKS = dict(zip(BREAKPOINTS, (2500.0, 2000.0, 1500.0, 1200.0, 3000.0, 1500.0), strict=True))
"""Hits a second on .NET 10; on other versions two thirds of it."""

STORES = """
public class Stores
{
    private int field;

    private void Store(int value)
    {
        field = value;
    }

    public static void Main(string[] args)
    {
        var one = new Stores();
        int rounds = int.Parse(args[0]); // @start
        for (int i = 0; i < rounds; i++)
        {
            one.Store(0);
        }
        System.Console.WriteLine("end"); // @end
    }
}
"""
WATCHED = {
    "stores to a watched field of one object": "one.field",
    "stores to a watched field of all objects": "Stores.field",
}
_STORES = 2000


class Setting(Struct, frozen=True):
    """What is switched on in the adapter."""

    name: str
    accelerator: bool
    read_plan: bool
    hits: int
    rounds: int


def settings(rounds: int) -> list[Setting]:
    """From what users have to what the runtime gives by itself."""
    return [
        Setting("", True, True, 2000, rounds),
        Setting(", no read plan", True, False, 2000, max(rounds // 2, 1)),
        Setting(", no accelerator", False, True, 300, 1),
        Setting(", neither", False, False, 300, 1),
    ]


def marks(runtime: Runtime) -> dict[str, float]:
    """The marks of a runtime, for the adapter as it is."""
    share = 1.0 if runtime.version.startswith("10.") else 2 / 3
    return {name: round(mark * share) for name, mark in MARKS.items()}


def rates(measurement: Measurement, program: Program, rounds: int) -> None:
    """All breakpoints with all settings."""
    for setting in settings(rounds):
        for _ in range(setting.rounds):
            for name, breakpoint_ in BREAKPOINTS.items():
                row = f"{name}{setting.name}"
                measurement.add(row, "1/s", rate(program, breakpoint_, setting), best=True)


def rate(program: Program, breakpoint_: dict[str, Any], setting: Setting) -> float:
    """Hits a second, from the stop before the loop to the one after it."""
    lines = [program.line("start"), {"line": program.line("hot"), **breakpoint_}, program.line("end")]
    switches = {
        "DAP_DOTNET_ACCELERATOR": str(int(setting.accelerator)),
        "DAP_DOTNET_READ_PLAN": str(int(setting.read_plan)),
    }
    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S, env={**os.environ, **switches}) as client:
        client.launch(
            str(program.dll),
            [str(setting.hits), "hot"],
            env=dict(program.env),
            breakpoints={str(program.source): lines},
        )
        client.wait_for_stop()
        began = time.perf_counter()
        client.continue_()
        client.wait_for_stop()
        took_s = time.perf_counter() - began
        client.disconnect(terminate_debuggee=True)
    return setting.hits / took_s


def store_rate(program: Program, name: str) -> float:
    """Stores a second to a field that is watched, none of which changes it."""
    lines = [program.line("start"), program.line("end")]
    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        client.launch(str(program.dll), [str(_STORES)], env=dict(program.env), breakpoints={str(program.source): lines})
        stop = client.wait_for_stop()
        frame = client.request("stackTrace", {"threadId": stop.thread_id})["stackFrames"][0]["id"]
        found = client.request("dataBreakpointInfo", {"name": name, "frameId": frame})
        (made,) = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": found["dataId"]}]})["breakpoints"]
        assert made["verified"]
        began = time.perf_counter()
        client.continue_()
        assert client.wait_for_stop().reason == "breakpoint"
        took_s = time.perf_counter() - began
        client.disconnect(terminate_debuggee=True)
    return _STORES / took_s


def measured(runtime: Runtime, rounds: int) -> Measurement:
    """The rates on one runtime."""
    measurement = Measurement(adapter_command(), marks(runtime))
    rates(measurement, programs.build("HotValues", runtime), rounds)
    with tempfile.TemporaryDirectory() as name:
        program = build(runtime, Path(name), "Stores", STORES)
        for _ in range(rounds):
            for row, field in WATCHED.items():
                measurement.add(row, "1/s", store_rate(program, field), best=True)
    return measurement


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how often breakpoints are passed.")
    parser.add_argument("--runtime", action="append", default=[], help="major version; repeatable")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    print_rows(options.runtime, lambda runtime: measured(runtime, options.rounds), decimals=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
