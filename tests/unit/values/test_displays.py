"""Which DebuggerDisplay an object has, and where the names in it are looked up, without .NET."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from dap_dotnet.evaluation.object_expressions import EvaluatedObjectExpressions
from dap_dotnet.values.rendering import render
from tests.unit.evaluation.fake_metadata import FakeType
from tests.unit.evaluation.fakes import THREAD, World


class Shown:
    """`App.Box` in `App.Outer`, with a class of its own, and with names around it, beside it and imported."""

    def __init__(self) -> None:
        self.world = world = World()
        world.module.__dict__["is_user_code"] = True
        outer = world.type("App.Outer")
        self.constant(outer, "Around", 1)
        deepest = world.type("App.Deepest")
        self.constant(world.type("App.Deepest+Deep"), "InBase", 2)
        self.box = world.type("App.Outer+Box", deepest.full_name)
        world.field(self.box, "number", "int")
        self.constant(self.box, "Own", 3)
        self.constant(world.type("App.Outer+Box+Inner"), "Nested", 4)
        self.constant(world.type("App.Helper"), "Beside", 5)
        self.constant(world.type("Far.Imported"), "FromFar", 6)
        world.method(outer, "Some", "void")
        world.pdb.imports.append(SimpleNamespace(kind=1, namespace="Far", alias=None, type=None))
        world.field(world.type("System.Exception"), "_message", "string")
        self.thrown = world.type("App.Thrown", "System.Exception")

    def constant(self, owner: FakeType, name: str, value: int) -> None:
        self.world.field(owner, name, "int", static=True).constant_value = value

    def display(self, on: FakeType, text: str) -> None:
        attribute: Any = SimpleNamespace(
            type_name="System.Diagnostics.DebuggerDisplayAttribute",
            fixed_arguments=[SimpleNamespace(value=text)],
            named_arguments=[],
        )
        self.world.metadata.attributes[on.token] = [attribute]

    def text(self, of: FakeType, **fields: Any) -> str:
        expressions = EvaluatedObjectExpressions(THREAD, lambda thread, timeout_s: None)  # type: ignore[arg-type,return-value]
        program = structs.replace(self.world.context.program, expressions=expressions)
        self.world.locals[:] = [self.world.new(of, **fields)]
        return render(program, self.world.debuggee.locals(THREAD, 0)[0]).text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("number", "7"),
        ("Around", "1"),
        ("Deep.InBase", "2"),
        ("Own", "3"),
        ("Inner.Nested", "4"),
        ("Helper.Beside", "5"),
        ("Outer.Box.Own", "3"),
        ("Imported.FromFar", "6"),
    ],
)
def test_names_are_those_in_scope_where_the_type_is_declared(expression: str, text: str) -> None:
    shown = Shown()
    shown.display(shown.box, f"is {{{expression}}}")
    assert shown.text(shown.box, number=7) == f"is {text}"


def test_a_display_stands_before_what_is_shown_of_an_exception_anyway() -> None:
    shown = Shown()
    assert shown.text(shown.thrown, _message=shown.world.text("what")) == "{App.Thrown: what}"
    shown = Shown()
    shown.display(shown.thrown, "ours")
    assert shown.text(shown.thrown, _message=shown.world.text("what")) == "ours"
