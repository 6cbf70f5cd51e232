"""Measures how fast values are shown: `python -m benchmarks.values [--runtime 10]`.

Evaluations, expansions and a scope whose variables have a DebuggerDisplay, each at a fresh stop, so that nothing is
known from the stop before; and what memory the adapter takes over many stops at which all of it is opened. Through
DAP alone, so that `benchmarks/run.py --compare` measures other adapters in the same way.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Measurement, build, print_rows, resident_megabytes
from dap_dotnet.client import ClientError, DapClient, DapRequestError, adapter_command
from tests.support.dotnet import Runtime
from tests.support.programs import Program

MARKS = {
    "a dictionary's first 100": 4.0,
    "list.Where(…).Count() of 10,000": 400.0,
    "scopes, and 8 locals with DebuggerDisplay": 2.0,
    "memory after stops with expansion": 80.0,
}
"""ms, and MB."""
STOPS = 10_000
"""At which all is opened, for the memory."""
_PAGES = (100, 25)
"""Items. Other adapters give 25 at a time, whatever they are asked for."""

SOURCE = """
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

[DebuggerDisplay("{Name,nq}: {Number}")]
public class Shown
{
    public string Name = "shown";
    public int Number;
}

public class Item
{
    public int Id { get; set; }
    public string Text { get; set; } = "text";
    public double Weight { get; set; } = 1.5;
    public Item Next { get; set; }
    public int Computed => Id * 2;
    public string Joined() => string.Concat(Text, Id.ToString());
}

public static class Values
{
    public static void Main(string[] args)
    {
        int rounds = int.Parse(args[0]);
        int[] array = Enumerable.Range(0, 1000000).ToArray();
        List<Item> list = Enumerable.Range(0, 10000).Select(number => new Item { Id = number }).ToList();
        Dictionary<string, int> dictionary = list.ToDictionary(item => "key" + item.Id, item => item.Id);
        Item item = list[1];
        for (int i = 0; i < rounds; i++)
        {
            Expressions(i, array, list, dictionary, item);
            Displays(i);
        }
    }

    private static void Expressions(int i, int[] array, List<Item> list, Dictionary<string, int> dictionary, Item item)
    {
        Console.Out.Flush(); // @expressions
    }

    private static void Displays(int i)
    {
        Shown a = new Shown { Number = i }, b = new Shown { Number = i }, c = new Shown { Number = i };
        Shown d = new Shown { Number = i }, e = new Shown { Number = i }, f = new Shown { Number = i };
        Shown g = new Shown { Number = i }, h = new Shown { Number = i };
        Console.Out.Flush(); // @displays
        GC.KeepAlive(new object[] { a, b, c, d, e, f, g, h });
    }
}
"""
EVALUATED = {
    "evaluate a local": "i",
    "evaluate a property": "item.Computed",
    "evaluate a call": "item.Joined()",
    "list.Where(…).Count() of 10,000": "list.Where(x => x.Id % 2 == 0).Count()",
}
OPENED = {
    "expand an object of 4 properties": "item",
}
PAGES = {
    "expand a list's first": "list",
    "a dictionary's first": "dictionary",
    "a 1,000,000-element array's first": "array",
}


def values(measurement: Measurement, program: Program, rounds: int) -> None:
    """Evaluations and expansions. The first stop, at which much is loaded, is not counted."""
    refused: set[str] = set()
    for counted, client, frame in _stops(measurement, program, "expressions", rounds):
        for name, expression in EVALUATED.items():
            if name in refused:
                continue
            try:
                counted.timed(name, partial(_evaluate, client, expression, frame))
            except DapRequestError as error:
                refused.add(name)
                print(f"values: {expression}: {error}", file=sys.stderr)
        for name, expression in OPENED.items():
            reference = _evaluate(client, expression, frame)["variablesReference"]
            counted.timed(name, partial(_open, client, reference))
        for name, expression in PAGES.items():
            for count in _PAGES:
                _page(counted, client, f"{name} {count}", _evaluate(client, expression, frame), count)


def _page(counted: Measurement, client: DapClient, name: str, collection: dict[str, Any], count: int) -> None:
    """A row for so many items; none where the adapter gives less."""
    took = Measurement([], {})
    given = took.timed(name, partial(_open, client, collection["variablesReference"], count))
    if sum(one["name"].startswith("[") for one in given) >= count:
        counted.add(name, "ms", took.rows[name].value)


def displays(measurement: Measurement, program: Program, rounds: int) -> None:
    """The locals of a scope."""
    for counted, client, frame in _stops(measurement, program, "displays", rounds):
        counted.timed("scopes, and 8 locals with DebuggerDisplay", partial(_locals, client, frame))


def _stops(
    measurement: Measurement, program: Program, mark: str, rounds: int
) -> Iterator[tuple[Measurement, DapClient, int]]:
    """What takes the samples of a stop, the client and the frame, stop after stop."""
    with measurement.spawn() as client:
        _launch(client, program, rounds + 1, [program.line(mark)])
        for number in range(rounds + 1):
            yield measurement if number else Measurement([], {}), client, _stopped(client)
            client.continue_()
        client.disconnect()


def memory(measurement: Measurement, program: Program, stops: int) -> None:
    """What the adapter takes after so many stops; and how much of it came after the first tenth of them."""
    if not stops:
        return
    before = None
    with measurement.spawn() as client:
        _launch(client, program, stops + 1, [program.line("displays")])
        for number in range(stops):
            for variable in _locals(client, _stopped(client)):
                if variable["variablesReference"]:
                    _open(client, variable["variablesReference"])
            client.continue_()
            if number == stops // 10:
                before = _megabytes(client)
        after = _megabytes(client)
        if before is not None and after is not None:
            measurement.add("memory after stops with expansion", "MB", after)
            measurement.add("growth of it over the last nine tenths", "MB", after - before)
        client.disconnect(terminate_debuggee=True)


def _launch(client: DapClient, program: Program, rounds: int, lines: Sequence[int]) -> None:
    client.launch(
        str(program.dll), [str(rounds)], env=dict(program.env), breakpoints={str(program.source): list(lines)}
    )


def _stopped(client: DapClient) -> int:
    stop = client.wait_for_stop()
    frames = client.request("stackTrace", {"threadId": stop.thread_id, "levels": 1})["stackFrames"]
    return int(frames[0]["id"])


def _evaluate(client: DapClient, expression: str, frame: int) -> dict[str, Any]:
    arguments = {"expression": expression, "frameId": frame, "context": "watch"}
    return dict(client.request("evaluate", arguments))


def _open(client: DapClient, reference: int, count: int = _PAGES[0]) -> list[dict[str, Any]]:
    arguments = {"variablesReference": reference, "start": 0, "count": count}
    return list(client.request("variables", arguments)["variables"])


def _locals(client: DapClient, frame: int) -> list[dict[str, Any]]:
    (scope, *_) = client.request("scopes", {"frameId": frame})["scopes"]
    arguments = {"variablesReference": scope["variablesReference"]}
    return list(client.request("variables", arguments)["variables"])


def _megabytes(client: DapClient) -> float | None:
    return resident_megabytes(client.process.process_id if client.process is not None else None)


def measured(command: Sequence[str], runtime: Runtime, rounds: int, stops: int = STOPS) -> Measurement:
    """The rows of one adapter on one runtime; no memory with 0 `stops`. What it cannot do is left out, with a word."""
    measurement = Measurement(command, MARKS)
    with tempfile.TemporaryDirectory() as name:
        program = build(runtime, Path(name), "Values", SOURCE)
        for action, times in ((values, rounds), (displays, rounds), (memory, stops)):
            try:
                action(measurement, program, times)
            except ClientError as error:
                print(f"values: {error}", file=sys.stderr)
    return measurement


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how fast values are shown.")
    parser.add_argument("--runtime", action="append", default=[], help="major version; repeatable")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--stops", type=int, default=STOPS, help="for the memory")
    options = parser.parse_args(arguments)
    print_rows(options.runtime, lambda runtime: measured(adapter_command(), runtime, options.rounds, options.stops))
    return 0


if __name__ == "__main__":
    sys.exit(main())
