"""Methods that a step does not stop in: by the debugger's attributes, and by step filtering."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session, marker_at

pytestmark = pytest.mark.e2e

FIRST_OF_CSHARP_14 = 10
"""The .NET whose SDK has the first compiler of C# 14."""

# The marker where a session starts; the markers where steps into the statement end.
ATTRIBUTES = {
    "step-through-stops-in-what-it-calls": ("through", "through"),
    "non-user-code": ("non-user", "hidden"),
    "hidden": ("hidden", "typed"),
    "on-a-type": ("typed", "boundary"),
    "stepper-boundary": ("boundary", "bounded"),
    "stepper-boundary-of-non-user-code": ("bounded", "setter"),
}
FILTERED = {"setter": "getter", "getter": "same", "operator": "in-make"}


@pytest.mark.parametrize("case", ATTRIBUTES)
def test_step_into_passes_methods_with_attributes_by(runtime: Runtime, session: Session, case: str) -> None:
    start, expected = ATTRIBUTES[case]
    program = programs.build("Attributes", runtime)
    session.stop_in(program, start)
    session.step_in()
    assert marker_at(program, session.line()) == expected
    if case == "step-through-stops-in-what-it-calls":
        assert "lambda" in session.here()[0]
        session.step_out()
        assert session.here() == ("Attributes.Program.Main(string[] args)", program.line("through"))


@pytest.mark.parametrize("case", FILTERED)
def test_step_into_passes_properties_and_operators_by(runtime: Runtime, session: Session, case: str) -> None:
    program = programs.build("Attributes", runtime)
    session.stop_in(program, case)
    session.step_in()
    if case == "operator":
        assert marker_at(program, session.line()) == "in-make"
        session.step_out()
        session.step_in()
        assert marker_at(program, session.line()) == "end"
    else:
        assert marker_at(program, session.line()) == FILTERED[case]
    assert session.output("console").count("Stepped over") == 1


def test_step_into_passes_extension_properties_by(newest_runtime: Runtime, session: Session) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("extension blocks are of C# 14")
    program = programs.build("Attributes", newest_runtime)
    session.stop_in(program, "extension")
    session.step_in()
    assert marker_at(program, session.line()) == "anonymous"
    assert session.output("console").count("Stepped over") == 1


@pytest.mark.parametrize(
    ("marker", "name"),
    [
        ("in-extension", "Attributes.Extensions.Length.get"),
        ("in-extension-setter", "Attributes.Extensions.Letters.set"),
        ("in-extension-operator", "Attributes.Extensions.operator *(Attributes.Holder one, int times)"),
    ],
)
def test_members_of_extension_blocks_are_named_as_others_of_their_kind(
    newest_runtime: Runtime, session: Session, marker: str, name: str
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("extension blocks are of C# 14")
    session.stop_in(programs.build("Attributes", newest_runtime), marker)
    assert session.stack()[0].name == name


def test_nothing_is_said_of_a_property_without_source_that_no_step_could_stop_in(
    newest_runtime: Runtime, session: Session
) -> None:
    program = programs.build("Attributes", newest_runtime)
    session.stop_in(program, "anonymous")
    session.step_in()
    assert session.line() == program.line("anonymous") + 1
    assert "Stepped over" not in session.output("console")


def test_step_into_properties_without_step_filtering(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Attributes", newest_runtime)
    session.stop_in(program, "getter", enableStepFiltering=False)
    session.step_in()
    assert marker_at(program, session.line()) == "in-getter"
    assert "Stepped over" not in session.output("console")


def test_non_user_code_is_stepped_into_without_just_my_code(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Attributes", newest_runtime)
    session.stop_in(program, "non-user", justMyCode=False)
    session.step_in()
    assert session.line() == program.line("in-non-user") - 1


@pytest.mark.parametrize("marker", ["in-through", "in-non-user", "in-hidden", "in-typed"])
def test_breakpoint_in_a_method_that_is_passed_by_does_not_stop(
    newest_runtime: Runtime, session: Session, marker: str
) -> None:
    program = programs.build("Attributes", newest_runtime)
    session.launch_program(program, stop_at=[marker, "end"])
    session.wait_for_stop()
    assert marker_at(program, session.line()) == "end"


def test_exception_that_only_code_with_an_attribute_catches_is_user_unhandled(
    runtime: Runtime, session: Session
) -> None:
    program = programs.build("Attributes", runtime)
    session.launch_program(program, "throw", exception_filters=["user-unhandled"])
    assert session.wait_for_stop().reason == "exception"
    assert marker_at(program, session.line()) == "throw"
    assert session.exception_info().break_mode == "userUnhandled"
    session.continue_()
    assert session.wait_for_exit() == 0


def test_step_into_comes_back_to_a_property_that_a_breakpoint_has_led_into(runtime: Runtime, session: Session) -> None:
    program = programs.build("Attributes", runtime)
    session.stop_in(program, "in-returned")
    session.set_breakpoints(str(program.source), [])
    session.step_in()
    session.step_in()
    assert marker_at(program, session.line()) == "in-same"


def test_an_exception_in_a_method_with_an_attribute_is_shown_where_it_was_called(
    runtime: Runtime, session: Session
) -> None:
    program = programs.build("Attributes", runtime)
    session.launch(str(program.dll), ["throw"], env=dict(program.env), exception_filters=["all"])
    assert session.wait_for_stop().reason == "exception"
    frames = session.stack()
    assert [frame.name for frame in frames][:2] == ["[External Code]", "Attributes.Program.Throw()"]
    assert frames[1].line == program.line("none-of-ours")
    session.continue_()
    assert session.wait_for_stop().reason == "exception"
    assert session.stack(count=1)[0].line == program.line("throw")
