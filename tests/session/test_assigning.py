"""setVariable, setExpression and assignments in evaluate: what is stored, what is shown of it, what is refused."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import line_of


@pytest.fixture
def stopped(session):
    session.client.initialize(supportsInvalidatedEvent=True)
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    return session


def scope(client):
    return client.scopes(client.stack()[0].id)[0].variables_reference


def set_variable(client, reference, name, value):
    return client.request("setVariable", {"variablesReference": reference, "name": name, "value": value})


def test_variable_and_children_are_set_and_shown(stopped):
    client = stopped.client
    variables = client.locals()
    assert set_variable(client, scope(client), "total", "total + 5")["value"] == "5"
    assert set_variable(client, variables["numbers"].variables_reference, "[1]", "20")["value"] == "20"
    assert set_variable(client, variables["point"].variables_reference, "X", "9")["value"] == "9"
    shown = {entry.name: entry.value for entry in client.variables(variables["point"].variables_reference)}
    assert shown["X"] == "9"
    assert client.locals()["total"].value == "5"
    assert [entry.value for entry in client.variables(variables["numbers"].variables_reference)] == ["1", "20", "3"]


def test_static_member_is_set(stopped):
    client = stopped.client
    children = client.variables(client.locals()["point"].variables_reference)
    statics = next(entry for entry in children if entry.name == "Static members")
    assert set_variable(client, statics.variables_reference, "Made", "8")["value"] == "8"
    assert client.evaluate("Point.Made").result == "8"


def test_reference_is_set_to_another_object_and_to_null(stopped):
    client = stopped.client
    point = client.locals()["point"]
    answer = set_variable(client, point.variables_reference, "Next", "point")
    assert answer["variablesReference"] > 0
    assert client.evaluate("point.Next.Next.X").result == "4"
    assert set_variable(client, point.variables_reference, "Next", "null")["value"] == "null"


def test_string_is_made_in_the_program(stopped):
    client = stopped.client
    point = client.locals()["point"]
    assert set_variable(client, point.variables_reference, "Name", '"fi" + "ve"')["value"] == '"five"'
    assert client.evaluate("point.Name").result == '"five"'


def test_what_was_stored_invalidates_what_the_client_shows(stopped):
    client = stopped.client
    assert client.evaluate("total = 3").result == "3"
    assert client.events("invalidated") == [{"areas": ["variables"]}]
    client.evaluate("total")
    assert len(client.events("invalidated")) == 1
    assert client.locals()["total"].value == "3"


def test_hover_changes_nothing(stopped):
    client = stopped.client
    for expression in ("total = 3", "total++", "(total = 3) + 1"):
        with pytest.raises(DapRequestError, match="watch"):
            client.evaluate(expression, context="hover")
    assert client.evaluate("total").result == "0"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("total", '"a"', "CS0029"),
        ("total", "5L", "CS0266"),
        ("total", "null", "CS0037"),
        ("total", "3000000000", "CS0266"),
        ("total", "1 +", "Syntax error"),
        ("numbers", "point", "CS0029"),
        ("none", "1", "no variable 'none'"),
    ],
)
def test_wrong_value_is_refused_in_the_compilers_words(stopped, name, value, said):
    with pytest.raises(DapRequestError, match=said):
        set_variable(stopped.client, scope(stopped.client), name, value)
    refused = next(one.message for one in reversed(stopped.client.messages) if one.message["type"] == "response")
    assert refused["body"]["error"]["showUser"] is True  # nothing else tells the user
    assert stopped.client.locals()["total"].value == "0"


def test_child_of_an_expressions_result_is_set_through_its_name(stopped):
    client = stopped.client
    opened = client.evaluate("point")
    assert set_variable(client, opened.variables_reference, "X", "6")["value"] == "6"
    assert client.evaluate("point.X").result == "6"
