"""How the client counts lines and columns and writes paths, and the conversions from and to the debugger's own.

Inside, lines and columns are 1-based and paths are paths of the operating system.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dap_dotnet.protocol.messages.initialize import InitializeRequestArguments

_FILE_URI = re.compile(r"(?is)file:(?://(?P<host>[^/]*))?(?P<path>.*)")
"""File URIs have no query and no fragment: clients that escape nothing write `#` and `?` as they are in the path."""
_WINDOWS_DRIVE = re.compile(r"/?[A-Za-z]:")


class ClientView:
    """The client's conventions and abilities, from its `initialize` request."""

    def __init__(self, arguments: InitializeRequestArguments | None = None) -> None:
        """Without arguments: a client that has not said anything yet, so lines are 1-based and paths are paths."""

        def flag(member: str, default: bool = False) -> bool:
            value = getattr(arguments, member, None)
            return default if value is None else bool(value)

        self.client_id = (arguments.client_id if arguments else None) or ""
        self.shows_named_first = self.client_id == "vscode"
        """Where it is told how many indexed children there are, it shows the named ones ("Raw View") above them."""
        self.draws_console_as_warnings = self.client_id == "vscode"
        """Output of the category `console` looks like a warning there, and not without one, which means the same."""
        self.shows_short_names = self.client_id == "vscode"
        """Its views are narrow: names stand there without namespaces, which tooltips tell."""
        is_helix = self.client_id == "hx"
        self.misreads_thread_events = is_helix
        """It takes the thread of each such event for the chosen one, and does not go to another that stops."""
        self.stands_until_answered = is_helix
        """Its user interface does nothing else while it waits for the answer to `setBreakpoints`."""
        self.lines_start_at_1 = flag("lines_start_at1", True)
        self.columns_start_at_1 = flag("columns_start_at1", True)
        self.uses_uris = arguments is not None and arguments.path_format == "uri"
        self.supports_run_in_terminal = flag("supports_run_in_terminal_request")
        self.supports_start_debugging = flag("supports_start_debugging_request")
        self.supports_progress_reporting = flag("supports_progress_reporting")
        self.supports_invalidated_event = flag("supports_invalidated_event")
        self.supports_memory_references = flag("supports_memory_references")

    def line_from_client(self, line: int) -> int:
        """1-based line."""
        return line if self.lines_start_at_1 else line + 1

    def line_to_client(self, line: int) -> int:
        """The client's number for a 1-based line."""
        return line if self.lines_start_at_1 else line - 1

    def column_from_client(self, column: int) -> int:
        """1-based column."""
        return column if self.columns_start_at_1 else column + 1

    def column_to_client(self, column: int) -> int:
        """The client's number for a 1-based column."""
        return column if self.columns_start_at_1 else column - 1

    def path_from_client(self, path: str) -> str:
        """The operating system's path; `path` may be a file URI whatever the client has promised."""
        uri = _FILE_URI.fullmatch(path)
        if uri is None:
            return path
        from urllib.parse import unquote

        host, local = uri["host"] or "", unquote(uri["path"])
        if _WINDOWS_DRIVE.match(local):
            return local.lstrip("/")
        return f"//{host}{local}" if host not in ("", "localhost") else local

    def path_to_client(self, path: str) -> str:
        """The path, or its file URI if the client wants URIs."""
        if not self.uses_uris:
            return path
        from urllib.parse import quote

        if _WINDOWS_DRIVE.match(path):
            path = "/" + path.replace("\\", "/")
        return "file://" + quote(path, safe="/:@!$&'()*+,;=~")


def file_name(path: str) -> str:
    """The last part of a path with either slash."""
    return path.replace("\\", "/").rpartition("/")[2]
