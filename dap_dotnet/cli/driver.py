"""One debug session, from launch to exit code, as the command line asked for it."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from datetime import datetime, timezone
from typing import Any

from dap_dotnet.cli.arguments import DebugArguments
from dap_dotnet.cli.breakpoint_arguments import BreakpointArgument, ExceptionArgument
from dap_dotnet.cli.breakpoints import BreakpointSet
from dap_dotnet.cli.prompt import CommandSource
from dap_dotnet.cli.prompt_commands import END, GOING_BACK, RESTART, Commands
from dap_dotnet.cli.report import Body, ErrorReport, EvaluationReport, Reporter, StopReport
from dap_dotnet.cli.stop_reading import StopReader
from dap_dotnet.client import ClientError, DapClient, DapEvent, DapRequestError, PendingResponse
from dap_dotnet.client.connection import Arguments
from dap_dotnet.protocol.messages.execution import ContinueArguments, InputArguments, PauseArguments, StepBackArguments
from dap_dotnet.protocol.wire_names import member, wire_name

_STEP_COMMANDS = {"over": "next", "into": "stepIn", "out": "stepOut"}
_END_TIMEOUT_S = 10.0
_LIST_TIMEOUT_S = 3.0
_STOP_TIMEOUT_S = 8.0
_FRAMES_OF_THREADS = 20


class Driver:
    """Drives a client and reports what happens."""

    def __init__(
        self, client: DapClient, arguments: DebugArguments, reporter: Reporter, source: CommandSource | None = None
    ) -> None:
        """`source` is asked for commands at the beginning and at each stop, as long as it has some."""
        self._client = client
        self._source = source
        self._arguments = arguments
        self._reporter = reporter
        self._stops = 0
        self._hits: Counter[int] = Counter()
        """Stops by breakpoint, for adapters that do not report hit counts."""
        self._breakpoints = BreakpointSet(
            client, arguments.breakpoints, arguments.exceptions, request=self._request_of_breakpoints
        )
        self._reader = StopReader(client)
        self._commands = Commands(client, self._breakpoints, reporter, self._reader)
        self._unbound: dict[int, Body] = {}
        """The breakpoints that are not bound now, by id."""
        self._takes_input = source is not None and arguments.process_id is None
        self._explained: list[tuple[int, Body | ErrorReport]] = []
        """What is said of breakpoints that were removed since; empty where they are still there to be asked about."""
        self._has_begun = False
        self._exit_code: int | None = None

    def run(self) -> int:
        """Debug until the program ends or was left; the exit code. Raises `DapRequestError` when it cannot begin."""
        if not self.begin():
            return self._left()
        while (exit_code := self.handle(self._next_event())) is None:
            pass
        return exit_code

    def handle(self, event: DapEvent) -> int | None:
        """Act on an event and report it; the exit code when the session is over. Begun before."""
        body = event.body
        if event.event == "stopped":
            if self._is_over():
                self._resume(body, step=False)
            else:
                if self.on_stop(body) == END:
                    return self._left()
                if self._is_over() and self._arguments.process_id is not None:
                    self._report_end()
                    self._client.disconnect(terminate_debuggee=False)
                    self._reporter.notice("The process was left running.")
                    return 0
            return None
        if event.event == "breakpoint":
            body = {**body, "breakpoint": self._with_code(body.get("breakpoint") or {})}
        self.note(event.event, body)
        self._reporter.event(event.event, body)
        if event.event != "terminated":
            return None
        for number, breakpoint_ in self.never_bound().items():
            reason = breakpoint_.get("message") or "no loaded module has this source line"
            self._reporter.notice(f"Breakpoint {number} was not bound: {reason}")
        self._report_end()
        try:
            self._client.disconnect()
        except ClientError:
            pass  # it has said all that matters
        return (self._exit_code or 0) & 0xFF

    def never_bound(self) -> dict[int, Body]:
        """The breakpoints to tell of at the end: those that are not bound, by number."""
        return self._unbound

    def wait_for_event(self) -> DapEvent:
        """The next event of the session."""
        return self._client.next_event(timeout_s=math.inf)

    def _left(self) -> int:
        """The end was commanded, or there is no more to see."""
        text = self.end_early()
        if not self._arguments.is_frozen:
            self._reporter.notice(text)
        return 0

    def end_early(self, *, silently: bool = False) -> str:
        """End a launched program, leave an attached one; a sentence that says which."""
        terminate = self._arguments.process_id is None
        try:
            if self._client.capabilities is not None:
                if not silently:
                    self._client.timeout_s = _LIST_TIMEOUT_S
                    self._report_end()
                self._client.timeout_s = _END_TIMEOUT_S
                self._client.disconnect(terminate_debuggee=terminate)
        except (ClientError, OSError):
            pass  # the adapter is ended next, by force if need be, and takes a launched program with it
        if not silently:
            self._report_rest()
        return "The program was ended." if terminate else "The process was left running."

    def report_threads(self) -> None:
        """Where each thread is, and what each waits for: stops the program, unless it has stopped."""
        client = self._client
        client.timeout_s = _STOP_TIMEOUT_S
        try:
            try:
                waiting = self._reader.waiting()
            except DapRequestError:  # it runs
                client.pause()
                waiting = self._reader.waiting()
            self._reporter.threads(self._reader.threads(self._arguments.stack or _FRAMES_OF_THREADS), waiting)
        except (ClientError, OSError) as error:
            self._reporter.notice(f"The state of the threads cannot be shown: {error}")

    # the beginning

    def begin(self) -> bool:
        """Launch or attach; False when a command has ended the session before the program has begun."""
        starting = self.start()
        for answer in self._breakpoints.set_all():
            body = self._with_code(answer)
            self.note("breakpoint", {"breakpoint": body})
            self._reporter.event("breakpoint", {"reason": "new", "breakpoint": body})
        if self._arguments.list_breakpoints:
            self._reporter.breakpoints("set", self._breakpoints.listed())
        is_wanted = self.ask_first() != END
        if is_wanted:
            self._client.configuration_done()
            # The adapter has a limit for each program; a build may take long.
            self._result_after_output(starting, timeout_s=math.inf)
            self._has_begun = True
            if self._source is None:
                self._end_input()
        return is_wanted

    def ask_first(self) -> str | None:
        """The command, if there is one, that lets the program begin or ends the session before that."""
        return self._ask()

    def start(self) -> PendingResponse:
        """Send `launch` or `attach`."""
        arguments, client = self._arguments, self._client
        if arguments.process_id is not None:
            attaching: dict[str, Any] = {**arguments.attributes, wire_name("process_id"): arguments.process_id}
            if arguments.stop_on_attach:
                attaching[wire_name("stop_on_attach")] = True
            return client.start("attach", attaching)
        attributes: dict[str, Any] = {"args": list(arguments.program_arguments), **arguments.attributes}
        if arguments.program is not None:
            attributes["program"] = arguments.program
            attributes[wire_name("console_input")] = "pipe" if self._takes_input else "none"
            attributes["cwd"] = os.getcwd()
        if arguments.stop_at_entry:
            attributes[wire_name("stop_at_entry")] = True
        return client.start("launch", attributes)

    def _request_of_breakpoints(self, command: str, arguments: Arguments) -> Body:
        pending = self._client.send(command, arguments)
        return pending.result() if self._has_begun else self._result_after_output(pending)

    def _result_after_output(self, pending: PendingResponse, timeout_s: float | None = None) -> Body:
        """The answer to a request of the beginning, which may wait for a build, whose output is reported meanwhile."""
        while (event := self._client.next_event_before(pending, "output", timeout_s)) is not None:
            self._reporter.event(event.event, event.body)
        return pending.result()

    # what is commanded

    def _ask(self) -> str | None:
        """Carry commands out until one lets the program go on or ends the session: that one. None: no more came."""
        while self._source is not None:
            line = self._source.next_command()
            if line is None:
                is_person, self._source = self._source.is_person, None
                if self._stops:
                    self._end_input()
                return END if is_person else None
            said = self._carry_out(line)
            if said is not None:
                return said
        return None

    def _carry_out(self, line: str) -> str | None:
        """What a command says. Ctrl-C of a person at the prompt gives the command up."""
        try:
            return self._commands.carry_out(line)
        except KeyboardInterrupt:
            if self._source is None or not self._source.is_person:
                raise
            self._client.cancel_pending()
            self._reporter.notice("Given up")
            return None

    def _end_input(self) -> None:
        """There are no more commands: none can hand the program input, for which it would wait for ever."""
        if self._takes_input:
            try:
                self._client.request("dap-dotnet/input", InputArguments(end=True))
            except DapRequestError:
                pass  # it has ended, or runs elsewhere

    def wanted(self) -> tuple[tuple[BreakpointArgument, ...], tuple[ExceptionArgument, ...] | None]:
        """The breakpoints and the exceptions to stop at as they are now, with what was commanded."""
        return self._breakpoints.wanted()

    def _next_event(self) -> DapEvent:
        """The next event. Ctrl-C of a person at the prompt is a pause."""
        try:
            return self.wait_for_event()
        except KeyboardInterrupt:
            if self._source is None or not self._source.is_person:
                raise
            self._client.request("pause", PauseArguments(thread_id=0))
            return self.wait_for_event()

    # what is known of breakpoints

    def _with_code(self, breakpoint_: Body) -> Body:
        """A `Breakpoint` of the protocol with the ``code`` of its message, which the protocol has no place for."""
        number = breakpoint_.get("id")
        if not number or not breakpoint_.get("message"):
            return breakpoint_
        code = next((report.body.get("code") for report in self._breakpoints.listed([number])), None)
        return {**breakpoint_, "code": code} if code else breakpoint_

    def _hit_count(self, number: int) -> int:
        count = next((member(report.body, "hit_count") for report in self._breakpoints.listed([number])), None)
        return self._hits[number] if count is None else int(count)

    def _report_end(self) -> None:
        try:
            if self._arguments.list_breakpoints:
                self._reporter.breakpoints("end", self._breakpoints.listed())
            if self._arguments.explain:
                for number, explained in self._explained or self._breakpoints.explain():
                    self._reporter.explanation(number, explained)
        except ClientError as error:
            self._reporter.notice(f"The breakpoints cannot be listed: {error}")

    # what happens

    def note(self, name: str, body: Body) -> None:
        """Remember what an event says, also what became of a breakpoint at the beginning."""
        if name == "module":
            module = body.get("module") or {}
            self._reader.modules[module.get("id")] = str(module.get("name"))
        elif name == "exited":
            self._exit_code = int(member(body, "exit_code") or 0)
        elif name == "breakpoint":
            breakpoint_ = body.get("breakpoint") or {}
            number = int(breakpoint_.get("id") or 0)
            if not number:
                return  # refused at once, which was reported
            if breakpoint_.get("verified") or body.get("reason") == "removed":
                self._unbound.pop(number, None)
            else:
                self._unbound[number] = breakpoint_

    def _is_over(self) -> bool:
        return self._arguments.max_stops is not None and self._stops >= self._arguments.max_stops

    def on_stop(self, body: Body) -> str | None:
        """Report a stop, and let the program go on. `END` when a command has ended the session instead."""
        at = datetime.now(timezone.utc)
        self._stops += 1
        ids = member(body, "hit_breakpoint_ids") or ()
        self._hits.update(ids)
        thread_id = int(member(body, "thread_id") or 0)
        levels = max(1, self._arguments.stack)
        frames, focus = self._reader.frames_of_stop(body, levels)
        frame_id = frames[focus]["id"] if frames else None
        self._reporter.stopped(
            StopReport(
                number=self._stops,
                time=at,
                body=body,
                thread_id=thread_id,
                thread_name=self._reader.thread_name(thread_id),
                hit_count=self._hit_count(ids[0]) if ids else None,
                frames=tuple(self._reader.frame(frame) for frame in frames),
                locals=self._reader.locals(frame_id) if self._arguments.locals else None,
                evaluations=tuple(
                    EvaluationReport(expression, self._reader.evaluate(expression, frame_id, "watch"))
                    for expression in self._arguments.expressions
                ),
                focus=focus,
            )
        )
        if self._arguments.async_tasks:
            self._report_async_tasks()
        for number in self._breakpoints.remove_temporary(ids):
            self._reporter.event("breakpoint", {"reason": "removed", "breakpoint": {"id": number, "verified": False}})
        self._commands.stands(thread_id, focus)
        said = self._ask()
        while (said == RESTART and not self._restarts()) or self._is_refused(said, body):
            said = self._ask()
        if said == END:
            return said
        if said in GOING_BACK:
            return None
        if said == RESTART:
            self._commands.stands(None)
        elif said is not None:
            self._go_on(said, body)
        elif self._arguments.is_frozen:
            return END
        elif not self._is_over():
            self._resume(body, step=True)
        elif self._arguments.process_id is None:
            if self._arguments.explain:
                self._explained = self._breakpoints.explain()
            self._breakpoints.remove_all()
            self._unbound.clear()
            self._resume(body, step=False)
        return None

    def _is_refused(self, said: str | None, body: Body) -> bool:
        """Whether a program was told to go on, or back, that cannot: the user hears why, and is asked again.

        Where it can go back it has.
        """
        is_back = said in GOING_BACK
        if said is None or (not is_back and (not self._arguments.is_frozen or said in (END, RESTART))):
            return False
        try:
            if is_back:
                thread = int(member(body, "thread_id") or 0)
                self._client.request(said, StepBackArguments(thread_id=thread))
                return False
            self._go_on("continue", body)
        except DapRequestError as error:
            self._reporter.error(ErrorReport(error.code, error.text))
        return True

    def _report_async_tasks(self) -> None:
        try:
            self._reporter.async_tasks(self._reader.async_tasks())
        except DapRequestError as error:
            self._reporter.error(ErrorReport(error.code, error.text))

    def _restarts(self) -> bool:
        """Begin again, as commanded; False where that is refused: the program stands as it did."""
        try:
            self._client.request(RESTART, timeout_s=math.inf)  # it may be built again
        except DapRequestError as error:
            self._reporter.error(ErrorReport(error.code, error.text))
            return False
        return True

    def _go_on(self, request: str, body: Body) -> None:
        """As commanded; where that step is not possible the program continues."""
        try:
            self._client.request(request, ContinueArguments(thread_id=int(member(body, "thread_id") or 0)))
        except DapRequestError as error:
            if request == "continue":
                raise
            self._reporter.notice(f"No step is possible here ({error.text}); the program continues.")
            self._client.request("continue", ContinueArguments(thread_id=int(member(body, "thread_id") or 0)))

    def _resume(self, body: Body, *, step: bool) -> None:
        kind = self._arguments.step if step else None
        self._go_on("continue" if kind is None else _STEP_COMMANDS[kind], body)

    def _report_rest(self) -> None:
        """What the program wrote, and how it ended, while it was being ended."""
        deadline = time.monotonic() + 1.0
        try:
            while time.monotonic() < deadline:
                event = self._client.next_event(timeout_s=0)
                if event.event in ("output", "exited"):
                    self._reporter.event(event.event, event.body)
        except ClientError:
            pass
