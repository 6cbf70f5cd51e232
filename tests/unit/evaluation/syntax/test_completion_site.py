"""What is being completed, from the text before the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.tree import Cursor, parts_of
from dap_dotnet.evaluation.syntax.user_texts import CompletionSite, completion_site


def site_of(text: str) -> CompletionSite:
    site = completion_site(text, len(text))
    assert site is not None
    assert site.cursor.is_type or any(part is site.cursor for part in parts_of(site.tree))
    return site


def same(node: syntax.Node | None, text: str | None) -> bool:
    return node == (parse(text) if text is not None else None)


@pytest.mark.parametrize(
    ("text", "prefix", "target"),
    [
        ("", "", None),
        ("na", "na", None),
        ("1 + na", "na", None),
        ("a.b", "b", "a"),
        ("a.", "", "a"),
        ("a . b", "b", "a"),
        ("x + a.b.c", "c", "a.b"),
        ("a!.b", "b", "a!"),
        ("a[1].b", "b", "a[1]"),
        ("a.m(1, x.y).b", "b", "a.m(1, x.y)"),
        ("m(a.b", "b", "a"),
        ("(a + b).c", "c", "(a + b)"),
        ("f(x)[0](1).c", "c", "f(x)[0](1)"),
        ('"text".L', "L", '"text"'),
        ("x is A.B", "B", "A"),
        ("!a.b", "b", "a"),
        ("-a.b", "b", "a"),
        ("p->b", "b", "*p"),
        ("new T(1).m", "m", "new T(1)"),
        ("this.f", "f", "this"),
        ("var y = a.b", "b", "a"),
        ("int y = 1; y = 2; y.b", "b", "y"),
        ("a ? b.c", "c", "b"),
        ("x switch { 1 => b.c", "c", "b"),
        ("new { a.b, x + y.c", "c", "y"),
        ("a.Where(x => { try { return x.b", "b", "x"),
        ("a.Where(x => { x.b", "b", "x"),
        ("from x in a.b where x.c", "c", "x"),
        ("from x in a let y = x.b group y by y.c", "c", "y"),
        ("from x in a join y in b on x.c equals y.d", "d", "y"),
        ("f(out a.b", "b", "a"),
        ("(int a, var b) = c.d", "d", "c"),
    ],
)
def test_prefix_and_target(text: str, prefix: str, target: str | None) -> None:
    site = site_of(text)
    assert (site.prefix, site.start) == (prefix, len(text) - len(prefix))
    assert same(site.cursor.target, target)


def test_behind_a_conditional_access_the_value_before_it_is_meant() -> None:
    site = site_of("1 + a?.b")
    assert site.tree == syntax.Binary("+", parse("1"), syntax.ConditionalAccess(parse("a"), Cursor(syntax.Receiver())))


@pytest.mark.parametrize(
    "text",
    [
        '"text', '"text"', "'c'", "'c", "a // b", "// a.b", "/* a.b", "12", "1.5", ".b", "(.b", "x = .b",
        '$"a.b', '$"{{a.b', '$"{a:b.c', '$"{a} b.c', '$"{"a.b', '$@"{a}"" b.c', '$"\\" a.b', '$"{' * 500,
        "a b.c", "from x", "int na",
    ],
)  # fmt: skip
def test_no_site_in_literals_without_a_target_and_behind_what_is_no_expression(text: str) -> None:
    assert completion_site(text, len(text)) is None


def test_what_follows_the_cursor_does_not_count() -> None:
    site = completion_site("abc.def + x", 5)
    assert site is not None
    assert site.prefix == "d"
    assert same(site.cursor.target, "abc")


def test_lambdas_around_the_cursor_are_around_it_in_the_tree() -> None:
    inner = syntax.Lambda(("y",), Cursor(parse("y")))
    any_of = syntax.Call(parse("x.Items.Any"), (syntax.Argument(inner, text="y => y."),), "x.Items")
    tree = site_of("a.Where(x => x.Items.Any(y => y.").tree
    assert isinstance(tree, syntax.Call)
    assert isinstance(tree.arguments[0].value, syntax.Lambda)
    assert tree.arguments[0].value.body == any_of


@pytest.mark.parametrize(
    "text",
    [
        "a)(]",
        "((((",
        "a.b)",
        "].",
        "?.",
        "..",
        "a..b",
        "},",
        "), ",
        "x =>",
        "@",
        "a.@b",
        "\\",
        "é.ß",
        "a<b>.c",
        "x is {",
    ],
)
def test_no_text_is_too_odd(text: str) -> None:
    for cursor in range(len(text) + 1):
        completion_site(text, cursor)


@given(st.text(alphabet="ab1.+-*()[]{}<>?:,;&|!=\"'$@ \nisnewfromin", max_size=40))
def test_any_text_has_a_site_or_none(text: str) -> None:
    completion_site(text, len(text))


@pytest.mark.parametrize(
    ("text", "start", "target"),
    [
        ('$"{a.b', 5, "a"),
        ('x + $"t{{ {a} {b.c', 17, "b"),
        ('$@"""{a.b', 8, "a"),
        ('$"{f("}").b', 10, 'f("}")'),
        ('$"{m[1].b', 8, "m[1]"),
        ('$"{$"{a.b', 8, "a"),
        ('$"{a}" + b.c', 11, "b"),
        ('$"{a:N2}{b.c', 11, "b"),
        ('$$"""{a} {{b.c', 13, "b"),
        ('f($"{a} {(b ? c : d.e', 20, "d"),
        ('a.Select(x => $"{x.b', 19, "x"),
    ],
)
def test_holes_of_interpolated_strings_are_code(text: str, start: int, target: str) -> None:
    site = site_of(text)
    assert (site.start, site.prefix) == (start, text[start:])
    assert same(site.cursor.target, target)


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [("new ", ""), ("new na", ""), ("x as na", ""), ("typeof(", ""), ("default(na", ""), ("f(new na", ""),
     ("new A.B.na", "A.B"), ("new List<na", ""), ('$"{typeof(na', "")],
)  # fmt: skip
def test_only_types_may_follow(text: str, qualifier: str) -> None:
    cursor = site_of(text).cursor
    assert cursor.is_type
    assert ".".join(part.name for part in cursor.qualifier.parts) == qualifier if cursor.qualifier else not qualifier


@pytest.mark.parametrize("text", ["news", "f(na", "new T(na", "typeof(T) == na", "x is na", "(na"])
def test_values_may_follow_too(text: str) -> None:
    assert not site_of(text).cursor.is_type


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("new T { ", "default(T)"),
        ("new T { A = 1, na", "default(T)"),
        ("new A.B(1, 2) { na", "default(A.B)"),
        ("new List<int> { ", "default(List<int>)"),
        ("a.b with { ", "a.b"),
        ("x is { A: 1, ", "x"),
        ("x is T { na", "default(T)"),
        ("x switch { { na", "x"),
        ("new T { A = ", None),
        ("new T { A = f(1, ", None),
        ("x is { A: ", None),
        ("x is { A: { ", "x.A"),
        ("x is { A.B: { C: { na", "x.A.B.C"),
        ("x is { A: 1, B.", "x.B"),
        ("x is T { A.B.na", "default(T).A.B"),
        ("new T { A = { na", "default(T).A"),
        ("new T { A = b.", None),
        ("m(1, ", None),
        ("x => { ", None),
        ("new[] { ", None),
    ],
)
def test_members_of_what_is_filled_are_meant(text: str, filled: str | None) -> None:
    assert same(site_of(text).cursor.filled, filled)


def test_special_names_begin_with_their_dollar() -> None:
    site = site_of("1 + $ex")
    assert (site.prefix, site.start) == ("$ex", 4)


@pytest.mark.parametrize(
    ("text", "callee"),
    [
        ("f(", "f"),
        ("f(na", "f"),
        ("a.m(1, na", "a.m"),
        ("a.m(g(1), na", "a.m"),
        ("a.m(g(na", "g"),
        ("a[1].m<int>(na", "a[1].m<int>"),
        ("new T(na", "new T()"),
        ("(na", None),
        ("a.m(1 + na", None),
        ("a.m(x => new[] { 1, na", None),
        ("(a, na", None),
    ],
)
def test_call_whose_argument_may_be_named(text: str, callee: str | None) -> None:
    assert same(site_of(text).cursor.callee, callee)


@pytest.mark.parametrize(
    ("text", "is_format"),
    [("a,", True), ("f(a), n", True), ("f(a, n", False), ("a", False), ("from x in y orderby x, n", False)],
)
def test_format_specifier_may_follow_the_whole_expression(text: str, is_format: bool) -> None:
    assert site_of(text).cursor.is_format is is_format
