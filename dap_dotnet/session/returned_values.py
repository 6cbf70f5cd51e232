"""What the present stop knows of returned values: those of a step that has ended, on the thread that took it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import ThreadId, Value
from dap_dotnet.session.stops import Stop, StopReason
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from dap_dotnet.stepping.return_values import ReturnValues


class StepReturns:
    """A `dap_dotnet.values.context.ReturnedValues`. Session thread only."""

    def __init__(self, returns: ReturnValues | None, stop: Stop | None) -> None:
        """`returns` None: there has been no step."""
        self._returns = returns
        self._thread = stop.thread if stop is not None and stop.reason is StopReason.STEP else None

    def names(self, thread: ThreadId) -> list[str]:
        """Of the calls, in the order in which they returned."""
        return self._returns.names if self._returns is not None and thread == self._thread else []

    def value(self, program: Program, thread: ThreadId, number: int) -> Value | None:
        """The value of a call, None where there is none."""
        if self._returns is None or thread != self._thread:
            return None
        return self._returns.value(program, number)
