"""What calls have returned, after steps over and out of them."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def returned(session: Session) -> list[tuple[str, str]]:
    """Name and value of each call in the scope "Return values" of the top frame."""
    scopes = session.request("scopes", {"frameId": session.stack(count=1)[0].id})["scopes"]
    references = [scope["variablesReference"] for scope in scopes if scope["name"] == "Return values"]
    found = [session.request("variables", {"variablesReference": one})["variables"] for one in references]
    return [(one["name"].removesuffix(" returned"), one["value"]) for variables in found for one in variables]


def test_returned_values_of_a_statement(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "calls-nested")
    session.step_over()
    assert returned(session) == [("Program.Add", "4"), ("Program.Twice", "8")]
    assert session.evaluate("$returnValue - $returnValue1").result == "4"
    session.step_over()
    texts = [("Int32.ToString", '"11"'), ("String.Concat", '"sum 11"')]
    assert returned(session) == texts
    assert session.evaluate("$returnValue.Length").result == "6"


def test_returned_values_of_one_activation(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "recurse")
    session.set_breakpoints(str(program.source), [])
    session.step_over()
    assert returned(session) == [("Program.Recurse", "2")]  # and nothing of what the inner ones have returned


def test_returned_value_of_an_await(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "await-first")
    session.step_over()
    assert session.line() == program.line("await-yield")
    names = [name for name, _ in returned(session)]
    assert names == ["Program.Later", "await"]
    assert returned(session)[1] == ("await", "20")


def test_returned_values_have_no_names_of_the_compilers(newest_runtime: Runtime, session: Session) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("its compiler has no records")
    program = programs.build("TopLevel", newest_runtime)
    session.stop_in(program, "with")
    session.step_over()
    assert session.line() == program.line("concat")
    assert [name for name, _ in returned(session)].count("with") == 3
    assert [value for name, value in returned(session) if name == "with"][1] == "{Point { X = 3, Y = 2 }}"
    session.step_over()
    # What is made of the arguments for a parameter `params ReadOnlySpan<string>` is none of them.
    assert [name for name, _ in returned(session)] == ["Pair<int>.Value", "Int32.ToString", "String.Concat"]


# The marker of a statement; what is shown after a step over it: the name and value of each call.
STRUCTS = {
    "local": [("Program.Price", "3.5")],
    "nullable": [("Program.None", "null")],
    "static": [("Program.Pair", '(1, "one")')],
    "field": [("Program.Day", "{01/02/2020 00:00:00}")],
    "field-operator": [("Decimal.operator +", "2.5")],
    "condition": [("Decimal.operator >", "true")],
    "operator": [("Decimal.operator +", "8.0")],
    "nothing-stored": [],
    "either": [],
    "fails": [],
    "changed": [("Program.Price", "8.5")],
    "after-await": [("Program.Price", "9.5")],
}


def test_returned_structs_are_read_from_where_the_statement_stores_them(runtime: Runtime, session: Session) -> None:
    program = programs.build("StructResults", runtime)
    session.stop_in(program, "local")
    shown = {}
    for marker in STRUCTS:
        if session.line() != program.line(marker):
            session.set_breakpoints(str(program.source), [program.line(marker)])
            session.continue_()
            session.wait_for_stop()
        session.step_over()
        shown[marker] = returned(session)
    assert shown == STRUCTS


def test_returned_struct_is_shown_with_its_parts(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("StructResults", newest_runtime)
    session.stop_in(program, "static")
    session.step_over()
    assert session.evaluate("$returnValue.Item2.Length + $returnValue1.Item1").result == "4"
