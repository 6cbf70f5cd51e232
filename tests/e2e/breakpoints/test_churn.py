"""Random changes of breakpoints while the program runs hot: a model, the registry and the program agree.

Some thousands of them, and 10,000 with ``DAP_DOTNET_TEST_LONG=1``.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import PendingResponse
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

OPERATIONS = 10_000 if os.environ.get("DAP_DOTNET_TEST_LONG") == "1" else 2_000
LARGEST_BATCH = 50
TICK_TIMEOUT_S = 30
ROUNDS = 40
SEED = 20261121
METHODS = [f"M{number}" for number in range(8)]
NEVER = [
    {"condition": "phase == 3"},
    {"hitCondition": "> 1000000000"},
    {"condition": "phase == 3", "logMessage": "never"},
    {"condition": "round < 0 && phase == 2", "hitCondition": ">= 2"},
]
"""What changes while the program is hot must never stop it: these hold at no hit."""


class Entry:
    """A breakpoint that should be there. `id` is None until the adapter has sent it."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings
        self.id: int | None = None
        self.enabled = True
        self.log_prefix = ""


class Model:
    """What the breakpoints should be: lines of one file and names of functions."""

    def __init__(self, program: Program, session: Session, seed: int) -> None:
        self.session = session
        self.source = str(program.source)
        self.lines = [program.line(f"{part}{number}") for part in "abc" for number in range(8)]
        self.random = random.Random(seed)
        self.tick = program.line("tick")
        self.of_lines: dict[Any, Entry] = {self.tick: Entry({"hitCondition": "> 1000000000"})}
        self.of_functions: dict[Any, Entry] = {}
        self.used_ids: set[int] = set()

    def send_one(self) -> Callable[[], None]:
        """Make one random change, without waiting for its answer; what checks the answer."""
        group, keys = (self.of_lines, self.lines) if self.random.random() < 0.8 else (self.of_functions, METHODS)
        kind = self.random.choices(["set", "clear", "change", "able", "clear all"], [5, 3, 2, 3, 0.05])[0]
        present = [key for key in group if key != self.tick]
        if kind == "able":
            known = [group[key] for key in present if group[key].id is not None]
            return self.send_able(self.random.sample(known, min(len(known), self.random.randint(1, 3))))
        if kind == "set":
            for key in self.random.sample(keys, self.random.randint(1, 3)):
                group.setdefault(key, Entry(self.random.choice(NEVER)))
        elif kind == "clear" and present:
            del group[self.random.choice(present)]
        elif kind == "change" and present:
            group[self.random.choice(present)].settings = self.random.choice(NEVER)
        elif kind == "clear all":
            for key in present:
                del group[key]
        return self.send_group(group)

    def send_group(self, group: dict[Any, Entry]) -> Callable[[], None]:
        """Set one group's breakpoints as the model has them."""
        wanted = list(group.values())
        if group is self.of_lines:
            asked = [{"line": line, **entry.settings} for line, entry in group.items()]
            arguments = {"source": {"path": self.source}, "breakpoints": asked}
            return self.check_later(self.session.send("setBreakpoints", arguments), wanted)
        asked = [{"name": f"Churn.Program.{name}", **entry.settings} for name, entry in group.items()]
        return self.check_later(self.session.send("setFunctionBreakpoints", {"breakpoints": asked}), wanted)

    def send_able(self, entries: list[Entry]) -> Callable[[], None]:
        """Disable or enable some breakpoints."""
        enabled = self.random.random() < 0.5
        for entry in entries:
            entry.enabled = enabled
        arguments = {"breakpointIds": [entry.id for entry in entries], "enabled": enabled}
        return self.check_later(self.session.send("dap-dotnet/enableBreakpoints", arguments), entries)

    def check_later(self, request: PendingResponse, wanted: list[Entry]) -> Callable[[], None]:
        def check() -> None:
            answers = request.result()["breakpoints"]
            assert len(answers) == len(wanted)
            for entry, body in zip(wanted, answers, strict=True):
                if entry.id is None:
                    assert body["id"] not in self.used_ids, "an id is never used again"
                    entry.id = body["id"]
                    self.used_ids.add(body["id"])
                assert body["id"] == entry.id, "a breakpoint that stays keeps its id"

        return check

    def wait_for_rounds(self, rounds: int = 2) -> None:
        """Until the program has gone round, with the breakpoints as they are now."""
        number = self.of_lines[self.tick].id
        deadline = time.monotonic() + TICK_TIMEOUT_S
        start = None
        while start is None or self.hit_count(number) < start + rounds:
            assert time.monotonic() < deadline, "the program does not run"
            start = self.hit_count(number) if start is None else start

    def hit_count(self, number: int | None) -> int:
        (body,) = self.session.request("dap-dotnet/breakpoints", {"breakpointIds": [number]})["breakpoints"]
        return int(body["hitCount"])

    def assert_listed(self) -> None:
        """The registry has what the model has."""
        listed = self.session.request("dap-dotnet/breakpoints")["breakpoints"]
        found = {
            body["id"]: (
                body.get("line") or body["function"].rpartition(".")[2],
                {key: body[key] for key in ("condition", "hitCondition", "logMessage") if body.get(key)},
                body["state"],
                len(body["locations"]),
            )
            for body in listed
            if body["kind"] != "exception"
        }
        wanted = {
            entry.id: (key, entry.settings, "bound" if entry.enabled else "disabled", int(entry.enabled))
            for group in (self.of_lines, self.of_functions)
            for key, entry in group.items()
        }
        assert found == wanted


def churn(session: Session, model: Model, operations: int) -> None:
    """Make the changes, up to many under way at a time; in between the program runs with them."""
    model.send_group(model.of_lines)()
    made = batches = 0
    while made < operations:
        size = min(model.random.randint(1, LARGEST_BATCH), operations - made)
        for check in [model.send_one() for _ in range(size)]:
            check()
        made += size
        batches += 1
        if batches % 10 == 0:
            model.wait_for_rounds()
            model.assert_listed()
    model.assert_listed()
    assert session.events("stopped") == []


def settle(model: Model) -> dict[int, Entry]:
    """Set what the program is to end with, by id: they log in phase 2, some every second time; some are disabled."""
    for group, keys, prefix in ((model.of_lines, model.lines, "line "), (model.of_functions, METHODS, "function ")):
        for key in model.random.sample(keys, 4):
            group.setdefault(key, Entry({}))
        for key in list(group):
            if model.random.random() < 0.3 and key != model.tick:
                del group[key]
        for key, entry in group.items():
            entry.log_prefix = f"{prefix}{key}"
            entry.settings = {"condition": "phase == 2", "logMessage": f"{entry.log_prefix} {{round}}"}
            if model.random.random() < 0.3:
                entry.settings["hitCondition"] = "% 2"
        model.send_group(group)()
    entries = [entry for group in (model.of_lines, model.of_functions) for entry in group.values()]
    by_id = {entry.id: entry for entry in entries if entry.id is not None}
    for enabled in (True, False):
        chosen = list(by_id) if enabled else model.random.sample(list(by_id), len(by_id) // 3)
        arguments = {"breakpointIds": chosen, "enabled": enabled}
        model.session.request("dap-dotnet/enableBreakpoints", arguments)
        for number in chosen:
            by_id[number].enabled = enabled
    model.assert_listed()
    return by_id


def logged_lines(entry: Entry, hit_count: int) -> list[str]:
    """What a breakpoint logs in phase 2, given its hits before."""
    step = 2 if "hitCondition" in entry.settings else 1
    rounds = [number for number in range(ROUNDS) if (hit_count + number + 1) % step == 0]
    return [f"{entry.log_prefix} {number}" for number in rounds] if entry.enabled else []


def test_random_changes_while_running_leave_what_was_asked(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Churn", runtime)
    go: Path = place.folder / "go"
    session.launch_program(program, str(go), str(ROUNDS), "240")
    session.wait_for_output("READY")
    model = Model(program, session, SEED)
    session.checks_conversation = OPERATIONS < 10_000  # 20,000 messages take longer to check than to exchange
    churn(session, model, OPERATIONS)
    entries = settle(model)
    before = hits(session)
    assert len(entries) > 8
    assert sum(before.values()) > 0
    go.touch()
    assert session.wait_for_exit() == 0
    assert session.output() == "READY\nrounds some\n"
    expected = Counter(line for number, entry in entries.items() for line in logged_lines(entry, before[number]))
    assert Counter(session.output("console").splitlines()) == expected
    gained = {number: count - before[number] for number, count in hits(session).items()}
    assert gained == {number: ROUNDS if entry.enabled else 0 for number, entry in entries.items()}
    assert session.events("stopped") == []
    assert " ERROR " not in session.log()
    assert "Traceback" not in session.log()


def hits(session: Session) -> dict[int, int]:
    """The hit counts of source and function breakpoints by id."""
    listed = session.request("dap-dotnet/breakpoints")["breakpoints"]
    return {body["id"]: body["hitCount"] for body in listed if body["kind"] != "exception"}
