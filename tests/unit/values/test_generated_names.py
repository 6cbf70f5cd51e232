"""What compilers call variables that they move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.values.context import Program
from dap_dotnet.values.frame_variables import frame_variables
from dap_dotnet.values.generated_names import (
    FieldRole,
    closure_field,
    is_closure_local,
    runs_in_state_machine,
    state_machine_field,
)
from dap_dotnet.values.rendering import render
from tests.unit.evaluation.fakes import World

ALIVE, DEAD = [(0, 100)] * 3, [(50, 10)] * 3


@pytest.mark.parametrize(
    ("name", "role", "shown"),
    [
        ("<sum>5__2", FieldRole.VARIABLE, "sum"),
        ("$VB$ResumableLocal_sum$1", FieldRole.VARIABLE, "sum"),
        ("$VB$ResumableLocal_$VB$Closure_1$0", FieldRole.CLOSURE, ""),
        ("count", FieldRole.PARAMETER, "count"),
        ("$VB$Local_count", FieldRole.PARAMETER, "count"),
        ("<>4__this", FieldRole.THIS, "this"),
        ("$VB$Me", FieldRole.THIS, "this"),
        ("<>1__state", FieldRole.NOTHING, ""),
        ("<>3__count", FieldRole.NOTHING, ""),
        ("$State", FieldRole.NOTHING, ""),
        ("$P_count", FieldRole.NOTHING, ""),
        ("$A0", FieldRole.NOTHING, ""),
    ],
)
def test_fields_of_state_machines(name: str, role: FieldRole, shown: str) -> None:
    assert state_machine_field(name, ALIVE, 7) == (role, shown)


@pytest.mark.parametrize("name", ["<sum>5__2", "$VB$ResumableLocal_sum$1"])
def test_hoisted_locals_are_shown_in_their_scopes_only(name: str) -> None:
    assert state_machine_field(name, DEAD, 7) == (FieldRole.NOTHING, "")
    assert state_machine_field(name, [(0, 9), (50, 10), (0, 9)], 7) == (FieldRole.NOTHING, "")  # each has its own
    assert state_machine_field(name, [(50, 10), (0, 9), (50, 10)], 7) == (FieldRole.VARIABLE, "sum")


@pytest.mark.parametrize(
    ("name", "role", "shown"),
    [
        ("x", FieldRole.VARIABLE, "x"),
        ("$VB$Local_x", FieldRole.VARIABLE, "x"),
        ("CS$<>8__locals1", FieldRole.CLOSURE, ""),
        ("$VB$NonLocal_$VB$Closure_2", FieldRole.CLOSURE, ""),
        ("$VB$Me", FieldRole.THIS, "this"),
        ("<>9__1", FieldRole.NOTHING, ""),
        ("$I2-0", FieldRole.NOTHING, ""),
    ],
)
def test_fields_of_closures(name: str, role: FieldRole, shown: str) -> None:
    assert closure_field(name, lambda _: False) == (role, shown)


def test_variables_of_patterns_are_shown_where_they_have_values_only() -> None:
    assert closure_field("<s>5__2", {"<s>5__2"}.__contains__) == (FieldRole.VARIABLE, "s")
    assert closure_field("<s>5__3", {"<s>5__2"}.__contains__) == (FieldRole.NOTHING, "")


def test_locals_that_hold_closures() -> None:
    assert is_closure_local("CS$<>8__locals0")
    assert is_closure_local("$VB$Closure_0")
    assert not is_closure_local("locals0")


@pytest.mark.parametrize(
    ("kickoff", "name", "expected"),
    [(0x06000001, "MoveNext", True), (None, "<>m__Finally1", True), (None, "MoveNext", False), (None, "Main", False)],
)
def test_methods_of_state_machines(kickoff: int | None, name: str, expected: bool) -> None:
    module: Any = SimpleNamespace(
        pdb=SimpleNamespace(kickoff_method=lambda method: kickoff),
        metadata=SimpleNamespace(method=lambda method: SimpleNamespace(name=name)),
    )
    assert runs_in_state_machine(module, 0x06000002) is expected
    assert not runs_in_state_machine(None, 0x06000002)


def test_parameters_of_primary_constructors_are_among_the_variables_of_members() -> None:
    world = World()
    point = world.type("App.Point")
    for name in ("<size>P", "<hidden>P", "plain"):
        world.field(point, name, "int")
    method = world.method(point, "Grow", "void", [("hidden", "int")])
    world.method_token = method.token
    this = world.new(point, **{"<size>P": world.scalar("int", 4), "<hidden>P": world.scalar("int", 5)})
    world.arguments = [this, world.scalar("int", 6)]
    context = world.context
    program: Program = context.program
    found = frame_variables(context)
    assert {one.name: render(program, one.value).text for one in found.arguments} == {"hidden": "6", "size": "4"}
    captured = found.captured("size")
    assert captured is not None
    assert captured.field.field.name == "<size>P"
