"""Where in a text an error is said to be: by the nodes that it came through."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import blank
from dap_dotnet.evaluation.syntax.parser import locate, parse
from dap_dotnet.evaluation.syntax.tree import Node, parts_of


def _named(tree: Node, name: str) -> Node:
    return next(part for part in parts_of(tree) if isinstance(part, syntax.Name | syntax.Member) and part.name == name)


def _position(text: str, name: str, code: str = "CS0103") -> tuple[int | None, int | None]:
    tree = parse(text)
    error = Diagnostic(code, "T", name)
    error.trail.append(_named(tree, name).at)
    locate(error, text, tree)
    return error.line, error.column


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x", (1, 1)),
        ("(x)", (1, 2)),
        ("a + b * x", (1, 9)),
        ("a +\n  b +\n x", (3, 2)),
        ("f(a, (x))", (1, 7)),
        ('"é\U0001f600" + x', (1, 9)),  # columns are UTF-16 units
        ('$"{a} {x,3:N} {b}"', (1, 8)),
        ('$"é {$"{a + x}"}"', (1, 13)),
        ('@$"a\n{x}"', (2, 2)),
        ("list.Select(q => q + x)", (1, 22)),
        ("list.Select(q => { var z = q; return x; })", (1, 38)),
        ("from q in list where q > x select q", (1, 26)),
        ("a is [.., 1] && x", (1, 17)),
        ("$exception + x", (1, 14)),
        ("(a) + x", (1, 7)),
        ("new T { A = x }", (1, 13)),
        ("a switch { 1 => x, _ => b }", (1, 17)),
        ("a && b?.c(x)", (1, 11)),
    ],
)
def test_a_name_is_where_it_is_written(text: str, place: tuple[int, int]) -> None:
    assert _position(text, "x") == place


@pytest.mark.parametrize(("text", "place"), [("a.b.x", (1, 5)), ("a. x", (1, 4)), ("a?.b.x", (1, 6)), ("-a.x", (1, 4))])
def test_a_missing_member_is_at_its_name(text: str, place: tuple[int, int]) -> None:
    assert _position(text, "x", "CS1061") == place


def test_an_argument_is_where_it_is_written() -> None:
    tree = parse("a.f(1, b + 2)")
    error = Diagnostic("CS1503", 2, "int", "string", argument=1)
    error.trail.append(tree.at)
    locate(error, "a.f(1, b + 2)", tree)
    assert (error.line, error.column) == (1, 8)
    assert error.told == f"{error.message} (line 1, column 8)"


@pytest.mark.parametrize(
    ("text", "place"),
    [("5 = a", (1, 1)), ("a = 5 = b", (1, 5)), ("a +\n 1 = b", (1, 1)), (' "x" += b', (1, 2)), ("-f(1) ??= b", (1, 1))],
)
def test_what_is_not_assigned_is_where_it_is_written(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(EvaluationError, match="CS0131") as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == place


def test_many_assignments_to_calls_are_refused_at_once() -> None:
    with pytest.raises(EvaluationError, match="CS"):
        parse("f()=" * 1500 + "1")


def test_nodes_of_another_text_have_no_position_in_this_one() -> None:
    error = Diagnostic("CS0103", "other")
    error.trail.append(parse("other + x").at)
    locate(error, "a + b", parse("a + b"))
    assert (error.line, error.column) == (None, None)
    assert error.told == error.message


def test_the_message_tells_no_position_of_what_is_no_fault_of_the_text() -> None:
    tree = parse("a + b")
    error = EvaluationError("System.OverflowException: too much")
    error.trail.append(tree.right.at if isinstance(tree, syntax.Binary) else tree.at)
    locate(error, "a + b", tree)
    assert (error.line, error.column) == (1, 5)
    assert error.told == "System.OverflowException: too much"


@pytest.mark.parametrize(
    ("text", "column"), [('$"{a +}"', 7), ('"é" + $"{a} {(b}"', 16), ('$"{$"{a b}"}"', 9), ('$"{a.b c}"', 8)]
)
def test_syntax_in_a_hole_is_told_in_the_whole_text(text: str, column: int) -> None:
    with pytest.raises(EvaluationError, match=rf"Syntax error in line 1, column {column}:") as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_what_cannot_be_built_has_its_position_too() -> None:
    with pytest.raises(EvaluationError) as caught:
        parse("1 + stackalloc int[2]")
    assert (caught.value.line, caught.value.column) == (1, 5)


def test_trees_are_equal_wherever_they_stand() -> None:
    assert parse("a + b") == parse("  a  +\n b")


def test_blanks_are_as_wide_as_the_text() -> None:
    assert blank("a\n\U0001f600b") == " \n   "


def test_an_argument_behind_a_slice_or_other_letters_is_told_as_it_is_written() -> None:
    tree = parse('f(a is [.., 1], "é", b + 1)')
    assert isinstance(tree, syntax.Call)
    assert [argument.text for argument in tree.arguments] == ["a is [.., 1]", '"é"', "b + 1"]
