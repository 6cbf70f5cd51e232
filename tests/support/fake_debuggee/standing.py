"""Fake debuggees for what needs no program's thread, and none of a program's types."""

from __future__ import annotations

from typing import Any

from dap_dotnet.runtime.model import ModuleId
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.types import ExactTypes


class _NoTypes:
    """The metadata of a program without types of its own."""

    def find_type(self, full_name: str) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name}: this fake program has no metadata")


def running_debuggee() -> FakeDebuggee:
    """A debuggee that runs until a test holds it."""
    return FakeDebuggee(ExactTypes(ModuleId(1), _NoTypes()))


def standing_debuggee() -> FakeDebuggee:
    """A debuggee that stands still; a test gives it frames."""
    debuggee = running_debuggee()
    debuggee.stand()
    return debuggee
