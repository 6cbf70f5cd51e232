"""Interpolated strings that become handlers of the program's own: the debugger makes what the compiler makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.evaluation.test_members import FIRST_OF_CSHARP_14
from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_handlers_take_what_the_program_gives_them(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Strings", newest_runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)
