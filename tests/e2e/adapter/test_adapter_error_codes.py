"""Each code of the error model, made for real: in ``error.variables.code``, or with the breakpoint that it is about."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def code_of(session: Session, command: str, **arguments: Any) -> str:
    """The code of the error response to a request, from ``body.error.variables.code``."""
    with pytest.raises(DapRequestError) as raised:
        session.request(command, arguments)
    response = next(one.message for one in reversed(session.messages) if one.message.get("success") is False)
    error = response["body"]["error"]
    assert error["format"] == raised.value.text
    code: str = error["variables"]["code"]
    return code


@pytest.fixture
def loop(newest_runtime: Runtime) -> Program:
    return programs.build("Loop", newest_runtime)


def test_request_without_a_program_is_no_session(session: Session) -> None:
    session.initialize()
    assert code_of(session, "evaluate", expression="1") == "NO_SESSION"
    assert code_of(session, "continue", threadId=1) == "NO_SESSION"


def test_request_after_the_end_is_no_session(session: Session, loop: Program) -> None:
    session.launch_program(loop, "1")
    assert session.wait_for_exit() == 0
    assert code_of(session, "evaluate", expression="1") == "NO_SESSION"


def test_requests_about_wrong_places_have_their_codes(session: Session, loop: Program) -> None:
    session.stop_in(loop, "square", "1")
    source = {"path": str(loop.source)}
    assert code_of(session, "setBreakpoints", source={"name": "Program.cs"}, breakpoints=[]) == "INVALID_FILE"
    assert code_of(session, "breakpointLocations", source={"path": ""}, line=1) == "INVALID_FILE"
    assert code_of(session, "breakpointLocations", source=source, line=0) == "INVALID_LINE"
    assert code_of(session, "breakpointLocations", source=source, line=-1) == "INVALID_LINE"
    assert code_of(session, "breakpointLocations", source=source, line=1, column=0) == "INVALID_COLUMN"
    ids = {"breakpointIds": [999], "enabled": True}
    assert code_of(session, "dap-dotnet/enableBreakpoints", **ids) == "BREAKPOINT_NOT_FOUND"
    assert code_of(session, "dap-dotnet/explainBreakpoint", breakpointId=999) == "BREAKPOINT_NOT_FOUND"
    frame = session.stack(count=1)[0].id
    assert code_of(session, "evaluate", expression="nothing", frameId=frame) == "EVAL_FAILED"
    hanging = "System.Threading.Thread.Sleep(8000)"
    assert code_of(session, "evaluate", expression=hanging, frameId=frame, context="repl") == "TIMEOUT"


def test_breakpoints_that_do_not_work_are_listed_with_their_codes(
    session: Session, loop: Program, tmp_path: Any
) -> None:
    session.stop_in(loop, "start", "3")
    line, path = loop.line("square"), str(loop.source)
    not_loaded = tmp_path / "Other.cs"
    not_loaded.write_text("class Other { }\n")
    wanted = [
        (path, {"line": 9_999}, "INVALID_LINE"),
        (path, {"line": 0}, "INVALID_LINE"),
        (path, {"line": -1}, "INVALID_LINE"),
        (path, {"line": 10**9}, "INVALID_LINE"),
        (path, {"line": line, "column": 900, "condition": "false"}, "INVALID_COLUMN"),
        (path, {"line": line + 1, "condition": "1 +"}, "INVALID_CONDITION"),
        (path, {"line": loop.line("call"), "hitCondition": "often"}, "INVALID_CONDITION"),
        (path, {"line": loop.line("after"), "logMessage": "{"}, "INVALID_CONDITION"),
        (path, {"line": loop.line("loop"), "mode": "after:999"}, "BREAKPOINT_NOT_FOUND"),
        (str(not_loaded), {"line": 1}, "MODULE_NOT_LOADED"),
        (str(tmp_path), {"line": 1}, "INVALID_FILE"),
        (str(tmp_path / "Nothing.cs"), {"line": 1}, "INVALID_FILE"),
    ]
    expected = {}
    for file in dict.fromkeys(path for path, _, _ in wanted):
        of_file = [(asked, code) for path, asked, code in wanted if path == file]
        answers = session.set_breakpoints(file, [asked for asked, _ in of_file])
        for entry, (_, code) in zip(answers, of_file, strict=True):
            assert entry.message
            expected[entry.id] = code
    listed = session.request("dap-dotnet/breakpoints")["breakpoints"]
    assert {entry["id"]: entry["code"] for entry in listed if entry["kind"] == "source"} == expected


def test_file_that_nobody_has_is_waited_for_and_bound(session: Session, newest_runtime: Runtime, tmp_path: Any) -> None:
    """The path may be one of the machine that built the program."""
    folder = tmp_path / "Gone"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text("class Program\n{\n    static int Main()\n    {\n        return 3;\n    }\n}\n")
    program = programs.build(folder, newest_runtime)
    source.unlink()
    (made,) = session.set_early(source, 5)
    assert not made.verified
    assert "check its path" in (made.message or "")
    session.launch(str(program.dll), env=dict(program.env))
    assert session.wait_for_stop().breakpoint_ids == (made.id,)
    (listed,) = [entry for entry in session.request("dap-dotnet/breakpoints")["breakpoints"] if entry["id"] == made.id]
    assert (listed["state"], listed.get("code")) == ("bound", None)
