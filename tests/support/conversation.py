"""What holds for a whole session, whatever it is about: order, numbering, and exactly one response to each request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.schema import SchemaError, validate_message

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """One message of a session, in the order in which it passed the client."""

    sender: Literal["client", "adapter"]
    message: Message


def check_conversation(
    entries: Iterable[Entry], *, complete: bool = True, foreign_client: bool = False, ended: bool = False
) -> None:
    """Raises SchemaError with all that is wrong in a session.

    `complete`: the session is over, so every request of the client must have its response. `ended`: the debuggee ended
    under the debugger, so both `exited` and `terminated` must be there. `foreign_client`: the client is not ours, so
    its own messages are not judged and it may number them from 0, as nvim-dap does.
    """
    faults: list[str] = []
    state = _State()
    for entry in entries:
        message = dict(entry.message)
        if foreign_client and entry.sender == "adapter" and message.get("request_seq") == 0:
            message["request_seq"] = 1
        if not (foreign_client and entry.sender == "client"):
            try:
                validate_message(message)
            except SchemaError as error:
                faults.append(str(error))
        faults += state.from_client(entry.message) if entry.sender == "client" else state.from_adapter(entry.message)
    if complete and state.pending:
        faults.append(f"without a response: {', '.join(f'{name} (seq {seq})' for seq, name in state.pending.items())}")
    if ended:
        faults += [
            f"the program ended without the event {name}" for name in ("exited", "terminated") if name not in state.once
        ]
    if faults:
        raise SchemaError("\n".join(faults))


class _State:
    def __init__(self) -> None:
        self.pending: dict[int, str] = {}
        self.answered: set[int] = set()
        self.adapter_seq = 0
        self.initialized_answered = False
        self.once: list[str] = []

    def from_client(self, message: Message) -> list[str]:
        if message["type"] == "request":
            self.pending[message["seq"]] = message["command"]
        return []

    def from_adapter(self, message: Message) -> list[str]:
        faults = []
        self.adapter_seq += 1
        if message.get("seq") != self.adapter_seq:
            faults.append(f"seq {message.get('seq')!r} where {self.adapter_seq} comes next: {_short(message)}")
            if isinstance(message.get("seq"), int):
                self.adapter_seq = message["seq"]
        if message.get("type") == "response":
            faults += self._response(message)
        elif message.get("type") == "event":
            faults += self._event(message)
        return faults

    def _response(self, message: Message) -> list[str]:
        request = message["request_seq"]
        if request not in self.pending:
            again = "a second" if request in self.answered else "an unasked"
            return [f"{again} response to seq {request}: {_short(message)}"]
        command = self.pending.pop(request)
        self.answered.add(request)
        if command == "initialize" and message["success"]:
            self.initialized_answered = True
        return [] if message["command"] == command else [f"the response to {command} says {message['command']}"]

    def _event(self, message: Message) -> list[str]:
        faults = []
        name = message["event"]
        if not self.initialized_answered and name != "output":
            faults.append(f"event {name} before the response to initialize")
        if name in {"initialized", "exited", "terminated"}:
            if name in self.once:
                faults.append(f"event {name} twice")
            self.once.append(name)
        if name == "exited" and "terminated" in self.once:
            faults.append("event exited after terminated")
        if name in {"stopped", "continued", "breakpoint", "module", "thread"} and "terminated" in self.once:
            faults.append(f"event {name} after terminated")
        if name in {"stopped", "continued"} and "exited" in self.once:
            faults.append(f"event {name} after exited")
        return faults


def _short(message: Message) -> str:
    return f"{message.get('type')} {message.get('command') or message.get('event')}"
