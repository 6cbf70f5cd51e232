"""targetOutputLogPath."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.output_copy import OutputCopy
from dap_dotnet.runtime.events import OutputWritten, ProcessReaped, RuntimeEvent


def test_output_is_copied_and_every_event_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    path.write_text("old")
    events: list[RuntimeEvent] = [
        OutputWritten(is_error=False, text="öne\n"),
        OutputWritten(is_error=True, text="two\n"),
        ProcessReaped(exit_code=0, signal=None),
    ]
    handed_on: list[RuntimeEvent] = []
    copy = OutputCopy(str(path), handed_on.append, pytest.fail)
    for event in events:
        copy(event)
    assert path.read_text(encoding="utf-8") == "öne\ntwo\n"
    assert handed_on == events


def test_full_disk_ends_the_copy_alone() -> None:
    handed_on: list[RuntimeEvent] = []
    told: list[str] = []
    copy = OutputCopy("/dev/full", handed_on.append, told.append)
    copy(OutputWritten(is_error=False, text="a"))
    copy(OutputWritten(is_error=False, text="b"))
    assert len(handed_on) == 2
    assert told == ["The copy of the output in /dev/full ends here: No space left on device."]


def test_file_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="targetOutputLogPath"):
        OutputCopy(str(tmp_path / "no" / "out.log"), lambda event: None, pytest.fail)
