"""Debugging in a client's words: launch, breakpoints, stops, stacks, variables, steps."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from dap_dotnet.client.connection import Connection, PendingResponse
from dap_dotnet.client.errors import ClientError, ProgramEndedError
from dap_dotnet.protocol.messages.async_tasks import AsyncTasksArguments, AsyncTasksResponseBody
from dap_dotnet.protocol.messages.breakpoints import Breakpoint
from dap_dotnet.protocol.messages.events import ExitedEventBody, StoppedEventBody
from dap_dotnet.protocol.messages.exception_info import ExceptionInfoArguments, ExceptionInfoResponseBody
from dap_dotnet.protocol.messages.execution import ContinueArguments, NextArguments, PauseArguments, Thread
from dap_dotnet.protocol.messages.heap import (
    HeapTypesArguments,
    HeapTypesResponseBody,
    ObjectArguments,
    ReferencesResponseBody,
    RetainedSizeResponseBody,
)
from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.protocol.messages.lifecycle import DisconnectArguments
from dap_dotnet.protocol.messages.memory import ReadMemoryArguments, ReadMemoryResponseBody, WriteMemoryArguments
from dap_dotnet.protocol.messages.stack import (
    Scope,
    ScopesArguments,
    ScopesResponseBody,
    StackFrame,
    StackTraceArguments,
    StackTraceResponseBody,
)
from dap_dotnet.protocol.messages.variables import (
    EvaluateArguments,
    EvaluateResponseBody,
    Variable,
    VariablesArguments,
    VariablesResponseBody,
)
from dap_dotnet.protocol.wire_names import wire_name

Lines = Sequence[int | Mapping[str, Any]]
"""Breakpoints of a file: lines, or the protocol's SourceBreakpoint objects."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A `stopped` event."""

    reason: str
    thread_id: int
    breakpoint_ids: tuple[int, ...]
    description: str | None
    text: str | None
    body: Mapping[str, Any]
    """As received."""


class DapClient(Connection):
    """One debug session with an adapter. Lines and columns are 1-based, paths are paths.

    All methods raise `DapRequestError` when the adapter refuses, `DapTimeoutError` and `AdapterGoneError`.
    """

    capabilities: Capabilities | None = None
    """What the adapter can do; None before `initialize`."""
    last_stop: Stop | None = None
    """The stop that `wait_for_stop` returned last."""
    _is_disconnected = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is None and self.capabilities is not None and not self._is_disconnected:
                self.disconnect()
        except ClientError:
            pass  # an adapter that is gone already, or that does not answer, is ended by force below
        super().__exit__(kind, error, traceback)

    # beginning and ending

    def initialize(self, **arguments: Any) -> Capabilities:
        """The `initialize` request; `arguments` (wire names) replace the defaults."""
        defaults = InitializeRequestArguments(
            client_id="dap-dotnet",
            client_name="dap-dotnet",
            adapter_id="dap-dotnet",
            lines_start_at1=True,
            columns_start_at1=True,
            path_format="path",
            supports_variable_type=True,
            supports_variable_paging=True,
            supports_start_debugging_request=self.answers("startDebugging") or None,
        )
        self.capabilities = Capabilities.model_validate(self.request("initialize", {**defaults.to_wire(), **arguments}))
        return self.capabilities

    def launch(
        self,
        program: str | None,
        args: Sequence[str] = (),
        *,
        breakpoints: Mapping[str, Lines] | None = None,
        exception_filters: Sequence[str] | None = None,
        **attributes: Any,
    ) -> list[Breakpoint]:
        """Start a program with breakpoints by path; return those, in order. `attributes` are those of launch.json.

        `program` is None where they name what to start (`testProject`).
        """
        named = {} if program is None else {"program": program}
        return self._begin("launch", {**named, "args": list(args), **attributes}, breakpoints, exception_filters)

    def attach(
        self,
        process_id: int,
        *,
        breakpoints: Mapping[str, Lines] | None = None,
        exception_filters: Sequence[str] | None = None,
        **attributes: Any,
    ) -> list[Breakpoint]:
        """Take control of a running program; else as `launch`."""
        return self._begin(
            "attach", {wire_name("process_id"): process_id, **attributes}, breakpoints, exception_filters
        )

    def _begin(
        self,
        command: str,
        arguments: Mapping[str, Any],
        breakpoints: Mapping[str, Lines] | None,
        exception_filters: Sequence[str] | None,
    ) -> list[Breakpoint]:
        starting = self.start(command, arguments)
        found: list[Breakpoint] = []
        for path, wanted in (breakpoints or {}).items():
            found += self.set_breakpoints(path, wanted)
        if exception_filters is not None:
            self.set_exception_breakpoints(exception_filters)
        self.configuration_done()
        starting.result()
        return found

    def start(self, command: str, arguments: Mapping[str, Any]) -> PendingResponse:
        """Send `launch` or `attach`, after `initialize` if need be, and wait until the adapter takes breakpoints.

        The response is returned unawaited: some adapters send it only after `configurationDone`. Without `logging` in
        `arguments` the adapter writes no lines for modules and the exit code, which its events carry anyway.
        """
        if self.capabilities is None:
            self.initialize()
        quiet = {"logging": {wire_name("module_load"): False, wire_name("process_exit"): False}}
        starting = self.send(command, {**quiet, **arguments})
        self.wait_until(lambda: starting.is_answered or bool(self.events("initialized")), "the event initialized")
        if starting.is_answered:
            starting.result()  # raises when it has failed
        self.wait_for("initialized")
        return starting

    def configuration_done(self) -> None:
        """All breakpoints are set: let the program begin."""
        self.request("configurationDone")

    def disconnect(self, *, terminate_debuggee: bool | None = None) -> None:
        """End the session. None: a launched program ends with it, an attached one goes on."""
        self._is_disconnected = True
        self.request("disconnect", DisconnectArguments(terminate_debuggee=terminate_debuggee))

    def wait_for_exit(self, *, timeout_s: float | None = None) -> int | None:
        """Wait for the end of debugging; the program's exit code, None when the adapter sent none."""
        self.wait_for("terminated", timeout_s=timeout_s)
        return self._exit_code()

    # breakpoints

    def set_breakpoints(self, path: str, wanted: Lines) -> list[Breakpoint]:
        """Replace the breakpoints of a file."""
        entries = [{"line": entry} if isinstance(entry, int) else dict(entry) for entry in wanted]
        body = self.request("setBreakpoints", {"source": {"path": path}, "breakpoints": entries})
        return [Breakpoint.model_validate(entry) for entry in body["breakpoints"]]

    def set_exception_breakpoints(self, filters: Sequence[str]) -> None:
        """Replace the exception filters."""
        self.request("setExceptionBreakpoints", {"filters": list(filters)})

    # stops

    def wait_for_stop(self, *, timeout_s: float | None = None) -> Stop:
        """The next stop. Raises `ProgramEndedError` when the program ends instead."""
        event = self.wait_for({"stopped", "terminated"}, timeout_s=timeout_s)
        if event.event == "terminated":
            raise ProgramEndedError(self._exit_code())
        self.last_stop = stop_from_body(event.body)
        return self.last_stop

    def continue_(self, thread_id: int | None = None) -> None:
        """Let the program run. Here and below, a thread of None is that of the last stop."""
        self.request("continue", ContinueArguments(thread_id=self._thread(thread_id)))

    def step_over(self, thread_id: int | None = None) -> Stop:
        """Step over a statement and wait for the stop."""
        return self._step("next", thread_id)

    def step_in(self, thread_id: int | None = None) -> Stop:
        """Step into the next call and wait for the stop."""
        return self._step("stepIn", thread_id)

    def step_out(self, thread_id: int | None = None) -> Stop:
        """Step out of the function and wait for the stop."""
        return self._step("stepOut", thread_id)

    def pause(self) -> Stop:
        """Stop the program and wait for that."""
        thread_id = self.last_stop.thread_id if self.last_stop is not None else 0
        self.request("pause", PauseArguments(thread_id=thread_id))
        return self.wait_for_stop()

    def _step(self, command: str, thread_id: int | None) -> Stop:
        self.request(command, NextArguments(thread_id=self._thread(thread_id)))
        return self.wait_for_stop()

    # what is seen while stopped

    def threads(self) -> list[Thread]:
        """All threads."""
        return [Thread.model_validate(entry) for entry in self.request("threads")["threads"]]

    def stack(self, thread_id: int | None = None, *, start: int = 0, count: int = 0) -> list[StackFrame]:
        """A thread's stack from frame number `start`; `count` 0 means all."""
        arguments = StackTraceArguments(thread_id=self._thread(thread_id), start_frame=start, levels=count)
        return StackTraceResponseBody.model_validate(self.request("stackTrace", arguments)).stack_frames

    def scopes(self, frame_id: int) -> list[Scope]:
        """The scopes of a frame."""
        body = self.request("scopes", ScopesArguments(frame_id=frame_id))
        return ScopesResponseBody.model_validate(body).scopes

    def variables(self, reference: int, **paging: Any) -> list[Variable]:
        """The children of a scope or variable; `paging` is `filter`, `start` and `count`."""
        body = self.request("variables", VariablesArguments(variables_reference=reference, **paging))
        return VariablesResponseBody.from_wire(body).variables

    def locals(self, frame_id: int | None = None) -> dict[str, Variable]:
        """The variables of all scopes of a frame that are not expensive, by name, without those of returned values.

        None: the top frame.
        """
        frame_id = self._frame(frame_id)
        return {
            variable.name: variable
            for scope in self.scopes(frame_id)
            if not scope.expensive and scope.presentation_hint != "returnValue"
            for variable in self.variables(scope.variables_reference)
        }

    def evaluate(
        self, expression: str, frame_id: int | None = None, *, context: str | None = "repl"
    ) -> EvaluateResponseBody:
        """The value of an expression. None: in the top frame."""
        arguments = EvaluateArguments(expression=expression, frame_id=self._frame(frame_id), context=context)
        return EvaluateResponseBody.from_wire(self.request("evaluate", arguments))

    def exception_info(self, thread_id: int | None = None) -> ExceptionInfoResponseBody:
        """The exception that a thread stopped for."""
        body = self.request("exceptionInfo", ExceptionInfoArguments(thread_id=self._thread(thread_id)))
        return ExceptionInfoResponseBody.model_validate(body)

    def read_memory(self, reference: str, count: int, offset: int = 0) -> bytes:
        """Up to `count` bytes of the program, fewer where they cannot be read."""
        arguments = ReadMemoryArguments(memory_reference=reference, offset=offset, count=count)
        body = ReadMemoryResponseBody.model_validate(self.request("readMemory", arguments))
        return base64.b64decode(body.data or "")

    def write_memory(self, reference: str, content: bytes, offset: int = 0) -> None:
        """Put bytes into the program."""
        data = base64.b64encode(content).decode("ascii")
        self.request("writeMemory", WriteMemoryArguments(memory_reference=reference, offset=offset, data=data))

    def references(self, expression: str, frame_id: int | None = None) -> ReferencesResponseBody:
        """Who refers to the object that an expression gives. None: in the top frame."""
        arguments = ObjectArguments(expression=expression, frame_id=self._frame(frame_id))
        return ReferencesResponseBody.model_validate(self.request("dap-dotnet/references", arguments))

    def retained_size(self, expression: str, frame_id: int | None = None) -> RetainedSizeResponseBody:
        """What the object that an expression gives keeps alive alone. None: in the top frame."""
        arguments = ObjectArguments(expression=expression, frame_id=self._frame(frame_id))
        return RetainedSizeResponseBody.model_validate(self.request("dap-dotnet/retainedSize", arguments))

    def heap_types(self, name: str | None = None, count: int | None = None) -> HeapTypesResponseBody:
        """The types with objects, most bytes first; with `name` those of that name."""
        arguments = HeapTypesArguments(name=name, count=count)
        return HeapTypesResponseBody.model_validate(self.request("dap-dotnet/heapTypes", arguments))

    def async_tasks(self, start: int | None = None, count: int | None = None) -> AsyncTasksResponseBody:
        """The suspended async methods, or a page of them."""
        arguments = AsyncTasksArguments(start=start, count=count)
        return AsyncTasksResponseBody.model_validate(self.request("dap-dotnet/asyncTasks", arguments))

    def _exit_code(self) -> int | None:
        exited = self.events("exited")
        return ExitedEventBody.model_validate(exited[-1]).exit_code if exited else None

    def _thread(self, thread_id: int | None) -> int:
        if thread_id is not None:
            return thread_id
        if self.last_stop is None:
            raise ClientError("The program has not stopped yet: pass a thread id.")
        return self.last_stop.thread_id

    def _frame(self, frame_id: int | None) -> int:
        if frame_id is not None:
            return frame_id
        frames = self.stack(count=1)
        if not frames:
            raise ClientError("The thread has no frames.")
        return frames[0].id


def stop_from_body(body: Mapping[str, Any]) -> Stop:
    """A `stopped` event's body as a `Stop`."""
    stopped = StoppedEventBody.model_validate(body)
    return Stop(
        reason=stopped.reason,
        thread_id=stopped.thread_id or 0,
        breakpoint_ids=tuple(stopped.hit_breakpoint_ids or ()),
        description=stopped.description,
        text=stopped.text,
        body=body,
    )
