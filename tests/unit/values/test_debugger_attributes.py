"""The texts of DebuggerDisplay, taken apart."""

from __future__ import annotations

import pytest

from dap_dotnet.values.debugger_attributes import Hole, parts_of


def hole(expression: str, *specifiers: str) -> Hole:
    return Hole(expression, frozenset(specifiers))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ("",)),
        ("plain", ("plain",)),
        ("{Name,nq} ({Age})", ("", hole("Name", "nq"), " (", hole("Age"), ")")),
        ("{ A , h , nq }", ("", hole("A", "h", "nq"), "")),
        ("{M(a, 1)}", ("", hole("M(a, 1)"), "")),
        (r"\{{One}\}", ("{", hole("One"), "}")),
        ("{new int[] {1}}", ("", hole("new int[] {1}"), "")),
    ],
)
def test_a_display_is_texts_and_holes(text: str, parts: tuple[str | Hole, ...]) -> None:
    assert parts_of(text) == parts


@pytest.mark.parametrize("text", ["{", "a {b", "{{a}"])
def test_braces_that_do_not_match_make_no_display(text: str) -> None:
    assert parts_of(text) is None
