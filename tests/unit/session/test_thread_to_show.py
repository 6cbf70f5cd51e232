"""Which thread a pause puts before the user."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.blocking.blocking_calls import BlockingCall, WaitKind
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import FrameKind, ThreadId
from dap_dotnet.session import thread_to_show as rooms
from dap_dotnet.session.thread_to_show import thread_to_show

MAIN = 7
USER, FRAMEWORK, NATIVE = "user", "framework", "native"
MADE = "made"
"""A method of the user's module that the compiler has made, without source."""
LOCK = "lock"
"""Of a thread that waits for a monitor, as the runtime says; nothing of that is among its frames."""
JOIN = "join"
"""A frame of the framework in which the thread waits."""


@pytest.fixture(autouse=True)
def waits_are_known_by_their_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    def blocking(program: Any, thread: int, frames: list[Any], *, is_whole: bool) -> BlockingCall | None:
        above = [frame.module for frame in frames]
        return BlockingCall(WaitKind.JOIN, None) if JOIN in above[: above.index(USER)] else None

    monkeypatch.setattr(rooms, "blocking_call", blocking)


def program_of(stacks: dict[int, list[str] | None]) -> Any:
    """A program with these stacks, from the leaf on; None: a thread whose stack cannot be had."""

    def stack(thread: int, start: int, count: int) -> Any:
        found = stacks[thread]
        if found is None:
            raise DapDotnetError("no stack")
        frames = [
            SimpleNamespace(kind=FrameKind.NATIVE if where is NATIVE else FrameKind.IL, module=where, method=where)
            for where in found
            if where is not LOCK
        ]
        return SimpleNamespace(frames=frames[start : start + count])

    framework = SimpleNamespace(is_user_code=False)
    point = SimpleNamespace(il_offset=0, is_hidden=False)
    pdb = SimpleNamespace(sequence_points=lambda method: [point] if method is USER else [])
    kept: dict[Any, Any] = {}
    users = SimpleNamespace(is_user_code=True, pdb=pdb, cached=lambda slot: kept.setdefault(slot, {}))
    return SimpleNamespace(
        debuggee=SimpleNamespace(
            process_id=MAIN,
            threads=lambda: [SimpleNamespace(thread=thread) for thread in stacks],
            stack=stack,
            blocking=lambda thread: [one for one in stacks[thread] or [] if one is LOCK],
        ),
        modules={USER: users, MADE: users, FRAMEWORK: framework, JOIN: framework},
    )


@pytest.mark.parametrize(
    ("stacks", "expected"),
    [
        ({8: [USER], MAIN: [USER]}, MAIN),
        ({MAIN: [NATIVE, JOIN, USER], 8: [FRAMEWORK, FRAMEWORK], 9: [FRAMEWORK, USER]}, 9),
        ({8: [JOIN, USER], MAIN: [FRAMEWORK, JOIN, USER]}, MAIN),
        ({MAIN: [FRAMEWORK], 8: [JOIN, USER]}, 8),
        ({8: [LOCK, USER], MAIN: [JOIN, USER]}, MAIN),
        ({8: [LOCK, USER], MAIN: [FRAMEWORK], 9: [USER]}, 9),
        ({8: [FRAMEWORK], MAIN: [FRAMEWORK]}, MAIN),
        ({MAIN: [FRAMEWORK] * 50 + [USER], 8: [FRAMEWORK, USER]}, 8),
        ({MAIN: None, 8: [USER]}, 8),
        ({MAIN: [JOIN, MADE], 8: [JOIN, USER]}, 8),
        ({8: [NATIVE], 9: []}, 8),
        ({}, MAIN),
    ],
    ids=[
        "main",
        "at-work",
        "both-wait",
        "worker-waits",
        "lock",
        "beside-a-lock",
        "idle",
        "deep",
        "no-stack",
        "main-that-waits-for-an-async-one",
        "native",
        "none",
    ],
)
def test_thread_at_work_in_the_user_s_code_is_shown(stacks: dict[int, list[str] | None], expected: int) -> None:
    assert thread_to_show(program_of(stacks)) == expected


@pytest.mark.parametrize(
    ("stacks", "expected"),
    [
        ({MAIN: [USER], 8: [JOIN, USER]}, 8),
        ({MAIN: [USER], 8: [FRAMEWORK]}, MAIN),
        ({MAIN: [JOIN, USER], 9: [JOIN, USER], 8: [NATIVE, MADE]}, MAIN),
        ({MAIN: [USER]}, MAIN),
    ],
    ids=["waits", "framework", "made", "gone"],
)
def test_thread_that_the_client_names_is_shown_in_the_user_s_code(
    stacks: dict[int, list[str] | None], expected: int
) -> None:
    assert thread_to_show(program_of(stacks), ThreadId(8)) == expected


def test_pause_looks_at_few_threads_once_one_that_waits_is_known() -> None:
    stacks: dict[int, list[str] | None] = {MAIN: [JOIN, USER]}
    stacks |= {100 + number: [JOIN, USER] for number in range(500)}
    stacks |= {900: [USER]}
    assert thread_to_show(program_of(stacks)) == MAIN
