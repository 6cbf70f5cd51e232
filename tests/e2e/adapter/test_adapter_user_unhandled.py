"""Exceptions that a library takes from the user's code, and says itself which of them the program is to stop for."""

from __future__ import annotations

import re
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

THROWN = "System.InvalidOperationException: by the handler"
READY = re.compile(r"\bNow listening on:\s+(https?://\S+)")


def need_release(runtime: Runtime) -> None:
    if int(runtime.major.partition(".")[0]) < 9:
        pytest.skip("only .NET 9 and later have the attribute and the method")


def built(runtime: Runtime) -> Program:
    need_release(runtime)
    library = programs.build("Middleware", runtime, debug="none", target="library")
    return programs.build("UserUnhandled", runtime, references=[library])


@pytest.mark.parametrize(
    ("how", "function"),
    [
        ("async", "[External Code]"),
        ("called", "[External Code]"),
        ("swallowed", "Throw"),
        ("thrown-on", "Throw"),
    ],
)
def test_exception_stops_where_its_taker_tells_of_it(
    runtime: Runtime, session: Session, how: str, function: str
) -> None:
    program = built(runtime)
    session.launch(str(program.dll), [how], exception_filters=["user-unhandled"], env=dict(program.env))
    stop = session.wait_for_stop()
    assert (stop.reason, stop.text, session.function()) == ("exception", THROWN, function)
    info = session.exception_info()
    assert (info.exception_id, info.break_mode) == ("CLR/System.InvalidOperationException", "userUnhandled")
    assert session.evaluate("$exception.Message").result == '"by the handler"'
    session.continue_()
    assert session.wait_for_exit() == 0


def test_frames_of_foreign_sources_are_not_those_to_go_to(newest_runtime: Runtime, session: Session) -> None:
    need_release(newest_runtime)
    library = programs.build("Middleware", newest_runtime, optimize=True, target="library")
    program = programs.build("UserUnhandled", newest_runtime, references=[library])
    session.launch(str(program.dll), ["fails"], exception_filters=["all"], env=dict(program.env))
    stop = session.wait_for_stop()
    foreign, *others = session.request("stackTrace", {"threadId": stop.thread_id})["stackFrames"]
    assert (foreign["line"], foreign["source"]["path"]) == (library.line("fails"), str(library.source))
    assert (foreign["presentationHint"], foreign["source"]["presentationHint"]) == ("subtle", "deemphasize")
    own = next(frame for frame in others if "source" in frame)
    assert (own["line"], own["source"]["path"]) == (program.line("calls-library"), str(program.source))
    assert "presentationHint" not in own
    assert "presentationHint" not in own["source"]
    info = session.exception_info()
    assert (info.description or "").splitlines() == ["System.IO.IOException: in use", "HRESULT 0x80070020"]


@pytest.mark.parametrize("how", ["async-silent", "called-silent"])
def test_exception_whose_taker_does_not_tell_of_it_stops_nowhere(runtime: Runtime, session: Session, how: str) -> None:
    program = built(runtime)
    session.launch(str(program.dll), [how], exception_filters=["user-unhandled"], env=dict(program.env))
    assert session.wait_for_exit() == 0


@pytest.mark.parametrize("filters", [[], ["unhandled"]])
def test_exceptions_are_told_to_nobody_without_the_filter(
    newest_runtime: Runtime, session: Session, filters: list[str]
) -> None:
    program = built(newest_runtime)
    session.launch(str(program.dll), ["async"], exception_filters=filters, env=dict(program.env))
    assert session.wait_for_exit() == 0


def test_types_of_the_filter_count_for_what_is_told(newest_runtime: Runtime, session: Session) -> None:
    program = built(newest_runtime)
    session.initialize()
    wanted = {"filterId": "user-unhandled", "condition": "System.ArgumentException"}
    session.request("setExceptionBreakpoints", {"filters": [], "filterOptions": [wanted]})
    session.launch(str(program.dll), ["async"], env=dict(program.env))
    assert session.wait_for_exit() == 0


def test_asynchronous_endpoint_that_throws_stops_under_the_developer_exception_page(
    runtime: Runtime, open_session: Callable[..., Session], tmp_path: Path
) -> None:
    need_release(runtime)
    if programs.web_folder(runtime) is None:
        pytest.skip(f"{runtime.root} has no ASP.NET Core of {runtime.major}")
    program = programs.build("Web", runtime, is_web=True)
    shutil.copytree(program.source_dir / "Properties", tmp_path / "Properties")
    session = open_session(env=program.env)
    session.launch(str(program.dll), cwd=str(tmp_path), exception_filters=["user-unhandled"])
    ready = session.wait_for("output", where=lambda body: READY.search(body["output"]) is not None)
    found = READY.search(ready.body["output"])
    assert found is not None
    answers: list[int] = []

    def visit() -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            direct.open(f"{found[1]}/fails", timeout=60)
        except urllib.error.HTTPError as error:
            answers.append(error.code)

    visitor = threading.Thread(target=visit, daemon=True)
    visitor.start()
    stop = session.wait_for_stop()
    assert (stop.reason, stop.text) == ("exception", "System.InvalidOperationException: by the endpoint")
    assert session.exception_info().break_mode == "userUnhandled"
    session.continue_()
    visitor.join(60)
    assert answers == [500]
