"""Async lambdas that the program is given: they wait, go on, and end as those that the compiler makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_async_lambdas_run_as_the_compiler_makes_them(
    runtime: Runtime, newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    step = 1 if runtime == newest_runtime else 4
    wrong = differences("Asyncs", runtime, session, tmp_path, together=7, step=step)
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(300)
def test_awaits_in_clauses_and_loops_do_what_the_compilers_do(
    runtime: Runtime, newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    step = 1 if runtime == newest_runtime else 4
    wrong = differences("Asyncs", runtime, session, tmp_path, listed="awaits", step=step)
    assert not wrong, "\n".join(wrong)
