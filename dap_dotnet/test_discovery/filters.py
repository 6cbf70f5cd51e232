"""Filters of `dotnet test` (TestCaseFilter) that select a test, and the test that a run's name belongs to."""

from __future__ import annotations

import re

from dap_dotnet.test_discovery.frameworks import Framework

_SPECIAL = re.compile(r"[\\()&|=!~]")
_OWN_OPTIONS = (Framework.XUNIT_V3, Framework.TUNIT)
"""Their tests are programs with options of their own."""


def filter_of(framework: Framework, class_name: str, method: str, *, varies: bool) -> str | None:
    """What selects a method of a class (its full name) and nothing else; None where the framework takes no filter.

    `varies`: the class has arguments, which stand in the names of its tests (NUnit).
    """
    if framework in _OWN_OPTIONS:
        return None
    if framework is not Framework.NUNIT:
        return f"FullyQualifiedName={_escaped(f'{class_name}.{method}')}"
    if varies:
        generic = re.sub(r"`\d+$", "", class_name)
        opening = "<" if generic != class_name else _escaped("(")
        closing = ">" if generic != class_name else _escaped(")")
        name = f"FullyQualifiedName~{_escaped(generic)}{opening}"
        return f"({name}&FullyQualifiedName~{closing}.{_escaped(method)})"
    name = _escaped(f"{class_name}.{method}")
    return f"(FullyQualifiedName={name}|FullyQualifiedName~{name}{_escaped('(')})"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def id_of_run(full_name: str) -> str:
    """The id of the test that a run reports by its full name: without what NUnit adds, as in ``Ns.C(1).M("a.b")``."""
    kept: list[str] = []
    closers: list[str] = []
    quote = ""
    position = 0
    while position < len(full_name):
        character = full_name[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif closers and character in "\"'":
            quote = character
        elif character in "(<":
            closers.append(")" if character == "(" else ">")
        elif closers and character == closers[-1]:
            closers.pop()
        elif not closers:
            kept.append(character)
        position += 1
    return "".join(kept)
