"""A read plan changes no result: what log messages and conditions come to is the same with it and without it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Place, Session

pytestmark = pytest.mark.e2e

ROUNDS = 40

# By the line that they are evaluated at. Where one fails now and then, its error is what is compared.
LOGGED = {
    "first": [
        "argument", "local", "wide", "small", "word", "reference", "any", "this.field", "field + local", "words[2]",
        "node?.Value", "node.Name",
    ],
    "second": [
        "node.Next.Value", "node.Next?.Name", "((Heavy)node).Weight", "node is Heavy", "node.Boxed", "node.Pair.Left",
        "node.Pair.Right", "(node as Heavy)?.Parts.Length", "numbers[0]", "numbers[1]",
    ],
    "third": [
        "text", "text.Length", "words[argument % 6]", "words[small]", "words[argument]", "head == node", "head?.Value",
        "Field", "Counted", "list[1]", "list[argument]", "list.Count", "grid[1, 0]",
    ],
    "fourth": [
        "maybe", "maybe.HasValue", "maybe ?? -1", "color", "color == Color.Blue", "money", "money * 2", "seen",
        "Program.seen + 1", "numbers.Length", "numbers[^1]", "nothing", "argument / (argument - 4)",
    ],
    "fifth": ["node.Name.ToUpper()", "node.Name", "word + text", "text.Substring(0, 1)", "any.ToString()", "any"],
}  # fmt: skip
CONDITIONS = [
    "argument == 7", "local > 60", "this.field >= 30", 'word == "one"', 'text == "thr\u00e9e"', "node == null",
    "node != null && node.Next != null && node.Next.Value == -7", "node is Heavy && ((Heavy)node).Parts.Length == 3",
    "numbers[2] == 70", "numbers.Length > 3 || words[small] == null", "Field == 11", "maybe == null", "maybe > 35",
    "color == Color.Green", "money > 4.5m", "seen < 100", 'node.Name == "node 8"', "node.Pair.Right == (9L << 40)",
    "list[argument] == 7", "any is int", "wide == -12", "Counted % 10 == 0", 'word?.ToUpper() == "ONE"',
]  # fmt: skip


@pytest.fixture
def program(runtime: Runtime) -> Program:
    return programs.build("HotValues", runtime)


@pytest.fixture
def forked(runtime: Runtime, newest_runtime: Runtime) -> bool:
    """Whether adapters are, as in other tests: on all runtimes but the newest."""
    return runtime != newest_runtime


def run(session: Session, program: Program, breakpoints: list[dict[str, Any]]) -> list[str]:
    """All that the log points wrote, in order, and the reason of each condition that failed."""
    source = str(program.source)
    session.launch(str(program.dll), args=[str(ROUNDS)], env=dict(program.env), stopAtEntry=True)
    session.wait_for_stop()
    made = session.set_breakpoints(source, breakpoints)
    assert all(entry.verified for entry in made), [entry.message for entry in made]
    session.continue_()
    with pytest.raises(ProgramEndedError):
        session.wait_for_stop()
    written = "".join(body["output"] for body in session.events("output") if body.get("category") == "console")
    changed = [body["breakpoint"].get("message", "") for body in session.events("breakpoint")]
    return [*written.splitlines(), *(message for message in changed if message)]


def compare(place: Place, program: Program, breakpoints: list[dict[str, Any]], *, forked: bool) -> list[str]:
    """Run with every setting of the two switches; all must see the same. `forked`: so are the adapters."""
    seen = {}
    for plan, accelerator in itertools.product("10", repeat=2):
        switches = {"DAP_DOTNET_READ_PLAN": plan, "DAP_DOTNET_ACCELERATOR": accelerator}
        with Session.open(place, env=switches, forked=forked) as session:
            seen[plan, accelerator] = run(session, program, breakpoints)
    stock = seen["0", "0"]
    for setting, found in seen.items():
        assert found == stock, f"with the plan and the accelerator switched {setting}"
    return stock


def test_log_messages_are_the_same_with_and_without_plan_and_accelerator(
    place: Place, program: Program, *, forked: bool
) -> None:
    breakpoints = [
        {
            "line": program.line(marker),
            "logMessage": marker + " $HITCOUNT: " + " | ".join(f"{{{one}}}" for one in logged),
        }
        for marker, logged in LOGGED.items()
    ]
    written = compare(place, program, breakpoints, forked=forked)
    assert len([line for line in written if line.startswith(tuple(LOGGED))]) == len(LOGGED) * ROUNDS
    (fourth,) = [line for line in written if line.startswith("first 14:")]
    assert fourth.split(": ", 1)[1].split(" | ")[:5] == ["13", "26", "-13", "13", "one"]


def test_conditions_are_the_same_with_and_without_plan_and_accelerator(
    place: Place, program: Program, *, forked: bool
) -> None:
    # One place takes one breakpoint: its message tests each condition by itself.
    bits = " | ".join(f"{{({condition}) ? 1 : 0}}" for condition in CONDITIONS)
    either = " || ".join(f"({condition})" for condition in CONDITIONS[:8])
    both = " || ".join(f"(node != null && {condition})" for condition in CONDITIONS[8:17])
    written = compare(
        place,
        program,
        [
            {"line": program.line("first"), "logMessage": "bits: " + bits},
            {"line": program.line("second"), "logMessage": "either: {argument}", "condition": either},
            {"line": program.line("third"), "logMessage": "both: {argument}", "condition": both},
            {"line": program.line("fourth"), "logMessage": "null: {argument}", "condition": "node.Value >= 0"},
            {
                "line": program.line("fifth"),
                "logMessage": "hit: {argument}",
                "condition": "argument > 3",
                "hitCondition": "% 7",
            },
        ],
        forked=forked,
    )
    assert len([line for line in written if line.startswith("bits")]) == ROUNDS
    assert not any("CS0" in line for line in written), "all of the conditions mean something"
    assert [line for line in written if line.startswith("hit")] == [f"hit: {3 + 7 * n}" for n in range(1, 6)]
    assert len([line for line in written if line.startswith("null")]) == ROUNDS - ROUNDS // 5
    assert any("The condition failed" in line and "is null" in line for line in written)


# Each at the places of `LOGGED`, for forty hits each; many of them are decided by the runtime's own thread.
DECIDED = [
    ["argument == 7", "local > 60", "this.field >= 30", 'word == "one"', 'text == "thr\u00e9e"'],
    ["argument % 7 == 3", "small == 200", "wide < -100", "numbers == null", "color == Color.Green"],
    ["-1 < argument && argument < 2", "!(local != 160)", "field == seen", "word == null", 'text != "zero"'],
    ["(argument & 6) == 4", "reference % 9 == 1", "node.Value >= 90", "node.Pair.Left > 100", "seen < 100"],
    ["this.field == argument - 1", "local == argument", "word != null && word == text", "node.Pair.Right == (9L << 40)",
     "color != Color.Red && argument > 150"],
    ["((Heavy)node).Weight > 40.5", "node is Heavy", "node == null", 'node.Name == "node 8"', "any == null"],
]  # fmt: skip


def decided(place: Place, program: Program, switch: str, *, forked: bool) -> list[str]:
    """What log points with the conditions wrote, and how often each was tested."""
    rounds = ROUNDS * len(DECIDED)
    turn = {"line": program.line("begin"), "hitCondition": f"% {ROUNDS}"}
    seen = []
    with Session.open(place, env={"DAP_DOTNET_HIT_TEST": switch}, forked=forked) as session:
        session.launch(str(program.dll), args=[str(rounds)], env=dict(program.env), stopAtEntry=True)
        session.wait_for_stop()
        for conditions in DECIDED:
            made = session.set_breakpoints(
                str(program.source),
                [
                    turn,
                    *(
                        {"line": program.line(marker), "condition": condition, "logMessage": f"{marker} {{argument}}"}
                        for marker, condition in zip(LOGGED, conditions, strict=True)
                    ),
                ],
            )
            session.continue_()
            session.wait_for_stop()
            for breakpoint_ in made[1:]:
                answer = session.request("dap-dotnet/explainBreakpoint", {"breakpointId": breakpoint_.id})
                seen.append(str({name: answer["condition"][name] for name in ("tested", "held", "failed")}))
        session.disconnect()
        written = "".join(body["output"] for body in session.events("output") if body.get("category") == "console")
    return [*seen, *(line for line in written.splitlines() if line.startswith(tuple(LOGGED)))]


def test_conditions_are_the_same_whoever_decides_them(place: Place, program: Program, *, forked: bool) -> None:
    seen = {switch: decided(place, program, switch, forked=forked) for switch in ("0", "plan", "1")}
    assert seen["plan"] == seen["0"]
    assert seen["1"] == seen["0"]
    assert len(seen["0"]) > ROUNDS * len(DECIDED)
