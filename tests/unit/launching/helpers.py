"""What the tests of the launcher share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dap_dotnet.launching.output import PacedOutput
from dap_dotnet.runtime.events import OutputWritten

DEADLINE_SECONDS = 20.0


class Output:
    """Collects output events and takes them at once."""

    def __init__(self) -> None:
        self.events: list[OutputWritten] = []

    def __call__(self, event: OutputWritten) -> None:
        if isinstance(event, PacedOutput):
            event.taken()
        self.events.append(event)

    def text(self, *, is_error: bool = False) -> str:
        return "".join(event.text for event in self.events if event.is_error == is_error)


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Poll a fact of the operating system that nothing announces."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not in {DEADLINE_SECONDS} s: {what}"
        time.sleep(0.005)


def process_state(process_id: int) -> str | None:
    """The state letter of /proc/PID/stat; None for no such process."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return stat.rpartition(")")[2].split()[0]


def is_gone(process_id: int) -> bool:
    """Whether a process has ended; a zombie that waits for its parent has."""
    return process_state(process_id) in (None, "Z", "X")


def shell(script: str) -> Sequence[str]:
    return ("/bin/sh", "-c", script)
