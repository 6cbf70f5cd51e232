"""Which frames are shown, and how far the stack is walked for it."""

from __future__ import annotations

import pytest

from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ModuleId
from dap_dotnet.symbols.stack_view import StackView
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.frames import SlotFrame
from tests.support.fake_debuggee.standing import standing_debuggee


def frame(kind: str) -> SlotFrame:
    if kind == "m":
        return SlotFrame(MethodToken(0x06000001), ModuleId(1), 0)
    if kind == "n":
        return SlotFrame(kind=FrameKind.NATIVE)
    return SlotFrame(kind=FrameKind.INTERNAL, internal_type={"x": 8, "d": 4, "e": 5}[kind])


def view(kinds: str) -> tuple[StackView, FakeDebuggee]:
    """A stack written as a string from the leaf: m method, n native, x exception stub, d dynamic, e evaluation."""
    fake = standing_debuggee()
    fake.frames = [frame(kind) for kind in reversed(kinds)]
    return StackView(fake, fake.thread), fake


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
    top = view("xnmm")[0].top()
    assert top is not None
    assert top.index == 2
    assert view("nn")[0].top() is None
