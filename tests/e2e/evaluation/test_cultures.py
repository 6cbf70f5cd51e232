"""Texts of numbers in the program's own culture: the debugger makes those that the program prints."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

CULTURES = 5
BARE = {"d": "-1234567.891", "m": "-1234.50", "boxed": "-2.5", "i": "-42"}


def test_texts_are_those_of_the_programs_culture(runtime: Runtime, session: Session) -> None:
    program = programs.build("Cultures", runtime)
    source = program.source.read_text(encoding="utf-8")
    expressions = re.findall(r"^ +P\((.*)\);$", source, re.MULTILINE)
    line = program.line("here")
    logged: list[dict[str, Any]] = [{"line": line + 1, "logMessage": 'logged {$"{d:N1}"} {d}'}]
    session.launch(str(program.dll), breakpoints={str(program.source): [line, *logged]}, env=dict(program.env))
    made, displays = [], []
    for _ in range(CULTURES):
        session.wait_for_stop()
        made.append([session.evaluate(expression, context="clipboard").result for expression in expressions])
        assert {name: session.evaluate(name).result for name in BARE} == BARE
        displays.append(session.evaluate("sum").result)
        session.continue_()
    session.wait_for_exit()
    printed = [part.strip().splitlines() for part in session.output().split("==\n")[1:]]
    wrong = [
        f"{number}: {expression}: printed {text}, made {own}"
        for number, (texts, own_texts) in enumerate(zip(printed, made, strict=True))
        for expression, text, own in zip(expressions, texts, own_texts, strict=True)
        if text.removeprefix("P ") != own.strip('"')
    ]
    assert not wrong, "\n".join(wrong)
    invariant, changed = "-1234.5 -1,234.5 -1234.5", "-1234.5 ~1.234,5 ~1234,5"
    assert displays == [invariant, changed, invariant, changed, "-1234.5 minus 1,234.5 minus 1234.5"]
    numbers = ["-1,234,567.9", "~12.34.567,9", "-1,234,567.9", "~12.34.567,9", "minus 1,234,567.9"]
    console = session.output("console").splitlines()
    whole = ["-1234567.891", "~1234567,891", "-1234567.891", "~1234567,891", "minus 1234567.891"]
    expected = [f"logged {rounded} {exact}" for rounded, exact in zip(numbers, whole, strict=True)]
    assert [text for text in console if text.startswith("logged")] == expected
