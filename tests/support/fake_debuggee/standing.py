"""A fake debuggee that stands still, for what needs no program's thread."""

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


def standing_debuggee() -> FakeDebuggee:
    """A debuggee that stands still, without types of its own; a test gives it frames."""
    debuggee = FakeDebuggee(ExactTypes(ModuleId(1), _NoTypes()))
    debuggee.stand()
    return debuggee
