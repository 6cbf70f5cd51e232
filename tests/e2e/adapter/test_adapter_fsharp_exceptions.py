"""Exceptions in F#, whose compiler throws them again where no case of a `with` takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import fsharp
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Unmatched.fs"


def launch(session: Session, how: str, *, optimize: bool) -> None:
    program = fsharp.build(SOURCE, optimize=optimize)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), [how], env=dict(program.env), exception_filters=["all"], justMyCode=not optimize)


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
@pytest.mark.parametrize(
    ("how", "stops"),
    [("unmatched", ["fails"]), ("again", ["fails", "reraise"]), ("disposes", ["fails"])],
)
def test_what_the_compiler_throws_again_is_no_throw(
    session: Session, how: str, stops: list[str], *, optimize: bool
) -> None:
    launch(session, how, optimize=optimize)
    for marker in stops:
        session.wait_for_stop()
        assert session.line() == line_of(SOURCE, marker)
        session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == len(stops)


@pytest.mark.parametrize("how", ["disposes", "finally"])
def test_what_the_library_throws_again_for_a_use_is_no_throw_without_just_my_code(session: Session, how: str) -> None:
    program = fsharp.build(SOURCE)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), [how], env=dict(program.env), exception_filters=["all"], justMyCode=False)
    session.wait_for_stop()
    assert session.line() == line_of(SOURCE, "fails")
    session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == 1


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
def test_stop_for_an_unhandled_exception_begins_where_it_was_thrown(session: Session, *, optimize: bool) -> None:
    launch(session, "unhandled", optimize=optimize)
    for mode in ("always", "unhandled"):
        session.wait_for_stop()
        assert session.exception_info().break_mode == mode
        found = [(frame.name.partition("(")[0], frame.line) for frame in session.stack()[:2]]
        thrown, called = line_of(SOURCE, "fails"), line_of(SOURCE, "calls")
        assert found == [("Unmatched.fails", thrown), ("Unmatched.unmatched", called)]
        assert [frame.line for frame in session.stack(start=1, count=1)] == [called]  # pages agree with the whole
        session.continue_()
    session.wait_for_exit()
