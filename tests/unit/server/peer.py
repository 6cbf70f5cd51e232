"""A server in a thread of its own, with handlers from this module, and a peer that speaks to it over a socket."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_dotnet.errors import LaunchError, NotStoppedError, RuntimeCallError
from dap_dotnet.protocol.codec import MessageDecoder, encode_message
from dap_dotnet.protocol.messages.breakpoints import Breakpoint, SetBreakpointsArguments, SetBreakpointsResponseBody
from dap_dotnet.protocol.messages.events import TerminatedEventBody
from dap_dotnet.protocol.messages.execution import Thread, ThreadsResponseBody
from dap_dotnet.protocol.messages.lifecycle import DisconnectArguments, RunInTerminalRequestArguments
from dap_dotnet.protocol.messages.variables import EvaluateArguments, EvaluateResponseBody, VariablesArguments
from dap_dotnet.server import DEFERRED, Deferred, HandlerSpec, RequestCancelledError, Server

DEADLINE_S = 10.0
HERE = __name__


class Session:
    """Remembers what happened to it."""

    def __init__(self, server: Server[Session]) -> None:
        self.server = server
        self.disconnects = 0
        self.calls: list[str] = []
        self.slow_evaluation_began = threading.Event()
        self.ends = threading.Event()

    def on_disconnect(self) -> None:
        self.disconnects += 1
        self.calls.append("on_disconnect")
        self.ends.set()


def threads(session: Session) -> ThreadsResponseBody:
    return ThreadsResponseBody(threads=[Thread(id=1, name="Main")])


def set_breakpoints(session: Session, arguments: SetBreakpointsArguments) -> SetBreakpointsResponseBody:
    wanted = arguments.breakpoints or []
    found = [Breakpoint(id=n, verified=True, line=item.line) for n, item in enumerate(wanted, 1)]
    return SetBreakpointsResponseBody(breakpoints=found)


def evaluate(session: Session, arguments: EvaluateArguments) -> EvaluateResponseBody | dict[str, Any] | Deferred:
    """A little language: the expression says how the handler behaves."""
    server = session.server
    request = server.current_request
    session.calls.append(arguments.expression)
    match arguments.expression:
        case "crash":
            raise ZeroDivisionError("no such luck")
        case "nan":
            return {"result": "x", "variablesReference": float("nan")}
        case "fail":
            raise LaunchError("It failed.\nDo better.")
        case "running":
            raise NotStoppedError("The program is running.")
        case "hresult":
            raise RuntimeCallError("No.", hresult=0x80131C0A, hresult_name="CORDBG_E_X")
        case "twice":
            request.respond({"result": "first", "variablesReference": 0})
            return EvaluateResponseBody(result="second", variables_reference=0)
        case "later":
            threading.Thread(target=lambda: server.post(lambda: request.respond(answer("later")))).start()
            return DEFERRED
        case "never":
            return DEFERRED
        case "until cancelled":
            request.on_cancel = lambda: request.fail(RequestCancelledError())
            return DEFERRED
        case "slow":
            session.slow_evaluation_began.set()
            interrupts = server.interrupts
            stopped = _wait_until(
                lambda: interrupts.pause_requested or interrupts.disconnect_requested or request.is_cancelled
            )
            if request.is_cancelled:
                raise RequestCancelledError
            return answer(
                f"interrupted={stopped} pause={interrupts.pause_requested} end={interrupts.disconnect_requested}"
            )
        case "terminal":
            server.send_request(
                "runInTerminal",
                RunInTerminalRequestArguments(cwd="/", args=["x"]),
                lambda reply: request.respond(
                    answer(f"{reply.success} {reply.timed_out} {reply.message} {reply.body}")
                ),
                timeout_s=0.2,
            )
            return DEFERRED
        case "terminate":
            server.after_response(lambda: server.send_event("terminated", TerminatedEventBody()))
        case "fail afterwards":
            server.after_response(_fail)
        case "post":
            server.post(lambda: 1 / 0)
    return answer(arguments.expression)


def _wait_until(condition: Callable[[], bool]) -> bool:
    """What a function evaluation does: the session thread waits, and looks at the requests that come meanwhile."""
    deadline, tick = time.monotonic() + DEADLINE_S, threading.Event()
    while not condition() and time.monotonic() < deadline:
        tick.wait(0.005)
    return condition()


def _fail() -> None:
    raise LaunchError("It failed afterwards.")


def answer(text: str) -> EvaluateResponseBody:
    return EvaluateResponseBody(result=text, variables_reference=0)


def variables(session: Session, arguments: VariablesArguments) -> None:
    return None


def pause(session: Session) -> None:
    session.calls.append("pause")


def disconnect(session: Session, arguments: DisconnectArguments) -> None:
    session.calls.append(f"disconnect {arguments.terminate_debuggee}")
    session.server.after_response(session.server.end)


HANDLERS = {
    name: HandlerSpec(f"{HERE}:{function}", capabilities)
    for name, function, capabilities in [
        ("threads", "threads", {}),
        ("setBreakpoints", "set_breakpoints", {"supports_conditional_breakpoints": True}),
        ("evaluate", "evaluate", {"supports_evaluate_for_hovers": True}),
        ("variables", "variables", {}),
        ("pause", "pause", {}),
        ("disconnect", "disconnect", {}),
        ("terminate", "disconnect", {}),
    ]
}


class Peer:
    """The client's side. A context manager that ends the server and checks that it ended as it should."""

    def __init__(
        self,
        handlers: Mapping[str, HandlerSpec] = HANDLERS,
        *,
        linger_s: float = 0.2,
        usual: Sequence[str] = (),
        token: str | None = None,
    ) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._theirs = theirs
        self.prepared = threading.Event()
        """Set when all handlers of `usual` are imported."""
        self.server: Server[Session] = Server(
            theirs.makefile("rb", buffering=0),
            theirs.makefile("wb", buffering=0),
            handlers,
            usual=usual,
            when_prepared=self.prepared.set,
            linger_s=linger_s,
            token=token,
        )
        self.session = Session(self.server)
        self.openings = 0
        """How often the server has opened the session."""
        self.opened = threading.Event()
        self.may_open = threading.Event()
        """Cleared by a test that keeps the session from being opened."""
        self.may_open.set()
        self._thread = threading.Thread(target=self._serve, name="session")
        self._received: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="peer")
        self._seq = 0
        self.messages: list[dict[str, Any]] = []

    def __enter__(self) -> Peer:
        self._thread.start()
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close_input()
        self.wait_for_end()
        self._socket.close()
        self._reader.join(DEADLINE_S)
        assert self.session.disconnects == self.openings <= 1
        while self.receive_any() is not None:
            pass
        answers = [message["request_seq"] for message in self.messages if message["type"] == "response"]
        assert len(answers) == len(set(answers)), "a request was answered twice"
        assert [message["seq"] for message in self.messages] == list(range(1, len(self.messages) + 1))

    def _serve(self) -> None:
        try:
            self.server.run(self._open_session)
        finally:
            self._theirs.shutdown(socket.SHUT_WR)

    def _open_session(self) -> Session:
        assert self.may_open.wait(DEADLINE_S)
        self.openings += 1
        self.opened.set()
        return self.session

    def _read(self) -> None:
        decoder = MessageDecoder()
        try:
            while data := self._socket.recv(65536):
                for item in decoder.feed(data):
                    assert isinstance(item, dict)
                    self._received.put(item)
        except OSError:
            pass
        self._received.put(None)

    def send_bytes(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send(self, command: str, arguments: Any = None, *, seq: int | None = None) -> int:
        if seq is None:
            self._seq += 1
            seq = self._seq
        message = {"seq": seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.send_bytes(encode_message(message))
        return seq

    def receive_any(self) -> dict[str, Any] | None:
        """The next message; None at end-of-file."""
        message = self._received.get(timeout=DEADLINE_S)
        if message is None:
            self._received.put(None)
        else:
            self.messages.append(message)
        return message

    def receive(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted; others are passed over."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            message = self.receive_any()
            assert message is not None, f"the server ended; it sent {self.messages}"
            if wanted(message):
                return message
        raise AssertionError(f"not among {self.messages}")

    def response(self, seq: int) -> dict[str, Any]:
        return self.receive(lambda message: message["type"] == "response" and message["request_seq"] == seq)

    def event(self, name: str) -> dict[str, Any]:
        return self.receive(lambda message: message["type"] == "event" and message["event"] == name)

    def ask(self, command: str, arguments: Any = None) -> dict[str, Any]:
        return self.response(self.send(command, arguments))

    def initialize(self, **arguments: Any) -> dict[str, Any]:
        return self.ask("initialize", {"adapterID": "dap-dotnet", **arguments})

    def close_input(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def vanish(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def wait_for_end(self) -> None:
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive(), "the server did not end"
