"""What ``doctor`` looks at: one function for each subject, each of which only reads."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from dap_dotnet import __version__
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.environment import diagnostics_switch_off, sdk_home_problem, temporary_folder
from dap_dotnet.launching.hosts import DotnetHost, find_hosts, version_key
from dap_dotnet.launching.spawning import launcher_path
from dap_dotnet.runtime.accelerator import fit

RUNTIME = "Microsoft.NETCore.App"
_LIBRARIES = ("libmscordbi.so", "libmscordaccore.so")
_START_TIMEOUT_S = 10.0
_LAUNCHER_USAGE_EXIT = 64
_LONGEST_FOLDER = 60
"""A runtime puts sockets there, whose paths may have 107 bytes."""
_SHARED_MEMORY = Path("/dev/shm")
_YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")

Status = Literal["ok", "warning", "error"]


class Finding(Struct, frozen=True):
    """A line of the report. `remedy` says what to do; empty where nothing is wrong."""

    name: str
    status: Status
    message: str
    remedy: str = ""


def all_findings(environment: Mapping[str, str]) -> Iterator[Finding]:
    """The whole report, in the order in which it is read."""
    checks: tuple[Callable[[Mapping[str, str]], Iterator[Finding]], ...] = (
        versions,
        native_parts,
        runtimes,
        sdks,
        temporary,
        shared_memory,
        ptrace,
        accelerator,
        switches,
    )
    for check in checks:
        yield from check(environment)


def versions(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Ours, Python's, the system's."""
    where = ", in a container" if any(os.path.exists(mark) for mark in _CONTAINER_MARKS) else ""
    yield Finding("versions", "ok", f"dap-dotnet {__version__}, Python {platform.python_version()}, {_system()}{where}")


def native_parts(environment: Mapping[str, str]) -> Iterator[Finding]:
    """The shim and the launcher program, both of which are compiled."""
    again = "Install dap-dotnet again with pip."
    try:
        import dap_dotnet.runtime.cordebug  # noqa: F401
    except (DapDotnetError, ImportError) as error:
        yield Finding("shim", "error", str(error), again)
    else:
        yield Finding("shim", "ok", "loaded, and of the version that this package calls")
    try:
        program = launcher_path()
        done = subprocess.run([program], capture_output=True, timeout=_START_TIMEOUT_S, check=False)
    except (DapDotnetError, OSError, subprocess.TimeoutExpired) as error:
        yield Finding("launcher", "error", str(error), again)
        return
    if done.returncode == _LAUNCHER_USAGE_EXIT:
        yield Finding("launcher", "ok", f"{program} runs")
    else:
        yield Finding(
            "launcher", "error", f"{program} ended with {done.returncode} instead of printing its usage", again
        )


def runtimes(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Each installation of .NET, and the debugger's libraries in its runtimes."""
    hosts = [host for host in find_hosts(environment) if host.root is not None]
    if not hosts:
        yield Finding(
            "runtimes",
            "error",
            "no .NET was found through DOTNET_ROOT, PATH, /etc/dotnet or the usual folders",
            "Install a .NET runtime, or set DOTNET_ROOT to the folder that contains the dotnet program.",
        )
    for host in hosts:
        found = host.installed(RUNTIME)
        if not found:
            yield Finding("runtimes", "warning", f"{host.root} has no {RUNTIME}", "Install a .NET runtime there.")
            continue
        yield Finding("runtimes", "ok", f"{host.root}: {', '.join(found)}")
        for version in found:
            yield _libraries(host, version)


def sdks(environment: Mapping[str, str]) -> Iterator[Finding]:
    """What can build projects."""
    found = []
    for host in find_hosts(environment):
        try:
            entries = list((host.root / "sdk").iterdir()) if host.root is not None else []
        except OSError:
            continue
        names = sorted((entry.name for entry in entries if entry.name[:1].isdigit()), key=version_key)
        found += [f"{host.root}: {', '.join(names)}"] if names else []
    if found:
        yield Finding("SDKs", "ok", "; ".join(found))
        if problem := sdk_home_problem(environment):
            remedy = "To build, set DOTNET_CLI_HOME to a writable folder."
            yield Finding("home", "warning", problem, remedy)
    else:
        yield Finding(
            "SDKs", "warning", "none was found; programs can be debugged, but not built", "Install a .NET SDK to build."
        )


def temporary(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Where a runtime meets its debugger."""
    folder = temporary_folder(environment)
    if not (os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)):
        remedy = "Create it, or set TMPDIR to another folder."
        yield Finding("TMPDIR", "error", f"{folder} does not exist or is not writable", remedy)
    elif len(os.fsencode(folder)) > _LONGEST_FOLDER:
        yield Finding(
            "TMPDIR", "error", f"{folder} is too long for the runtime's sockets", "Set TMPDIR to a shorter one."
        )
    elif _is_full(folder):
        yield Finding("TMPDIR", "warning", f"{folder} is full", "Make room there, or set TMPDIR to another folder.")
    else:
        yield Finding("TMPDIR", "ok", f"{folder} is writable")


def shared_memory(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Where the start-up semaphores are."""
    if _SHARED_MEMORY.is_dir() and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK):
        if _is_full(_SHARED_MEMORY):
            yield Finding(
                "/dev/shm",
                "error",
                "is full: no program can be launched, because its runtime needs a semaphore there",
                "Remove what is left there, or mount a larger one (in a container: --shm-size=64m).",
            )
        else:
            yield Finding("/dev/shm", "ok", "is writable")
    else:
        yield Finding(
            "/dev/shm",
            "error",
            "does not exist or is not writable: no program can be launched, since its runtime needs a semaphore there",
            "Mount a tmpfs at /dev/shm with mode 1777 (docker run does so by itself).",
        )


def _is_full(folder: Path | str) -> bool:
    """Whether nothing more can be written there; False for file systems that do not count."""
    room = os.statvfs(folder)
    return (room.f_blocks > 0 and room.f_bavail == 0) or (room.f_files > 0 and room.f_favail == 0)


def ptrace(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Whether this user may attach to running programs."""
    try:
        scope = int(_YAMA.read_text())
    except (OSError, ValueError):
        scope = 0
    if scope == 0 or os.geteuid() == 0:
        yield Finding("attach", "ok", "this user may attach to its programs")
    else:
        yield Finding(
            "attach",
            "warning",
            f"kernel.yama.ptrace_scope is {scope}: programs can be launched, but not attached to",
            "Until the next reboot: sudo sysctl kernel.yama.ptrace_scope=0.",
        )


def switches(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that change what works."""
    switch = diagnostics_switch_off(environment)
    if switch is not None:
        yield Finding("diagnostics", "error", f"{switch} disables debugging", "Remove that variable.")
    is_off = environment.get("DAP_DOTNET_READ_PLAN") == "0"
    yield Finding("read plans", "ok", "off, by DAP_DOTNET_READ_PLAN=0" if is_off else "on")
    setting = environment.get("DAP_DOTNET_HIT_TEST", "")
    ways = {"0": "off, by DAP_DOTNET_HIT_TEST=0", "plan": "by read plans alone, by DAP_DOTNET_HIT_TEST=plan"}
    yield Finding("hit tests", "ok", "off, because they need read plans" if is_off else ways.get(setting, "on"))


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        name = platform.system()
    return f"{name} ({platform.machine()}, kernel {platform.release()})"


def _libraries(host: DotnetHost, version: str) -> Finding:
    assert host.root is not None
    folder = host.root / "shared" / RUNTIME / version
    missing = [name for name in _LIBRARIES if not (folder / name).is_file()]
    name = f"debugger of {version}"
    if missing:
        remedy = "Install the runtime again, from a complete package."
        return Finding(name, "error", f"{folder} lacks {' and '.join(missing)}", remedy)
    fitted = fit(folder)
    if fitted.problem_code == "UNTRUSTED_RUNTIME":
        return Finding(name, "warning", f"{fitted.problem} Its programs are not attached to.", "Change owner and mode.")
    if fitted.problem:
        return Finding(name, "error", f"{folder / _LIBRARIES[0]}: {fitted.problem}", "Install what it needs.")
    return Finding(name, "ok", "found, loadable and trusted")


def accelerator(environment: Mapping[str, str]) -> Iterator[Finding]:
    """What makes stops faster on each runtime, and why not. Programs whose debugger cannot be loaded are left out."""
    for host in find_hosts(environment):
        for version in host.installed(RUNTIME) if host.root is not None else ():
            assert host.root is not None
            fitted = fit(host.root / "shared" / RUNTIME / version)
            if fitted.parts:
                parts = "; ".join(f"{part}: {reason}" for part, reason in fitted.parts.items())
                yield Finding(f"accelerator for {version}", "ok", parts)
