"""The main job on a real program: build it, break, look, step, evaluate, and let it end.

`make demo` runs this with the newest .NET found. It ends with 0 only if everything that it shows has really happened.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from dap_dotnet.cli.style import Style, accept_any_text
from dap_dotnet.client import DapClient, DapRequestError, adapter_command
from dap_dotnet.source_lines import read_source_lines
from tests.support import dotnet, programs

TIMEOUT_S = 60.0
EXPECTED_OUTPUT = "3 orders, 65.00 in all\n"
EXPECTED_EXIT_CODE = 3
HOT_ROUNDS = 3000
LOGGED_ROUNDS = 500


class DemoFailedError(Exception):
    """Something that the demo shows did not happen."""


class Show:
    """Prints the steps of the demo."""

    def __init__(self) -> None:
        self._style = Style(sys.stdout)

    def title(self, text: str) -> None:
        """What comes next."""
        print(f"\n{self._style.paint(text, 'bold', 'cyan')}")

    def line(self, text: str) -> None:
        """Something that happened."""
        print(f"  {text}", flush=True)

    def good(self, text: str) -> None:
        """Something that was checked."""
        print(f"  {self._style.paint(self._style.mark('●'), 'green')} {text}", flush=True)

    def source(self, path: Path, line: int) -> None:
        """The lines around a place, with a mark at it."""
        lines = read_source_lines(path)
        for number in range(max(line - 2, 1), min(line + 2, len(lines)) + 1):
            mark = self._style.mark("→") if number == line else " "
            text = f"{mark:>2} {number:4} {self._style.mark('│')} {lines[number - 1]}"
            print("  " + (self._style.paint(text, "bold", "yellow") if number == line else text))


def check(condition: bool, what: str) -> None:
    """Raise DemoFailedError unless `condition` holds."""
    if not condition:
        raise DemoFailedError(what)


def run(show: Show) -> None:
    """The demo itself."""
    runtime = dotnet.find().runtimes[-1]
    show.title(f"A C# program, built for .NET {runtime.version}")
    program = programs.build("Demo", runtime)
    source = program.source
    show.line(str(source.relative_to(Path.cwd()) if source.is_relative_to(Path.cwd()) else source))

    began = time.monotonic()
    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        show.title("Launch, with a breakpoint")
        wanted = {str(source): [program.line("add")]}
        (added,) = client.launch(str(program.dll), env=dict(program.env), breakpoints=wanted)
        stop = client.wait_for_stop()
        later = [event["breakpoint"]["verified"] for event in client.events("breakpoint")]  # where the runtime is slow
        check(any([added.verified, *later]), "the breakpoint did not bind")
        show.good(f"breakpoint {added.id} bound at {source.name}:{added.line}")
        check(stop.reason == "breakpoint", f"stopped for {stop.reason}")
        show.good(f"stopped at breakpoint {added.id}, {(time.monotonic() - began) * 1000:.0f} ms after the start")

        frames = client.stack()
        check(frames[0].line == program.line("add"), f"stopped at line {frames[0].line}")
        show.source(source, frames[0].line)

        show.title("Call stack")
        for number, frame in enumerate(frames):
            place = f"{frame.source.name}:{frame.line}" if frame.source else ""
            show.line(f"#{number} {frame.name}  {place}")
        check(any("Main" in frame.name for frame in frames), "Main is not on the stack")

        show.title("Locals")
        variables = client.locals()
        for name, variable in variables.items():
            show.line(f"{name} = {variable.value}  ({variable.type})")
        check(variables["total"].value == "15.00", f"total is {variables['total'].value}")

        show.title("Step over")
        client.step_over()
        variables = client.locals()
        check(variables["sum"].value == "15.00", f"sum is {variables['sum'].value} after the step")
        show.good(f"sum = {variables['sum'].value}")

        show.title("Evaluate")
        for expression, expected in (("order.Item", '"pen"'), ("orders[1].Price * 2", "6.50"), ("order.Kind", None)):
            result = client.evaluate(expression).result
            check(expected is None or result == expected, f"{expression} is {result}, not {expected}")
            show.good(f"{expression} = {result}")
        try:
            client.evaluate("nothing")
        except DapRequestError as error:
            show.good(f"nothing: {error.message}")
        else:
            raise DemoFailedError("a name that does not exist was evaluated")

        show.title("Continue to the end")
        client.set_breakpoints(str(source), [])
        client.continue_()
        exit_code = client.wait_for_exit()
        output = "".join(body["output"] for body in client.events("output") if body.get("category") == "stdout")
        check(output == EXPECTED_OUTPUT, f"the program wrote {output!r}")
        show.good(f"the program wrote: {output.strip()}")
        check(exit_code == EXPECTED_EXIT_CODE, f"the program ended with {exit_code}")
        show.good(f"exit code {exit_code}, which is the program's own")


def run_breakpoints(show: Show) -> None:
    """Breakpoints that decide for themselves: in one lambda of a line, with a condition, as a log point."""
    program = programs.build("HotLoop", dotnet.find().runtimes[-1])
    source, path = program.source, str(program.source)
    line = program.line("lambdas")
    column = read_source_lines(source)[line - 1].index("n * n") + 1
    hot = program.line("hot")

    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        show.title("A breakpoint in the second lambda of a line")
        condition = {"line": hot, "condition": f"i == {HOT_ROUNDS - 1}"}
        lambda_ = {"line": line, "column": column}
        client.launch(
            str(program.dll), [str(HOT_ROUNDS)], env=dict(program.env), breakpoints={path: [lambda_, condition]}
        )
        client.wait_for_stop()
        frame = client.stack(count=1)[0]
        check((frame.line, frame.column) == (line, column), f"stopped at {frame.line}:{frame.column}")
        value = client.locals()["n"].value
        check(value == "2", f"n is {value}: the first lambda lets only even numbers through")
        show.good(f"stopped at {source.name}:{frame.line}:{frame.column} in {frame.name}, with n = {value}")
        show.source(source, frame.line)

        show.title(f"A condition that is true once in {HOT_ROUNDS} rounds")
        client.set_breakpoints(path, [condition])
        began = time.monotonic()
        client.continue_()
        client.wait_for_stop()
        took = time.monotonic() - began
        frame = client.stack(count=1)[0]
        value = client.evaluate("i").result
        check((frame.line, value) == (hot, str(HOT_ROUNDS - 1)), f"stopped at line {frame.line} with i = {value}")
        show.good(f"stopped with i = {value} after {took:.2f} s: {HOT_ROUNDS / took:.0f} tests a second")
        client.set_breakpoints(path, [])
        client.continue_()
        check(client.wait_for_exit() == 0, "the program did not end with 0")

    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        show.title("A log point, which writes and does not stop")
        wanted = {"line": hot, "logMessage": "round {i}: {sum}"}
        client.launch(str(program.dll), [str(LOGGED_ROUNDS)], env=dict(program.env), breakpoints={path: [wanted]})
        check(client.wait_for_exit() == 0, "the program did not end with 0")
        events = [body["output"] for body in client.events("output") if body.get("category") == "console"]
        lines = "".join(events).splitlines()
        check(len(lines) == LOGGED_ROUNDS, f"{len(lines)} lines instead of {LOGGED_ROUNDS}")
        check(lines[8] == "round 8: 21", f"line 9 is {lines[8]!r}")
        for text in (*lines[:2], "...", lines[-1]):
            show.line(text)
        show.good(f"{len(lines)} lines, none lost, in {len(events)} events")


def main() -> int:
    """Run the demo and report."""
    accept_any_text()
    show = Show()
    try:
        run(show)
        run_breakpoints(show)
    except dotnet.DotnetNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except DemoFailedError as error:
        print(f"\nerror: the demo failed: {error}", file=sys.stderr)
        return 1
    show.title("All of this really happened. Next: README.md, or `.venv/bin/dap-dotnet run --help`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
