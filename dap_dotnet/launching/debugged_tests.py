"""A run of tests as a debuggee: its host is attached to, and its end is the end of the whole run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dap_dotnet.errors import DapDotnetError, LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.environment import temporary_folder
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.launching.vstest_hosts import await_managed_code
from dap_dotnet.launching.vstest_runs import VstestRun
from dap_dotnet.runtime.events import EventSink, ProcessReaped
from dap_dotnet.runtime.model import LaunchSpec

if TYPE_CHECKING:
    from dap_dotnet.runtime.cordebug import CordebugDebuggee


class Attach(Protocol):
    """`api.Backend.attach`."""

    def __call__(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> CordebugDebuggee:
        """Take control of a running process."""


def launch_test_host(
    spec: LaunchSpec, sink: EventSink, attach: Attach, timeout_ms: int, launcher_program: Path | None = None
) -> CordebugDebuggee:
    """Start a run and take control of its host, which waits for that before it looks at any test.

    The run's output and exit code are the debuggee's. Raises `LaunchError`; nothing is left of the run then.
    """
    run = VstestRun(spec, sink, debugging=True, launcher_program=launcher_program)
    deadline = time.monotonic() + timeout_ms / 1000
    try:
        run.start()
        is_unwanted = spec.is_unwanted or (lambda: False)
        host = run.await_host(timeout_ms / 1000, is_unwanted)
        if host is None or not await_managed_code(host.process_id, deadline, is_unwanted):
            raise _no_host(run, host, timeout_ms)
        traces = procfs.debugger_files_of(host.process_id, temporary_folder(spec.environment))
        debuggee = attach(host.process_id, sink, timeout_ms=timeout_ms)
    except DapDotnetError as error:
        explained = _ended(run) or error
        run.close()
        raise explained from error
    except BaseException:
        run.close()
        raise
    _follow(debuggee, run)

    def ended(exit_code: int) -> None:
        for path in traces:  # left behind by a host that is killed, which the run does to one that is slow to end
            path.unlink(missing_ok=True)
        sink(ProcessReaped(exit_code=exit_code, signal=None))

    run.when_ended(ended)
    return debuggee


def _follow(debuggee: CordebugDebuggee, run: VstestRun) -> None:
    """What happens to the host happens to the run."""
    detached: Callable[[], None] | None = debuggee.on_detached
    closed: Callable[[bool], None] | None = debuggee.on_closed

    def on_detached() -> None:
        if detached is not None:
            detached()
        run.kill()  # nobody else can tell the platform what to do

    def on_closed(is_let_go: bool) -> None:
        run.close()
        if closed is not None:
            closed(is_let_go)

    debuggee.on_terminate = run.kill
    debuggee.on_detached = on_detached
    debuggee.on_closed = on_closed


def _no_host(run: VstestRun, host: Launcher | None, timeout_ms: int) -> LaunchError:
    what = "no test host" if host is None else "a test host that did not get ready"
    quoted = run.platform_output.quotation() if host is None else run.host_output.quotation()
    return _ended(run) or LaunchError(
        f"The test platform started {what} within {timeout_ms / 1000:g} s, so it was ended.{quoted}", code="NO_RUNTIME"
    )


def _ended(run: VstestRun) -> LaunchError | None:
    """For a run that has ended by itself before its host was under control."""
    if not run.is_over:
        return None
    return LaunchError(f"The run ended before any test began. {run.failure()}", code="TESTS_NOT_STARTED")
