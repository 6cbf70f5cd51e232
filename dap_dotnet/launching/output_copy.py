"""`targetOutputLogPath`: a file with what the program writes to its standard output and error."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.plain_files import open_to_write
from dap_dotnet.runtime.events import EventSink, OutputWritten, ProcessReaped, RuntimeEvent


class OutputCopy:
    """An event sink that writes output to a file and hands every event on. Any thread; output comes from one alone."""

    def __init__(self, path: str, sink: EventSink, report: Callable[[str], None]) -> None:
        """Empty or make the file. Raises LaunchError when that cannot be done.

        `report` tells the user something, on the thread that an event comes on.
        """
        self._path = path
        self._sink = sink
        self._report = report
        try:
            self._file = open_to_write(Path(os.path.expanduser(path)))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise LaunchError(
                f"The file {path} for the program's output cannot be written: {reason}. Correct targetOutputLogPath."
            ) from error

    def __call__(self, event: RuntimeEvent) -> None:
        """Take an event."""
        if isinstance(event, OutputWritten) and not self._file.closed:
            try:
                self._file.write(event.text.encode("utf-8", "replace"))
            except OSError as error:  # the disk is full: the program must not suffer from it
                self._file.close()
                self._report(f"The copy of the output in {self._path} ends here: {error.strerror or error}.")
        elif isinstance(event, ProcessReaped):
            self._file.close()
        self._sink(event)
