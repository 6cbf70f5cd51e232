"""What a hit breakpoint does."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dap_dotnet.breakpoints.model import (
    BreakpointId,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Settings,
)
from dap_dotnet.breakpoints.verdicts import Condition, Outcome, Verdicts
from dap_dotnet.errors import EvaluationError, UserError
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId
from dap_dotnet.values.context import FrameContext

LOCATION = BreakpointLocation(ModuleId(1), MethodToken(0x06000001), 0)
OTHER = BreakpointLocation(ModuleId(1), MethodToken(0x06000002), 0)


class FakeLanguage:
    """Conditions are Python expressions over `variables`; compilations are counted."""

    def __init__(self) -> None:
        self.variables: dict[str, object] = {}
        self.compiled: list[str] = []

    def check_condition(self, text: str) -> None:
        if "?" in text:
            raise UserError(f"'{text}' is wrong at column 1.", code="INVALID_CONDITION")

    check_logged = check_condition

    def compile_condition(self, text: str, context: FrameContext) -> Condition:
        self.compiled.append(text)

        def run(context: FrameContext) -> bool:
            try:
                return bool(eval(text, {}, dict(self.variables)))
            except NameError as error:
                raise EvaluationError(str(error)) from error

        return run

    def format_expression(self, text: str, context: FrameContext) -> str:
        try:
            return str(eval(text, {}, dict(self.variables)))
        except NameError as error:
            raise EvaluationError(str(error)) from error

    def format_name(self, name: str, context: FrameContext, hit_count: int) -> str:
        return str(hit_count) if name == "HITCOUNT" else f"<{name}>"


@pytest.fixture
def language() -> FakeLanguage:
    return FakeLanguage()


@pytest.fixture
def verdicts(language: FakeLanguage) -> Verdicts:
    return Verdicts(language)


def entry(number: int = 1, **settings: Any) -> LogicalBreakpoint:
    return LogicalBreakpoint(BreakpointId(number), LinePlace("/a.cs", number), Settings(**settings), Pending(""))


def decide(verdicts: Verdicts, *hit: LogicalBreakpoint, location: BreakpointLocation = LOCATION) -> Outcome:
    return verdicts.decide(hit, location, cast(FrameContext, None))


def test_plain_breakpoint_stops_and_counts(verdicts: Verdicts) -> None:
    plain = entry()
    assert decide(verdicts, plain).stopping == [plain]
    assert decide(verdicts, plain).stopping == [plain]
    assert plain.hit_count == 2


def test_condition_decides_and_only_true_hits_count(verdicts: Verdicts, language: FakeLanguage) -> None:
    conditional = entry(condition="i == 2")
    stops = []
    for i in range(4):
        language.variables["i"] = i
        stops.append(bool(decide(verdicts, conditional).stopping))
    assert stops == [False, False, True, False]
    assert conditional.hit_count == 1


def test_condition_is_compiled_once_for_each_place(verdicts: Verdicts, language: FakeLanguage) -> None:
    conditional = entry(condition="True")
    for location in (LOCATION, OTHER, LOCATION, OTHER):
        decide(verdicts, conditional, location=location)
    assert language.compiled == ["True", "True"]


def test_changed_condition_is_compiled_anew(verdicts: Verdicts, language: FakeLanguage) -> None:
    conditional = entry(condition="False")
    assert not decide(verdicts, conditional).stopping
    conditional.settings = Settings(condition="True")
    assert decide(verdicts, conditional).stopping


def test_failing_condition_is_reported_once_and_the_program_goes_on(verdicts: Verdicts) -> None:
    conditional = entry(condition="missing == 1")
    first, second = decide(verdicts, conditional), decide(verdicts, conditional)
    assert [failed.id for failed, _ in first.failed] == [1]
    assert "missing" in first.failed[0][1]
    assert second.failed == []
    assert not first.stopping
    assert not second.stopping


def test_hit_condition_counts_hits_of_the_condition(verdicts: Verdicts, language: FakeLanguage) -> None:
    both = entry(condition="i % 2 == 0", hit_condition="% 2")
    stops = []
    for i in range(8):
        language.variables["i"] = i
        if decide(verdicts, both).stopping:
            stops.append(i)
    assert stops == [2, 6]


def test_triggered_breakpoint_waits_until_the_other_one_has_acted_and_stays_armed(verdicts: Verdicts) -> None:
    trigger, waiting = entry(1, hit_condition="2"), entry(2, after=BreakpointId(1))
    assert not decide(verdicts, waiting).stopping
    assert not decide(verdicts, trigger).stopping  # a hit that does not act arms nothing
    assert not decide(verdicts, waiting).stopping
    assert not verdicts.is_armed(waiting.settings)
    assert decide(verdicts, trigger).stopping == [trigger]
    assert verdicts.is_armed(waiting.settings)
    for _ in range(2):
        assert decide(verdicts, waiting).stopping == [waiting]
    assert waiting.hit_count == 2  # those while it waited are none


@pytest.mark.parametrize("settings", [{}, {"condition": "True"}, {"log_message": "here"}])
def test_trigger_is_any_breakpoint_that_stops_or_logs(verdicts: Verdicts, settings: dict[str, str]) -> None:
    trigger, waiting = entry(1, **settings), entry(2, after=BreakpointId(1), log_message="armed")
    decide(verdicts, trigger)
    assert decide(verdicts, waiting).messages == ["armed"]


def test_one_hit_of_both_does_not_trigger_whatever_their_order(verdicts: Verdicts) -> None:
    first, trigger, last = entry(1, after=BreakpointId(2)), entry(2), entry(3, after=BreakpointId(2))
    assert decide(verdicts, first, trigger, last).stopping == [trigger]
    assert decide(verdicts, first, trigger, last).stopping == [first, trigger, last]


def test_condition_of_a_triggered_breakpoint_is_not_tested_while_it_waits(
    verdicts: Verdicts, language: FakeLanguage
) -> None:
    assert decide(verdicts, entry(2, after=BreakpointId(1), condition="missing")).failed == []
    assert language.compiled == []


def test_logpoint_writes_and_goes_on(verdicts: Verdicts, language: FakeLanguage) -> None:
    language.variables["i"] = 7
    logging = entry(log_message="i={i} $HITCOUNT {{}} {nothing}")
    outcome = decide(verdicts, logging)
    assert outcome.stopping == []
    assert outcome.messages == ["i=7 1 {} <name 'nothing' is not defined>"]


def test_breakpoints_of_one_place_are_decided_each_for_itself(verdicts: Verdicts) -> None:
    never, always, log = entry(1, condition="False"), entry(2), entry(3, log_message="here")
    outcome = decide(verdicts, never, always, log)
    assert outcome.stopping == [always]
    assert outcome.messages == ["here"]


@pytest.mark.parametrize(
    "settings", [{"condition": "a ?"}, {"hit_condition": "x"}, {"log_message": "{a ?}"}, {"log_message": "{"}]
)
def test_settings_that_can_never_work_are_refused(verdicts: Verdicts, settings: dict[str, str]) -> None:
    with pytest.raises(UserError) as caught:
        verdicts.check(Settings(**settings))
    assert caught.value.code == "INVALID_CONDITION"
