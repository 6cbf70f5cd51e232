"""Programs that log each of their stores, and what data breakpoints report: nothing missed, nothing invented."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from dap_dotnet.client import DapRequestError, ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e


class Stored(NamedTuple):
    """A store, as the program logs it or as a stop reports it."""

    field: str
    text: str
    number: int
    """In the log: which change it is. In a report: how many changes had been logged at the stop."""


Scenarios = dict[tuple[str, str], list[Stored]]
"""What was stored, by the field and the scenario: the value's first number without its last two digits."""


def grouped(stores: Iterable[Stored]) -> Scenarios:
    found: Scenarios = defaultdict(list)
    scenario = "0"
    for store in stores:
        number = re.search(r"[1-9]\d{2,}", store.text)
        scenario = number.group()[:-2] if number is not None else scenario
        found[store.field, scenario].append(store)
    return dict(found)


def logged(output: str, *, others: bool) -> list[Stored]:
    """What the program says that it has stored; of `others` than its first object too."""
    lines = [line for line in output.partition("begin")[2].splitlines() if "=" in line]
    wanted = [(number, line) for number, line in enumerate(lines) if others or not line.startswith("other ")]
    parts = [(number, line.removeprefix("other ").partition("=")) for number, line in wanted]
    return [Stored(field, text, number) for number, (field, _, text) in parts]


def reported(session: Session, program: Program) -> list[Stored]:
    """What the stops say, to the program's end."""
    found = []
    while True:
        session.continue_()
        try:
            stop = session.wait_for_stop()
        except ProgramEndedError:
            return found
        assert stop.reason == "data breakpoint"
        written = changes_logged(session, program)
        for line in (stop.text or "").splitlines():
            field, _, change = line.partition(": ")
            found.append(Stored(field, change.partition(" -> ")[2], written))


def changes_logged(session: Session, program: Program) -> int:
    """How many changes the program has logged so far; 0 where the stop is in generic code of the framework."""
    try:
        return int(session.request("evaluate", {"expression": f"{program.name}.Log.Written"})["result"])
    except DapRequestError:
        assert session.stack(count=1)[0].line == 0
        return 0


def watch(session: Session, *wanted: str) -> list[dict[str, Any]]:
    frame = session.stack(count=1)[0].id
    asked = []
    for name in wanted:
        about = session.request("dataBreakpointInfo", {"name": name, "frameId": frame})
        asked.append({"dataId": about["dataId"]})
    made: list[dict[str, Any]] = session.request("setDataBreakpoints", {"breakpoints": asked})["breakpoints"]
    return made


UNSEEN = {
    "11": "A reference to it is returned by Stores.Holder.Ref.get",
    "23": "after it when an exception leaves the method",
    "30": "reflection",
}
"""What a breakpoint says beforehand of the scenarios in which it misses stores."""


def check(session: Session, program: Program, *wanted: str, others: bool) -> None:
    """Watch fields from the start of a program on, and compare what is reported with what the program logs."""
    session.stop_in(program, "start")
    session.set_breakpoints(str(program.source), [])
    made = watch(session, *wanted)
    assert all(one["verified"] for one in made)
    explained = [session.request("dap-dotnet/explainBreakpoint", {"breakpointId": one["id"]})["text"] for one in made]
    said = "\n".join(explained)
    assert all(one["message"] in said for one in made if "message" in one)
    found = grouped(reported(session, program))
    fields = {field for field, _ in found}
    assert len(fields) == len(wanted), "each of them is stored to"
    log = grouped(store for store in logged(session.output(), others=others) if store.field in fields)
    wrong = []
    for key in sorted({*log, *found}, key=lambda key: (int(key[1]), key[0])):
        stored, seen = log.get(key, []), found.get(key, [])
        is_said = key[1] in UNSEEN and UNSEEN[key[1]] in said
        if not (is_part(seen, stored) if is_said else is_same(seen, stored)):
            wrong.append(f"{key[0]}, scenario {key[1]}: stored {stored}, reported {seen}")
    assert wrong == []


def is_same(reports: list[Stored], stores: list[Stored]) -> bool:
    """Whether each store was reported, before the program itself logged it."""
    return len(reports) == len(stores) and all(
        report.text == store.text and report.number <= store.number
        for report, store in zip(reports, stores, strict=True)
    )


def is_part(reports: list[Stored], stores: list[Stored]) -> bool:
    """Whether the reports are of stores, in the same order; they may be late."""
    rest = iter(store.text for store in stores)
    return all(report.text in rest for report in reports)


FIELDS = ("A", "B", "Pt", "O", "N", "Auto")


def test_stores_to_one_object_and_to_static_fields_are_seen(session: Session, runtime: Runtime) -> None:
    program = programs.build("Stores", runtime)
    of_one = [f"c.{field}" for field in ("Low", *FIELDS)]
    check(session, program, *of_one, "Holder.S", "Holder.SP", others=False)


def test_stores_to_all_objects_are_seen(session: Session, runtime: Runtime) -> None:
    program = programs.build("Stores", runtime)
    of_all = [f"Holder.{field}" for field in (*FIELDS, "Fixed")]
    check(session, program, "Base.Low", *of_all, "Holder.S", "Holder.SP", others=True)


def test_generic_fields_are_seen(session: Session, runtime: Runtime) -> None:
    check(session, programs.build("Stores", runtime), "Box.Content", "Box.Shared", others=True)


@pytest.fixture
def new_stores(newest_runtime: Runtime) -> Program:
    if newest_runtime.major in ("3.1", "5.0", "6.0"):
        pytest.skip("the program is of C# 11")
    return programs.build("NewStores", newest_runtime)


def test_newer_forms_of_store_are_seen(session: Session, new_stores: Program) -> None:
    check(session, new_stores, "c.A", "c.P", "c.Cell", others=False)


def test_newer_forms_of_store_to_all_objects_are_seen(session: Session, new_stores: Program) -> None:
    check(session, new_stores, "Holder.A", "Holder.P", "Holder.Cell", others=True)


def test_element_of_an_array_is_not_mistaken_for_another(session: Session, runtime: Runtime) -> None:
    program = programs.build("Stores", runtime)
    session.stop_in(program, "elements")
    session.set_breakpoints(str(program.source), [])
    (made,) = watch(session, "Point.X")
    texts = []
    while len(texts) < 2:
        session.continue_()
        texts.append(session.wait_for_stop().text)
    assert texts == ["Point.X: 2 -> 4", "Point.X: 4 -> 5"], "not 1 -> 3: which element that was is not known any more"
    text = session.request("dap-dotnet/explainBreakpoint", {"breakpointId": made["id"]})["text"]
    assert "The object could not be identified 1 time" in text
    assert "Of all objects, no store is seen" in text
