"""Log messages."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.breakpoints.logpoints import Expression, Name, Text, parse_log_message
from dap_dotnet.errors import UserError


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("", ()),
        ("plain", (Text("plain"),)),
        ("i={i}", (Text("i="), Expression("i"))),
        ("{a}{b,h}", (Expression("a"), Expression("b,h"))),
        ("{{x}} {y}", (Text("{x} "), Expression("y"))),
        ('{d["}"]}', (Expression('d["}"]'),)),
        ("{c == '}' ? 1 : 2}", (Expression("c == '}' ? 1 : 2"),)),
        ("{new[] { 1, 2 }.Length}", (Expression("new[] { 1, 2 }.Length"),)),
        ("in $FUNCTION at $HITCOUNT", (Text("in "), Name("FUNCTION"), Text(" at "), Name("HITCOUNT"))),
        ("$CALLER$CALLSTACK", (Name("CALLER"), Name("CALLSTACK"))),
        ("$PRICE and $TIDY", (Text("$PRICE and $TIDY"),)),
    ],
)
def test_message_is_split(message: str, parts: tuple[object, ...]) -> None:
    assert parse_log_message(message) == parts


@pytest.mark.parametrize(("message", "column"), [("a {b", 3), ("a } b", 3), ("{}", 1), ("{ }", 1), ('{"a}', 1)])
def test_wrong_message_names_the_column(message: str, column: int) -> None:
    with pytest.raises(UserError, match=f"column {column}:"):
        parse_log_message(message)


@given(st.text(alphabet="{}$ab\"'\\ FUNCTION", max_size=40))
def test_any_text_is_split_or_refused(message: str) -> None:
    with contextlib.suppress(UserError):
        assert all(isinstance(part, (Text, Expression, Name)) for part in parse_log_message(message))
