"""Breakpoints in optimised code: each is hit, or says that the runtime has no code for its place."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import fsharp, programs
from tests.support.dotnet import Runtime
from tests.support.markers import line_of, read_markers
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Nested.fs"
FULLY_OPTIMISED = {f"{prefix}_TieredCompilation": "0" for prefix in ("DOTNET", "COMPlus")}


def test_breakpoint_in_a_compiled_method_is_verified_where_it_has_code(runtime: Runtime, session: Session) -> None:
    program = programs.build("Folded", runtime, optimize=True)
    session.stop_in(program, "again", env=FULLY_OPTIMISED)
    folded, written = session.set_breakpoints(str(program.source), [program.line("folded"), program.line("written")])
    assert not folded.verified
    assert "optimised" in (folded.message or "")
    assert written.verified
    session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("written")


@pytest.mark.parametrize("tiered", [True, False], ids=["tiered", "fully-optimised"])
def test_each_breakpoint_of_an_fsharp_release_build_is_hit_or_not_verified(session: Session, *, tiered: bool) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    lines = sorted(read_markers(SOURCE).values())
    environment = {**program.env, **({} if tiered else FULLY_OPTIMISED)}
    answered = session.launch(str(program.dll), breakpoints={str(SOURCE): lines}, env=environment)
    hit: set[int] = set()
    with contextlib.suppress(ProgramEndedError):
        while True:
            hit.update(session.wait_for_stop().breakpoint_ids)
            session.continue_()
    verified = {one.id: one.verified for one in answered}
    verified.update((body["breakpoint"]["id"], body["breakpoint"]["verified"]) for body in session.events("breakpoint"))
    never = {one.line for one in answered if verified[one.id] and one.id not in hit}
    assert never == set()


@pytest.mark.parametrize(
    ("marker", "stops_at"),
    [
        pytest.param("throwing-fail", "throwing-fail", id="behind a branch on a constant"),
        pytest.param("using-use", "using-use", id="further on in the line"),
        pytest.param("catching-with", "catching-yield", id="next statement"),
    ],
)
def test_breakpoint_where_a_statement_begins_with_nothing(session: Session, marker: str, stops_at: str) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, marker)]}, env=dict(program.env))
    session.wait_for_stop()
    assert session.line() == line_of(SOURCE, stops_at)
    changed = session.events("breakpoint")[-1]["breakpoint"]
    assert changed["verified"]
    assert ("moved to line" in changed.get("message", "")) == (marker != stops_at)
