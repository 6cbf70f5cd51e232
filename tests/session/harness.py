"""The whole server over a socket, with a fake debuggee behind it and the client before it."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from dap_dotnet.client import RecordedMessage
from tests.support.conversation import Entry, check_conversation
from tests.support.fake_debuggee.backend import FakeBackend
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.machine import Machine, Program
from tests.support.fake_debuggee.sample import DOCUMENT
from tests.support.fake_debuggee.values import Object
from tests.support.served import ServedAdapter

DEADLINE_S = 10.0


class SessionUnderTest(ServedAdapter):
    """A context manager. At its end everything must be over, and every message must have been as the protocol says."""

    def __init__(self, program: Program, *, schema: bool = True) -> None:
        """`schema` False: the test sends what is not of the protocol, and only its own checks are made."""
        self.backend = FakeBackend(program)
        self._schema = schema
        super().__init__(self.backend, deadline_s=DEADLINE_S)

    @property
    def debuggee(self) -> FakeDebuggee:
        """The program, once it was started."""
        assert self.backend.debuggee is not None
        return self.backend.debuggee

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, traceback)
        self.backend.join()
        if error is None and self._schema:
            entries = [Entry(recorded.sender, recorded.message) for recorded in self.client.messages]
            check_conversation(entries, complete=False)

    def launch(self, *lines: int, **attributes: Any) -> list[Any]:
        """Launch with breakpoints in the sample."""
        return self.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: list(lines)}, **attributes)

    def wait_until_spinning(self) -> None:
        """The program has come to `Machine.spin`."""
        self.client.wait_for("output", where=lambda body: body["output"] == "spinning\n")

    def names(self) -> list[str]:
        """What the adapter sent: commands of responses and names of events, in order."""
        return [_name(recorded) for recorded in self.client.messages if recorded.sender == "adapter"]


def _name(recorded: RecordedMessage) -> str:
    message = recorded.message
    return str(message.get("event") or message.get("command"))


def add_up(machine: Machine) -> int:
    """What Sample.cs does."""
    with machine.call("Main", args=["a"]) as main:
        machine.at("begin")
        main.locals.update(total=0, numbers=[1, 2, 3])
        main.locals["point"] = _point()
        machine.at("loop")
        for i in range(3):
            main.locals["i"] = i
            machine.at("loop", part=2)  # i < 3
            machine.at("call")
            with machine.call("Add", left=main.locals["total"], right=i + 1) as add:
                machine.at("add")
                add.locals["sum"] = add.arguments["left"] + add.arguments["right"]
                machine.at("added")
                add.result = add.locals["sum"]
            main.locals["total"] = add.locals["sum"]
            machine.at("loop", part=1)  # i++
        machine.at("print")
        machine.write("6\n")
        machine.at("end")
    return 6


def spinning_until(go: threading.Event) -> Program:
    """A program that does nothing between its begin and its end, until it is told to go on."""

    def run(machine: Machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.spin(go)
        return 0

    return run


def endless(machine: Machine) -> int:
    """Runs over a breakpoint as often as the test lets it."""
    with machine.call("Main", args=["a"]) as main:
        main.locals.update(total=0, numbers=[1, 2, 3])
        while not machine.is_left:
            machine.at("begin")
            machine.at("print")
    return 0


def _point() -> Object:
    return Object("Sample.Point", {"X": 4, "Name": "four", "Next": Object("Sample.Point", {"X": -1})})
