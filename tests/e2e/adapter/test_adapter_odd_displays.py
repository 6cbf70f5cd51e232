"""Types that say in odd ways how they are shown, on every runtime."""

from __future__ import annotations

import pytest

from dap_dotnet.protocol.messages.variables import EvaluateResponseBody, Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_objects_that_are_root_hidden_in_themselves_end(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    members = session.variables(session.locals()["ring"].variables_reference)
    numbers = [one for one in members if one.name == "Number"]
    assert len(numbers) == 5
    (rest,) = [one for one in members if one.name == "Next"]
    assert (rest.value, rest.evaluate_name) == ("{Ring}", "ring.Next.Next.Next.Next.Next")
    assert "Number" in [one.name for one in session.variables(rest.variables_reference)]


def test_what_is_root_hidden_is_shown_by_its_proxy(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    members = session.variables(session.locals()["holder"].variables_reference)
    assert [(one.name, one.value) for one in members] == [("Twice", "6"), ("Counted", "{Counted}")]
    assert session.evaluate("Counted.Views").result == "0"
    inside = session.variables(members[1].variables_reference)
    assert [(one.name, one.value) for one in inside] == [("Answer", "42"), ("Raw View", "")]


def test_only_an_override_of_objects_to_string_tells_the_text(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    expected = {
        "hiding": "{spoken 1}",
        "hidingVirtually": "{spoken 1}",
        "overridingHidden": "{spoken 1}",
        "spokenAgain": "{again spoken 1}",
        "hidingStructure": "{HidingStructure}",
    }
    assert {name: session.evaluate(name).result for name in expected} == expected
    elements = [one.value for one in session.variables(session.locals()["all"].variables_reference)]
    assert elements[2:] == list(expected.values())


def test_a_display_knows_the_type_arguments_of_its_class(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    assert session.evaluate("number").result == '"Int32" 0 3'
    assert session.evaluate("words").result == '"String" null "w"'
    assert session.evaluate("cells").result == '"Int32[]" null null'  # T is that of Cell<T>, which has the display


_COMPOSED = {
    "pair": "({number 7}, 1)",
    "nested": '({number 1}, ({number 2}, "x"), null)',
    "entry": "{[1, {number 7}]}",
    "anonymous": "{ One = {number 7}, Other = {spoken 1} }",
    "task": "Status = RanToCompletion, Result = {number 7}",
}


def test_values_inside_others_have_their_own_texts(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "composed", "composed")
    assert {name: session.evaluate(name).result for name in _COMPOSED} == _COMPOSED
    assert session.evaluate("pair", context="hover").result == "({number 7}, 1)"
    shown = session.locals()
    assert {name: shown[name].value for name in _COMPOSED} == _COMPOSED
    assert session.variables(shown["keyed"].variables_reference)[0].name == "[(1, {number 7})]"
    first = session.variables(session.evaluate("nested").variables_reference)[0]
    assert (first.value, first.evaluate_name) == ("{number 1}", "nested.Item1")


def test_values_inside_others_run_nothing_where_that_is_switched_off(runtime: Runtime, session: Session) -> None:
    options = {"allowToString": False}
    session.stop_in(programs.build("OddDisplays", runtime), "composed", "composed", expressionEvaluationOptions=options)
    shown = session.values()
    assert (shown["pair"], shown["entry"]) == ("({Counting}, 1)", "{[1, {Counting}]}")
    assert session.evaluate("pair").result == "({Counting}, 1)"
    assert session.evaluate("Counting.Calls").result == "0"


def test_structures_of_shared_code_have_their_exact_types(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    entry = session.evaluate("shared.Entry")
    assert (entry.result, entry.type) == ('{["k", 1]}', "KeyValuePair<string, int>")
    key = session.variables(entry.variables_reference)[0]
    assert (key.name, key.value, key.type) == ("Key", '"k"', "string")
    assert session.evaluate("shared.Found()").type == "KeyValuePair<string, int>?"
    assert session.evaluate("shared.All()").type == "Dictionary<string, int>.Enumerator"
    assert session.evaluate('shared.Entry.Key + shared.Entry.Value + "x".Length').result == '"k11"'


def test_static_readonly_fields_say_so(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")
    (group,) = session.variables(session.evaluate("statics").variables_reference)
    hints = {one.name: one.presentation_hint for one in session.variables(group.variables_reference)}
    attributes = {name: hint.attributes for name, hint in hints.items() if hint is not None}
    assert attributes == {"Changing": ["static"], "Fixed": ["static", "readOnly", "rawString"]}


def test_values_say_how_they_were_had(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("OddDisplays", runtime), "odd")

    def way(shown: Variable | EvaluateResponseBody) -> list[str]:
        attributes = shown.presentation_hint.attributes if shown.presentation_hint is not None else None
        return [one for one in attributes or () if one in ("interpreted", "called")]

    shown = session.locals()
    assert [way(shown[name]) for name in ("hiding", "hidingStructure")] == [["called"], []]
    members = {one.name: one for one in session.variables(shown["hiding"].variables_reference)}
    assert [way(members[name]) for name in ("Number", "Next", "Running")] == [[], ["interpreted"], []]
    (ran,) = session.variables(members["Running"].variables_reference)
    assert (ran.value, way(ran)) == ('"12"', ["called"])
    (twice, counted) = session.variables(shown["holder"].variables_reference)
    assert (way(twice), way(counted)) == (["interpreted"], [])
    evaluated = ("hiding.Number + 1", "hiding.Next", "hiding.Running", "hiding", "hidingStructure")
    assert [way(session.evaluate(one)) for one in evaluated] == [[], ["interpreted"], ["called"], ["called"], []]


def test_values_say_where_the_actual_type_was_taken(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Delegates", runtime), "here")
    for expression, attributes in {
        "shape.Legs": ["boundToActualType"],
        "animal.Area() + 1": ["interpreted", "boundToActualType"],
        "((Dog)shape).Legs": None,
        "((dynamic)animal).Legs": None,
        "dog.Legs": None,
    }.items():
        shown = session.evaluate(expression)
        hint = shown.presentation_hint
        assert (shown.result, hint and hint.attributes) == ("5" if "+" in expression else "4", attributes), expression
