"""The adapter in this process over a real program, with the calls of its debuggee counted."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from dap_dotnet.launching.backend import LocalBackend
from dap_dotnet.runtime.cordebug import CordebugDebuggee
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.model import LaunchSpec
from tests.support.served import ServedAdapter

WRITES = ("store", "store_copy", "store_reference", "write_memory")
EVALUATIONS = ("call", "new_string", "new_object", "new_array")
"""What runs code of the program."""
DEADLINE_S = 30.0


class CountedAdapter(ServedAdapter):
    """A context manager: a session thread of this process, and its client. At its end the program is ended."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How often each of `WRITES` and `EVALUATIONS` was called; the test clears it while no request runs."""
        super().__init__(_CountedBackend(self.counts), deadline_s=DEADLINE_S)

    @property
    def writes(self) -> int:
        """How often the program's memory was written since the counts were cleared."""
        return sum(self.counts[name] for name in WRITES)

    @property
    def calls(self) -> int:
        """How many function evaluations were set up since the counts were cleared."""
        return sum(self.counts[name] for name in EVALUATIONS)


class _CountedBackend(LocalBackend):
    """Launches real programs, and counts what is asked of them."""

    def __init__(self, counts: Counter[str]) -> None:
        super().__init__()
        self._counts = counts

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        debuggee = super().launch(spec, sink, timeout_ms=timeout_ms)
        return cast(CordebugDebuggee, _CountedDebuggee(debuggee, self._counts))


class _CountedDebuggee:
    """A debuggee whose writes and evaluations are counted; all else is its own."""

    def __init__(self, debuggee: CordebugDebuggee, counts: Counter[str]) -> None:
        self._debuggee = debuggee
        for name in (*WRITES, *EVALUATIONS):
            setattr(self, name, _counted(getattr(debuggee, name), name, counts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._debuggee, name)


def _counted(function: Any, name: str, counts: Counter[str]) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        counts[name] += 1
        return function(*arguments, **options)

    return call
