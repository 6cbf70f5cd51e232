"""Measures setting and binding of breakpoints: `python -m benchmarks.breakpoints [--runtime 10]`.

- 500 breakpoints set in one file of a stopped program;
- 500 pending ones bound when their module is loaded: how much longer the load takes than with one;
- a program with 300 modules: how much longer their loads take with breakpoints in 10 files and on 5 functions that
  none of the modules has.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import TIMEOUT_S, Measurement, Row
from dap_dotnet.client import DapClient, adapter_command
from tests.support import dotnet, programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program

COUNT = 500
MODULES = 300
MARKS = {f"set {COUNT} in one file": 150.0, f"bind {COUNT} on load": 250.0}
MOST_SLOWDOWN = 1.3
SLOWDOWN = f"load {MODULES} modules, times longer by breakpoints"
_METHODS = 50


def long_source(name: str, statements: int) -> str:
    """A class with `statements` statements, one a line from line 10 on, in methods of ten."""
    lines = [f"public static class {name}", "{"]
    while len(lines) < 6:
        lines.append("")
    for method in range(statements // 10):
        lines += [f"    public static int M{method}(int value)", "    {"]
        lines += [f"        value += {number};" for number in range(10)]
        lines += ["        return value;", "    }"]
    return "\n".join([*lines, "}", ""])


def statement_lines(source: str) -> list[int]:
    """The lines of its statements."""
    return [number for number, line in enumerate(source.splitlines(), 1) if "value +=" in line]


LOADER = """
using System;
using System.Reflection;

public static class Loader
{
    public static int Main(string[] args)
    {
        Console.WriteLine("begin"); // @begin
        var type = Assembly.LoadFrom(args[0]).GetType("Late");
        type.GetMethod("M0").Invoke(null, new object[] { 1 });
        return 0;
    }
}
"""

MANY = """
using System;
using System.Reflection;
using System.Runtime.Loader;

public static class Many
{
    public static int Main(string[] args)
    {
        var count = 0;
        var watch = System.Diagnostics.Stopwatch.StartNew();
        foreach (var path in System.IO.Directory.GetFiles(args[0], "*.dll"))
        {
            var context = new AssemblyLoadContext(path);
            count += context.LoadFromAssemblyPath(path).GetTypes().Length;
        }
        Console.WriteLine(watch.ElapsedMilliseconds);
        return count > 0 ? 0 : 1;
    }
}
"""


def made(folder: Path, name: str, files: Mapping[str, str], runtime: Runtime, **options: str) -> Program:
    """Builds a program or a library of these sources."""
    place = folder / name
    place.mkdir()
    for file, text in files.items():
        (place / file).write_text(text)
    return programs.build(place, runtime, **options)  # type: ignore[arg-type]


def launched(client: DapClient, program: Program, *args: str, breakpoints: Mapping[str, list[int]]) -> None:
    """Launch, without waiting for a stop."""
    client.launch(str(program.dll), args, breakpoints=breakpoints, env=dict(program.env))


def set_at_once(measurement: Measurement, program: Program, lines: list[int], rounds: int) -> None:
    """All breakpoints of one file in one request, at a stop."""
    source = str(program.source)
    for _ in range(rounds):
        with measurement.spawn() as client:
            launched(client, program, breakpoints={source: [lines[0]]})
            client.wait_for_stop()
            found = measurement.timed(f"set {COUNT} in one file", lambda: client.set_breakpoints(source, lines))
            assert sum(entry.verified for entry in found) == COUNT
            measurement.timed(f"clear {COUNT} in one file", lambda: client.set_breakpoints(source, []))
            client.disconnect(terminate_debuggee=True)


def bind_on_load(measurement: Measurement, loader: Program, library: Program, lines: list[int], rounds: int) -> None:
    """From `continue` to the stop in a module that is loaded on the way, with all its breakpoints pending."""
    begin, source = loader.line("begin"), str(library.source)
    for _ in range(rounds):
        took = []
        for wanted in (lines[:1], lines):
            with measurement.spawn() as client:
                pending = {str(loader.source): [begin], source: wanted}
                launched(client, loader, str(library.dll), breakpoints=pending)
                client.wait_for_stop()
                began = time.perf_counter()
                client.continue_()
                client.wait_for_stop()
                took.append((time.perf_counter() - began) * 1000)
                client.disconnect(terminate_debuggee=True)
        measurement.add("load with 1 pending", "ms", took[0])
        measurement.add(f"load with {COUNT} pending", "ms", took[1])
        measurement.add(f"bind {COUNT} on load", "ms", took[1] - took[0])


def many_modules(measurement: Measurement, program: Program, folder: Path, rounds: int) -> None:
    """The time that the program takes to load its modules, without and with breakpoints that are in none of them."""
    nowhere = {f"/nowhere/Other{number}.cs": [10, 20, 30] for number in range(9)}
    functions = [{"name": name} for name in ("Nothing.Run", "Never", "A.B.C", "List.Nothing(int)", "Type.No*")]
    for number in range(rounds * 2):
        with_breakpoints = bool(number % 2)
        with measurement.spawn() as client:
            client.initialize()
            arguments = {"program": str(program.dll), "args": [str(folder)], "env": dict(program.env)}
            client.start("launch", arguments)
            if with_breakpoints:
                for path, lines in {**nowhere, str(folder / "Program.cs"): [99_999]}.items():
                    client.set_breakpoints(path, lines)
                client.request("setFunctionBreakpoints", {"breakpoints": functions})
            client.configuration_done()
            assert client.wait_for_exit(timeout_s=TIMEOUT_S) == 0
            printed = "".join(body["output"] for body in client.events("output") if body.get("category") == "stdout")
            measurement.add(f"load {MODULES} modules{', breakpoints' * with_breakpoints}", "ms", float(printed))


def measured(runtime: Runtime, rounds: int) -> Measurement:
    """All of it on one runtime."""
    measurement = Measurement(adapter_command(), {**MARKS, SLOWDOWN: MOST_SLOWDOWN})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = long_source("Late", COUNT)
        lines = statement_lines(text)[:COUNT]
        main_text = "public static class Start { public static int Main() => Late.M0(1) > 0 ? 0 : 1; }\n"
        direct = made(folder, "Direct", {"Late.cs": text + main_text}, runtime)
        set_at_once(measurement, direct, lines, rounds)
        library = made(folder, "Library", {"Late.cs": text}, runtime, target="library")
        loader = made(folder, "Loader", {"Loader.cs": LOADER}, runtime)
        bind_on_load(measurement, loader, library, lines, rounds)
        small = made(
            folder,
            "Small",
            {f"File{number}.cs": long_source(f"C{number}", _METHODS * 10) for number in range(20)},
            runtime,
            target="library",
            debug="embedded",
        )
        copies = folder / "copies"
        copies.mkdir()
        image = small.dll.read_bytes()
        for number in range(MODULES):
            (copies / f"Small{number}.dll").write_bytes(image)
        many_modules(measurement, made(folder, "Many", {"Many.cs": MANY}, runtime), copies, rounds)
    measurement.add(SLOWDOWN, "x", slowdown(measurement.rows))
    return measurement


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure setting and binding of breakpoints.")
    parser.add_argument("--runtime", default="10", help="major version")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    runtime = next(one for one in dotnet.find().runtimes if one.version.startswith(options.runtime))
    for row in measured(runtime, options.rounds).rows.values():
        print(f"{row.name:48} {row.value:9.2f} {row.unit:4} {row.verdict}")
    return 0


def slowdown(rows: Mapping[str, Row]) -> float:
    """Loads with breakpoints by loads without: of the fastest, for what else the machine does only adds."""
    without, with_ = (min(rows[f"load {MODULES} modules{suffix}"].samples) for suffix in ("", ", breakpoints"))
    return with_ / without


if __name__ == "__main__":
    sys.exit(main())
