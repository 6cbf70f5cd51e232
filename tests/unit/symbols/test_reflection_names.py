"""The names that reflection has for types, taken apart."""

from __future__ import annotations

import pytest

from dap_dotnet.symbols.reflection_names import ReflectionName, parse_reflection_name

INT = ReflectionName("System.Int32", assembly="System.Private.CoreLib")
CORE = "System.Private.CoreLib, Version=10.0.0.0, Culture=neutral, PublicKeyToken=7cec85d7bea7798e"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("App.View", ReflectionName("App.View")),
        ("App.Outer`1+View`2", ReflectionName("App.Outer`1+View`2")),
        ("App.View, app, Version=1.0.0.0, Culture=neutral", ReflectionName("App.View", assembly="app")),
        ("App.View,app", ReflectionName("App.View", assembly="app")),
        (f"App.View`1[[System.Int32, {CORE}]], app", ReflectionName("App.View`1", (INT,), assembly="app")),
        (
            f"App.View`2[[System.Int32, {CORE}],[App.Box`1[[System.Int32, {CORE}]], app]]",
            ReflectionName("App.View`2", (INT, ReflectionName("App.Box`1", (INT,), assembly="app"))),
        ),
        ("App.View`1[[App.Box[][,], app]]", ReflectionName(
            "App.View`1", (ReflectionName("App.Box", ranks=(1, 2), assembly="app"),))),
    ],
)  # fmt: skip
def test_a_name_has_its_arguments_and_its_assembly(text: str, parsed: ReflectionName) -> None:
    assert parse_reflection_name(text) == parsed


@pytest.mark.parametrize(
    "text", ["", " ", ", app", "App.View`1[[", "App.View`1[[App.Box]", "App.Box*", "App.Box&", "A]"]
)
def test_what_is_no_such_name_is_refused(text: str) -> None:
    assert parse_reflection_name(text) is None
