"""A little of everything in C# 14: values, assignments one after the other, and what the compiler refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.evaluation.test_members import FIRST_OF_CSHARP_14
from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
@pytest.mark.parametrize("listed", ["shop", "shop_state"])
def test_shop_gives_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path, listed: str
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Shop", newest_runtime, session, tmp_path, has_nullables=True, listed=listed)
    assert not wrong, "\n".join(wrong)
