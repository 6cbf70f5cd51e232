"""What the call stack shows: generic arguments, the methods that await, where an exception was thrown."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def frames_with_source(session: Session) -> list[tuple[str, int]]:
    return [(frame.name, frame.line) for frame in session.stack() if frame.source is not None]


def test_generic_methods_are_shown_with_their_arguments(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stacks", runtime)
    session.launch_program(program, "generic", stop_at=["generic", "generic-async"])
    session.wait_for_stop()
    numbers = "System.Collections.Generic.List<double>"
    assert session.here()[0] == f"Stacks.Holder<int, string>.Take<{numbers}>({numbers} result, int key)"
    session.continue_()
    session.wait_for_stop()
    assert session.here()[0] == "Stacks.Holder<string, int>.Later(string key)"


@pytest.mark.parametrize("marker", ["second-await", "inner-return"])
def test_methods_that_await_follow_the_stack(runtime: Runtime, session: Session, marker: str) -> None:
    program = programs.build("Stacks", runtime)
    session.stop_in(program, marker, "awaiting")
    awaiting = [
        ("[async] Stacks.Program.Outer(int number)", program.line("await-inner")),
        ("[async] Stacks.Program.Main(string[] args)", program.line("await-outer")),
    ]
    assert frames_with_source(session) == [("Stacks.Program.Inner(int number)", program.line(marker)), *awaiting]
    outer = session.stack()[-2]
    assert session.values(outer.id) == {"number": "7", "text": '"of outer"', "inner": "0"}
    # The same frames, one page at a time; and what is asked of one at a later stop is refused.
    pages = [session.stack(start=number, count=1) for number in range(len(session.stack()))]
    assert [frame.name for page in pages for frame in page] == [frame.name for frame in session.stack()]
    with pytest.raises(DapRequestError, match="not on its thread"):
        session.evaluate("number", outer.id)


def test_methods_that_await_follow_the_stack_of_a_release_build(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stacks", runtime, optimize=True)
    session.stop_in(program, "inner-return", "awaiting")
    assert frames_with_source(session) == [
        ("Stacks.Program.Inner(int number)", program.line("inner-return")),
        ("[async] Stacks.Program.Outer(int number)", program.line("await-inner")),
        ("[async] Stacks.Program.Main(string[] args)", program.line("await-outer")),
    ]
    assert session.values(session.stack()[-2].id)["text"] == '"of outer"'  # what is needed after the await


def test_method_that_has_not_suspended_has_its_callers_on_the_stack(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stacks", runtime)
    session.stop_in(program, "await-inner", "awaiting")
    assert frames_with_source(session) == [
        ("Stacks.Program.Outer(int number)", program.line("await-inner")),
        ("Stacks.Program.Main(string[] args)", program.line("await-outer")),
    ]


def test_exception_that_leaves_async_main_shows_where_it_was_thrown(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stacks", runtime)
    session.launch_program(program, "throwing", exception_filters=[])
    assert session.wait_for_stop().text == "System.InvalidOperationException: thrown after an await"
    assert frames_with_source(session) == thrown_through(program)
    thrown = session.stack(count=1)[0]
    assert set(session.values(thrown.id)) == {"$exception"}  # the frame is gone
    trace = (session.exception_info().details or pytest.fail("no details")).stack_trace or ""
    assert trace.splitlines()[0].endswith(f"Program.cs:line {program.line('throw')}")


def thrown_through(program: Program) -> list[tuple[str, int]]:
    return [
        ("Stacks.Program.Throw()", program.line("throw")),
        ("Stacks.Program.Failing()", program.line("calls-throw")),
        ("Stacks.Program.Main(string[] args)", program.line("await-failing")),
    ]
