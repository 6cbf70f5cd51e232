"""`dotnet test` with its host under the debugger.

The test platform runs tests in a process of their own, the host. With VSTEST_HOST_DEBUG the host waits for a debugger
before it looks at any test, and `dotnet test` writes its process id. Executables of the newer testing platform
(Microsoft.Testing.Platform) and of xunit v3 run their tests themselves and are launched like any program.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.runtime.events import OutputWritten
from dap_dotnet.runtime.model import LaunchSpec

HOST_LIBRARY = "testhost.dll"
"""Beside the tests of a project that the test platform runs."""
_PLATFORM_LIBRARIES = ("Microsoft.Testing.Platform.dll", "xunit.v3.core.dll")
"""Beside tests that are executables, which run themselves."""
_RUN_BY_THEMSELVES = ("xunit.v3.core.dll",)
"""Their adapter for the test platform starts yet another process, which has no debugger."""
_ANNOUNCEMENT = re.compile(r"\bProcess Id: (\d+), Name: ")
_REQUEST = re.compile(r"(?:.*\n)?.*\bProcess Id: \d+, Name: .*\n")
"""Two lines: one that asks for a debugger, in the user's language, and the announcement."""
_LAST_CHARACTERS = 200
_WAITS = {
    "VSTEST_HOST_DEBUG": "1",
    "VSTEST_DEBUG_NOBP": "1",  # no Debugger.Break() once a debugger is there
    "MSBUILDTERMINALLOGGER": "off",  # it shows nothing of a run before its end
}
_PATIENT = {"VSTEST_CONNECTION_TIMEOUT": "86400"}
"""The run gives a host up that is silent for 90 s, which one at a breakpoint may be. Users' own values win."""
_POLL_S = 0.02
_EXEC_S = 2.0
_STARTING_S = 30.0
"""From the announcement of a host to the moment when its managed code runs."""


def runs_itself(assembly: Path) -> bool:
    """Whether tests are an executable that runs them, not a library for the test platform's host.

    Raises `LaunchError` for what is neither.
    """
    folder = assembly.parent
    if any((folder / name).is_file() for name in _RUN_BY_THEMSELVES):
        return True
    if (folder / HOST_LIBRARY).is_file():
        return False
    if any((folder / name).is_file() for name in _PLATFORM_LIBRARIES):
        return True
    raise LaunchError(
        f"{assembly.name} has no test host beside it. Add the package Microsoft.NET.Test.Sdk to its project, or name a "
        "test project as testProject."
    )


def filter_arguments(assembly: Path, test_filter: str) -> list[str]:
    """How an executable of tests is told which to run. Raises `LaunchError` where it takes other filters."""
    if not test_filter:
        return []
    if (assembly.parent / "xunit.v3.core.dll").is_file():
        raise LaunchError(
            "testFilter is the filter of dotnet test, which programs of xunit v3 do not take. Leave it out, and give "
            "its own options in args, such as -method or --filter-method."
        )
    return ["--filter", test_filter]


def dotnet_test(
    dotnet: Path, tests: str, arguments: Sequence[str], folder: str, environment: Mapping[str, str]
) -> LaunchSpec:
    """The command for tests in the test platform's host. `tests` is a project, already built, or a .dll."""
    return LaunchSpec(
        (str(dotnet), "test", tests, *arguments),
        folder,
        {**_PATIENT, **environment, **_WAITS},
        ends_children=True,
        has_test_host=True,
    )


class HostAnnouncements:
    """Passes the output of `dotnet test` on, and finds in it which process waits for a debugger.

    The request for one is not passed on: nobody but us is to act on it.
    """

    def __init__(self, sink: Callable[[OutputWritten], None], on_second: Callable[[int], None]) -> None:
        """`on_second` is called with the process id of any host after the first, on the output pump's thread."""
        self._sink = sink
        self._on_second = on_second
        self._rest = ""
        self._changed = threading.Condition()
        self._process_id: int | None = None
        self._held: str | None = ""
        """Lines that the request may begin with; None: from now on everything is passed on at once."""

    def __call__(self, event: OutputWritten) -> None:
        """Take an event. On the output pump's thread."""
        text = event.text
        if not event.is_error:
            self._read(text)
            text = self._without_request(text)
        if text:
            self._sink(OutputWritten(is_error=event.is_error, text=text))

    def pass_all(self) -> None:
        """The request has come, or none will: pass on what is held back. Any thread."""
        with self._changed:
            held, self._held = self._held, None
        if held:
            self._sink(OutputWritten(is_error=False, text=held))

    def _without_request(self, text: str) -> str:
        """What can be passed on. The last whole line waits for what follows it."""
        with self._changed:
            if self._held is None:
                return text
            text = self._held + text
            request = _REQUEST.search(text) if self._process_id is not None else None
            if request is not None:
                self._held = None
                return text[: request.start()] + text[request.end() :]
            end = text.rfind("\n", 0, text.rfind("\n") if "\n" in text else 0) + 1
            self._held = text[end:]
            return text[:end]

    def _read(self, text: str) -> None:
        self._rest += text
        end = 0
        for found in _ANNOUNCEMENT.finditer(self._rest):
            end = found.end()
            self._found(int(found[1]))
        self._rest = self._rest[end:][-_LAST_CHARACTERS:]

    def _found(self, process_id: int) -> None:
        if not _is_test_host(process_id):  # a test may write what it likes
            return
        with self._changed:
            is_first = self._process_id is None
            if is_first:
                self._process_id = process_id
                self._changed.notify_all()
        if not is_first:
            self._on_second(process_id)

    def wait(self, timeout_s: float) -> int | None:
        """The first host's process id; None when there is none after this time."""
        with self._changed:
            self._changed.wait_for(lambda: self._process_id is not None, timeout_s)
            return self._process_id


def await_host(
    launcher: Launcher, announcements: HostAnnouncements, timeout_s: float, is_unwanted: Callable[[], bool]
) -> int | None:
    """The process id of a test host that runs managed code, and so can be attached to.

    None when the run has ended without one, in time or not, or `is_unwanted` says that nobody waits for it. Blocks.
    """
    deadline = time.monotonic() + timeout_s
    process_id = None
    while process_id is None:
        if time.monotonic() > deadline or is_unwanted():
            return None
        had_ended = not launcher.is_alive()
        process_id = announcements.wait(_POLL_S)
        if process_id is None and had_ended:
            return None
    deadline = min(deadline, time.monotonic() + _STARTING_S)
    while not _runs_managed_code(process_id):
        if time.monotonic() > deadline or is_unwanted() or procfs.has_ended(process_id):
            return None
        time.sleep(_POLL_S)
    return process_id


def _is_test_host(process_id: int) -> bool:
    deadline = time.monotonic() + _EXEC_S
    try:
        while not (words := procfs.command_line_of(process_id)) and time.monotonic() < deadline:
            if procfs.has_ended(process_id):
                return False
            time.sleep(_POLL_S)  # in the middle of its exec
    except OSError:
        return False
    return any("testhost" in os.path.basename(word) for word in words)


def _runs_managed_code(process_id: int) -> bool:
    """Whether the host has loaded the assembly that waits for the debugger."""
    try:
        libraries = procfs.mapped_files_of(process_id)
    except OSError:
        return False
    return any(os.path.basename(path).startswith("Microsoft.TestPlatform.") for path in libraries)
