"""Core dumps that a session saves of its program: at a stop, while it runs, and for exceptions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.e2e.adapter.test_adapter_core_dumps import look, open_dump
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

OLD = ("3.1", "5.0", "6.0", "7.0")
NO_STOPS: dict[str, Any] = {"filters": [], "exceptionOptions": [{"breakMode": "never"}]}


def begin(session: Session, runtime: Runtime, program: str, filters: dict[str, Any], **attributes: Any) -> None:
    """Launch with these exception breakpoints."""
    session.initialize()
    built = programs.build(program, runtime)
    starting = session.start("launch", {"program": str(built.dll), "env": dict(built.env), **attributes})
    session.request("setExceptionBreakpoints", filters)
    session.configuration_done()
    starting.result()


def test_dump_saved_at_a_stop_shows_what_the_stop_showed(
    runtime: Runtime, tmp_path: Path, open_session: Callable[..., Session]
) -> None:
    if runtime.major in OLD:
        pytest.skip("dumps are opened from .NET 8 on")
    live = open_session()
    program = programs.build("Crashing", runtime)
    live.launch_program(program, expressionEvaluationOptions={"allowImplicitFuncEval": False})
    stop = live.wait_for_stop()
    seen, variables = look(live, stop.thread_id)
    saved = live.request("dap-dotnet/saveDump", {"path": str(tmp_path / "stop.dmp")})
    assert (saved["path"], saved["dumpType"]) == (str(tmp_path / "stop.dmp"), "heap")
    assert saved["bytes"] == os.path.getsize(saved["path"])
    assert look(live, stop.thread_id)[0] == seen  # nothing has changed for it
    live.request("continue", {"threadId": stop.thread_id})
    live.wait_for("terminated")
    dumped = open_session()
    thread = open_dump(dumped, tmp_path / "stop.dmp").thread_id
    seen_there, variables_there = look(dumped, thread)
    assert seen_there == seen
    assert [line for line in variables_there if line not in variables] == []
    assert [line for line in variables if line not in variables_there and "Context" not in line] == []


def test_dump_of_a_program_that_runs(session: Session, runtime: Runtime, tmp_path: Path) -> None:
    begin(session, runtime, "Spin", NO_STOPS, args=[str(tmp_path / "stop"), "60"])
    saved = session.request("dap-dotnet/saveDump", {"path": str(tmp_path), "dumpType": "mini"})
    assert Path(saved["path"]).parent == tmp_path
    (tmp_path / "stop").touch()
    session.wait_for("terminated")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"path": "here.dmp"}, "has to be absolute"),
        ({"path": "/none/here.dmp"}, "There is no folder /none"),
        ({"path": "/dev/null"}, "exists already"),
        ({"dumpType": "huge"}, "dumpType"),
    ],
)
def test_dump_that_cannot_be_saved(session: Session, runtime: Runtime, arguments: dict[str, Any], reason: str) -> None:
    session.launch_program(programs.build("Crashing", runtime))
    session.wait_for_stop()
    with pytest.raises(DapRequestError, match=reason):
        session.request("dap-dotnet/saveDump", arguments)


@pytest.mark.parametrize(
    ("condition", "exception"),
    [
        ("System.FormatException", "System.FormatException: "),
        ("FormatException, OverflowException", "System.FormatException: "),
        (None, "System.InvalidOperationException: cannot handle Anndeep 3"),
    ],
)
def test_exception_saves_a_dump_and_the_program_goes_on(
    runtime: Runtime, tmp_path: Path, condition: str | None, exception: str, open_session: Callable[..., Session]
) -> None:
    session = open_session()
    option = {"filterId": "dump", **({"condition": condition} if condition else {})}
    begin(
        session, runtime, "Crashing", {**NO_STOPS, "filterOptions": [option]}, dumps={"folder": str(tmp_path / "new")}
    )
    event = session.wait_for("dap-dotnet/dumpSaved").body
    stop = session.wait_for_stop()  # at the unhandled one, for a client that has no switch for them
    session.request("continue", {"threadId": stop.thread_id})
    session.wait_for("terminated")
    assert event["exception"].startswith(exception)
    assert [str(path) for path in (tmp_path / "new").iterdir()] == [event["path"]]
    text = "".join(str(body.get("output")) for body in session.events("output"))
    assert f"Saved a core dump of {event['exception']}: {event['path']}" in text
    if runtime.major in OLD:
        return
    dumped = open_session()
    stop = open_dump(dumped, Path(event["path"]))
    top = next(frame for frame in dumped.stack(stop.thread_id) if frame.source)
    assert top.name.startswith("Crashing.Program.Handle(")
    if condition is None:
        assert (stop.reason, stop.text) == ("exception", exception)


def test_exceptions_save_so_many_dumps(session: Session, runtime: Runtime, tmp_path: Path) -> None:
    options = {"folder": str(tmp_path), "dumpType": "mini", "mostForExceptions": 2}
    filters = {**NO_STOPS, "filterOptions": [{"filterId": "dump", "condition": "Exception*"}]}
    begin(session, runtime, "TaskThrows", filters, dumps=options)
    session.wait_for("terminated")
    assert len(list(tmp_path.iterdir())) == 2
    text = "".join(str(body.get("output")) for body in session.events("output"))
    assert text.count("mostForExceptions") == 1


def test_dump_of_an_exception_that_cannot_be_saved_is_told(session: Session, runtime: Runtime) -> None:
    filters = {**NO_STOPS, "filterOptions": [{"filterId": "dump", "condition": "FormatException"}]}
    begin(session, runtime, "Crashing", filters, dumps={"folder": "/proc/none"})
    session.wait_for_stop()
    text = "".join(str(body.get("output")) for body in session.events("output"))
    assert "No core dump was saved for System.FormatException" in text
    assert "/proc/none" in text
