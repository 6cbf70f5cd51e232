"""Lines that a program logs both to its output and to the debugger, shown once.

The default loggers of .NET's generic host, and so of ASP.NET Core, write to the console, on a thread of their own, and
under a debugger with Debug.WriteLine as well. What the debugger gets is kept back for a moment, or until the program
runs again; the same line in the output makes it superfluous. A line that the output does not have is shown.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable

from msgspec import Struct

PATIENCE_S = 0.25
"""How long the output may take, while the program runs."""
_KEPT_CHARACTERS = 64 * 1024
_MOST = 100
"""So many lines wait at most, where the output does not have them."""
_LOGGED = re.compile(
    r"(?P<category>[^:\r\n]{1,300}): (?:Trace|Debug|Information|Warning|Error|Critical): (?P<text>.*)", re.DOTALL
)
"""As Microsoft.Extensions.Logging.Debug writes."""
_BETWEEN = re.compile(r'\[-?\d+\]\s+|",\s*"Message":\s*"')
"""What the console's formatters (simple, systemd, json) put between the category and the text."""
_SCOPE = "=> "


class _Line(Struct):
    """What the debugger got, kept back."""

    text: str
    category: str
    first: str
    """The first line of the text that is not blank."""
    is_overdue: bool = False


class LoggerLines:
    """See the module's docstring. Session thread only."""

    def __init__(
        self,
        show: Callable[[str], None],
        call_later: Callable[[float, Callable[[], None]], object],
        is_running: Callable[[], bool],
    ) -> None:
        """`show` gets what is not in the output."""
        self._show = show
        self._call_later = call_later
        self._is_running = is_running
        self._output: deque[str] = deque()
        """The newest of the output, without the lines that are accounted for."""
        self._size = 0
        self._waiting: list[_Line] = []

    def written(self, text: str) -> None:
        """The next part of the program's output, which is shown."""
        self._output.append(text)
        self._size += len(text)
        while self._size - len(self._output[0]) > _KEPT_CHARACTERS:
            self._size -= len(self._output.popleft())
        if self._waiting:
            self._waiting = [line for line in self._waiting if not self._is_in_output(line)]

    def logged(self, text: str) -> None:
        """What the program has written to the debugger."""
        found = _LOGGED.fullmatch(text)
        first = next((line.strip() for line in found["text"].splitlines() if line.strip()), "") if found else ""
        if found is None or not first:
            self._show(text)
            return
        line = _Line(text, found["category"], first)
        if self._is_in_output(line):
            return
        self._waiting.append(line)
        if len(self._waiting) > _MOST:
            self._show(self._waiting.pop(0).text)
        if len(self._waiting) == 1:
            self._call_later(PATIENCE_S, self._moment_is_over)

    def flush(self) -> None:
        """Show what waits: no more output comes."""
        waiting, self._waiting = self._waiting, []
        for line in waiting:
            self._show(line.text)

    def _moment_is_over(self) -> None:
        if self._is_running():
            while self._waiting and self._waiting[0].is_overdue:
                self._show(self._waiting.pop(0).text)
            for line in self._waiting:
                line.is_overdue = True
        if self._waiting:
            self._call_later(PATIENCE_S, self._moment_is_over)

    def _is_in_output(self, line: _Line) -> bool:
        """Whether it is in the output; there it then counts no more, since the next one may say the same."""
        output = "".join(self._output)
        end = _end_of(output, line)
        if end is not None:
            begin = output.rfind(line.category, 0, end)
            output = output[:begin] + output[end:]
        self._output = deque([output])
        self._size = len(output)
        return end is not None


def _end_of(output: str, line: _Line) -> int | None:
    """Where the line ends in the output; None where it is not."""
    at = output.find(line.category)
    while at >= 0:
        between = _BETWEEN.match(output, at + len(line.category))
        if between is not None:
            begin = between.end()
            if output.startswith(_SCOPE, begin):  # on a line of its own, or before the text
                found = output.find(line.first, begin)
                begin = found if found >= 0 and output.count("\n", begin, found) <= 1 else begin
            for spelled in (line.first, json.dumps(line.first)[1:-1]):
                if output.startswith(spelled, begin):
                    return begin + len(spelled)
        at = output.find(line.category, at + 1)
    return None
