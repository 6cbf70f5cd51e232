"""What is being completed, from the text before the cursor."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.syntax.completion_site import completion_site


@pytest.mark.parametrize(
    ("text", "prefix", "target"),
    [
        ("", "", None),
        ("na", "na", None),
        ("1 + na", "na", None),
        ("a.b", "b", "a"),
        ("a.", "", "a"),
        ("a . b", "b", "a "),
        ("x + a.b.c", "c", "a.b"),
        ("a?.b", "b", "a"),
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
        ("new T(1).m", "m", "new T(1)"),
        ("this.f", "f", "this"),
        ("return a.b", "b", "a"),
    ],
)
def test_prefix_and_target(text: str, prefix: str, target: str | None) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert (site.prefix, site.start, site.target) == (prefix, len(text) - len(prefix), target)


@pytest.mark.parametrize(
    "text",
    [
        '"text', '"text"', "'c'", "'c", "a // b", "// a.b", "12", "1.5", ".b", "(.b", "x = .b",
        '$"a.b', '$"{{a.b', '$"{a:b.c', '$"{a} b.c', '$"{"a.b', '$@"{a}"" b.c', '$"\\" a.b', '$"{' * 500,
    ],
)  # fmt: skip
def test_no_site_in_literals_and_without_a_target(text: str) -> None:
    assert completion_site(text, len(text)) is None


def test_what_follows_the_cursor_does_not_count() -> None:
    site = completion_site("abc.def + x", 5)
    assert site is not None
    assert (site.prefix, site.target) == ("d", "abc")


def test_lambdas_around_the_cursor_are_found() -> None:
    text = "a.Where(x => x.Items.Any(y => y.Na"
    site = completion_site(text, len(text))
    assert site is not None
    assert [(one.name, one.source) for one in site.parameters] == [("x", "a"), ("y", "x.Items")]
    closed = completion_site("a.Where(x => x > 1).Co", 22)
    assert closed is not None
    assert (closed.parameters, closed.target) == ((), "a.Where(x => x > 1)")


@pytest.mark.parametrize(
    "text", ["a)(]", "((((", "a.b)", "].", "?.", "..", "a..b", "},", "), ", "x =>", "@", "a.@b", "\\", "é.ß", "a<b>.c"]
)
def test_no_text_is_too_odd(text: str) -> None:
    for cursor in range(len(text) + 1):
        completion_site(text, cursor)


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
    ],
)
def test_holes_of_interpolated_strings_are_code(text: str, start: int, target: str) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert (site.start, site.prefix, site.target) == (start, text[start:], target)


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("a.Where((x, i) => x.b", {"x": "a", "i": '"0".Select(c => 0)'}),
        ("a.Where((int x) => x.b", {"x": "a"}),
        ("a.Aggregate((s, x) => x.b", {"s": "a", "x": "a"}),
        ("a.Aggregate(0, (s, x) => x.b", {"x": "a"}),
        ("Array.Find(a.b, x => x.b", {"x": " a.b"[1:]}),
        ("a.Sum(x => { var y = f(1, x); return x.b", {"x": "a"}),
        ("from x in a.b where x.c", {"x": "a.b "}),
        ("from x in a let y = x.b where y.c", {"x": "a ", "y": "from x in a select x.b "}),
        ("(from T x in a join y in b on x.c equals y.d", {"x": "a ", "y": "b "}),
        ('a.Select(x => $"{x.b', {"x": "a"}),
        ("(from x in a select x).Where(y => 1).b", {}),
        ("a.Where(x => x > 1 && b.Any(y => y.c", {"x": "a", "y": "b"}),
    ],
)
def test_variables_of_lambdas_and_queries_are_known(text: str, parameters: dict[str, str]) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert {one.name: one.source for one in site.parameters} == parameters


@pytest.mark.parametrize("text", ["new ", "new na", "x as na", "typeof(", "default(na", "f(new na"])
def test_only_types_may_follow(text: str) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert site.wants_type


@pytest.mark.parametrize("text", ["news", "f(na", "new T(na", "typeof(T) == na", "x is na"])
def test_values_may_follow_too(text: str) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert not site.wants_type


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("new T { ", "T "),
        ("new T { A = 1, na", "T "),
        ("new A.B(1, 2) { na", "A.B"),
        ("new List<int> { ", "List<int> "),
        ("a.b with { ", "a.b "),
        ("x is { A: 1, ", "x "),
        ("x is T { na", "T "),
        ("new T { A = ", None),
        ("new T { A = f(1, ", None),
        ("x is { A: ", None),
        ("x is { A: { ", "x |A"),
        ("x is { A.B: { C: { na", "x |A|B|C"),
        ("x is { A: 1, B.", "x |B"),
        ("x is T { A.B.na", "T |A|B"),
        ("new T { A = { na", "T |A"),
        ("new T { A = b.", None),
        ("m(1, ", None),
        ("x => { ", None),
        ("new[] { ", None),
        ("{", None),
    ],
)
def test_members_of_what_is_filled_are_meant(text: str, filled: str | None) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert (site.filled and "|".join((site.filled.target, *site.filled.path))) == filled


def test_special_names_begin_with_their_dollar() -> None:
    site = completion_site("1 + $ex", 7)
    assert site is not None
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
        ("new T(na", "new T"),
        ("x + a?.m(", "a?.m"),
        ("(na", None),
        ("a.m(1 + na", None),
        ("a.m(x => new[] { 1, na", None),
        ("(a, na", None),
    ],
)
def test_call_whose_argument_may_be_named(text: str, callee: str | None) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert site.callee == callee


@pytest.mark.parametrize(
    ("text", "takes_format"),
    [
        ("a,", True),
        ("f(a), n", True),
        ("f(a, n", False),
        ("a", False),
        (",", False),
        ("from x in y orderby x, n", False),
    ],
)
def test_format_specifier_may_follow_the_whole_expression(text: str, takes_format: bool) -> None:
    site = completion_site(text, len(text))
    assert site is not None
    assert site.takes_format is takes_format
