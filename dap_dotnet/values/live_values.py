"""Values that outlive a function evaluation.

A value handle dies when the process runs, which each function evaluation makes it do. What a client has opened stays
open all the same: a value that was read from somewhere is read from there again; the result of an expression is pinned
for as long as the process runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from msgspec import structs
from typing_extensions import override

from dap_dotnet.errors import DapDotnetError, StaleHandleError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ElementType, PinId, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

Reread = Callable[[], Value | None]
Run = Callable[[float], Value]
"""What gives a value by running the program, where each call may take so many seconds. Raises `EvaluationError`."""


class LiveValue:
    """A value that is read again, when asked for after its handle has died. Session thread only."""

    def __init__(
        self,
        program: Program,
        value: Value,
        reread: Reread | None,
        run: Run | None = None,
        generation: int | None = None,
    ) -> None:
        """`reread` None: the result of an expression, which `OpenedResults` keeps. `run`: see `in_program`.

        `generation` is that of the value's handle; None: the present one.
        """
        self._run = run
        self._program = program
        self._value = value
        self._reread = reread
        self._generation = program.clock.generation if generation is None else generation
        self.pin: PinId | None = None
        """What remembers the object over calls, where `OpenedResults` keeps it."""

    def get(self) -> Value:
        """The value with a handle of the present generation. Raises `StaleHandleError` when it cannot be read again."""
        if self._generation != self._program.clock.generation:
            again = self._reread() if self._reread is not None else self._pinned()
            if again is None:
                raise StaleHandleError(
                    "The value was lost when an expression ran the program's code; evaluate it again."
                )
            self.renew(again)
        return self._value

    def in_program(self, call_timeout_s: float) -> Value:
        """The value with a place in the program, for code of the program: a made structure is made there again."""
        value = self.get()
        if self._run is None or not value.parts is not None:
            return value
        again = self._run(call_timeout_s)
        held = read_field(self._program, again, "value") if again.type != value.type else None  # of a nullable
        return held or again

    def keep(self) -> None:
        """The value outlives this generation, in which the process did not run: its handle lives on."""
        if self._reread is None and self._generation == self._program.clock.generation:
            self._generation += 1

    def to_pin(self) -> Value:
        """The object to be pinned, so that the value can be read again."""
        return self.get()

    def _pinned(self) -> Value | None:
        with contextlib.suppress(DapDotnetError):
            return self._program.debuggee.pinned(self.pin) if self.pin is not None else None
        return None

    def renew(self, value: Value) -> None:
        """Take over the value as it was read again: by its place, or by its pin."""
        old = self._value
        if self.pin is not None and value.is_boxed and not old.is_boxed and not old.is_reference:
            value = structs.replace(value, is_boxed=False, is_reference=False)  # results that are structures come so
        if self.pin is not None and value.element_type is ElementType.STRING and not value.is_null:
            value = structs.replace(value, text=old.text)  # a pin brings none, and strings never change
        self._value = value
        self._generation = self._program.clock.generation


class HeapValue(LiveValue):
    """An object of the heap by its address, or what is read from it: looked at only when it is asked for."""

    def __init__(self, program: Program, address: int, part: Callable[[Value], Value | None] | None = None) -> None:
        """`address` is of the present generation. `part` reads what is wanted from the object; None: itself."""
        super().__init__(program, Value(None, None, ElementType.OBJECT), None)
        self._address = address
        self._part = part
        self._object: Value | None = None

    @override
    def get(self) -> Value:
        if self._generation != self._program.clock.generation:
            if self.pin is None:
                return super().get()
            self._object = self._program.debuggee.pinned(self.pin)
            self._generation = self._program.clock.generation
        if self._object is None:
            self._object = self._program.debuggee.heap_object(self._address)
        part = self._object if self._part is None else self._part(self._object)
        if part is None:
            raise StaleHandleError("The object has changed.")
        return part

    @override
    def to_pin(self) -> Value:
        return self._object or self._program.debuggee.heap_object(self._address)


class OpenedResults:
    """The results of expressions that a client has opened; kept over function evaluations by pins."""

    def __init__(self) -> None:
        self._results: list[LiveValue] = []
        self._pins: list[tuple[Debuggee, PinId]] = []

    def add(self, result: LiveValue) -> None:
        """Keep a result from now on."""
        self._results.append(result)

    def keep_value(self, program: Program, value: Value) -> Callable[[], Value]:
        """See `ValueKeeper`."""
        if value.is_null or value.error is not None or value.handle is None:
            return lambda: value
        if not value.is_boxed and primitives.decode(value.element_type, value.raw) is not None:
            return lambda: structs.replace(value, handle=None)
        result = LiveValue(program, value, None)
        self.add(result)
        return result.get

    def clear(self) -> None:
        """The stop is over."""
        for debuggee, pin in self._pins:
            with contextlib.suppress(DapDotnetError):  # the program may be gone
                debuggee.unpin(pin)
        self._pins.clear()
        self._results.clear()

    def keep(self) -> None:
        """Before a generation ends in which the process did not run: the results are valid in the next one, too."""
        for result in self._results:
            result.keep()

    def pin(self, program: Program) -> None:
        """Before the process runs: remember the objects. Those that are not on the heap are lost."""
        for result in self._results:
            if result.pin is not None:
                continue
            try:
                handle = result.to_pin().handle
                if handle is not None:
                    result.pin = program.debuggee.pin(handle)
                    self._pins.append((program.debuggee, result.pin))
            except DapDotnetError:
                continue
