"""Core dumps of a program that has crashed, against what the debugger shows when it does."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime.cordebug import describe_core
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

KINDS = {"Mini": "1", "Heap": "2", "Triage": "3", "Full": "4"}


@pytest.fixture
def program(runtime: Runtime) -> Program:
    """The program that crashes."""
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("dumps are tried from .NET 8 on")
    return programs.build("Crashing", runtime)


def _dump(program: Program, kind: str, folder: Path) -> Path:
    """The dump that the runtime takes of the program when it crashes."""
    dump = folder / f"{kind}.dmp"
    wanted = {"DbgEnableMiniDump": "1", "DbgMiniDumpType": KINDS[kind], "DbgMiniDumpName": str(dump)}
    environment = {**os.environ, **program.env, **{f"DOTNET_{name}": value for name, value in wanted.items()}}
    subprocess.run(program.command, env=environment, capture_output=True, timeout=60, check=False)
    assert dump.is_file(), "the runtime has taken no dump"
    return dump


def open_dump(session: Session, dump: Path, **attributes: Any) -> Any:
    session.initialize()
    starting = session.start("launch", {"coreDumpPath": str(dump), **attributes})
    session.configuration_done()
    starting.result()
    return session.wait_for_stop()


def _scope(session: Session, frame: int) -> int:
    """The first scope of a frame."""
    return session.scopes(frame)[0].variables_reference


def _lines(session: Session, reference: int, depth: int = 2, path: str = "") -> list[str]:
    """What a container shows, a line for each child, without what only running code tells."""
    found = []
    for child in session.variables(reference):
        hint = child.presentation_hint
        if child.name.endswith("members") or child.name == "Raw View" or (hint is not None and hint.lazy):
            continue
        found.append(f"{path}{child.name} = {child.value} ({child.type})")
        if depth and child.variables_reference:
            found += _lines(session, child.variables_reference, depth - 1, f"{path}{child.name}.")
    return found


def look(session: Session, thread_id: int) -> tuple[dict[str, Any], list[str]]:
    """What does not name addresses, threads or times; and the variables of all frames."""
    frames = session.stack(thread_id)
    names = {thread.name for thread in session.threads()}
    waiting = session.request("dap-dotnet/waiting", {})["waiting"]
    tasks = session.request("dap-dotnet/asyncTasks", {})["tasks"]
    expressions = ("counter", 'Orders["a"].Lines[1]', "order.Total * 2", "order.Lines.Count", "depth + text.Length")
    seen = {
        "stack": [(frame.name, frame.line, frame.column) for frame in frames],
        "threads": names & {"Main Thread", "keeper", "waiter"},
        "waiting": [(one["threadName"], one["kind"], one["ownerName"]) for one in waiting if one.get("ownerId")],
        "tasks": [(task["name"], task["line"], task.get("waitsFor")) for task in tasks],
        "values": [session.evaluate(one, frames[0].id).result for one in expressions],
    }
    shown = [_lines(session, _scope(session, frame.id)) for frame in frames if frame.source]
    return seen, [line for lines in shown for line in lines]


@pytest.mark.parametrize("kind", ["Heap", "Full"])
def test_dump_shows_what_the_debugger_shows(
    program: Program, kind: str, tmp_path: Path, open_session: Callable[..., Session]
) -> None:
    dump, session = _dump(program, kind, tmp_path), open_session()
    stop = open_dump(session, dump)
    assert (stop.reason, stop.text) == ("exception", "System.InvalidOperationException: cannot handle Anndeep 3")
    described = session.request("exceptionInfo", {"threadId": stop.thread_id})
    assert described["breakMode"] == "unhandled"
    assert described["details"]["innerException"][0]["fullTypeName"] == "System.FormatException"
    dumped, variables_there = look(session, stop.thread_id)
    session.disconnect()
    live = open_session()
    live.launch_program(program, expressionEvaluationOptions={"allowImplicitFuncEval": False})
    seen, variables = look(live, live.wait_for_stop().thread_id)
    # A getter may be followed live only, as that of .NET 8's Thread.ExecutionContext: it is lazy in the dump then.
    assert [line for line in variables_there if line not in variables] == []
    assert [line for line in variables if line not in variables_there and "Context" not in line] == []
    assert dumped == seen


def test_small_dump_says_what_it_lacks(program: Program, tmp_path: Path, session: Session) -> None:
    stop = open_dump(session, _dump(program, "Mini", tmp_path))
    frame = session.stack(stop.thread_id)[0]
    values = {one.name: one.value for one in session.variables(_scope(session, frame.id))}
    assert values["depth"] == "3"
    assert values["text"] in ('"deep 3"', "<not in this dump; one of the kind Heap has it>")
    assert "null" not in values.values()
    with pytest.raises(DapRequestError, match="Orders cannot be read: not in this dump"):  # "not initialised" before
        session.evaluate("Orders", frame.id)


def test_nothing_acts_on_a_dump(program: Program, tmp_path: Path, session: Session) -> None:
    stop = open_dump(session, _dump(program, "Heap", tmp_path))
    (changed,) = session.events("capabilities")
    assert changed["capabilities"]["supportsSetVariable"] is False
    assert not any(changed["capabilities"].values())
    frame = session.stack(stop.thread_id)[0].id
    scope, thread = _scope(session, frame), {"threadId": stop.thread_id}
    acting: list[tuple[str, dict[str, Any]]] = [
        ("continue", thread),
        ("next", thread),
        ("stepIn", thread),
        ("stepOut", thread),
        ("restartFrame", {"frameId": frame}),
        ("dap-dotnet/freezeThread", thread),
        ("setVariable", {"variablesReference": scope, "name": "depth", "value": "1"}),
        ("setExpression", {"expression": "depth", "value": "1", "frameId": frame}),
        ("evaluate", {"expression": "depth = 1", "frameId": frame, "context": "repl"}),
        ("evaluate", {"expression": "Keep()", "frameId": frame, "context": "repl"}),
        ("evaluate", {"expression": "new Order()", "frameId": frame, "context": "repl"}),
        ("writeMemory", {"memoryReference": "0x1000", "data": "AAAA"}),
        ("dap-dotnet/saveDump", {"path": str(tmp_path)}),
    ]
    for command, arguments in acting:
        with pytest.raises(DapRequestError):
            session.request(command, arguments)
    assert session.evaluate("depth", frame).result == "3"
    (added,) = session.set_breakpoints(str(program.source), [program.line("throw")])
    assert not added.verified
    session.request("terminate", {})
    session.wait_for("terminated")


def test_dump_of_an_unknown_build_names_the_one_it_needs(program: Program, tmp_path: Path, session: Session) -> None:
    dump = _dump(program, "Mini", tmp_path)
    content = dump.read_bytes()
    build_id = bytes.fromhex(describe_core(str(dump)).build_id)
    assert build_id in content
    dump.write_bytes(content.replace(build_id, bytes(len(build_id))))
    with pytest.raises(DapRequestError, match=f"build {'00' * len(build_id)}.*of another build") as refused:
        open_dump(session, dump)
    assert refused.value.code == "NO_RUNTIME_DEBUGGER"


def test_damaged_dumps_are_refused_or_read(program: Program, tmp_path: Path) -> None:
    content = _dump(program, "Mini", tmp_path).read_bytes()
    chance = random.Random(3)
    damaged = tmp_path / "damaged.dmp"
    for number in range(300):
        cut = content[: chance.randrange(len(content) if number % 3 else 20_000)]
        at = chance.randrange(min(len(cut), 8_000) or 1)
        damaged.write_bytes(cut[:at] + chance.randbytes(chance.choice((0, 1, 8))) + cut[at + 1 :])
        with contextlib.suppress(LaunchError):  # or it is read
            describe_core(str(damaged))


@pytest.mark.parametrize("content", [b"", b"\x7fELF" + bytes(60)])
def test_what_is_no_dump_is_refused(tmp_path: Path, session: Session, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(DapRequestError, match="is no core dump"):
        open_dump(session, tmp_path / "file")
