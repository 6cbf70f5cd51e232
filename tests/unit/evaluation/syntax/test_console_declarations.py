"""Which lines of the debug console declare variables, and which are other expressions."""

from __future__ import annotations

import contextlib

import pytest

from dap_dotnet.evaluation.syntax.lexer import SyntaxFault
from dap_dotnet.evaluation.syntax.user_texts import console_declaration


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("var t = 1", ["t"]),
        ("int x = 5;", ["x"]),
        ("const string @class = null", ["class"]),
        ("List<Dictionary<string, int>> l = new()", ["l"]),
        ("int[] a = { 1, 2 }", ["a"]),
        ("int? n = null", ["n"]),
        ("A.B.C c = $1.Name", ["c"]),
        ("(int a, string b) = (1, null)", ["a", "b"]),
        ("var (a, b) = pair", ["a", "b"]),
        ("(int, string) t = (1, null)", ["t"]),
        ("Func<int, bool> f = x => x == 1", ["f"]),
        ("bool b = x == 3", ["b"]),
    ],
)
def test_declarations_are_known(text: str, names: list[str]) -> None:
    found = console_declaration(text)
    assert found is not None
    assert [variable.name for variable in found.variables] == names


@pytest.mark.parametrize(
    "text",
    [
        "x = 5", "a.b = 1", "a[0] = 1", "a [0] = 1", "(a, b) = (b, a)", "x == 5", "x >= 5", "x += 1", "x ?? y",
        "list.Where(x => x == 1)", '$"{x = 1}"', "i is int n && n == 3", "x is { A: 1 } y == true", "await x == 1",
        "new T { A = 1 }", "f(a: 1)", "x", "", "=", "int x", "int x =", "var =", "a b c = 1", "throw x = 1",
        "b ? i = 3 : j",
    ],
)  # fmt: skip
def test_other_texts_declare_nothing(text: str) -> None:
    with contextlib.suppress(SyntaxFault):
        assert console_declaration(text) is None
