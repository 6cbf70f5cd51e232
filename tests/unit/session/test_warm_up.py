"""The rehearsal of the first stop goes all the way, and a program without one does no harm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from dap_dotnet.session.warm_up import in_turns, warm_up
from tests.support.fake_debuggee.sample import SAMPLE


def rehearsed(path: Path) -> list[str]:
    """The steps that read a file, without those that import."""
    return [step for step in warm_up(str(path)) if step != "construct" and "." not in step]


def test_rehearsal_binds_the_first_line_of_main() -> None:
    assert rehearsed(SAMPLE) == ["image", "symbols", "metadata", "breakpoint", "frame"]


def test_what_symbols_stops_and_expressions_need_is_imported() -> None:
    script = f"""
import sys
from dap_dotnet.session import runtime_events
from dap_dotnet.session.warm_up import warm_up, warm_up_requests
*_, last = [*warm_up({str(SAMPLE)!r}), *warm_up_requests()]
assert last == "dap_dotnet.evaluation.evaluator"
before = set(sys.modules)
import construct, portablepdb.portable_pdb, portablepdb.assembly
import dap_dotnet.stepping.stepper, dap_dotnet.values.rendering, dap_dotnet.evaluation.evaluator
assert set(sys.modules) == before, set(sys.modules) - before
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_warm_up_passes_over_what_it_cannot_read(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.dll"
    damaged.write_bytes(SAMPLE.read_bytes()[:700])
    for path in (damaged, tmp_path / "missing.dll", tmp_path):
        assert rehearsed(path) in ([], ["image"]), path


def test_what_has_been_posted_comes_between_two_steps() -> None:
    inbox: list[Callable[[], None]] = []
    done: list[str] = []

    def steps() -> Iterator[str]:
        for step in ("one", "two"):
            done.append(step)
            yield step

    in_turns(steps(), inbox.append)
    inbox.insert(0, lambda: done.append("event"))
    while inbox:
        inbox.pop(0)()
    assert done == ["one", "event", "two"]
