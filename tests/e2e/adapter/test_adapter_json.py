"""System.Text.Json: documents, elements and nodes as trees, read from memory, against their text, on every runtime."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dap_dotnet.protocol.messages.variables import Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]
_READING_ONLY = {"allowImplicitFuncEval": False}


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, with those that have the same name."""


class _Number(str):
    """As it is written."""

    __slots__ = ()


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number)


def _tree(session: Session, shown: Variable) -> Any:
    """What a variable is shown as, down to the leaves."""
    if not shown.variables_reference:
        text = shown.value
        return json.loads(text) if not text[0].isdigit() and text[0] != "-" else _Number(text)
    *children, raw = session.variables(shown.variables_reference)
    assert raw.name == "Raw View"
    if shown.value.startswith("{"):
        return _Pairs((json.loads(child.name[1:-1]), _tree(session, child)) for child in children)
    assert [child.name for child in children] == [f"[{number}]" for number in range(len(children))]
    return [_tree(session, child) for child in children]


def test_documents_and_elements_are_trees(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    session.stop_in_file(program, "JsonDocuments.cs", "json", expressionEvaluationOptions=_READING_ONLY)
    shown = session.locals()
    texts = {name: shown[name].value for name in ("document", "root", "part", "undefined", "property")}
    whole = '{"id":7,"tags":["a",3,null],"id":8,"e":{},"f":[]}'
    assert texts == {
        "document": whole,
        "root": whole,
        "part": '["a",3,null]',
        "undefined": "undefined",
        "property": '"id": 7',
    }
    assert _tree(session, shown["document"]) == _tree(session, shown["root"]) == _parsed(whole)
    random = shown["randomText"]
    assert random.value.endswith('"'), "the random text is not shown as a whole"
    assert _tree(session, shown["mixed"]) == _parsed(json.loads(random.value))


def test_members_are_meant_by_their_expressions(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "JsonDocuments.cs", "json")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    meant = {}
    for name in ("document", "part", "mixed"):
        for child in session.variables(shown[name].variables_reference)[:-1]:
            if child.evaluate_name is not None:
                meant[child.evaluate_name] = child.value
    assert 'document.RootElement.GetProperty("tags")' in meant
    assert meant['document.RootElement.GetProperty("id")'] == "8"  # the last one is meant, and the first by nothing
    for expression, value in meant.items():
        assert session.evaluate(expression, frame).result == value, expression


def test_page_of_a_long_array(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "JsonDocuments.cs", "json")
    many = session.locals()["many"]
    assert many.indexed_variables == 20_000
    for start in (0, 4_094, 19_990):
        page = session.variables(many.variables_reference, start=start, count=10, filter="indexed")
        assert [(item.name, item.value) for item in page] == [(f"[{at}]", str(at)) for at in range(start, start + 10)]


def test_document_that_was_disposed_of_is_no_tree(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    session.stop_in_file(program, "JsonDocuments.cs", "json", expressionEvaluationOptions=_READING_ONLY)
    shown = session.locals()
    assert shown["disposed"].value == "{JsonDocument}"
    assert not shown["disposed"].indexed_variables
    assert not shown["ofDisposed"].indexed_variables


def test_nodes_are_trees_parsed_or_not(runtime: Runtime, session: Session) -> None:
    if runtime.major in ("3.1", "5.0"):
        pytest.skip("there are nodes from .NET 6 on")
    program = programs.build("Shown", runtime)
    session.stop_in_file(program, "JsonDocuments.cs", "nodes", expressionEvaluationOptions=_READING_ONLY)
    shown = session.locals()
    assert {name: shown[name].value for name in ("parsed", "used", "made", "empty")} == {
        "parsed": "JsonObject[4]",
        "used": "JsonObject[4]",
        "made": "JsonObject[4]",
        "empty": "JsonObject[0]",
    }
    for name in ("parsed", "used"):
        children = {child.name: child for child in session.variables(shown[name].variables_reference)[:-1]}
        assert list(children) == ['["id"]', '["tags"]', '["e"]', '["f"]']
        assert children['["id"]'].value == "7"
        tags = session.variables(children['["tags"]'].variables_reference)[:-1]
        assert [tag.value for tag in tags] == ['"a"', "3", "null"]
    made = session.variables(shown["made"].variables_reference)[:-1]
    assert [(child.name, child.value, child.evaluate_name) for child in made] == [
        ('["n"]', "1", 'made["n"]'),
        ('["s"]', '"two"', 'made["s"]'),
        ('["l"]', "JsonArray[3]", 'made["l"]'),
        ('["o"]', "null", 'made["o"]'),
    ]
    items = session.variables(made[2].variables_reference)[:-1]
    assert [(item.value, item.evaluate_name) for item in items] == [
        ("1", 'made["l"][0]'),
        ('"x"', 'made["l"][1]'),
        ("null", 'made["l"][2]'),
    ]
