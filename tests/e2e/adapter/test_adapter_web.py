"""A web application under the debugger: requests that come in parallel, each of which stops where it gets to."""

from __future__ import annotations

import re
import shutil
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

KINDS = ("plain", "later", "item")
REQUESTS = 24
ANSWER_TIMEOUT_S = 60
READY = re.compile(r"\bNow listening on:\s+(https?://\S+)")
"""The pattern of `serverReadyAction` that VS Code's documentation has."""


class Visitor(threading.Thread):
    """One request to the application."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._url = url
        self.answer = ""

    def run(self) -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(self._url, timeout=ANSWER_TIMEOUT_S) as response:
            self.answer = response.read().decode()


def test_each_of_parallel_requests_stops_once_and_is_answered(
    runtime: Runtime, open_session: Callable[..., Session], tmp_path: Path
) -> None:
    if programs.web_folder(runtime) is None:
        pytest.skip(f"{runtime.root} has no ASP.NET Core of {runtime.major}")
    program = programs.build("Web", runtime, is_web=True)
    shutil.copytree(program.source_dir / "Properties", tmp_path / "Properties")
    session = open_session(env=program.env)
    lines = {program.line(kind): kind for kind in KINDS}
    session.launch(str(program.dll), cwd=str(tmp_path), breakpoints={str(program.source): list(lines)})
    ready = session.wait_for("output", where=lambda body: READY.search(body["output"]) is not None)
    found = READY.search(ready.body["output"])
    assert found is not None
    visitors = [Visitor(f"{found[1]}/{KINDS[number % 3]}/{number}") for number in range(REQUESTS)]
    for visitor in visitors:
        visitor.start()
    seen: Counter[str] = Counter()
    for _ in visitors:
        assert session.wait_for_stop().reason == "breakpoint"
        seen[f"{lines[session.stack(count=1)[0].line]} {session.evaluate('id').result}"] += 1
        session.continue_()
    for visitor in visitors:
        visitor.join(ANSWER_TIMEOUT_S)
    wanted = [f"{KINDS[number % 3]} {number}" for number in range(REQUESTS)]
    assert [visitor.answer for visitor in visitors] == wanted
    assert Counter(text.replace('"', "") for text in seen.elements()) == Counter(wanted)


def test_line_that_goes_to_console_and_debugger_is_shown_once(
    newest_runtime: Runtime, open_session: Callable[..., Session], tmp_path: Path
) -> None:
    if programs.web_folder(newest_runtime) is None:
        pytest.skip(f"{newest_runtime.root} has no ASP.NET Core of {newest_runtime.major}")
    program = programs.build("Web", newest_runtime, is_web=True)
    shutil.copytree(program.source_dir / "Properties", tmp_path / "Properties")
    session = open_session(env=program.env)
    session.launch(str(program.dll), cwd=str(tmp_path), breakpoints={str(program.source): [program.line("plain")]})
    ready = session.wait_for("output", where=lambda body: READY.search(body["output"]) is not None)
    found = READY.search(ready.body["output"])
    assert found is not None
    visitor = Visitor(f"{found[1]}/plain/1")
    visitor.start()
    assert session.wait_for_stop().reason == "breakpoint"
    session.evaluate('System.Diagnostics.Debug.WriteLine("for the debugger only")')
    session.continue_()
    visitor.join(ANSWER_TIMEOUT_S)
    session.wait_for_output("Request finished")
    session.request("terminate", {})
    session.wait_for("terminated")  # what was kept back has been shown by then
    shown = session.output("stdout") + session.output("console")
    for text in (
        "Now listening on",
        "Application started",
        "Request starting",
        "Executing endpoint",
        "for the debugger",
    ):
        assert shown.count(text) == 1, shown
