"""`Backend` of the seam: launches through the launcher process, attaches, and explains what goes wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError, LaunchError, RuntimeCallError
from dap_dotnet.launching.attaching import (
    UnansweredError,
    check_attachable,
    ended_meanwhile,
    explained,
    let_start,
    no_other_attaches,
    once_guardian_has_left,
    trusts_any_runtime,
)
from dap_dotnet.launching.diagnostic_port import RESUMED
from dap_dotnet.launching.end_of_process import EndOfProcess
from dap_dotnet.launching.environment import diagnostics_switch_off, temporary_folder
from dap_dotnet.launching.failures import (
    OutputRecorder,
    diagnostics_disabled,
    ended_early,
    exec_failed,
    no_runtime_in_time,
)
from dap_dotnet.launching.guardian import Guardian
from dap_dotnet.launching.late_reports import LateReports
from dap_dotnet.launching.launcher import ExitStatus, Launcher, StartFailedError
from dap_dotnet.launching.procfs import has_ended
from dap_dotnet.launching.programs import resolve_program
from dap_dotnet.runtime.events import (
    BreakpointHit,
    DebuggerBreak,
    EventSink,
    ExceptionRaised,
    MessageLogged,
    ProcessExited,
    ProcessReaped,
    RuntimeEvent,
    StepCompleted,
    StopCompleted,
)
from dap_dotnet.runtime.model import LaunchSpec

if TYPE_CHECKING:
    from dap_dotnet.runtime.api import Copier
    from dap_dotnet.runtime.cordebug import CordebugDebuggee

_END_TIMEOUT_SECONDS = 5.0
_STOPPING = (BreakpointHit, StepCompleted, ExceptionRaised, DebuggerBreak, StopCompleted)


class LocalBackend:
    """Debuggees on this machine: one at a time, all of one runtime. The libraries of two cannot share a process."""

    def __init__(self, launcher_program: Path | None = None) -> None:
        """`launcher_program` is by default the installed one."""
        self._launcher_program = launcher_program

    def resolve(
        self, program: str, arguments: Sequence[str], working_directory: str | None, environment: Mapping[str, str]
    ) -> LaunchSpec:
        """See `api.Backend`."""
        return resolve_program(program, arguments, working_directory, environment)

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        """See `api.Backend`. Output goes to `sink` as soon as there is some, also of a launch that fails."""
        switch = diagnostics_switch_off(spec.environment)
        if switch is not None:
            raise diagnostics_disabled(switch, "the program")
        _check_temporary_folder(temporary_folder(spec.environment))
        if spec.tests is not None:
            from dap_dotnet.launching.debugged_tests import launch_test_host

            return launch_test_host(spec, sink, self.attach, timeout_ms, self._launcher_program)
        recorder = OutputRecorder(sink)
        launcher = self._start(spec, recorder, sink)
        try:
            debuggee = _connect(launcher, spec, _output_first(launcher, sink), timeout_ms)
        except DapDotnetError as error:
            explained = _explain(launcher, spec, recorder, error, timeout_ms)
            if explained is error:
                raise
            raise explained from error
        except BaseException:
            launcher.close()
            raise
        recorder.stop()
        debuggee.input = launcher.input
        debuggee.start_copier = self._copier_of(launcher.process_id, parent_reaps=True)
        debuggee.on_terminate = launcher.kill
        debuggee.on_detached = launcher.release
        debuggee.on_closed = lambda _: launcher.close()
        launcher.when_ended(lambda status: sink(_reaped(status)))
        return debuggee

    def _start(self, spec: LaunchSpec, recorder: OutputRecorder, sink: EventSink) -> Launcher:
        """In the terminal that is asked for, else, or where the client opens none, with its output to us."""
        if spec.terminal is not None:
            from dap_dotnet.launching.terminal import NoTerminalError, launch_in_terminal

            try:
                return launch_in_terminal(spec, spec.terminal, self._launcher_program)
            except NoTerminalError as error:
                text = f"The editor opened no terminal ({error}): the program runs in the debug console"
                text += ", which takes its input.\n" if spec.takes_input else ".\n"
                sink(MessageLogged(level=0, category="", message=text))
        return Launcher.start(
            spec.command,
            spec.working_directory,
            spec.environment,
            recorder,
            program=self._launcher_program,
            takes_input=spec.takes_input,
            window=spec.window,
            ends_children=spec.ends_children,
        )

    def _copier_of(self, process_id: int, *, parent_reaps: bool) -> Callable[[], Copier]:
        def start() -> Copier:
            from dap_dotnet.launching.copying import start_copier

            return start_copier(process_id, parent_reaps=parent_reaps, program=self._launcher_program)

        return start

    def open_core(self, path: str, folders: Mapping[str, str], sink: EventSink) -> CordebugDebuggee:
        """See `api.Backend`."""
        from dap_dotnet.launching.core_dumps import open_core

        return open_core(path, folders, sink)

    def peek(self, process_id: int, sink: EventSink) -> CordebugDebuggee:
        """See `api.Backend`."""
        from dap_dotnet.launching.peeking import peek

        return peek(process_id, sink, self._launcher_program)

    def attach(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        """See `api.Backend`."""
        folder = check_attachable(process_id)
        from dap_dotnet.runtime import cordebug

        def attach() -> CordebugDebuggee:
            if let_start(process_id, folder):
                sink(MessageLogged(level=0, category="", message=RESUMED))
            with no_other_attaches(process_id):
                return cordebug.attach(
                    process_id, sink, timeout_ms, temporary_folder=folder, trust_runtime=trusts_any_runtime()
                )

        def attempt() -> CordebugDebuggee:
            return once_guardian_has_left(lambda: self._guarded(process_id, folder, sink, attach))

        try:
            return attempt()
        except UnansweredError as unanswered:
            if not unanswered.is_freed:
                raise
        return attempt()

    def attach_at_start(self, process_id: int, port: str, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        """See `api.Backend`."""
        from dap_dotnet.launching.child_port import claim_child

        folder = check_attachable(process_id)
        child = claim_child(port, process_id)
        if child is None:
            return self.attach(process_id, sink, timeout_ms=timeout_ms)
        from dap_dotnet.runtime import cordebug

        def attach() -> CordebugDebuggee:
            startup = cordebug.prepare_startup(process_id)
            try:
                child.resume()
                return startup.connect(
                    sink,
                    timeout_ms=timeout_ms,
                    is_alive=lambda: not has_ended(process_id),
                    temporary_folder=folder,
                )
            finally:
                startup.abort()

        try:
            return self._guarded(process_id, folder, sink, attach)
        finally:
            child.close()

    def _guarded(
        self, process_id: int, folder: str, sink: EventSink, attach: Callable[[], CordebugDebuggee]
    ) -> CordebugDebuggee:
        """Do `attach`; from before it on the process goes on running even if this adapter is killed."""
        guardian = Guardian(process_id, folder, program=self._launcher_program)
        try:
            debuggee = attach()
        except LaunchError as error:
            guardian.release()
            raise explained(process_id, error) from error
        except RuntimeCallError as error:
            if has_ended(process_id):
                guardian.release()
                raise ended_meanwhile(process_id) from error
            if error.hresult_name != "CORDBG_E_TIMEOUT":
                guardian.release()
                raise
            raise UnansweredError(process_id, is_freed=guardian.free_unanswering()) from error
        except BaseException:
            guardian.release()
            raise
        guardian.attached()
        end = EndOfProcess(process_id, lambda: sink(ProcessExited()))

        reports = LateReports(process_id)

        def let_go(succeeded: bool) -> None:
            end.stop()
            if succeeded:
                guardian.release(runs=reports.are_ruled_out())

        debuggee.start_copier = self._copier_of(process_id, parent_reaps=False)
        debuggee.on_detaching = reports.note
        debuggee.on_detached = lambda: let_go(True)
        debuggee.on_closed = let_go
        return debuggee


def _connect(launcher: Launcher, spec: LaunchSpec, sink: EventSink, timeout_ms: int) -> CordebugDebuggee:
    # Loaded while the launcher process forks.
    from dap_dotnet.runtime import cordebug

    startup = cordebug.prepare_startup(launcher.process_id)
    try:
        if spec.on_forked is not None:
            spec.on_forked(launcher.process_id)
        launcher.open_gate()
        return startup.connect(
            sink,
            timeout_ms=timeout_ms,
            is_alive=launcher.is_alive,
            temporary_folder=temporary_folder(spec.environment),
        )
    finally:
        startup.abort()


def _explain(
    launcher: Launcher, spec: LaunchSpec, recorder: OutputRecorder, error: DapDotnetError, timeout_ms: int
) -> DapDotnetError:
    """The error for a launch that failed with `error`; nothing of it is left afterwards."""
    was_alive = launcher.is_alive()
    launcher.kill()
    status = launcher.wait(_END_TIMEOUT_SECONDS)
    try:
        launcher.await_exec(0)
    except StartFailedError as failure:
        return exec_failed(spec.command, failure)
    finally:
        launcher.close()
    if not was_alive and status is not None:
        return ended_early(status, recorder)
    if isinstance(error, LaunchError) and error.code == "NO_RUNTIME":
        return no_runtime_in_time(timeout_ms, recorder)
    return error


def _output_first(launcher: Launcher, sink: EventSink) -> EventSink:
    """A sink that has delivered what the program wrote before it stopped when it hands the stop on."""

    def hand_on(event: RuntimeEvent) -> None:
        if isinstance(event, _STOPPING):
            launcher.flush_output()
        sink(event)

    return hand_on


def _reaped(status: ExitStatus) -> ProcessReaped:
    return ProcessReaped(exit_code=status.exit_code, signal=status.signal)


def _check_temporary_folder(folder: str) -> None:
    if not (os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)):
        raise LaunchError(
            f"The temporary folder {folder} of the program does not exist or is not writable, and a .NET runtime needs "
            "it to talk to its debugger. Create it, or set TMPDIR in env to another folder.",
            code="NO_TEMPORARY_FOLDER",
        )
