"""`targetOutputLogPath`: a file with what the program writes to its standard output and error."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.plain_files import open_to_write
from dap_dotnet.runtime.events import EventSink, OutputWritten, ProcessReaped, RuntimeEvent

_log = logging.getLogger(__name__)


class OutputCopy:
    """An event sink that writes output to a file and hands every event on. Any thread; output comes from one alone."""

    def __init__(self, path: str, sink: EventSink) -> None:
        """Empty or make the file. Raises LaunchError when that cannot be done."""
        self._sink = sink
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
                _log.warning("the copy of the output ends here: %s", error)
                self._file.close()
        elif isinstance(event, ProcessReaped):
            self._file.close()
        self._sink(event)
