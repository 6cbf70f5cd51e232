"""The real debuggee keeps the rules that the fake one is strict about (tests/unit/support/test_fake_debuggee.py)."""

from __future__ import annotations

import pytest

from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime
from tests.support.seam_rules import check_rules

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def test_debuggee_keeps_the_rules_of_the_seam(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "forever") as session:
        check_rules(session, session.run_to("Program.Mark"))
