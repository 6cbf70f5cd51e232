"""Async lambdas that the program is given: they wait, go on, and end as those that the compiler makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_async_lambdas_run_as_the_compiler_makes_them(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    wrong = differences("Asyncs", runtime, session, tmp_path)
    assert not wrong, "\n".join(wrong)
