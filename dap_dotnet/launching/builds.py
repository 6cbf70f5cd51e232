"""`dotnet build`: its lines as they come, the diagnostics in them, and the program that it made."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.build_records import begin_record, made_before, record_build
from dap_dotnet.launching.environment import sdk_home_problem
from dap_dotnet.launching.hosts import DotnetHost, find_hosts, version_key
from dap_dotnet.launching.projects import BuildOptions, Project

_DIAGNOSTIC = re.compile(
    r"\s*(?P<path>[^\s].*?)\s?(?:\((?P<line>\d+)(?:,(?P<column>\d+))?[\d,-]*\)\s?)?: "
    r"(?P<severity>error|warning)(?: (?P<code>\w+))?\s?: (?P<text>.*?)(?: \[(?P<project>[^\[\]]+)\])?\s*"
)
_MADE = re.compile(r"\s+(?P<name>.+?) -> (?P<path>.+\.(?:dll|exe))\s*")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_STACK_LINE = re.compile(r"\s+(at \S|--- )")
_QUIET = {"MSBUILDTERMINALLOGGER": "off", "DOTNET_NOLOGO": "1", "DOTNET_CLI_TELEMETRY_OPTOUT": "1"}
_OPTIONS = ("-nologo", "-v:m", "-clp:NoSummary")
_FILE_BASED_SDK = (10,)
_POLL_S = 0.1
_END_S = 3.0
_KEPT_LINES = 20
_SILENCE_S = 30.0
"""After so long without a line the user is told, and then each time that it has doubled."""


class Diagnostic(Struct, frozen=True):
    """An error or a warning of a build. `line` and `column` are 1-based; 0 where there is none."""

    is_error: bool
    path: str
    line: int
    column: int
    text: str
    """With its code, without its place."""
    project: str = ""
    """The path of the project that was being built; empty where it is not said."""

    @property
    def is_in_source(self) -> bool:
        """Whether its place is in a file that is the user's to edit, as MSBuild's own and those of packages are not."""
        if not self.line:
            return False
        is_of_msbuild = self.path.lower().endswith((".targets", ".props"))
        return not is_of_msbuild or self.project.startswith(os.path.join(os.path.dirname(self.path), ""))

    @property
    def code(self) -> str:
        """Such as CS0103; empty where it has none."""
        return self.text.partition(": ")[0].partition(" ")[2]

    @property
    def message(self) -> str:
        """Its text without its code."""
        return self.text.partition(": ")[2]

    def from_folder(self, folder: Path) -> str:
        """As compilers write it: its path from a folder where that is shorter, its project where it has no place."""
        path = self.path if self.is_in_source or not self.project else self.project
        if os.path.isabs(path):
            path = min(os.path.relpath(path, folder), path, key=len)
        column = f",{self.column}" if self.column else ""
        return f"{path}({self.line}{column}): {self.text}" if self.is_in_source else f"{path}: {self.text}"


class BuildLine(Struct, frozen=True):
    """A line that the build wrote, without its end."""

    text: str
    diagnostic: Diagnostic | None = None


class BuildFailedError(LaunchError):
    """The build itself has failed; the message has its first error, or what it wrote last."""

    code = "BUILD_FAILED"


class Built(Struct, frozen=True):
    """A build that has succeeded. `is_up_to_date`: nothing was built, since nothing has changed."""

    made: Path
    is_up_to_date: bool


def build(
    project: Project,
    options: BuildOptions,
    environment: Mapping[str, str],
    report: Callable[[BuildLine], None],
    is_cancelled: Callable[[], bool],
    *,
    force: bool = False,
) -> Built:
    """Build a project, unless nothing has changed, and return the assembly that it made.

    `force`: everything is compiled anew, the projects that it refers to as well.

    Blocks; `report` is called on the same thread.

    `environment` is the program's: the SDK is looked for with it. `is_cancelled` is asked ten times a second. Raises
    `LaunchError`, which is a `BuildFailedError` when the build itself has failed.
    """
    frameworks = project.frameworks() if not project.is_file_based else []
    if len(frameworks) > 1 and not options.framework:
        raise _several(project, frameworks)
    host = find_sdk(project, environment)
    key = (*options.to_arguments(), str(host.root), *host.sdks())
    known = made_before(project, key) if host.root is not None and not force else None
    if known is not None:
        report(BuildLine(f"{project.path.name} is up to date"))
        return Built(known, is_up_to_date=True)
    before = begin_record(project) if host.root is not None else None
    arguments = [*options.to_arguments(), *(["--no-incremental"] if force else []), *_OPTIONS]
    made = _run(project, host, arguments, report, is_cancelled)
    record_build(project, key, made, before)
    return Built(made, is_up_to_date=False)


def _run(
    project: Project,
    host: DotnetHost,
    arguments: Sequence[str],
    report: Callable[[BuildLine], None],
    is_cancelled: Callable[[], bool],
) -> Path:
    # By its name, from its folder: MSBuild takes quotation marks out of the paths on its command line.
    name = os.path.join(os.curdir, project.path.name)
    command = [str(host.executable), "build", name, *arguments]
    made: list[Path] = []
    diagnostics: list[Diagnostic] = []
    last: list[str] = []
    process = _start(command, project.folder)
    try:
        for text in _lines(process, is_cancelled, lambda silent_s: report(_silence(silent_s))):
            line = parse_line(text)
            if line.diagnostic is not None:
                if line.diagnostic in diagnostics:  # the summary repeats them, as do other target frameworks
                    continue
                diagnostics.append(line.diagnostic)
            output = _MADE.fullmatch(text)
            if output is not None and output["name"] in project.names and Path(output["path"]) not in made:
                made.append(Path(output["path"]))
            if text.strip():
                last = [*last[1 - _KEPT_LINES :], text]
                report(line)
        exit_code = _exit_code(process, is_cancelled)
    finally:
        _end(process)
    if is_cancelled():
        raise LaunchError(f"The build of {project.path.name} was cancelled.", code="CANCELLED")
    if exit_code != 0:
        raise _failed(project, [found for found in diagnostics if found.is_error], last)
    if len(made) > 1:
        raise _several(project, [path.parent.name for path in made])
    if not made or not made[0].is_file():
        raise LaunchError(
            f"The build of {project.path.name} did not say where its output is. Name the .dll as program.",
            code="BUILD_FAILED",
        )
    return made[0]


def find_sdk(project: Project, environment: Mapping[str, str]) -> DotnetHost:
    """The first .NET that can build the project. Raises `LaunchError`."""
    oldest = _FILE_BASED_SDK if project.is_file_based else (0,)
    versions: list[str] = []
    for host in find_hosts(environment):
        if host.root is None:
            return host
        found = host.sdks()
        if any(version_key(version)[0] >= oldest for version in found):
            return host
        versions += found
    if versions:
        raise LaunchError(
            f"{project.path.name} is a program without a project, which the .NET SDK 10 and later can build; there is "
            f"{', '.join(versions)}. Install that SDK, or make a project for it.",
            code="NO_SDK",
        )
    raise LaunchError(
        f"No .NET SDK was found to build {project.path} with. Install it, set DOTNET_ROOT in env to where it is, or "
        "build elsewhere and name the .dll as program.",
        code="NO_SDK",
    )


def parse_line(text: str) -> BuildLine:
    """A line of MSBuild's console logger. A diagnostic is shown without the project at its end."""
    found = _DIAGNOSTIC.fullmatch(text)
    if found is None:
        return BuildLine(text)
    code = f"{found['severity']} {found['code']}" if found["code"] else found["severity"]
    path, line, column = found["path"], int(found["line"] or 0), int(found["column"] or 0)
    project = (found["project"] or "").partition("::")[0]
    if line and project and not os.path.isabs(path):
        path = os.path.join(os.path.dirname(project), path)
    diagnostic = Diagnostic(found["severity"] == "error", path, line, column, f"{code}: {found['text']}", project)
    return BuildLine(text.rpartition(" [")[0] if found["project"] else text.rstrip(), diagnostic)


def _several(project: Project, frameworks: list[str]) -> LaunchError:
    return LaunchError(
        f"{project.path.name} targets several frameworks ({', '.join(frameworks)}): name one as targetFramework."
    )


def _failed(project: Project, problems: list[Diagnostic], last: list[str]) -> LaunchError:
    if problems:
        first = next((found for found in problems if found.is_in_source), problems[0])
        count = f"{len(problems)} errors, first" if len(problems) > 1 else "an error"
        text = f"The build of {project.path.name} failed with {count}: {first.from_folder(project.folder)}"
    else:
        home = sdk_home_problem(os.environ)
        advice = f" {home} Set DOTNET_CLI_HOME to another one before the editor is started." if home else ""
        lines = [line for line in last if not (home and _STACK_LINE.match(line))]
        text = f"The build of {project.path.name} failed.{advice} It wrote:\n" + "\n".join(lines)
    escape = _ESCAPE.search(str(project.folder))
    if escape is not None:
        meant = chr(int(escape[1], 16))
        text += f" MSBuild takes '{escape[0]}' in the path of a project for '{meant}': rename the folder."
    return BuildFailedError(text)


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **_QUIET},
            stdin=subprocess.DEVNULL,  # a build that asks is told that nobody answers
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise LaunchError(f"{command[0]} cannot be started: {error.strerror}.") from error


def _silence(silent_s: float) -> BuildLine:
    return BuildLine(
        f"The build has printed nothing for {silent_s:g} s. It may be waiting for the network, or for another build of "
        "the same project; it can be cancelled."
    )


def _lines(
    process: subprocess.Popen[bytes], is_cancelled: Callable[[], bool], when_silent: Callable[[float], None]
) -> Iterator[str]:
    """Until the process has ended: servers that it leaves behind (MSBuild, the compiler's) keep the pipe open.

    `when_silent` is called with the seconds since it has last written something.
    """
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    rest = ""
    wrote_at, patience_s = time.monotonic(), _SILENCE_S
    while not is_cancelled():
        has_ended = process.poll() is not None
        ready = poll.poll(0 if has_ended else _POLL_S * 1000)
        chunk = os.read(descriptor, 1 << 16) if ready else b""
        if chunk:
            wrote_at, patience_s = time.monotonic(), _SILENCE_S
        elif time.monotonic() - wrote_at > patience_s:
            when_silent(patience_s)
            patience_s *= 2
        if not chunk and (has_ended or ready):
            break
        *complete, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from (line.rstrip("\r") for line in complete)
    if rest:
        yield rest


def _exit_code(process: subprocess.Popen[bytes], is_cancelled: Callable[[], bool]) -> int | None:
    """None when it was cancelled before."""
    while not is_cancelled():
        try:
            return process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            continue  # it has closed its output and goes on
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it has started, if it still runs."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                continue
    if process.stdout is not None:
        process.stdout.close()
