"""Exceptions that leave asynchronous handlers of ASP.NET Core, whatever calls them and whoever takes the exception."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

READY = re.compile(r"\bNow listening on:\s+(https?://\S+)")
THROWN = "System.InvalidOperationException: "
END_OF_MESSAGE = "\x1e"
"""SignalR's, in its protocol of JSON."""


@pytest.fixture
def program(newest_runtime: Runtime) -> Program:
    if int(newest_runtime.major.partition(".")[0]) < 8:
        pytest.skip("the program needs ASP.NET Core 8")
    if programs.web_folder(newest_runtime) is None:
        pytest.skip(f"{newest_runtime.root} has no ASP.NET Core of {newest_runtime.major}")
    return programs.build("WebThrows", newest_runtime, is_web=True)


class StaysThere(urllib.request.HTTPRedirectHandler):
    """Goes to no other page."""

    def redirect_request(self, *_: object) -> None:
        return None


class Application:
    """The application under the debugger."""

    def __init__(self, session: Session, program: Program, folder: Path, *arguments: str) -> None:
        self.session = session
        session.launch(
            str(program.dll),
            list(arguments),
            cwd=str(folder),
            exception_filters=["user-unhandled"],
            env=dict(program.env),
        )
        self.address = ""
        self.status: list[int] = []

    def wait_until_it_listens(self) -> None:
        ready = self.session.wait_for("output", where=lambda body: READY.search(body["output"]) is not None)
        found = READY.search(ready.body["output"])
        assert found is not None
        self.address = found[1]

    def ask(self, path: str, data: bytes | None = None) -> bytes:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}), StaysThere())
        try:
            with direct.open(self.address + path, data, timeout=60) as answer:
                content: bytes = answer.read()
                self.status.append(answer.status)
                return content
        except urllib.error.HTTPError as error:
            self.status.append(error.code)
            return b""

    def visit(self, path: str, data: bytes | None = None) -> threading.Thread:
        """Ask while the test looks at the program."""
        visitor = threading.Thread(target=self.ask, args=(path, data), daemon=True)
        visitor.start()
        return visitor


@pytest.fixture(params=["plain", "page"])
def application(
    request: pytest.FixtureRequest, open_session: Callable[..., Session], program: Program, tmp_path: Path
) -> Application:
    """Without and with the developer exception page."""
    started = Application(open_session(env=program.env), program, tmp_path, request.param)
    started.wait_until_it_listens()
    return started


def expect_stop(session: Session, program: Program, marker: str) -> None:
    """The program stops at the throw that a marker names, in the code that throws."""
    stop = session.wait_for_stop()
    assert (stop.reason, stop.text) == ("exception", THROWN + marker)
    info = session.exception_info()
    assert (info.break_mode, info.description) == ("userUnhandled", THROWN + marker)
    assert session.stack(count=1)[0].line == program.line(marker)
    trace = ((info.details and info.details.stack_trace) or "").splitlines()
    assert trace[0].endswith(f"Program.cs:line {program.line(marker)}")
    assert all("WebThrows." in line or line == "   [External Code]" for line in trace), trace
    assert all(above != below for above, below in pairwise(trace))


@pytest.mark.parametrize(
    "path",
    ["minimal", "early", "early?waits", "inner", "controller", "controller-early", "middleware", "component"],
)
def test_exception_of_an_asynchronous_handler_stops_at_its_throw(
    application: Application, program: Program, path: str
) -> None:
    visitor = application.visit(f"/{path}")
    expect_stop(application.session, program, path.partition("?")[0])
    application.session.continue_()
    visitor.join(60)
    assert application.status == [500]  # and it has stopped nowhere else


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("handled", 418),
        ("handled-early", 418),
        ("handled-early?waits", 418),
        ("controller-handled", 418),
        ("own", 200),
        ("navigates", 302),
    ],
)
def test_exception_that_is_handled_stops_nowhere(application: Application, path: str, status: int) -> None:
    application.ask(f"/{path}")
    assert application.status == [status]


def test_exception_of_a_hub_stops(application: Application, program: Program) -> None:
    negotiated = json.loads(application.ask("/hub/negotiate?negotiateVersion=1", b""))
    hub = f"/hub?id={negotiated['connectionToken']}"
    application.ask(hub)
    application.ask(hub, ('{"protocol":"json","version":1}' + END_OF_MESSAGE).encode())
    call = '{"type":1,"invocationId":"1","target":"Fail","arguments":[]}' + END_OF_MESSAGE
    application.visit(hub, call.encode())
    expect_stop(application.session, program, "hub")


def test_exception_of_a_background_service_stops(
    open_session: Callable[..., Session], program: Program, tmp_path: Path
) -> None:
    application = Application(open_session(env=program.env), program, tmp_path, "background")
    expect_stop(application.session, program, "background")
