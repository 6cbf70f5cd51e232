"""Fixtures for expressions in real programs: the adapter's sessions."""

from __future__ import annotations

from tests.e2e.adapter.conftest import (  # noqa: F401
    open_session,
    place,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    session,
)
