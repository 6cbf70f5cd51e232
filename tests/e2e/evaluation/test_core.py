"""Hundreds of expressions over all kinds of values, in one program and one stop: the debugger gives what C# gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_expressions_give_what_the_program_gives(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    wrong = differences("Core", newest_runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(300)
def test_names_of_elements_and_type_arguments_are_those_that_are_written(
    runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    wrong = differences("Tuples", runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)
