"""What a program writes to a pseudo-terminal, as a debug console shows it."""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[(?P<control>[0-?]*[ -/]*[@-~])"
    "|\\](?P<command>[^\x07\x1b]*)(?:\x07|\x1b\\\\)"
    r"|[ -/][0-~]"
    r"|[0-Z\\^-~]"
    ")"
)
"""Of ECMA-48, section 5.4: control sequences, commands of the operating system (titles, links), and short ones."""
_BEGUN = re.compile("\x1b(?:\\[[0-?]*[ -/]*|\\][^\x07\x1b]*\x1b?|[ -/])?\\Z")
_LONGEST_BEGUN = 4096
_CURSOR_QUERY, _STATUS_QUERY = "6n", "5n"
_COLOUR = re.compile(r"[0-9;:]*m\Z")
_LINK = "8;"


class TerminalText:
    """Takes out what only a screen can do, and answers what a program asks its terminal. Not for two threads at once.

    Colours and links are kept. The cursor counts as in the last line, as in a terminal that has scrolled.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self._columns = columns
        self._rows = rows
        self._column = 0
        self._begun = ""

    def feed(self, text: str) -> tuple[str, str]:
        """What to show of some more text, and what the terminal answers the program; a sequence may go on later."""
        text = self._begun + text
        begun = _BEGUN.search(text)
        cut = begun.start() if begun is not None and len(text) - begun.start() <= _LONGEST_BEGUN else len(text)
        self._begun, text = text[cut:], text[:cut]
        shown, answers, end = [], [], 0
        for found in _SEQUENCE.finditer(text):
            shown.append(self._moved(text[end : found.start()]))
            end = found.end()
            control, command = found["control"], found["command"]
            if control == _CURSOR_QUERY:
                answers.append(f"\x1b[{self._rows};{self._column + 1}R")
            elif control == _STATUS_QUERY:
                answers.append("\x1b[0n")
            elif (control and _COLOUR.match(control)) or (command or "").startswith(_LINK):
                shown.append(found.group())
        shown.append(self._moved(text[end:]))
        return "".join(shown), "".join(answers)

    def rest(self) -> str:
        """What a sequence that was begun, and never ended, looks like."""
        begun, self._begun = self._begun, ""
        return begun

    def _moved(self, text: str) -> str:
        line = max(text.rfind("\n"), text.rfind("\r"))
        self._column = (len(text) - line - 1 if line >= 0 else self._column + len(text)) % self._columns
        return text
