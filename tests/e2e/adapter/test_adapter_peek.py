"""A look at a running process that nobody debugs, against what the debugger shows of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.paths import REPOSITORY
from tests.support.processes import children
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


@pytest.fixture
def program(runtime: Runtime) -> Program:
    """The service that is looked at."""
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("copies are tried from .NET 8 on")
    return programs.build("Peeked", runtime)


@contextmanager
def running(program: Program, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*program.command, *arguments],
        env=program.environment(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
        assert process.poll() is None, "the look has ended the program"
        process.stdin.close()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def peek(session: Session, process_id: int, **attributes: Any) -> Any:
    session.initialize()
    starting = session.start("attach", {"processId": process_id, "mode": "peek", **attributes})
    session.configuration_done()
    starting.result()
    return session.wait_for_stop()


def looked_at(session: Session) -> dict[str, Any]:
    """What does not change while the program runs, by the names of its threads."""
    seen: dict[str, Any] = {}
    for thread in session.threads():
        if thread.name in ("counter", "thrower") or thread.name.startswith(".NET"):
            continue
        frames = [frame for frame in session.stack(thread.id) if frame.source]
        seen[thread.name] = [(frame.name, frame.line, frame.column, values(session, frame.id)) for frame in frames]
    waiting = session.request("dap-dotnet/waiting", {})
    of = [one for one in waiting["waiting"] if one["threadName"] not in ("counter", "thrower")]
    seen["waiting"] = sorted((one["threadName"], one["kind"], one.get("ownerName") or "") for one in of)
    seen["rings"] = [len(ring) for ring in waiting["cycles"]]
    tasks = session.request("dap-dotnet/asyncTasks", {})["tasks"]
    seen["tasks"] = [(task["name"], task["line"], task.get("waitsFor")) for task in tasks]
    main = next(thread.id for thread in session.threads() if thread.name == "Main Thread")
    frame = next(frame.id for frame in session.stack(main) if frame.source)
    expressions = ('Program.Orders["order3"].Total', "Program.Orders.Count", 'Program.Orders["order3"].Lines[1]')
    seen["values"] = [session.evaluate(one, frame).result for one in expressions]
    return seen


def values(session: Session, frame: int) -> list[tuple[str, str, str | None]]:
    scope = session.scopes(frame)[0]
    return [(one.name, one.value, one.type) for one in session.variables(scope.variables_reference)]


def test_look_shows_what_the_debugger_shows(program: Program, open_session: Callable[..., Session]) -> None:
    with running(program) as process:
        look = open_session()
        stop = peek(look, process.pid)
        assert stop.reason == "pause"
        copied = looked_at(look)
        look.disconnect()
        assert copied["rings"] == [2]
        assert [name for name, *_ in copied["tasks"]] == [
            "Program.AskAsync(int question)",
            "Program.HandleAsync(int request)",
        ]
        assert copied["values"] == ["6", "10", "2"]
        live = open_session()
        live.initialize()
        starting = live.start(
            "attach",
            {
                "processId": process.pid,
                "stopOnAttach": True,
                "expressionEvaluationOptions": {"allowImplicitFuncEval": False},
            },
        )
        live.configuration_done()
        starting.result()
        live.wait_for_stop()
        assert looked_at(live) == copied
        live.disconnect()
        _wait_until(lambda: not children(process.pid))


def test_program_goes_on_while_it_is_looked_at(program: Program, session: Session) -> None:
    with running(program, DOTNET_EnableDiagnostics="0") as process:
        stop = peek(session, process.pid)
        frame = next(frame.id for frame in session.stack(stop.thread_id) if frame.source)
        count = [session.evaluate("Program.Requests", frame).result for _ in range(2)]
        assert count[0] == count[1]
        assert len(children(process.pid)) == 1
        before = _processor_ticks(process.pid)
        time.sleep(0.5)
        assert _processor_ticks(process.pid) > before
        with pytest.raises(DapRequestError, match="a copy of the process"):
            session.request("continue", {"threadId": stop.thread_id})
        session.request("restart", {})
        stop = session.wait_for_stop()
        frame = next(frame.id for frame in session.stack(stop.thread_id) if frame.source)
        assert int(session.evaluate("Program.Requests", frame).result) > int(count[0])
        assert len(children(process.pid)) == 1
        session.disconnect()
        _wait_until(lambda: not children(process.pid))


def _processor_ticks(process_id: int) -> int:
    user, system = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def test_killed_adapter_leaves_no_copy(program: Program) -> None:
    with running(program) as process:
        command = [sys.executable, "-m", "dap_dotnet", "peek", str(process.pid), "-i"]
        look = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert look.stdin is not None
        assert look.stdout is not None
        _wait_until(lambda: len(children(process.pid)) == 1)
        adapters = children(look.pid)
        assert adapters
        for adapter in adapters:
            os.kill(adapter, signal.SIGKILL)
        _wait_until(lambda: not children(process.pid))
        look.kill()
        look.communicate()


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_process_that_is_traced_is_refused_with_the_name_of_the_tracer(program: Program, session: Session) -> None:
    with running(program) as process:
        strace = subprocess.Popen(
            ["strace", "-f", "-e", "trace=none", "-p", str(process.pid)], stderr=subprocess.DEVNULL
        )
        try:
            _wait_until(lambda: "TracerPid:\t0" not in Path(f"/proc/{process.pid}/status").read_text())
            with pytest.raises(DapRequestError, match=f"traced by process {strace.pid} .strace.") as refused:
                peek(session, process.pid)
            assert refused.value.code == "ALREADY_DEBUGGED"
        finally:
            strace.terminate()
            strace.wait()


def test_native_process_is_refused(newest_runtime: Runtime, session: Session) -> None:
    with subprocess.Popen(["sleep", "100"]) as native:
        try:
            with pytest.raises(DapRequestError, match="is not a") as refused:
                peek(session, native.pid)
            assert refused.value.code == "NOT_DOTNET"
            assert native.poll() is None
            assert children(native.pid) == set()
        finally:
            native.kill()


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dap_dotnet", "peek", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_command_shows_threads_heap_and_holders(program: Program) -> None:
    with running(program) as process:
        options = ("--locals", "-e", "Program.Orders.Count", "--heap", "--who-holds", "Order")
        done = _run(str(process.pid), *options)
        assert done.returncode == 0, done.stderr
        assert "ms and goes on" in done.stdout
        assert "Deadlock: " in done.stdout
        assert "Program.AskAsync(int question), Program.cs:" in done.stdout
        assert 'text = "waiter 1"  (string)' in done.stdout
        assert "Program.Orders.Count = 10  (int)" in done.stdout
        assert "static field Program.Orders" in done.stdout
        as_json = [json.loads(line) for line in _run(str(process.pid), *options, "--json").stdout.splitlines()]
        validator = jsonschema.Draft7Validator(
            json.loads((REPOSITORY / "docs" / "headless-json.schema.json").read_text())
        )
        for line in as_json:
            validator.validate(line)
        by_kind = {line["kind"]: line for line in as_json}
        assert by_kind["peeked"]["pauseMs"] > 0
        orders = next(one for one in by_kind["heap"]["types"] if one["name"] == "Order")
        assert orders["count"] == by_kind["holders"]["totalObjects"] == 14
        assert by_kind["holders"]["objects"][0]["isWhole"]
        assert len(by_kind["threads"]["cycles"]) == 1


def test_several_looks_are_merged(program: Program, tmp_path: Path) -> None:
    speedscope, folded = tmp_path / "looks.json", tmp_path / "looks.txt"
    with running(program) as process:
        files = ("--speedscope", str(speedscope), "--folded", str(folded))
        done = _run(str(process.pid), "--every", "50ms", "--count", "3", *files)
        assert done.returncode == 0, done.stderr
        assert "3 looks" in done.stdout
        lines = folded.read_text().splitlines()
        assert "Main Thread;Program.Main(string[] arguments) 3" in lines
        profiles = json.loads(speedscope.read_text())["profiles"]
        assert {profile["name"] for profile in profiles} >= {"Main Thread", "lefty", "counter"}
        assert all(sum(profile["weights"]) == profile["endValue"] for profile in profiles)


def test_process_of_nobody_is_refused(newest_runtime: Runtime) -> None:
    done = _run("999999999")
    assert done.returncode == 125
    assert "There is no process 999999999" in done.stderr
