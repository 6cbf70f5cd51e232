"""The rehearsal of the first stop goes all the way, and a program without one does no harm."""

from __future__ import annotations

from pathlib import Path

from dap_dotnet.session.warm_up import rehearse_first_stop, warm_up
from tests.support.fake_debuggee.sample import SAMPLE


def test_rehearsal_binds_the_first_line_of_main() -> None:
    assert rehearse_first_stop(str(SAMPLE))


def test_warm_up_passes_over_what_it_cannot_read(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.dll"
    damaged.write_bytes(SAMPLE.read_bytes()[:700])
    for path in (damaged, tmp_path / "missing.dll", tmp_path):
        warm_up(str(path))
        assert not rehearse_first_stop(str(path))
