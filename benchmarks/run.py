"""`make bench`: measures the adapter, prints a table, keeps the result as JSON.

    BENCH_ARGS="--runtime 10 --compare 'CMD ARGS'" make bench

`--compare` measures another adapter's command line in the same run, and prints ratios: on a noisy machine those hold
better than times.
"""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks import breakpoints, measure, rates, steps, values
from dap_dotnet import __version__
from dap_dotnet.client import ClientError, adapter_command
from tests.support import dotnet, programs

RESULTS = Path(__file__).resolve().parents[1] / "artifacts" / "bench.json"
MARKS = {
    "initialize response": 150.0,
    "one step": 3.0,
    "stackTrace of 20": 3.0,
    "locals": 3.0,
    "memory of the adapter": 80.0,
}
MARKS_NET10 = {**MARKS, "spawn to stop in Main": 180.0, "configurationDone to stop": 60.0}


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description="Measure the adapter.")
    parser.add_argument("--runtime", action="append", default=[], help="major version, such as 10 or 3.1; repeatable")
    parser.add_argument("--rounds", type=int, default=7, help="samples of each start-up measurement")
    parser.add_argument("--compare", metavar="COMMAND", help="another adapter's command line")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()

    runtimes = [runtime for runtime in dotnet.find().runtimes if is_wanted(runtime.version, options.runtime)]
    if not runtimes:
        print("error: none of the runtimes asked for was found", file=sys.stderr)
        return 1
    results = []
    for runtime in runtimes:
        loop, deep = programs.build("Loop", runtime), programs.build("Deep", runtime)
        marks = MARKS_NET10 if runtime.version.startswith("10.") else MARKS
        ours = measured(adapter_command(), marks, loop, deep, options.rounds)
        measure.bare_run(ours, loop, options.rounds)
        ours.rows.update(steps.measured(adapter_command(), runtime, options.rounds * 2).rows)
        ours.rows.update(values.measured(adapter_command(), runtime, options.rounds * 2).rows)
        if not options.compare:
            ours.rows.update(rates.measured(runtime, max(options.rounds // 2, 1)).rows)
            ours.rows.update(breakpoints.measured(runtime, max(options.rounds // 3, 1)).rows)
        theirs = None
        if options.compare:
            other = shlex.split(options.compare)
            theirs = measured(other, {}, loop, deep, options.rounds)
            theirs.rows.update(steps.measured(other, runtime, options.rounds * 2).rows)
            theirs.rows.update(values.measured(other, runtime, options.rounds * 2, stops=0).rows)
        print_table(runtime.version, ours, theirs)
        results.append(as_json(runtime.version, ours, theirs, options.compare))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    machine = {"system": platform.platform(), "python": platform.python_version()}
    options.output.write_text(json.dumps({"version": __version__, "machine": machine, "results": results}, indent=1))
    print(f"\nkept in {options.output}")
    return 0


def is_wanted(version: str, wanted: list[str]) -> bool:
    """Whether a runtime was asked for; by default those that marks are set for."""
    return any(version.startswith(prefix + ".") for prefix in wanted or ["10", "9", "3.1"])


def measured(
    command: list[str], marks: dict[str, float], loop: programs.Program, deep: programs.Program, rounds: int
) -> measure.Measurement:
    """All measurements of one adapter. One that it cannot do is left out, with a word."""
    measurement = measure.Measurement(command, marks)
    for what, action in {
        "start-up": lambda: measure.start_up(measurement, loop, rounds),
        "stops": lambda: measure.stopping(measurement, loop, hits=300, steps=60),
        "stacks": lambda: measure.stacks(measurement, deep, max(rounds // 2, 3)),
    }.items():
        try:
            action()
        except ClientError as error:
            print(f"{what}: {error}", file=sys.stderr)
    return measurement


def print_table(version: str, ours: measure.Measurement, theirs: measure.Measurement | None) -> None:
    """One line for each row."""
    print(f"\n.NET {version}")
    for name, row in ours.rows.items():
        mark = f"  {row.verdict}" if row.verdict else ""
        other = theirs.rows.get(name) if theirs is not None else None
        ratio = f"  other {other.value:9.2f}, ratio {row.value / other.value:.2f}" if other is not None else ""
        print(f"  {name:48} {row.value:9.2f} {row.unit:4}{ratio}{mark}")


def as_json(version: str, ours: measure.Measurement, theirs: measure.Measurement | None, command: str | None) -> dict:
    """The result of one runtime."""

    def rows(measurement: measure.Measurement) -> dict:
        return {
            name: {
                "best" if row.is_best else "median": row.value,
                "unit": row.unit,
                "mark": row.limit,
                "samples": row.samples,
            }
            for name, row in measurement.rows.items()
        }

    result = {"runtime": version, "adapter": rows(ours)}
    if theirs is not None:
        result["other"] = {"command": command, "rows": rows(theirs)}
    return result


if __name__ == "__main__":
    sys.exit(main())
