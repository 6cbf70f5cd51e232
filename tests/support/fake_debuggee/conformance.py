"""For mypy, which `make check` runs over this folder: the fakes are what the seam asks for."""

from __future__ import annotations

from dap_dotnet.runtime.api import Backend, Debuggee
from tests.support.fake_debuggee.backend import FakeBackend
from tests.support.fake_debuggee.debuggee import FakeDebuggee


def as_debuggee(fake: FakeDebuggee) -> Debuggee:
    """`FakeDebuggee` is a `Debuggee`."""
    return fake


def as_backend(fake: FakeBackend) -> Backend:
    """`FakeBackend` is a `Backend`."""
    return fake
