"""Stories of steps in F#'s computations: `Add` and `Deposit` of the sample are pieces of one, with an await between."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.async_tasks.fsharp_pieces import Piece
from dap_dotnet.runtime.model import Frame, MethodToken, ThreadId
from dap_dotnet.stepping.async_ import awaiting_caller
from dap_dotnet.stepping.fsharp import computation
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.statements import first_visible
from tests.unit.stepping.teller import STOPS, Row, Teller, tell


class Run:
    """The task that is stepped in: what it does is said behind the place."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller

    def runner(self, program: Any) -> object:
        return self

    def is_on(self, program: Any, thread: ThreadId) -> bool:
        return self.teller.note != "another task"

    def is_suspended(self, program: Any) -> bool:
        return "awaits" in self.teller.note

    def is_left_by(self, debuggee: Any, thread: ThreadId) -> bool:
        return self.teller.note == "left"

    def forget(self, debuggee: Any) -> None:
        self.teller.forgotten += 1


PIECES = "at Add, at Deposit"
TASKS: dict[str, list[Row]] = {
    "within a piece": [
        ("step over", "Add@add < Library", f"over, {PIECES}"),
        ("over", "Add@added < Library", STOPS),
    ],
    "over an await, on into the next piece": [
        ("step over", "Add@added < Library", f"over, {PIECES}"),
        ("over", "Library (awaits)", PIECES),
        ("at Deposit on another thread", "Deposit@deposit < Library (another task)", PIECES),
        ("at Deposit on another thread", "Deposit@deposit < Library", STOPS),
    ],
    "over an await, before its task can be learnt": [
        ("step over", "Add@added < Library", f"over, {PIECES}"),
        ("over", "Library < Library (awaits, still on the stack)", f"out, {PIECES}"),
        ("out", "Library (awaits)", PIECES),
        ("at Deposit", "Deposit@deposit < Library", STOPS),
    ],
    "a thread that has left the task": [
        ("step over", "Add@added < Library", f"over, {PIECES}"),
        ("over", "Main@loop (left)", PIECES),
    ],
    "through what is around the pieces, into who awaits the task": [
        ("step over", "Deposit@deposited < Library", f"over, {PIECES}"),
        ("over", "Library < Main@call~ (between pieces)", f"into all code, over all code of #1, {PIECES}"),
        ("over all code of #1", "Main@call~", STOPS),
    ],
    "through what the library does besides": [
        ("step over", "Deposit@deposited < Library", f"over, {PIECES}"),
        ("over", "Library < Main@call~", f"out, {PIECES}"),
        ("out", "Main@call~", STOPS),
    ],
}
ASYNCS: dict[str, list[Row]] = {
    "the next piece, of which nothing tells whose it is": [
        ("step over", "Add@added < Library", f"over, {PIECES}"),
        ("at Deposit on another thread", "Deposit@deposit < Library", STOPS),
    ],
    "a piece that calls its own method": [
        ("step over", "Add@added < Library", f"over, {PIECES}"),
        ("at Add", "Add@add < Add@added~ < Library", f"over, {PIECES}"),
        ("over", "Main@loop", STOPS),
    ],
}


@pytest.fixture(autouse=True)
def sample_is_a_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(module: LoadedModule, method: MethodToken) -> tuple[Piece, ...]:
        assert module.metadata is not None
        methods = [MethodToken(one.token) for one in module.metadata.methods_of(module.metadata.declaring_type(method))]
        named = {module.metadata.method(one).name: one for one in methods}
        return tuple(_piece(module, named[name]) for name in ("Add", "Deposit"))

    monkeypatch.setattr(computation, "pieces_around", pieces)
    monkeypatch.setattr(computation, "machine_frame", lambda *_: None)


def _piece(module: LoadedModule, method: MethodToken) -> Piece:
    first = first_visible(module, method)
    assert first is not None
    return Piece(method, first.il_offset, first.start_line, 0)


@pytest.mark.parametrize("story", TASKS)
def test_story_of_a_task(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    tellers: list[Teller] = []

    def prepare(teller: Teller) -> None:
        def is_between(program: Any, frame: Frame | None) -> bool:
            return teller.note == "between pieces"

        tellers.append(teller)
        monkeypatch.setattr(computation, "run_on", lambda *_: Run(teller))
        monkeypatch.setattr(computation, "_is_between_pieces", is_between)
        monkeypatch.setattr(awaiting_caller, "task_of_runner", lambda *_: None)
        monkeypatch.setattr(awaiting_caller, "is_run_on_stack", lambda *_: "still on the stack" in teller.note)

    assert tell(TASKS[story], prepare) == TASKS[story]
    assert [teller.forgotten for teller in tellers] == [0, *(1 for _ in TASKS[story])]


@pytest.mark.parametrize("story", ASYNCS)
def test_story_of_an_async(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    monkeypatch.setattr(computation, "run_on", lambda *_: None)
    assert tell(ASYNCS[story]) == ASYNCS[story]
