"""Async methods as trees of text."""

from __future__ import annotations

from typing import Any, cast

from dap_dotnet.async_tasks.suspended_methods import SuspendedMethod
from dap_dotnet.async_tasks.task_trees import Line, task_trees


class _Method:
    is_running = False

    def __init__(self, number: int, name: str, awaits: list[int], awaited_by: list[int]) -> None:
        self.id, self.name, self.awaits, self.awaited_by = number, name, awaits, awaited_by


def _text(*methods: _Method, most: int = 100) -> str:
    return task_trees(cast(list[SuspendedMethod], list(methods)), _line, most)


def _line(one: Any) -> Line:
    return Line(one.name, "waits for Task.Delay")


def test_no_method() -> None:
    assert _text() == "No async method is suspended."


def test_what_is_awaited_stands_below_and_equal_trees_once() -> None:
    methods = [
        _Method(0, "Leaf", [], [1]),
        _Method(1, "Root", [0], []),
        _Method(2, "Root", [3], []),
        _Method(3, "Leaf", [], [2]),
        _Method(4, "Alone", [], []),
    ]
    assert _text(*methods).splitlines() == [
        "5 async methods are suspended:",
        "  2 × Root",
        "    Leaf: waits for Task.Delay",
        "  Alone: waits for Task.Delay",
    ]


def test_methods_that_run_are_counted_apart() -> None:
    runs = _Method(0, "Main", [], [])
    runs.is_running = True
    assert _text(runs, _Method(1, "Leaf", [], [])).splitlines()[0] == "1 async method is suspended, 1 runs:"


def test_ring_is_told_once() -> None:
    assert _text(_Method(0, "A", [1], [1]), _Method(1, "B", [0], [0])).splitlines()[1:] == [
        "  A",
        "    B: waits for Task.Delay",
    ]


def test_deep_chain_is_no_danger() -> None:
    number = 20_000
    methods = [_Method(one, f"M{one}", [one + 1] if one + 1 < number else [], [one - 1] if one else [])
               for one in range(number)]  # fmt: skip
    lines = _text(*methods, most=50).splitlines()
    assert len(lines) <= 52
    assert lines[-1].strip().startswith("…")


def test_lines_end_at_the_limit() -> None:
    text = _text(*[_Method(one, f"M{one}", [], []) for one in range(30)], most=10)
    assert text.splitlines()[-1] == "  … 20 more"
