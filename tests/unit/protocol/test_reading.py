"""The rule for what clients send, case by case; tests/session/test_liberal.py has it for every member."""

from typing import Annotated

import pytest

from dap_dotnet.protocol.messages.base import NEEDED, Request, Response, WireModel
from dap_dotnet.protocol.messages.breakpoints import SetBreakpointsArguments, SourceBreakpoint
from dap_dotnet.protocol.messages.initialize import InitializeRequestArguments
from dap_dotnet.protocol.messages.lifecycle import TerminateArguments
from dap_dotnet.protocol.messages.variables import EvaluateArguments, VariablesArguments
from dap_dotnet.protocol.reading import NotUnderstoodError, read


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("3", 3),
        (" -3 ", -3),
        (3.0, 3),
        (3, 3),
        ("3.5", None),
        (3.5, None),
        (True, None),
        (1e300, None),
        ("1" * 30, None),
    ],
)
def test_integer_is_what_can_only_mean_one(given, meant):
    if meant is not None:
        assert read(SourceBreakpoint, {"line": given}, "x").line == meant
        return
    with pytest.raises(NotUnderstoodError):
        read(SourceBreakpoint, {"line": given}, "x")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("False", False), (0, False), (1.0, True), ("yes", True), (None, None), (2, "refused")],
)
def test_flag_is_what_can_only_mean_one(given, meant):
    if meant != "refused":
        assert read(InitializeRequestArguments, {"linesStartAt1": given}, "x").lines_start_at1 is meant
        return
    with pytest.raises(NotUnderstoodError):
        read(InitializeRequestArguments, {"linesStartAt1": given}, "x")


@pytest.mark.parametrize(("given", "meant"), [(5, "5"), (2.5, "2.5"), (True, "true"), ("", ""), (None, None)])
def test_text_takes_numbers_and_flags(given, meant):
    assert read(SourceBreakpoint, {"line": 1, "hitCondition": given}, "x").hit_condition == meant


def test_words_are_taken_in_any_letter_case_and_unknown_ones_dropped():
    for given, meant in (("Indexed", "indexed"), ("indexed ", "indexed"), ("", None), ("odd", None), ([], None)):
        assert read(VariablesArguments, {"variablesReference": 1, "filter": given}, "x").filter == meant


def test_empty_lists_and_objects_stand_for_each_other():
    arguments = read(SetBreakpointsArguments, {"source": {"path": "a"}, "breakpoints": {}}, "x")
    assert arguments.breakpoints == []
    assert read(EvaluateArguments, {"expression": "a", "format": []}, "x").format is not None
    assert read(TerminateArguments, [], "x") == read(TerminateArguments, None, "x") == TerminateArguments()


def test_innermost_member_that_may_be_absent_is_dropped():
    source = {
        "path": "a",
        "sources": [{"name": "b", "origin": []}],
        "checksums": [{"algorithm": "CRC", "checksum": "0"}],
    }
    read_source = read(SetBreakpointsArguments, {"source": source}, "x").source
    assert read_source.sources is not None
    assert (read_source.sources[0].name, read_source.sources[0].origin) == ("b", None)
    assert read_source.checksums is None
    assert read_source.path == "a"


def test_needed_member_inside_of_one_that_is_not_takes_that_with_it():
    assert read(EvaluateArguments, {"expression": "a", "source": {"path": []}}, "x").source is None


def test_all_that_is_needed_and_not_understood_is_refused_at_once():
    wanted = [{"line": 1, "condition": {}}, {"line": 2, "mode": []}, {"column": 1}]
    with pytest.raises(NotUnderstoodError) as raised:
        read(SetBreakpointsArguments, {"source": {"path": "a"}, "breakpoints": wanted}, "x")
    assert [detail["loc"] for detail in raised.value.details] == [
        ("breakpoints", 0, "condition"),
        ("breakpoints", 2, "line"),
    ]


def test_members_of_several_types_are_mended_as_any_of_them():
    class Inner(WireModel):
        is_on: bool = False

    class Outer(WireModel):
        either: Inner | bool | None = None
        number_or_text: int | str = 0
        needed: Annotated[Inner | bool, NEEDED] = False

    assert read(Outer, {"either": "true"}, "x").either is True
    assert read(Outer, {"either": {"isOn": "yes"}}, "x").either == Inner(is_on=True)
    assert read(Outer, {"either": 7, "numberOrText": []}, "x") == Outer()
    with pytest.raises(NotUnderstoodError) as raised:
        read(Outer, {"needed": "banana"}, "x")
    assert {detail["loc"] for detail in raised.value.details} == {("needed",)}


def test_envelope_is_read_by_the_same_rule():
    request = read(Request, {"seq": "7", "type": "Request", "command": "threads"}, "request")
    assert (request.seq, request.type) == (7, "request")
    response = read(Response, {"type": "response", "request_seq": 7.0, "success": "true", "command": "x"}, "response")
    assert (response.request_seq, response.success) == (7, True)
