from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.session.harness import SessionUnderTest, add_up, spinning_until
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


@pytest.fixture
def endless(session_of):
    """A session with a program that spins until it is ended."""
    with session_of(spinning_until(threading.Event())) as session:
        yield session
