"""Conditions that hang, need a lock, throw, have side effects, or are absurd: reported once; the program goes on."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime, version_key
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.fixture
def program(runtime: Runtime) -> Program:
    return programs.build("Conditions", runtime)


def run_with(session: Session, program: Program, **settings: str) -> list[dict[str, Any]]:
    """Run to the end with one breakpoint with these settings; what `breakpoint` events say of failed conditions."""
    (made,) = session.launch(
        str(program.dll),
        env=dict(program.env),
        breakpoints={str(program.source): [{"line": program.line("work"), **settings}]},
    )
    assert session.wait_for_exit() == 0
    assert session.events("stopped") == []
    reported = [event["breakpoint"] for event in session.events("breakpoint")]
    return [
        entry for entry in reported if entry["id"] == made.id and "The condition failed" in (entry.get("message") or "")
    ]


def listed(session: Session) -> dict[str, Any]:
    bodies = session.request("dap-dotnet/breakpoints")["breakpoints"]
    (body,) = [body for body in bodies if body["kind"] == "source"]
    found: dict[str, Any] = body
    return found


@pytest.mark.parametrize("condition", ["Spins()", "Sleeps()", "Locked()"])
def test_condition_that_hangs_is_given_up_and_not_tested_again(
    session: Session, runtime: Runtime, program: Program, condition: str
) -> None:
    """No runtime interrupts a thread that waits for a lock: that call ends when the other thread gives it back."""
    if condition == "Spins()" and version_key(runtime.version)[0] < 9:
        pytest.skip(".NET 8 and older cannot interrupt a busy loop: neither call nor thread comes back")
    if condition == "Sleeps()" and runtime.major == "3.1":
        pytest.skip(
            ".NET Core 3.1 may end with an unhandled PAL_SEHException of its own when a sleeping call is aborted"
        )
    began = time.monotonic()
    (reported,) = run_with(session, program, condition=condition)
    assert time.monotonic() - began < 20
    assert "The call did not finish in 2 s" in reported["message"]
    assert "not tested again until it is changed" in reported["message"]
    assert listed(session)["code"] == "TIMEOUT"
    assert session.output() == "sum 6, touched 0\n"


def test_message_that_hangs_is_not_evaluated_again(session: Session, newest_runtime: Runtime) -> None:
    program = programs.build("Conditions", newest_runtime)
    assert run_with(session, program, logMessage="{round}: {Sleeps()}") == []
    lines = session.output("console").splitlines()
    assert "did not finish in 2 s" in lines[0]
    assert lines[1:] == [f"{round_}: <not evaluated again: it took too long>" for round_ in (1, 2, 3)]
    assert session.output() == "sum 6, touched 0\n"


def test_condition_that_throws_is_reported_once(session: Session, program: Program) -> None:
    (reported,) = run_with(session, program, condition="Throws()")
    assert "InvalidOperationException" in reported["message"]
    assert listed(session)["code"] == "EVAL_FAILED"
    assert session.output() == "sum 6, touched 0\n"


def test_condition_with_side_effects_has_them_once_a_hit(session: Session, program: Program) -> None:
    assert run_with(session, program, condition="Touches()") == []
    assert session.output() == "sum 6, touched 4\n"


@pytest.mark.parametrize(
    "condition",
    [
        "(" * 100_000 + "round" + ")" * 100_000,
        "!" * 200_000 + "true",
        "round == 1 || " * 75_000 + "true",
        "round == " + "1" * 1_000_000,
        '"' + "x" * 1_000_000 + '" == ""',
        "a" * 1_000_000,
        "a.b" * 300_000,
        "round[" * 50_000,
        "round ? " * 50_000 + "1",
        "\x00\ud800\u202e",
        "System.Console.WriteLine(" * 20_000,
    ],
    ids=lambda text: f"{text[:12]!r}-{len(text)}",
)
def test_condition_beyond_all_measure_is_refused_or_reported_and_the_program_goes_on(
    session: Session, newest_runtime: Runtime, condition: str
) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "start", "3")
    (made,) = session.set_breakpoints(str(program.source), [{"line": program.line("square"), "condition": condition}])
    session.continue_()
    assert session.wait_for_exit() == 0
    code = listed(session).get("code")
    assert code in ("INVALID_CONDITION", "EVAL_FAILED")
    assert made.verified == (code == "EVAL_FAILED")
    assert len(made.message or "") < 2_000
