"""Exception breakpoints: conditions, stages, one stop for each throw."""

from __future__ import annotations

import pytest

from dap_dotnet.breakpoints.exceptions.rules import (
    DEFAULT_RULE,
    ExceptionRule,
    ExceptionStage,
    Throws,
    TypeCondition,
    parse_condition,
    stage_of,
    thrown_phase,
)
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.events import ExceptionPhase

FIRST, USER, FOUND, UNHANDLED = ExceptionPhase
THROWN = ExceptionStage.THROWN
ARGUMENT_NULL = [f"System.{name}Exception" for name in ("ArgumentNull", "Argument", "System", "")]


def rule(*stages: ExceptionStage) -> ExceptionRule:
    return ExceptionRule(tuple((stage, TypeCondition()) for stage in stages))


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        (None, True),
        ("", True),
        ("System.ArgumentNullException", True),
        ("System.ArgumentException", False),
        ("System.ArgumentException*", True),
        ("ArgumentException", False),
        ("ArgumentException*", True),
        ("ArgumentNullException, MyError", True),
        ("MyError", False),
        ("System.Argument", False),
        ("!ArgumentException", True),
        ("!ArgumentException*", False),
        ("!ArgumentNullException", False),
        ("!MyError, Other", True),
        ("! System.Exception", True),
        ("MyError System.ArgumentNullException", True),
        ("!MyError  Other\tThird", True),
        ("!MyError ArgumentNullException", False),
        ("!MyError, !ArgumentNullException", False),
        ("! System.Exception*", False),
    ],
)
def test_condition_means_types_and_with_a_star_their_subtypes(text: str | None, matches: bool) -> None:
    assert parse_condition(text).matches(ARGUMENT_NULL) is matches


def test_nested_type_matches_by_either_name() -> None:
    lineage = ["Ns.Outer+InnerError", "System.Exception"]
    assert parse_condition("InnerError").matches(lineage)
    assert parse_condition("Ns.Outer+InnerError").matches(lineage)


@pytest.mark.parametrize(
    "text", ["a b;", "A,,B", "A, ,B", "A;B", "1A", "A..B", "A,", ",", "!", "x > 3", "A" + "." * 50]
)
def test_text_that_is_no_list_of_types_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="not a valid type name") as caught:
        parse_condition(text)
    assert caught.value.code == "INVALID_CONDITION"


def test_unhandled_stops_by_default() -> None:
    assert DEFAULT_RULE.phases(USER) == {UNHANDLED}
    assert stage_of(UNHANDLED, DEFAULT_RULE, USER, crossed_user_code=False, caught_by_user=False)


@pytest.mark.parametrize(
    ("just_my_code", "any_user_code", "expected"),
    [(True, True, USER), (True, False, FOUND), (False, True, FIRST), (False, False, FIRST)],
)
def test_throw_has_exactly_one_phase(just_my_code: bool, any_user_code: bool, expected: ExceptionPhase) -> None:
    thrown = thrown_phase(just_my_code=just_my_code, any_user_code=any_user_code)
    stages = {
        phase: stage_of(phase, rule(THROWN), thrown, crossed_user_code=True, caught_by_user=True)
        for phase in (FIRST, USER, FOUND)
    }
    assert [phase for phase, stage in stages.items() if stage is THROWN] == [expected]
    assert expected in rule(THROWN).phases(thrown)


def test_what_nobody_catches_is_a_throw_where_the_program_is_optimised_as_a_whole() -> None:
    wanted = rule(THROWN)
    assert UNHANDLED in wanted.phases(FOUND)
    assert stage_of(UNHANDLED, wanted, FOUND, crossed_user_code=False, caught_by_user=False) is THROWN
    assert stage_of(UNHANDLED, wanted, USER, crossed_user_code=True, caught_by_user=False) is None


@pytest.mark.parametrize(
    ("crossed", "by_user", "expected"),
    [(True, False, ExceptionStage.USER_UNHANDLED), (True, True, None), (False, False, None)],
)
def test_user_unhandled_needs_user_code_and_a_foreign_handler(
    crossed: bool, by_user: bool, expected: ExceptionStage | None
) -> None:
    wanted = rule(ExceptionStage.USER_UNHANDLED)
    found = stage_of(FOUND, wanted, USER, crossed_user_code=crossed, caught_by_user=by_user)
    assert found is expected


def test_phases_asked_of_the_runtime_are_those_that_can_stop() -> None:
    assert rule().phases(USER) == set()
    assert rule(THROWN).phases(USER) == {USER}
    assert rule(THROWN).phases(FIRST) == {FIRST}
    assert rule(ExceptionStage.USER_UNHANDLED).phases(USER) == {USER, FOUND}
    assert rule(*ExceptionStage).phases(USER) == {USER, FOUND, UNHANDLED}


@pytest.mark.parametrize(
    "phases", [(USER, UNHANDLED), (FIRST, USER, FOUND), (FIRST, UNHANDLED), (FIRST, USER, UNHANDLED)]
)
def test_one_throw_stops_once(phases: tuple[ExceptionPhase, ...]) -> None:
    throws = Throws()
    stopped = []
    for phase in phases:
        throws.seen(7, phase)
        stopped.append(throws.may_stop(7))
    assert stopped == [True] + [False] * (len(phases) - 1)


@pytest.mark.parametrize("phases", [(USER, USER), (FIRST, FIRST), (USER, FOUND, USER)])
def test_next_throw_stops_again(phases: tuple[ExceptionPhase, ...]) -> None:
    throws = Throws()
    throws.seen(7, phases[0])
    assert throws.may_stop(7)
    for phase in phases[1:]:
        throws.seen(7, phase)
    assert throws.may_stop(7)


def test_threads_do_not_share_their_throws() -> None:
    throws = Throws()
    throws.seen(1, USER)
    assert throws.may_stop(1)
    assert not throws.seen(2, FOUND)
    assert throws.may_stop(2)


def test_reaching_user_code_is_remembered_for_the_same_throw_only() -> None:
    throws = Throws()
    assert not throws.seen(1, FIRST)
    assert not throws.seen(1, USER)
    assert throws.seen(1, FOUND)
    assert not throws.seen(1, FIRST)
    assert not throws.seen(1, FOUND)


def test_exception_that_the_framework_throws_again_need_not_reach_user_code_again() -> None:
    throws = Throws()
    throws.seen(1, USER)
    assert throws.seen(1, FOUND)
    assert not throws.seen(1, FOUND)
