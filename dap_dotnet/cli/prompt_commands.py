"""What can be said to a session that stands, by a script or at the prompt, one command a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dap_dotnet.cli.breakpoint_arguments import (
    EXCEPTION_FILTERS,
    BreakpointArgument,
    FunctionArgument,
    PlaceArgument,
    parse_exception,
    parse_line,
)
from dap_dotnet.cli.breakpoints import BreakpointSet
from dap_dotnet.cli.report import ErrorReport, EvaluationReport, Reporter
from dap_dotnet.cli.stop_reading import StopReader, first_shown
from dap_dotnet.client import DapClient, DapRequestError

HELP = """\
b PLACE [if EXPR]   stop at FILE:LINE[:COLUMN], at a line of this file, or at a function
d N                 delete breakpoint N
l                   list the breakpoints
catch FILTER[:TYPES]
                    stop at exceptions too: all, user-unhandled, unhandled; of TYPES, A, B or all but !A, B
catch off           stop only at those that nobody handles
explain [N]         why breakpoints are or are not hit
explain step        what the last step did, and why it ended where it did
c                   continue (at the beginning: start)
n, s, o             step over, into, out
back, rc            show the stop before, or the last one at a breakpoint (--history)
restart             end the program and start it again, with the breakpoints as they are
bt [N]              the call stack, at most N frames
up, down, frame N   choose the frame for p and locals
p EXPR              the value of a C# expression; it may assign
locals              arguments and locals
freeze N, thaw N    keep thread N where it is, or let it run again
threads             all threads, where they are, and what each waits for
async               the suspended async methods, and who awaits whom
> TEXT              a line of input for the program; > ^D ends the input
x                   end the session: a launched program ends, an attached one runs on
h                   this"""

RESTART = "restart"
"""What `Commands.carry_out` returns for the program's end and new beginning."""
GOING_BACK = ("stepBack", "reverseContinue")
"""What `Commands.carry_out` returns for a stop that was."""
_RESUMING = {
    **{"c": "continue", "n": "next", "s": "stepIn", "o": "stepOut", "restart": RESTART},
    **dict(zip(("back", "rc"), GOING_BACK, strict=True)),
}
_LONG_NAMES = {
    **{"continue": "c", "run": "c", "next": "n", "step": "s", "out": "o", "finish": "o"},
    **{"break": "b", "delete": "d", "breakpoints": "l", "print": "p", "backtrace": "bt", "where": "bt"},
    "reverse-continue": "rc",
    **{"quit": "x", "exit": "x", "q": "x", "help": "h", "?": "h"},
}
END = "x"
"""What `Commands.carry_out` returns for the end of the session."""
WORDS = (
    *(
        "b",
        "c",
        "n",
        "s",
        "o",
        "back",
        "rc",
        "bt",
        "p",
        "locals",
        "up",
        "down",
        "frame",
        "threads",
        "freeze",
        "thaw",
        "async",
    ),
    *("l", "d", "explain", "catch", "restart", "x", "h"),
)
"""For completion."""


class CommandError(Exception):
    """A command that cannot be carried out; the message says why."""


class Commands:
    """Carries out commands. A command that lets the program go on, or that ends the session, is returned instead."""

    def __init__(self, client: DapClient, breakpoints: BreakpointSet, reporter: Reporter, stops: StopReader) -> None:
        self._client = client
        self._breakpoints = breakpoints
        self._reporter = reporter
        self._stops = stops
        self._thread: int | None = None
        self._frames: list[Mapping[str, Any]] = []
        self._selected = 0
        self._focus = 0
        self._known: dict[str, Callable[[str], None]] = {
            **{"b": self._break, "d": self._delete, "l": self._list, "explain": self._explain},
            "catch": self._catch,
            **{"bt": self._backtrace, "up": self._up, "down": self._down, "frame": self._frame},
            **{"p": self._print, "locals": self._locals, "threads": self._threads},
            **{"freeze": partial(self._freeze, "freezeThread"), "thaw": partial(self._freeze, "thawThread")},
            "async": self._async_tasks,
            "h": lambda rest: self._reporter.notice(HELP),
        }

    def stands(self, thread: int | None, focus: int = 0) -> None:
        """The program has stopped in a thread; None: it begins again.

        `focus` counts frames from the first method to the one looked at.
        """
        self._thread, self._frames, self._focus = thread, [], focus

    def carry_out(self, line: str) -> str | None:
        """Do what a line says and report it, also what is wrong with it.

        Returns the request that lets the program go on, or `END`; None when the next line is wanted.
        """
        text = line.strip()
        if not text or text.startswith("#"):
            return None
        if text.startswith(">"):
            self._reported(lambda: self._input(text))
            return None
        word, _, rest = text.partition(" ")
        name = _LONG_NAMES.get(word, word)
        if name == END:
            return END
        if name in _RESUMING:
            if self._thread is None and name != "c":
                self._reporter.error(ErrorReport("NOT_STOPPED", "The program has not started yet: c starts it."))
                return None
            return _RESUMING[name]
        command = self._known.get(name)
        if command is None:
            self._reporter.error(ErrorReport("INVALID_COMMAND", f"There is no command {word!r}; h lists them."))
            return None
        self._reported(lambda: command(rest.strip()))
        return None

    def _reported(self, action: Callable[[], None]) -> None:
        try:
            action()
        except DapRequestError as error:
            self._reporter.error(ErrorReport(error.code, error.text))
        except (CommandError, ValueError) as error:
            self._reporter.error(ErrorReport("INVALID_COMMAND", str(error)))

    # breakpoints

    def _break(self, rest: str) -> None:
        place, _, condition = rest.partition(" if ")
        answer = self._breakpoints.add(BreakpointArgument(self._place(place.strip()), when=condition.strip() or None))
        self._reporter.event("breakpoint", {"reason": "new", "breakpoint": answer})

    def _place(self, text: str) -> PlaceArgument:
        if not text:
            raise CommandError("b needs a place: FILE:LINE, a line of this file, or the name of a function.")
        if not text.isdigit():
            return parse_line(text) if re.search(r":\d+$", text) else FunctionArgument(text)
        path = (self._frame_now().get("source") or {}).get("path")
        if path is None:
            raise CommandError("This frame has no source: name the file, FILE:LINE.")
        return parse_line(f"{path}:{text}")

    def _delete(self, rest: str) -> None:
        number = _number(rest, "d needs the number of a breakpoint")
        if not self._breakpoints.remove(number):
            raise CommandError(f"There is no breakpoint {number}; l lists them.")
        body = {"reason": "removed", "breakpoint": {"id": number, "verified": False}}
        self._reporter.event("breakpoint", body)

    def _list(self, rest: str) -> None:
        self._reporter.breakpoints("now", self._breakpoints.listed())

    def _explain(self, rest: str) -> None:
        if rest == "step":
            self._reporter.explained_step(self._stops.explained_step())
            return
        wanted = _number(rest, "") if rest else None
        explained = [found for found in self._breakpoints.explain() if wanted in (None, found[0])]
        if not explained:
            raise CommandError(f"There is no breakpoint {wanted}." if wanted else "There are no breakpoints.")
        for number, text in explained:
            self._reporter.explanation(number, text)

    def _catch(self, rest: str) -> None:
        if not rest:
            raise CommandError(f"catch needs one of {', '.join(EXCEPTION_FILTERS)}, or off.")
        filters, answers = self._breakpoints.stop_at_exceptions(parse_exception(rest) if rest != "off" else None)
        for answer in answers:
            self._reporter.event("breakpoint", {"reason": "new", "breakpoint": answer})
        if not answers:
            self._reporter.notice(f"Stops at exceptions: {'; '.join(filters) or 'only unhandled ones'}.")

    # what is seen

    def _backtrace(self, rest: str) -> None:
        self._read_frames()
        count = _number(rest, "") if rest else len(self._frames)
        self._reporter.stack([self._stops.frame(frame) for frame in self._frames[:count]], self._selected)

    def _up(self, rest: str) -> None:
        self._read_frames()
        self._select(self._selected + 1)

    def _down(self, rest: str) -> None:
        self._read_frames()
        self._select(self._selected - 1)

    def _frame(self, rest: str) -> None:
        self._read_frames()
        self._select(_number(rest, "frame needs a number, as shown by bt") if rest else self._selected)

    def _select(self, number: int) -> None:
        if not 0 <= number < len(self._frames):
            raise CommandError(f"There is no frame {number}: the call stack has {len(self._frames)}.")
        self._selected = number
        self._reporter.stack([self._stops.frame(self._frames[number])], number, first=number)

    def _print(self, rest: str) -> None:
        if not rest:
            raise CommandError("p needs an expression.")
        self._reporter.evaluation(EvaluationReport(rest, self._stops.evaluate(rest, self._frame_now()["id"], "repl")))

    def _locals(self, rest: str) -> None:
        self._reporter.locals(self._stops.locals(self._frame_now()["id"]))

    def _threads(self, rest: str) -> None:
        if self._thread is None:
            raise CommandError("The program has not started yet: c starts it.")
        self._reporter.threads(self._stops.threads(1), self._stops.waiting())

    def _freeze(self, request: str, rest: str) -> None:
        number = _number(rest, "a thread number is needed, as shown by threads")
        frozen = self._client.request(f"dap-dotnet/{request}", {"threadId": number})["frozen"]
        self._reporter.notice(f"Frozen: {', '.join(map(str, frozen)) or 'no thread'}.")

    def _async_tasks(self, rest: str) -> None:
        if self._thread is None:
            raise CommandError("The program has not started yet: c starts it.")
        self._reporter.async_tasks(self._stops.async_tasks())

    def _read_frames(self) -> None:
        if self._thread is None:
            raise CommandError("The program has not started yet: c starts it.")
        if not self._frames:
            self._frames = list(self._stops.frames(self._thread, 0))
            self._selected = first_shown(self._frames) + self._focus

    def _frame_now(self) -> Mapping[str, Any]:
        self._read_frames()
        if not self._frames:
            raise CommandError("This thread has no frames.")
        return self._frames[self._selected]

    def _input(self, text: str) -> None:
        self._client.request("evaluate", {"expression": text, "context": "repl"})


def _number(text: str, otherwise: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise CommandError(otherwise + "." if otherwise and not text else f"expected a number, not {text!r}.")
    return int(text)
