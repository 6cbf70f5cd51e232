"""One call of an async method that several parts of a step remember."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dap_dotnet.runtime.model import ElementType, PinId, ValueHandle
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine


class Stub:
    """A debuggee whose objects do not move: their handles are their addresses."""

    def __init__(self) -> None:
        self.pins: dict[PinId, int] = {}
        self.made = 0

    def pin(self, value: ValueHandle, *, weak: bool) -> PinId:
        assert weak
        self.made += 1
        self.pins[PinId(self.made)] = value
        return PinId(self.made)

    def pinned(self, pin: PinId) -> Any:
        return machine(self.pins[pin])

    def unpin(self, pin: PinId) -> None:
        del self.pins[pin]


def machine(address: int) -> Any:
    return SimpleNamespace(
        handle=ValueHandle(address), address=address, element_type=ElementType.CLASS, is_null=False, error=None
    )


def test_machine_that_is_known_is_pinned_once_and_let_go_with_the_last_that_remembers_it() -> None:
    debuggee: Any = Stub()
    program: Any = SimpleNamespace(debuggee=debuggee)
    first = RememberedMachine(program, machine(1))
    second = RememberedMachine(program, machine(1), first)
    assert debuggee.made == 1
    first.forget(debuggee)
    first.forget(debuggee)
    found = second.object(debuggee)
    assert found is not None
    assert found.address == 1
    assert first.object(debuggee) is None
    second.forget(debuggee)
    assert not debuggee.pins


def test_another_machine_gets_a_pin_of_its_own() -> None:
    debuggee: Any = Stub()
    program: Any = SimpleNamespace(debuggee=debuggee)
    first = RememberedMachine(program, machine(1))
    second = RememberedMachine(program, machine(2), first)
    assert sorted(debuggee.pins.values()) == [1, 2]
    first.forget(debuggee)
    assert second.is_known
    assert list(debuggee.pins.values()) == [2]
