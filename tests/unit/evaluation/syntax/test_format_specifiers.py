"""Format specifiers behind expressions."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.syntax.user_texts import split_format


@pytest.mark.parametrize(
    ("text", "expression", "names"),
    [
        ("a", "a", ()),
        ("a,h", "a", ("h",)),
        ("a , nq", "a ", ("nq",)),
        ("a,raw,h", "a", ("raw", "h")),
        ("f(a,d)", "f(a,d)", ()),
        ("f(a,d),d", "f(a,d)", ("d",)),
        ("a,c", "a,c", ()),
        ("a,b", "a", ("b",)),
        ("a, [3]", "a", ("[3]",)),
        ("a,[x]", "a,[x]", ()),
        ("a,makeid", "a", ("makeid",)),
        ('"x,h"', '"x,h"', ()),
        ('"x,h",nq', '"x,h"', ("nq",)),
        ('$"{a,5}",nq', '$"{a,5}"', ("nq",)),
        ('$"{a,h', '$"{a,h', ()),
        (",h", ",h", ()),
        ("(a,h", "(a,h", ()),
    ],
)
def test_format_specifiers_are_split_off(text: str, expression: str, names: tuple[str, ...]) -> None:
    found, specifiers = split_format(text)
    assert (found, specifiers.names) == (expression, names)


def test_format_specifiers_say_what_they_ask() -> None:
    specifiers = split_format("a,h,nq,nse")[1]
    assert specifiers.hexadecimal is True
    assert specifiers.no_quotes
    assert specifiers.no_side_effects
    assert split_format("a,d")[1].hexadecimal is False
    assert split_format("a")[1].hexadecimal is None
    assert split_format("a,h" * 100_000)[1].names == ()
