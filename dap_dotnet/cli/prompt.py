"""Where commands come from: the lines of a script, or a person at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from dap_dotnet.cli.prompt_commands import WORDS

PROMPT = "(dap-dotnet) "


class CommandSource(Protocol):
    """Hands out commands one by one."""

    is_person: bool
    """Whether somebody reads what is answered, and may interrupt the program."""

    def next_command(self) -> str | None:
        """The next line; None when there are no more."""


class Script:
    """The lines of a file."""

    is_person = False

    def __init__(self, text: str) -> None:
        self._lines = iter(text.splitlines())

    def next_command(self) -> str | None:
        """See `CommandSource`."""
        return next(self._lines, None)


class Terminal:
    """A person. With prompt_toolkit lines have history and completion, with pygments colours, too."""

    is_person = True

    def __init__(self) -> None:
        self._ask = _session_with_comfort() or _ask_plainly
        self._last = ""

    def next_command(self) -> str | None:
        """See `CommandSource`. An empty line repeats a step; Ctrl-C takes the line back."""
        while True:
            try:
                line = self._ask(PROMPT)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None
            if not line.strip() and self._last in ("n", "s", "o", "next", "step", "out"):
                return self._last
            self._last = line.strip()
            return line


def read_script(path: str) -> Script:
    """The script in a file, or of standard input for ``-``. Raises OSError and UnicodeDecodeError."""
    return Script(sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig"))


def _ask_plainly(prompt: str) -> str:
    return input(prompt)


def _session_with_comfort() -> Callable[[str], str] | None:
    """None where prompt_toolkit is not installed."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory, InMemoryHistory
    except ImportError:
        return None
    path = _history_file()
    session: Any = PromptSession(
        history=InMemoryHistory() if path is None else FileHistory(path),
        auto_suggest=AutoSuggestFromHistory(),
        completer=WordCompleter(list(WORDS), sentence=True),
        complete_while_typing=False,
        lexer=_lexer(),
    )
    ask: Callable[[str], str] = session.prompt
    return ask


def _lexer() -> Any:
    try:
        from prompt_toolkit.lexers import PygmentsLexer
        from pygments.lexers.dotnet import CSharpLexer
    except ImportError:
        return None
    return PygmentsLexer(CSharpLexer)


def _history_file() -> str | None:
    """None where it cannot be written."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser(), "dap-dotnet")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "history"
        path.touch(mode=0o600)
    except (OSError, RuntimeError):  # RuntimeError: nobody knows the home folder
        return None
    return str(path)
