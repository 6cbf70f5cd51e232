from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.session.harness import SessionUnderTest, add_up
from tests.support.fake_debuggee.machine import Program


@pytest.fixture
def session_of() -> Callable[..., SessionUnderTest]:
    """``session_of(program)``: a session whose program is played by that function."""

    def make(program: Program = add_up, **options: Any) -> SessionUnderTest:
        return SessionUnderTest(program, **options)

    return make


@pytest.fixture
def session(session_of):
    """A session with the sample program."""
    with session_of() as session:
        yield session
