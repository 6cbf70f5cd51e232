"""Values that outlive a function evaluation.

A value handle dies when the process runs, which each function evaluation makes it do. What a client has opened stays
open all the same: a value that was read from somewhere is read from there again; the result of an expression is pinned
for as long as the process runs.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError, StaleHandleError
from dap_dotnet.runtime.model import PinId, Value
from dap_dotnet.values.context import Program

Reread = Callable[[], Value | None]


class LiveValue:
    """A value that is read again, when asked for after its handle has died. Session thread only."""

    def __init__(self, program: Program, value: Value, reread: Reread | None) -> None:
        """`reread` None: the result of an expression, which `Roots` keeps."""
        self._program = program
        self._value = value
        self._reread = reread
        self._generation = program.clock.generation

    def get(self) -> Value:
        """The value with a handle of the present generation. Raises `StaleHandleError` when it cannot be read again."""
        if self._generation != self._program.clock.generation:
            again = self._reread() if self._reread is not None else None
            if again is None:
                raise StaleHandleError(
                    "The value was lost when an expression ran the program's code; evaluate it again."
                )
            self.renew(again)
        return self._value

    def keep(self) -> None:
        """The value outlives this generation, in which the process did not run: its handle lives on."""
        if self._reread is None and self._generation == self._program.clock.generation:
            self._generation += 1

    def renew(self, value: Value) -> None:
        """Take over the value as it was read again."""
        self._value = value
        self._generation = self._program.clock.generation


class Roots:
    """The results of expressions that a client has opened; kept over function evaluations by pins."""

    def __init__(self) -> None:
        self._roots: list[LiveValue] = []

    def add(self, root: LiveValue) -> None:
        """Keep a result from now on."""
        self._roots.append(root)

    def clear(self) -> None:
        """The stop is over."""
        self._roots.clear()

    def keep(self) -> None:
        """Before a generation ends in which the process did not run: the results are valid in the next one, too."""
        for root in self._roots:
            root.keep()

    def pin(self, program: Program) -> list[tuple[LiveValue, PinId]]:
        """Before the process runs: remember the objects. Those that are not on the heap are lost."""
        pinned = []
        for root in self._roots:
            try:
                handle = root.get().handle
                if handle is not None:
                    pinned.append((root, program.debuggee.pin(handle)))
            except DapDotnetError:
                continue
        return pinned

    def restore(self, program: Program, pinned: list[tuple[LiveValue, PinId]]) -> None:
        """After it ran: read them again and let the pins go."""
        for root, pin in pinned:
            root.renew(program.debuggee.pinned(pin))
            program.debuggee.unpin(pin)
