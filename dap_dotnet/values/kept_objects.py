"""What the user keeps by name for the session: objects under numbers (`$1`), and variables of the debug console.

Session thread only. An object is kept alive until it is let go, or the program ends.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import PinId, Value

_MOST = 1000


class KeptVariable(Struct, frozen=True):
    """A variable: an object of the program by its pin, or (`pin` None) data of a type of the expression engine."""

    pin: PinId | None
    type: Any = None
    data: Any = None
    names: tuple[str | None, ...] = ()
    """Of the elements of a tuple."""
    is_constant: bool = False


class KeptObjects:
    """Objects by number, variables by name."""

    def __init__(self) -> None:
        self._objects: dict[int, tuple[PinId, int]] = {}
        self._variables: dict[str, KeptVariable] = {}
        self._last = 0

    def add(self, debuggee: Debuggee, value: Value) -> int:
        """The number of an object, the one that it has already. Raises `EvaluationError` for what is no object."""
        if value.handle is None or value.is_null or not (value.is_reference or value.is_boxed):
            raise EvaluationError("Only objects have ids: this is a value or null")
        for number, (pin, _) in self._objects.items():
            if debuggee.pinned(pin).address == value.address:
                return number
        if len(self._objects) >= _MOST:
            raise EvaluationError(f"There are {_MOST} object ids already: release some with .forget $1")
        self._last += 1
        self._objects[self._last] = (debuggee.pin(value.handle), value.address)
        return self._last

    def object(self, debuggee: Debuggee, number: int) -> Value:
        """The object of a number. Raises `EvaluationError`, CS0103, for one that was never given, or let go."""
        found = self._objects.get(number)
        if found is None:
            said = f"error CS0103: There is no object id '${number}'; expression,makeid gives one"
            raise EvaluationError(said, compiler_code="CS0103")
        return debuggee.pinned(found[0])

    def forget(self, debuggee: Debuggee, number: int) -> None:
        """Let an object go. Raises `EvaluationError` for a number that means none."""
        found = self._objects.pop(number, None)
        if found is None:
            raise EvaluationError(f"There is no object id '${number}'")
        debuggee.unpin(found[0])

    def numbers(self) -> list[int]:
        """The numbers that mean objects."""
        return list(self._objects)

    # variables of the debug console

    def variable(self, name: str) -> KeptVariable | None:
        """A variable by its name."""
        return self._variables.get(name)

    def variables(self) -> list[str]:
        """Their names."""
        return list(self._variables)

    def keep(self, debuggee: Debuggee, name: str, variable: KeptVariable) -> None:
        """Make a variable, or give one another value."""
        old = self._variables.get(name)
        if old is None and len(self._variables) >= _MOST:
            raise EvaluationError(f"There are {_MOST} variables already")
        self._variables[name] = variable
        if old is not None and old.pin is not None:
            debuggee.unpin(old.pin)

    def clear(self) -> None:
        """The program is gone, and all that it had."""
        self._objects.clear()
        self._variables.clear()
