"""The names of threads that are kept, and asked for again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session import thread_names
from dap_dotnet.session.thread_names import ThreadNames

MAIN, WORKER, OTHER = ThreadId(1), ThreadId(2), ThreadId(3)


@pytest.fixture
def given() -> dict[ThreadId, str]:
    return {WORKER: "worker"}


@pytest.fixture
def asked(given: dict[ThreadId, str], monkeypatch: pytest.MonkeyPatch) -> list[ThreadId]:
    found: list[ThreadId] = []

    def given_name(program: Any, thread: ThreadId) -> str | None:
        found.append(thread)
        return given.get(thread)

    monkeypatch.setattr(thread_names, "given_name", given_name)
    return found


@pytest.fixture
def program() -> Any:
    threads = [SimpleNamespace(thread=thread, user_state=None) for thread in (OTHER, MAIN, WORKER)]
    return SimpleNamespace(debuggee=SimpleNamespace(process_id=MAIN, threads=lambda: threads))


def read(names: ThreadNames, program: Any) -> dict[ThreadId, str]:
    names.read(program)
    return names.known()


def test_given_name_is_read_once(program: Any, asked: list[ThreadId]) -> None:
    names = ThreadNames()
    expected = {MAIN: "Main Thread", OTHER: "Worker Thread", WORKER: "worker"}
    assert read(names, program) == expected
    assert next(iter(names.known())) == MAIN
    asked.clear()
    assert read(names, program) == expected
    assert asked == [MAIN, OTHER]


def test_another_name_is_read_when_the_runtime_tells_of_it(
    program: Any, asked: list[ThreadId], given: dict[ThreadId, str]
) -> None:
    names = ThreadNames()
    read(names, program)
    given[WORKER] = "boss"
    names.renamed(WORKER)
    assert read(names, program)[WORKER] == "boss"
    del given[WORKER]
    names.renamed(WORKER)
    assert read(names, program)[WORKER] == "Worker Thread"


def test_name_ends_with_its_thread(program: Any, asked: list[ThreadId], given: dict[ThreadId, str]) -> None:
    names = ThreadNames()
    read(names, program)
    names.exited(WORKER)
    del given[WORKER]
    assert read(names, program)[WORKER] == "Worker Thread"
