"""Tests in the test platform's host, and tests that are executables.

The test platform (vstest) runs tests in a process of their own, the host. With VSTEST_HOST_DEBUG the host waits for a
debugger before it looks at any test. Executables of the newer testing platform (Microsoft.Testing.Platform) and of
xunit v3 run their tests themselves and are launched like any program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.hosts import find_hosts

HOST_LIBRARY = "testhost.dll"
"""Beside the tests of a project that the test platform runs."""
_PLATFORM_LIBRARIES = ("Microsoft.Testing.Platform.dll", "xunit.v3.core.dll")
"""Beside tests that are executables, which run themselves."""
_RUN_BY_THEMSELVES = ("xunit.v3.core.dll",)
"""Their adapter for the test platform starts yet another process, which has no debugger."""
_CONSOLE = "vstest.console.dll"
WAITS = {
    "VSTEST_HOST_DEBUG": "1",
    "VSTEST_DEBUG_NOBP": "1",  # no Debugger.Break() once a debugger is there
}
"""Variables of a host that is to be debugged."""
PATIENT = {"VSTEST_CONNECTION_TIMEOUT": "86400"}
"""The run gives a host up that is silent for 90 s, which one at a breakpoint may be. Users' own values win."""
_POLL_S = 0.02


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


def platform_command(environment: Mapping[str, str]) -> tuple[str, str]:
    """The command of the test platform: that of the newest SDK of the first .NET that has one. Raises `LaunchError`."""
    for host in find_hosts(environment):
        for version in reversed(host.sdks()):
            assert host.root is not None
            console = host.root / "sdk" / version / _CONSOLE
            if console.is_file():
                return str(host.executable), str(console)
    raise LaunchError("No .NET SDK was found to run the tests with. Install it, or set DOTNET_ROOT in env to it.")


def await_managed_code(process_id: int, deadline: float, is_unwanted: Callable[[], bool]) -> bool:
    """Wait until a host has loaded the assembly that waits for the debugger; False when it ended or time is over."""
    while not _runs_managed_code(process_id):
        if time.monotonic() > deadline or is_unwanted() or procfs.has_ended(process_id):
            return False
        time.sleep(_POLL_S)
    return True


def _runs_managed_code(process_id: int) -> bool:
    try:
        libraries = procfs.mapped_files_of(process_id)
    except OSError:
        return False
    return any(os.path.basename(path).startswith("Microsoft.TestPlatform.") for path in libraries)
