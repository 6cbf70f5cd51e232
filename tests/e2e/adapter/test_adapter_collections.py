"""Collections as their items, read from their fields, on every runtime."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.protocol.messages.variables import Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_ORDINARY: dict[str, dict[str, str]] = {
    "list": {"[0]": "10", "[1]": "20", "[2]": "30"},
    "emptyList": {},
    "derivedList": {"[0]": "1", "[1]": "2"},
    "dictionary": {'["one"]': "1", '["two"]': "2", '["three"]': "3"},
    "holes": {'["a"]': "1", '["c"]': "3"},
    "byNumber": {"[7]": "{Point}"},
    "set": {"[0]": '"b"', "[1]": '"c"'},
    "queue": {"[0]": "2", "[1]": "3", "[2]": "4"},
    "stack": {"[0]": "3", "[1]": "2", "[2]": "1"},
    "linked": {"[0]": "1", "[1]": "2", "[2]": "3"},
    "sorted": {'["a"]': "1", '["m"]': "13", '["z"]': "26"},
    "sortedSet": {f"[{number}]": str(number + 1) for number in range(5)},
    "sortedList": {'["b"]': "2", '["y"]': "25"},
    "arrayList": {"[0]": "1", "[1]": '"two"'},
    "hashtable": {'["k"]': "1"},
    "observable": {"[0]": "1", "[1]": "2"},
    "readOnly": {"[0]": "10", "[1]": "20", "[2]": "30"},
    "readOnlyDictionary": {'["one"]': "1", '["two"]': "2", '["three"]': "3"},
    "segment": {"[0]": "2", "[1]": "3"},
    "memory": {"[0]": "3", "[1]": "4"},
    "nested": {"[0]": "Count = 1", "[1]": "Count = 0"},
}
_OTHERS = {
    "concurrent": {'["one"]': "1"},
    "concurrentStack": {"[0]": "2", "[1]": "1"},
    "bits": {"[0]": "true", "[1]": "false", "[2]": "true"},
    "manyBits": {f"[{number}]": "true" if number in (0, 37, 99) else "false" for number in range(100)},
    "names": {'["k"]': "Count = 2", '["j"]': "Count = 1"},
    "words": {'["x"]': '"y"'},
    "hybrid": {"[1]": "2"},
    "oldOrdered": {'["b"]': "1", '["a"]': "2"},
    "bag": {'["Name"]': '"n"', '["Count"]': "3"},
}
_IMMUTABLES = {
    "immutableArray": {"[0]": "1", "[1]": "2"},
    "immutableList": {"[0]": "1", "[1]": "2", "[2]": "3"},
    "immutableStack": {"[0]": "2", "[1]": "1"},
    "immutableSortedSet": {"[0]": "1", "[1]": "2", "[2]": "3"},
    "immutableSorted": {'["a"]': "1", '["b"]': "2"},
}


@pytest.mark.parametrize(
    ("mark", "expected"), [("ordinary", _ORDINARY), ("others", _OTHERS), ("immutables", _IMMUTABLES)]
)
def test_collections_open_to_their_items(
    runtime: Runtime, session: Session, mark: str, expected: dict[str, dict[str, str]]
) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Collections.cs", mark)
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    for name, items in expected.items():
        assert shown[name].value == f"Count = {len(items)}", name
        assert (shown[name].indexed_variables or 0) == len(items), name
        *children, raw = session.variables(shown[name].variables_reference)
        assert {child.name: child.value for child in children} == items, name
        assert raw.name == "Raw View"
        assert raw.variables_reference
        for child in children:
            assert _evaluated(session, child.evaluate_name or "", frame) == child.value, child.evaluate_name


def test_items_are_those_that_the_program_writes_itself(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Collections.cs", "logged")
    shown, frame = _check_written(session, "logged", 18)
    lookup = session.variables(shown["lookup"].variables_reference, filter="indexed")
    assert [(item.name, item.value) for item in lookup] == [("[false]", "Count = 2"), ("[true]", "Count = 1")]
    _check_dynamic_members(session, shown["answering"], frame)


def test_classes_that_derive_from_collections_have_their_own_items(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Collections.cs", "around")
    shown, _ = _check_written(session, "around", 12)
    assert shown["view"].value == "Count = 2"
    children = session.variables(shown["view"].variables_reference)
    assert [(child.name, child.value) for child in children[:-1]] == [("[0]", "2"), ("[1]", "4")]
    assert shown["headers"].value != "Count = 0"
    if "unordered" in shown:
        (pair,) = session.variables(shown["unordered"].variables_reference, filter="indexed")
        assert pair.value == "(1, 5)"


def _check_written(session: Session, last: str, least: int) -> tuple[dict[str, Variable], int]:
    """Compare the locals with the items that the program has written up to the line `last`, at `least` so many."""
    session.wait_until(lambda: f"{last}\n" in session.output("stdout"), "what the program wrote")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    lines = re.findall(r"^items of (\w+): (.*)$", session.output("stdout"), re.MULTILINE)
    written = [(name, line) for name, line in lines if name in shown]
    assert len(written) >= least
    for name, line in written:
        expected = line.split("|") if line else []
        assert shown[name].value == f"Count = {len(expected)}", name
        items = session.variables(shown[name].variables_reference, filter="indexed")
        is_dictionary = bool(expected) and "=" in expected[0]
        texts = [f"{item.name[1:-1]}={item.value}" if is_dictionary else item.value for item in items]
        assert [re.sub('[{}"]', "", text) for text in texts] == expected, name
        for item in items[:3]:
            assert _evaluated(session, item.evaluate_name or "", frame) == item.value, item.evaluate_name
    return shown, frame


def _check_dynamic_members(session: Session, shown: Variable, frame: int) -> None:
    """Only opening the Dynamic View asks the object; `,hidden` shows what an attribute hides."""
    (view,) = session.variables(shown.variables_reference)
    assert (view.name, view.value) == ("Dynamic View", "Expanding it asks the object for its dynamic members")
    hidden = session.request("evaluate", {"expression": "answering,hidden", "frameId": frame})["variablesReference"]
    (asked, _) = session.variables(hidden)
    assert (asked.name, asked.value) == ("Asked", "0")
    alone = session.request("evaluate", {"expression": "answering,dynamic", "frameId": frame})["variablesReference"]
    for reference in (view.variables_reference, alone):
        members = session.variables(reference)
        assert [(member.name, member.value) for member in members] == [("Length", "4"), ("Name", '"it"')]
        for member in members:
            assert _evaluated(session, member.evaluate_name or "", frame) == member.value
    assert _evaluated(session, "answering.Length + 1", frame) == "5"
    with pytest.raises(DapRequestError, match="CS1061"):
        _evaluated(session, "answering.Nothing", frame)
    with pytest.raises(DapRequestError, match="Dynamic View"):
        _evaluated(session, "lookup,dynamic", frame)


def _evaluated(session: Session, expression: str, frame: int) -> Any:
    return session.request("evaluate", {"expression": expression, "frameId": frame})["result"]


def test_items_are_read_in_pages(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", newest_runtime), "Collections.cs", "ordinary")
    shown = session.locals()
    for name in ("list", "dictionary", "holes", "queue", "stack", "linked", "sorted", "sortedSet", "sortedList"):
        reference = shown[name].variables_reference
        whole = [(child.name, child.value) for child in session.variables(reference, filter="indexed")]
        assert whole
        for start in range(len(whole) + 1):
            page = session.variables(reference, filter="indexed", start=start, count=2)
            assert [(child.name, child.value) for child in page] == whole[start : start + 2]
        assert [child.name for child in session.variables(reference, filter="named")] == ["Raw View"]


def test_pairs_of_a_priority_queue_have_the_names_that_it_gives_them(runtime: Runtime, session: Session) -> None:
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program has none")
    session.stop_in_file(programs.build("Shown", runtime), "Collections.cs", "others")
    shown = session.locals()
    kinds = {}
    for name in ("priority", "ofPairs"):
        item = session.variables(shown[name].variables_reference)[0]
        kinds[name] = item.type, [one.name for one in session.variables(item.variables_reference)[:2]]
    assert kinds == {
        "priority": ("(string Element, int Priority)", ["Element", "Priority"]),
        "ofPairs": ("((int A, string B) Element, int Priority)", ["Element", "Priority"]),
    }
