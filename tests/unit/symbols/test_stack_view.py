"""Which frames are shown, and how far the stack is walked for it."""

from __future__ import annotations

from typing import cast

import pytest

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ModuleId, StackPage, ThreadId
from dap_dotnet.symbols.stack_view import StackView


class FakeStack:
    """A stack written as a string from the leaf: m method, n native, x exception stub, d dynamic method."""

    def __init__(self, kinds: str) -> None:
        self.frames = [self._frame(index, kind) for index, kind in enumerate(kinds)]
        self.walked = 0

    def _frame(self, index: int, kind: str) -> Frame:
        if kind == "m":
            return Frame(index, FrameKind.IL, ModuleId(1), MethodToken(0x06000001), 0, 16, 0, 0)
        if kind == "n":
            return Frame(index, FrameKind.NATIVE, None, None, None, 0, 0, 0)
        return Frame(index, FrameKind.INTERNAL, None, None, None, 0, {"x": 8, "d": 4}[kind], 0)

    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        page = self.frames[start : start + count]
        self.walked = max(self.walked, start + len(page))
        return StackPage(tuple(page), start + count < len(self.frames))


def view(kinds: str) -> tuple[StackView, FakeStack]:
    fake = FakeStack(kinds)
    return StackView(cast(Debuggee, fake), ThreadId(1)), fake


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ("mmm", [0, 1, 2]),
        ("xnmm", [2, 3]),
        ("mmn", [0, 1]),
        ("mnm", [0, 1, 2]),
        ("mnnxnm", [0, 1, 5]),
        ("mxm", [0, 2]),
        ("dm", [0, 1]),
        ("nx", []),
        ("", []),
    ],
)
def test_methods_are_shown_and_stubs_are_not(kinds: str, shown: list[int]) -> None:
    stack, _ = view(kinds)
    frames, more = stack.page(0, 100)
    assert [frame.index for frame in frames] == shown
    assert not more


def test_only_what_is_asked_for_is_walked() -> None:
    stack, fake = view("m" * 10_000)
    frames, more = stack.page(0, 20)
    assert len(frames) == 20
    assert more
    assert fake.walked <= 64


def test_pages_fit_together() -> None:
    stack, _ = view("xnm" + "mnx" * 50 + "n")
    whole, _ = stack.page(0, 1000)
    pages: list[Frame] = []
    more = True
    while more:
        frames, more = stack.page(len(pages), 7)
        pages += frames
    assert pages == whole


def test_top_is_the_first_method() -> None:
    assert view("xnmm")[0].top() == view("xnmm")[1].frames[2]
    assert view("nn")[0].top() is None
