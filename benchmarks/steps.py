"""Measures steps, pauses and views of many frames and threads: `python -m benchmarks.steps [--runtime 10]`.

A step over an `await` and one over a call that makes many, a pause of a program that runs, the first frames of a deep
stack, and the list of many threads, each time at a fresh stop. Through DAP alone, so that `benchmarks/run.py --compare`
measures other adapters in the same way.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Measurement, Row, build, print_rows
from dap_dotnet.client import ClientError, DapClient, adapter_command
from tests.support.dotnet import Runtime
from tests.support.programs import Program

AWAIT = "step over await Task.Yield()"
CALLS = 10_000
OVER_CALLS = f"step over a call with {CALLS:,} inner calls"
RUN_OF_CALLS = "that call in a bare run"
PAUSE = "pause of a program that sleeps"
BUSY_PAUSE = "pause of a program at work"
DEPTH = 20_000
FRAMES = 20
DEEP_STACK = f"stackTrace of {FRAMES} of {DEPTH:,}"
THREADS = 500
LIST = f"threads of a program with {THREADS}"
MARKS = {AWAIT: 3.0, PAUSE: 5.0, DEEP_STACK: 6.0, LIST: 40.0}
"""ms."""
TIMES_A_RUN, BESIDES_MS = 2.0, 2.0
"""The mark of the step over many calls: so many times a bare run of them, and so much more."""

SOURCE = """
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

public static class Stepped
{
    private static int sum;

    public static void Main(string[] args)
    {
        int count = int.Parse(args[1]);
        switch (args[0])
        {
            case "await":
                Awaits(count).Wait();
                break;
            case "calls":
                Calls(count);
                break;
            case "work":
                while (sum >= 0)
                {
                    Add(sum.ToString().Length); // @work
                }

                break;
            case "sleep":
                while (sum >= 0)
                {
                    Thread.Sleep(count); // @sleep
                }

                break;
            case "deep":
                var thread = new Thread(() => Recurse(count), 256 << 20);
                thread.Start();
                thread.Join();
                break;
            default:
                Threads(count);
                break;
        }
    }

    private static async Task Awaits(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield(); // @await
            sum += i; // @resumed
        }
    }

    private static void Calls(int count)
    {
        for (int i = 0; i < count; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Many(); // @calls
            double took = (Stopwatch.GetTimestamp() - began) * 1000.0 / Stopwatch.Frequency; // @called
            Console.WriteLine(took.ToString(System.Globalization.CultureInfo.InvariantCulture));
        }
    }

    private static void Many()
    {
        for (int i = 0; i < INNER; i++)
        {
            Add(i);
        }
    }

    private static void Add(int number)
    {
        sum = (sum + number) & 0xffff;
    }

    private static int Recurse(int depth)
    {
        if (depth > 0)
        {
            return Recurse(depth - 1) + 1;
        }

        for (int i = 0; i < 1000; i++)
        {
            Add(i); // @deep
        }

        return 0;
    }

    private static void Threads(int count)
    {
        var end = new ManualResetEvent(false);
        var begun = new CountdownEvent(count);
        var threads = new List<Thread>();
        for (int i = 0; i < count; i++)
        {
            var thread = new Thread(() => { begun.Signal(); end.WaitOne(); }, 256 << 10) { Name = "worker " + i };
            thread.Start();
            threads.Add(thread);
        }

        begun.Wait();
        for (int i = 0; i < 1000; i++)
        {
            Add(i); // @threads
        }

        end.Set();
        threads.ForEach(thread => thread.Join());
    }
}
""".replace("INNER", str(CALLS))


def awaits(measurement: Measurement, program: Program, rounds: int) -> None:
    """Steps over an `await` that suspends, each to the statement behind it. The first is not counted."""
    resumed = program.line("resumed")
    with measurement.spawn() as client:
        _launch(client, program, ["await", str(rounds + 1)], "await")
        for number in range(rounds + 1):
            client.wait_for_stop()
            _counted(measurement, number).timed(AWAIT, client.step_over)
            assert client.stack(count=1)[0].line == resumed
            client.continue_()
        client.wait_for_exit()


def calls(measurement: Measurement, program: Program, rounds: int) -> None:
    """Steps over a call that makes many, as seen by the client. The first, at which it is compiled, is not counted."""
    called = program.line("called")
    with measurement.spawn() as client:
        _launch(client, program, ["calls", str(rounds + 1)], "calls")
        for number in range(rounds + 1):
            client.wait_for_stop()
            _counted(measurement, number).timed(OVER_CALLS, client.step_over)
            assert client.stack(count=1)[0].line == called
            client.continue_()
        client.wait_for_exit()


def bare_calls(measurement: Measurement, program: Program, rounds: int) -> None:
    """The same call without a debugger, as the program measures it; and the mark that follows from it."""
    for line in program.run("calls", str(rounds + 1)).stdout.split()[1:]:
        measurement.add(RUN_OF_CALLS, "ms", float(line))
    row = measurement.rows.setdefault(OVER_CALLS, Row(OVER_CALLS, "ms"))
    row.limit = round(TIMES_A_RUN * measurement.rows[RUN_OF_CALLS].value + BESIDES_MS, 2)


def pauses(measurement: Measurement, program: Program, rounds: int) -> None:
    """From the request to the stop, of a program whose main thread sleeps, and of one that is at work in its own code.

    The latter has no mark: the runtime looks about every 20 ms whether each thread has come to a safe point, and up to
    .NET 8 waits for ever for one that calls nothing of the framework.
    """
    for row, what, milliseconds in ((PAUSE, "sleep", "1000"), (BUSY_PAUSE, "work", "0")):
        with measurement.spawn() as client:
            _launch(client, program, [what, milliseconds], what)
            client.wait_for_stop()
            client.set_breakpoints(str(program.source), [])
            for number in range(rounds + 1):
                client.continue_()
                time.sleep(0.02)  # a user's pause finds the program at work, not on its way there
                _counted(measurement, number).timed(row, client.pause)
            client.disconnect(terminate_debuggee=True)


def deep_stacks(measurement: Measurement, program: Program, rounds: int) -> None:
    """The first frames of a deep stack, each time at a fresh stop."""
    with measurement.spawn() as client:
        _launch(client, program, ["deep", str(DEPTH)], "deep")
        for number in range(rounds + 1):
            client.wait_for_stop()
            counted = _counted(measurement, number)
            assert len(counted.timed(DEEP_STACK, lambda: client.stack(count=FRAMES))) == FRAMES
            client.continue_()
        client.disconnect(terminate_debuggee=True)


def threads(measurement: Measurement, program: Program, rounds: int) -> None:
    """The list of many threads, each time at a fresh stop."""
    with measurement.spawn() as client:
        _launch(client, program, ["threads", str(THREADS)], "threads")
        for number in range(rounds + 1):
            client.wait_for_stop()
            assert len(_counted(measurement, number).timed(LIST, client.threads)) >= THREADS
            client.continue_()
        client.disconnect(terminate_debuggee=True)


def _counted(measurement: Measurement, number: int) -> Measurement:
    """What takes the samples of a round: of the first, at which much is loaded, they are thrown away."""
    return measurement if number else Measurement([], {})


def _launch(client: DapClient, program: Program, arguments: Sequence[str], mark: str) -> None:
    lines = [program.line(mark)]
    client.launch(str(program.dll), arguments, env=dict(program.env), breakpoints={str(program.source): lines})


def measured(command: Sequence[str], runtime: Runtime, rounds: int) -> Measurement:
    """The rows of one adapter on one runtime. What it cannot do is left out, with a word."""
    measurement = Measurement(command, MARKS)
    with tempfile.TemporaryDirectory() as name:
        program = build(runtime, Path(name), "Stepped", SOURCE)
        for action in (awaits, calls, bare_calls, pauses, deep_stacks, threads):
            try:
                action(measurement, program, rounds)
            except (ClientError, AssertionError) as error:
                print(f"steps: {action.__name__}: {error!r}", file=sys.stderr)
    return measurement


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure steps, pauses and views of many frames and threads.")
    parser.add_argument("--runtime", action="append", default=[], help="major version; repeatable")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    print_rows(options.runtime, lambda runtime: measured(adapter_command(), runtime, options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
