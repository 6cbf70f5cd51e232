"""Collections as their items, read from their fields, on every runtime."""

from __future__ import annotations

from typing import Any

import pytest

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
_OTHERS = {"concurrent": {'["one"]': "1"}, "concurrentStack": {"[0]": "2", "[1]": "1"}}
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
