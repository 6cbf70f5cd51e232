"""Expressions for members."""

from __future__ import annotations

import pytest

from dap_dotnet.values.member_paths import identifier, member_path


@pytest.mark.parametrize(
    ("name", "written"),
    [("a", "a"), ("Größe", "Größe"), ("class", "@class"), ("value", "value"), ("<>1__state", None), ("a.b", None)],
)
def test_identifier_is_what_source_can_have(name: str, written: str | None) -> None:
    assert identifier(name) == written


@pytest.mark.parametrize(
    ("owner", "name", "seen_as", "path"),
    [
        ("a", "b", None, "a.b"),
        ("a", "int", None, "a.@int"),
        ("a", "b", "Ns.Base<int>", "((Ns.Base<int>)a).b"),
        ("a", "b", "Ns.Program.<>c", None),
        ("a", "b", "<anonymous type: int X>", None),
        (None, "b", None, None),
    ],
)
def test_member_path_means_the_member_or_nothing(
    owner: str | None, name: str, seen_as: str | None, path: str | None
) -> None:
    assert member_path(owner, name, seen_as=seen_as) == path
