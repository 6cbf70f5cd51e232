"""A run of tests as a debuggee: its host is attached to, and its end is the end of the whole run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dap_dotnet.errors import DapDotnetError, LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.environment import temporary_folder
from dap_dotnet.launching.failures import OutputRecorder
from dap_dotnet.launching.launcher import ExitStatus, Launcher
from dap_dotnet.launching.vstest_hosts import HostAnnouncements, await_host
from dap_dotnet.runtime.events import EventSink, MessageLogged, ProcessReaped
from dap_dotnet.runtime.model import LaunchSpec

if TYPE_CHECKING:
    from dap_dotnet.runtime.cordebug import CordebugDebuggee

_END_TIMEOUT_S = 5.0


class Attach(Protocol):
    """`api.Backend.attach`."""

    def __call__(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        """Take control of a running process."""


def launch_test_host(
    spec: LaunchSpec, sink: EventSink, attach: Attach, timeout_ms: int, launcher_program: Path | None = None
) -> CordebugDebuggee:
    """Start `dotnet test` and take control of its host, which waits for that before it looks at any test.

    The run's output and exit code are the debuggee's. Raises `LaunchError`; nothing is left of the run then.
    """
    recorder = OutputRecorder(sink)
    launcher: Launcher

    def another_host(process_id: int) -> None:
        text = (
            f"The run has started a second test host (process {process_id}), which waits for another debugger, so "
            "the run was ended. Name one project with one target framework."
        )
        sink(MessageLogged(level=0, category="", message=text))
        launcher.kill()

    announcements = HostAnnouncements(recorder, another_host)
    launcher = Launcher.start(
        spec.command,
        spec.working_directory,
        spec.environment,
        announcements,
        program=launcher_program,
        ends_children=spec.ends_children,
    )
    try:
        if spec.on_forked is not None:
            spec.on_forked(launcher.process_id)
        launcher.open_gate()
        try:
            host = await_host(launcher, announcements, timeout_ms / 1000, spec.is_unwanted or (lambda: False))
        finally:
            announcements.pass_all()
        if host is None:
            raise _no_host(launcher, recorder, timeout_ms)
        traces = _traces_of(host, temporary_folder(spec.environment))
        debuggee = attach(host, sink, timeout_ms=timeout_ms)
    except DapDotnetError as error:
        explained = _ended(launcher, recorder) or error
        launcher.close()
        raise explained from error
    except BaseException:
        launcher.close()
        raise
    recorder.stop()
    _follow(debuggee, launcher)

    def ended(status: ExitStatus) -> None:
        for path in traces:
            path.unlink(missing_ok=True)
        sink(ProcessReaped(exit_code=status.exit_code, signal=status.signal))

    launcher.when_ended(ended)
    return debuggee


def _traces_of(host: int, folder: str) -> list[Path]:
    """What a host leaves behind that is killed, which the run itself does to one that is slow to end."""
    return procfs.debugger_files_of(host, folder)


def _follow(debuggee: CordebugDebuggee, launcher: Launcher) -> None:
    """What happens to the host happens to the run."""
    detached: Callable[[], None] | None = debuggee.on_detached
    closed: Callable[[bool], None] | None = debuggee.on_closed

    def on_detached() -> None:
        launcher.release()
        if detached is not None:
            detached()

    def on_closed(is_let_go: bool) -> None:
        launcher.close()
        if closed is not None:
            closed(is_let_go)

    debuggee.on_terminate = launcher.kill
    debuggee.on_detached = on_detached
    debuggee.on_closed = on_closed


def _no_host(launcher: Launcher, recorder: OutputRecorder, timeout_ms: int) -> LaunchError:
    return _ended(launcher, recorder) or LaunchError(
        f"dotnet test started no test host within {timeout_ms / 1000:g} s, so it was ended.{recorder.quotation()}",
        code="NO_RUNTIME",
    )


def _ended(launcher: Launcher, recorder: OutputRecorder) -> LaunchError | None:
    """For a run that has ended by itself before its host was under control."""
    if launcher.is_alive():
        return None
    status = launcher.wait(_END_TIMEOUT_S)
    how = f"exit code {status.exit_code}" if status is not None else "an unknown exit code"
    return LaunchError(
        f"dotnet test ended with {how} before any test began.{recorder.quotation()}", code="TESTS_NOT_STARTED"
    )
