"""Each code that the command line can end in, made for real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.headless.test_run_breakpoints import Run, at, run  # noqa: F401
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = pytest.mark.e2e

CASES: dict[str, tuple[list[str], int]] = {
    "INVALID_FILE": (["-b", "/nowhere/Other.cs:3"], 0),
    "INVALID_LINE": (["-b", "SOURCE:9999"], 0),
    "INVALID_COLUMN": (["-b", "SQUARE:90", "--when", "false"], 0),
    "INVALID_CONDITION": (["-b", "SQUARE", "--when", "1 +"], 0),
    "EVAL_FAILED": (["-b", "SQUARE", "--max-stops", "1", "-e", "nothing"], 0),
    "MODULE_NOT_LOADED": (["--break-exception", "all:No.Such.Error", "--list-breakpoints"], 0),
    "BREAKPOINT_NOT_FOUND": (["-b", "SQUARE", "--after", "9"], 2),
    "BREAKPOINT_EXISTS": (["-b", "SQUARE", "-b", "SQUARE"], 2),
    "TIMEOUT": (["--timeout", "1"], 124),
}


def codes_in(found: Any) -> Iterator[str]:
    """Every value of ``code`` anywhere in JSON."""
    if isinstance(found, dict):
        if isinstance(found.get("code"), str):
            yield found["code"]
        for value in found.values():
            yield from codes_in(value)
    elif isinstance(found, list):
        for value in found:
            yield from codes_in(value)


@pytest.mark.parametrize("code", CASES)
def test_code_reaches_the_json(newest_runtime: Runtime, run: Run, code: str) -> None:  # noqa: F811
    options, exit_code = CASES[code]
    program = programs.build("Spin" if code == "TIMEOUT" else "Loop", newest_runtime)
    if code != "TIMEOUT":
        square = at(program, "square")
        options = [text.replace("SQUARE", square).replace("SOURCE", str(program.source)) for text in options]
    lines = run(program, *options, arguments=() if code == "TIMEOUT" else ("3",), code=exit_code)
    assert code in set(codes_in(lines)), lines
