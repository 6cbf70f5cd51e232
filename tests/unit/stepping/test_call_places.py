"""Where the calls of a statement are written."""

from __future__ import annotations

import pytest

from dap_dotnet.stepping.call_places import call_places, key_of
from dap_dotnet.symbols.spans import Span


def written(source, *keys, column=1):
    """The texts of the places that are found for keys."""
    lines = source.split("\n")
    span = Span(1, column, len(lines), len(lines[-1].encode("utf-16-le")) // 2 + 1)
    found = call_places(lines, span, keys)
    return [None if one is None else _cut(lines, one) for one in found]


def _cut(lines, span):
    taken = [line.encode("utf-16-le") for line in lines[span.line - 1 : span.end_line]]
    taken[-1] = taken[-1][: 2 * (span.end_column - 1)]
    taken[0] = taken[0][2 * (span.column - 1) :]
    return "\n".join(line.decode("utf-16-le") for line in taken)


@pytest.mark.parametrize(
    ("source", "keys", "expected"),
    [
        ("int b = Twice(Add(a, 1));", ["Add()", "Twice()"], ["Add(a, 1)", "Twice(Add(a, 1))"]),
        ("Add(Add(1, 2), Add(3, 4));", ["Add()"] * 3, ["Add(1, 2)", "Add(3, 4)", "Add(Add(1, 2), Add(3, 4))"]),
        ("a.First().Then(b.Next);", ["First()", "get Next", "Then()"], ["First()", "Next", "Then(b.Next)"]),
        ("var x = new List<int>(Count);", ["get Count", "new List"], ["Count", "new List<int>(Count)"]),
        ("c.Value = d.Value + 1;", ["get Value", "set Value"], ["Value", "Value"]),
        ("c.Value += 1;", ["get Value", "set Value"], ["Value", "Value"]),
        ("Counter sum = left + right;", ["+"], ["left + right"]),
        ('Show("😀", Make<int>(1),\n  Make<int>(2));', ["Make()", "Make()"], ["Make<int>(1)", "Make<int>(2)"]),
        ("a?.Go(1);", ["Go()"], ["Go(1)"]),
        ("x = a?.Next?.Next;", ["get Next", "get Next"], ["Next", "Next"]),
        ("x.Count++;", ["get Count", "set Count"], ["Count", "Count"]),
        ("if (Is(1))", ["Is()"], ["Is(1)"]),
        ("while (Is(1))", ["Is()"], ["Is(1)"]),
        ("Is(1) && Is(2)", ["Is()", "Is()"], ["Is(1)", "Is(2)"]),
        ("return await Go(1);", ["Go()"], ["Go(1)"]),
    ],
)
def test_calls_are_found(source, keys, expected):
    assert written(source, *keys) == expected


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("x = c ? F(1) : F(2);", ["F()", "F()"]),  # the compiler has the second first
        ("x = a.Size + b.Size;", ["get Size"]),  # one of them is a field
        ("Use(() => F(1));", ["F()"]),  # in another method
        ("F(1", ["F()"]),
        ("F(nameof(F));", ["F()", "F()"]),
        ("D(1);", ["Invoke()"]),  # a delegate
        ("", ["F()"]),
        ("(" * 5_000, ["F()"]),
    ],
)
def test_doubtful_places_are_left_out(source, keys):
    assert written(source, *keys) == [None] * len(keys)


def test_first_line_begins_at_the_column_of_the_statement():
    assert written("{ } F(1, G(2));", "G()", "F()", column=5) == ["G(2)", "F(1, G(2))"]


def test_source_that_is_too_short():
    assert call_places(["F();"], Span(1, 1, 3, 1), ["F()"]) == [None]


@pytest.mark.parametrize(
    ("type_name", "method", "key"),
    [
        ("Ns.Outer+Inner`1", ".ctor", "new Inner"),
        ("A", "get_P", "get P"),
        ("A", "op_Addition", "+"),
        ("A", "op_Implicit", None),
        ("A", "<Main>g__Local|0_0", "Local()"),
        ("A", "<Main>b__0_0", None),
        ("A", "Go", "Go()"),
    ],
)
def test_keys(type_name, method, key):
    assert key_of(type_name, method) == key
