"""Texts that only running the program gives."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from dap_dotnet.errors import DeadlineError, EvaluationError
from dap_dotnet.runtime.model import Value
from dap_dotnet.values import implicit_calls
from dap_dotnet.values.context import Program
from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.rendering import render
from tests.unit.evaluation.fakes import THREAD, World
from tests.unit.evaluation.il import Il

VIRTUAL = 0x46


class Speaker:
    """Objects of a class with a ToString that only a call can follow; `said` has what was called."""

    def __init__(self, answer: Callable[[], Any], display: DisplayOptions | None = None) -> None:
        self.world = world = World()
        self.said: list[str] = []
        self._answer = answer
        speaker = world.type("App.Speaker")
        world.method(speaker, "ToString", "string", il=Il().op("newobj", b"\0\0\0\0").ret(), flags=VIRTUAL)
        world.method(world.metadata.types[world.token("System.Object")], "ToString", "string", flags=VIRTUAL | 0x100)
        for name in ("a", "b"):
            world.local(name, world.new(speaker))
        expressions: Any = SimpleNamespace(value=self._value, with_others_staying=nullcontext)
        program = structs.replace(world.context.program, expressions=expressions, display=display or DisplayOptions())
        self.program: Program = program

    def _value(
        self, program: Program, target: Value, expression: str, *, call_timeout_s: float | None = None, **_: Any
    ) -> Value:
        if call_timeout_s is None:
            raise EvaluationError("It would run.")
        self.said.append(expression)
        return self.world.debuggee.heap.value(self._answer())

    def shown(self) -> list[str]:
        """As the handler does it: all are rendered, then the calls are made."""
        values = self.world.debuggee.locals(THREAD, 0)
        rendered = [render(self.program, value) for value in values]
        texts = [one.text for one in rendered]
        wanted = []
        for number, (one, value) in enumerate(zip(rendered, values, strict=True)):
            if one.needs_call:
                source = LiveValue(self.program, value, lambda value=value: value)  # type: ignore[misc]
                wanted.append((source, lambda text, number=number: texts.__setitem__(number, text)))
        implicit_calls.run(self.program, wanted)  # type: ignore[arg-type]
        return texts


def test_to_string_is_called_where_it_cannot_be_followed() -> None:
    speaker = Speaker(lambda: "hello")
    assert speaker.shown() == ["{hello}", "{hello}"]
    assert speaker.said == ["this.ToString()"] * 2


def test_null_and_what_throws_leave_the_name_of_the_type() -> None:
    def throws() -> Any:
        raise EvaluationError("The called code threw")

    assert Speaker(lambda: None).shown() == ["{Speaker}", "{Speaker}"]
    assert Speaker(throws).shown() == ["{Speaker}", "{Speaker}"]


def test_a_to_string_that_did_not_end_is_not_called_again_nor_are_the_others_of_the_request() -> None:
    def hangs() -> Any:
        raise EvaluationError("It did not finish", code=DeadlineError.code)

    speaker = Speaker(hangs)
    assert speaker.shown() == ["{Speaker}", "{Speaker}"]
    assert speaker.shown() == ["{Speaker}", "{Speaker}"]
    assert speaker.said == ["this.ToString()"]


def test_calls_end_when_they_have_taken_a_second_together(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.5, 1.5])
    monkeypatch.setattr(implicit_calls.time, "monotonic", lambda: next(times))
    assert Speaker(lambda: "hello").shown() == ["{hello}", "{Speaker}"]


@pytest.mark.parametrize("display", [DisplayOptions(may_run=False), DisplayOptions(may_run_to_string=False)])
def test_nothing_is_called_where_that_is_switched_off(display: DisplayOptions) -> None:
    speaker = Speaker(lambda: "hello", display)
    assert speaker.shown() == ["{Speaker}", "{Speaker}"]
    assert speaker.said == []


def test_a_long_text_is_cut() -> None:
    (first, _) = Speaker(lambda: "x" * 3000).shown()
    assert first == "{" + "x" * 1024 + "…}"


def test_to_string_of_object_says_nothing() -> None:
    speaker = Speaker(lambda: "hello")
    speaker.world.locals[:] = [speaker.world.new(speaker.world.type("App.Silent"))] * 2
    assert speaker.shown() == ["{Silent}", "{Silent}"]
    assert speaker.said == []


def test_an_exception_is_asked_for_its_message_where_that_cannot_be_read() -> None:
    speaker = Speaker(lambda: "code 7")
    world = speaker.world
    exception = world.type("System.Exception")
    world.field(exception, "_message", "string")
    world.method(exception, "get_Message", "string", flags=VIRTUAL | 0x100)
    coded = world.type("App.Coded", "System.Exception")
    world.method(coded, "get_Message", "string", il=Il().op("newobj", b"\0\0\0\0").ret(), flags=VIRTUAL)
    world.locals[:] = [world.new(coded, _message=None), world.new("System.Exception", _message=world.text("plain"))]
    assert speaker.shown() == ["{App.Coded: code 7}", "{System.Exception: plain}"]
    assert speaker.said == ["this.Message"]
