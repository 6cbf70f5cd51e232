"""What the present stop knows of returned values: those of a step that has ended, on the thread that took it."""

from __future__ import annotations

from dap_dotnet.runtime.model import ThreadId, Value
from dap_dotnet.session.stops import Stop, StopReason
from dap_dotnet.stepping.return_values import ReturnValues
from dap_dotnet.values.context import Program


class StepReturns:
    """A `dap_dotnet.values.context.ReturnedValues`. Session thread only."""

    def __init__(self, returns: ReturnValues, stop: Stop | None) -> None:
        self._returns = returns
        self._thread = stop.thread if stop is not None and stop.reason is StopReason.STEP else None

    def names(self, thread: ThreadId) -> list[str]:
        """Of the calls, in the order in which they returned."""
        return self._returns.names if thread == self._thread else []

    def value(self, program: Program, thread: ThreadId, number: int) -> Value | None:
        """The value of a call, None where there is none."""
        return self._returns.value(program, number) if thread == self._thread else None
