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


@pytest.mark.parametrize("text", ['"text', '"text"', "'c'", "12", "1.5", '$"{a.b', ".b", "(.b", "x = .b"])
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
    "text", ["a)(]", "((((", "a.b)", "].", "?.", "..", "a..b", "x =>", "@", "a.@b", "\\", "é.ß", "a<b>.c"]
)
def test_no_text_is_too_odd(text: str) -> None:
    for cursor in range(len(text) + 1):
        completion_site(text, cursor)
