"""Fixtures for sessions with the real adapter and real programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

from tests.support import standing_still
from tests.support.session import Place, Session

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Lets fixtures know that the test has failed: what is left behind then is no news."""
    report = yield
    item.stash[_FAILED] = report.failed or (call.when != "setup" and item.stash.get(_FAILED, False))
    if report.failed:
        standing_still.note(item, call)
    return report


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs a test once more that has met a race of the runtime."""
    return standing_still.run(item, nextitem)


def _has_failed(request: pytest.FixtureRequest) -> bool:
    return bool(request.node.stash.get(_FAILED, False))


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """A TMPDIR of its own; at the test's end nothing may be left of what ran in it."""
    made = Place()
    yield made
    made.close(failed=_has_failed(request))


def _is_forked(request: pytest.FixtureRequest) -> bool:
    """Whether the test's adapter is forked from one that has imported everything, which takes half the time.

    Those of tests marked `editor_start` are started as editors start them, on the newest runtime.
    """
    if request.node.get_closest_marker("editor_start") is None:
        return True
    callspec = getattr(request.node, "callspec", None)
    runtime = callspec.params.get("runtime") if callspec is not None else None
    return runtime is not None and runtime != request.getfixturevalue("newest_runtime")


@pytest.fixture
def open_session(place: Place, request: pytest.FixtureRequest) -> Iterator[Callable[..., Session]]:
    """Starts adapters, and ends them with the test, the last one first. Arguments are those of `Session.open`."""
    with contextlib.ExitStack() as stack:

        def end(session: Session) -> None:
            if _has_failed(request):
                error = AssertionError("the test has failed")
                session.__exit__(AssertionError, error, None)
            else:
                session.__exit__(None, None, None)

        def start(**options: Any) -> Session:
            if not options.keys() & {"env", "options", "prefix"}:
                options.setdefault("forked", _is_forked(request))
            session = Session.open(place, **options)
            stack.callback(end, session)
            return session

        yield start


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    """One adapter, not yet initialized."""
    return open_session()
