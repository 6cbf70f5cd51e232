"""The command lines of ``run``, ``test``, ``attach``, ``core`` and ``peek``."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from dap_dotnet.cli.breakpoint_arguments import (
    BreakpointArgument,
    CodedArgumentError,
    ExceptionArgument,
    add_breakpoint_options,
)
from dap_dotnet.protocol.wire_names import wire_name


@dataclass(frozen=True, slots=True)
class PeekOptions:
    """What ``peek`` shows beside the threads."""

    heap: bool
    """The types that have objects."""
    held_type: str | None
    """A type, for what keeps its objects alive."""
    every_s: float
    """The time from one look to the next."""
    looks: int
    """How many; more than one are merged."""
    speedscope: str | None
    """A file for the merged stacks, as the viewer speedscope reads them."""
    folded: str | None
    """A file for them as flame graphs are made of."""


@dataclass(frozen=True, slots=True)
class DebugArguments:
    """What ``run``, ``test``, ``attach``, ``core`` and ``peek`` are to do."""

    program: str | None
    """None for ``attach``, ``test``, ``core`` and ``peek``."""
    attributes: dict[str, Any]
    """More attributes of the launch, by their names in launch.json."""
    program_arguments: tuple[str, ...]
    process_id: int | None
    """None for ``run`` and ``test``."""
    breakpoints: tuple[BreakpointArgument, ...]
    exceptions: tuple[ExceptionArgument, ...] | None
    """None: the filters that are on by default."""
    list_breakpoints: bool
    explain: bool
    stop_at_entry: bool
    stop_on_attach: bool
    expressions: tuple[str, ...]
    stack: int
    """Frames to show; 0 for the place alone."""
    locals: bool
    async_tasks: bool
    """Show the suspended async methods at each stop."""
    step: Literal["over", "into", "out"] | None
    max_stops: int | None
    timeout_s: float | None
    on_timeout: Literal["threads"] | None
    """What to report when the time is over."""
    json: bool
    children: bool = False
    """Debug the processes that the program starts, too."""
    script: str | None = None
    """The file of commands to carry out, ``-`` for standard input."""
    interactive: bool = False
    is_frozen: bool = False
    """What is debugged stands still: there is one stop, and nothing goes on."""
    peek: PeekOptions | None = None
    debugs: bool = True
    """False for a run of tests without a debugger."""
    lists_tests: tuple[str, ...] = ()
    """Projects and assemblies whose tests are to be listed, instead of a run."""


def parse_debug_arguments(arguments: list[str]) -> DebugArguments:
    """Parse the command line from the subcommand on. Exits the process on ``--help`` and on usage errors."""
    command = arguments[0]
    parser = _PARSERS[command]()
    own, program_arguments = arguments[1:], []
    if command in ("run", "test") and "--" in own:
        split = own.index("--")
        own, program_arguments = own[:split], own[split + 1 :]
    parser.as_json = "--json" in own
    found = parser.parse(own)
    if getattr(found, "on_timeout", None) is not None and found.timeout is None:
        parser.error("--on-timeout needs --timeout")
    projects: list[str] = getattr(found, "projects", [])
    lists_tests = command == "test" and found.list
    if len(projects) > 1 and not lists_tests:
        parser.error("several projects can be given with --list only: name one to run its tests")
    debugs = not getattr(found, "no_debug", False)
    if not debugs and not lists_tests:
        _refuse_debugging(parser, found)
    return DebugArguments(
        program=getattr(found, "program", None),
        attributes=_ATTRIBUTES[command](found),
        program_arguments=tuple(program_arguments),
        process_id=getattr(found, "pid", None),
        breakpoints=getattr(found, "breakpoints", ()),
        exceptions=getattr(found, "exceptions", None),
        list_breakpoints=getattr(found, "list_breakpoints", False),
        explain=getattr(found, "explain", False),
        stop_at_entry=getattr(found, "stop_at_entry", False),
        stop_on_attach=getattr(found, "stop_on_attach", False),
        expressions=tuple(found.expressions),
        stack=found.stack,
        locals=found.locals,
        async_tasks=found.async_tasks,
        step=getattr(found, "step", None),
        max_stops=getattr(found, "max_stops", None),
        timeout_s=found.timeout,
        on_timeout=getattr(found, "on_timeout", None),
        json=found.json,
        children=getattr(found, "children", False),
        script=found.script,
        interactive=found.interactive,
        is_frozen=command in ("core", "peek"),
        peek=_peek_options(parser, found) if command == "peek" else None,
        debugs=debugs,
        lists_tests=tuple(projects) if lists_tests else (),
    )


def _refuse_debugging(parser: _Parser, found: argparse.Namespace) -> None:
    """What needs a debugger cannot be had without one."""
    flags = ("list_breakpoints", "explain", "expressions", "stack", "locals", "async_tasks", "step", "max_stops")
    more = ("history", "on_timeout", "script", "interactive", "children", "breakpoints", "exceptions")
    wrong = [name for name in (*flags, *more) if getattr(found, name)]
    if wrong:
        parser.error("--no-debug runs without a debugger: leave out breakpoints and all that is shown at stops")


def _history_attributes(found: argparse.Namespace) -> dict[str, str | bool | None]:
    return {wire_name("history"): True} if found.history else {}


def _shared_attributes(found: argparse.Namespace) -> dict[str, str | bool | None]:
    attributes = _history_attributes(found)
    if found.children:
        attributes[wire_name("auto_attach_child_processes")] = True
        attributes[wire_name("terminate_child_processes")] = True
    if found.framework:
        attributes[wire_name("target_framework")] = found.framework
    if found.configuration:
        attributes[wire_name("build_configuration")] = found.configuration
    return attributes


def _test_attributes(found: argparse.Namespace) -> dict[str, str | bool | None]:
    attributes = {**_shared_attributes(found), wire_name("test_project"): found.projects[0]}
    return {**attributes, wire_name("test_filter"): found.filter} if found.filter else attributes


def _launch_attributes(found: argparse.Namespace) -> dict[str, str | bool | None]:
    attributes = _shared_attributes(found)
    if found.launch_profile:
        attributes[wire_name("launch_settings_profile")] = found.launch_profile
    elif found.no_launch_profile or not _is_built(found.program):
        attributes[wire_name("launch_settings_profile")] = None  # it is `dotnet run` that takes the first one
    return attributes


def _is_built(program: str) -> bool:
    return os.path.isdir(program) or program.lower().endswith((".cs", "proj", ".sln", ".slnx", ".slnf"))


class _Parser(argparse.ArgumentParser):
    """Tells a usage error as JSON too, where that was asked for."""

    as_json = False
    _wrong: CodedArgumentError | None = None

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """`parse_args`, but for the code of what is wrong: argparse hands on the text alone."""
        self.exit_on_error = False
        try:
            return self.parse_args(arguments)
        except argparse.ArgumentError as error:
            self._wrong = error.__cause__ if isinstance(error.__cause__, CodedArgumentError) else None
            self.error(str(error))

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        if self.as_json:
            code = self._wrong.code if self._wrong is not None else "INVALID_REQUEST"
            sys.stdout.write(json.dumps({"kind": "error", "code": code, "message": message}) + "\n")
            sys.stdout.flush()
        super().error(message)


def _run_parser() -> _Parser:
    parser = _Parser(
        prog="dap-dotnet run",
        usage="%(prog)s [OPTIONS] PROGRAM [-- ARGS...]",
        description="Run a .NET program under the debugger and report what happens.",
        epilog="The exit code is the program's own; 124 after --timeout, 125 when debugging failed, 2 for an invalid "
        "command line, 130 after Ctrl-C.",
    )
    add = parser.add_argument
    add(
        "program",
        metavar="PROGRAM",
        help="a .dll, or the executable that was built with it; or a project, a folder or solution with one, or a C# "
        "file, which are built first",
    )
    _add_launch(parser)
    add("--launch-profile", metavar="NAME", help="the profile of launchSettings.json (default for projects: the first)")
    add("--no-launch-profile", action="store_true", help="do not read launchSettings.json")
    parser.add_argument("--stop-at-entry", action="store_true", help="stop at the first line of Main")
    _add_common(parser)
    return parser


def _test_parser() -> _Parser:
    parser = _Parser(
        prog="dap-dotnet test",
        usage="%(prog)s [OPTIONS] PROJECT [-- ARGS...]",
        description="Build a test project, run its tests under the debugger and report what happens.",
        epilog="ARGS are options of dotnet test, or go to the tests if they are an executable. The exit code is 0 "
        "when all have passed, else 1; 124 after --timeout, 125 when debugging failed, 2 for an invalid command line, "
        "130 after Ctrl-C.",
    )
    parser.add_argument(
        "projects", metavar="PROJECT", nargs="+", help="a project, a folder or solution with one, or a .dll"
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="list the tests that are built, of several PROJECTs if need be; nothing is built or run",
    )
    parser.add_argument("--no-debug", action="store_true", help="run the tests without a debugger")
    parser.add_argument(
        "--filter",
        metavar="FILTER",
        type=_argument(_filter),
        help="which tests to run, in the syntax of dotnet test (default: all); @FILE reads it from a file",
    )
    _add_launch(parser)
    _add_common(parser)
    return parser


def _add_launch(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--framework", metavar="NAME", help="for a project with several target frameworks: the one to build and start")
    add("--configuration", metavar="NAME", help="for a project: the configuration to build (default: Debug)")
    add("--children", action="store_true", help="also debug the .NET processes that the program starts")


def _attach_parser() -> _Parser:
    parser = _Parser(
        prog="dap-dotnet attach",
        usage="%(prog)s [OPTIONS] PID",
        description="Debug a running .NET program and report what happens. The program is left running at the end.",
        epilog="The exit code is the program's own if it ends during the session, otherwise 0; 124 after --timeout, "
        "125 when debugging failed, 2 for an invalid command line, 130 after Ctrl-C.",
    )
    parser.add_argument("pid", metavar="PID", type=_at_least(1), help="process id; dap-dotnet ps lists them")
    parser.add_argument(
        "--stop-on-attach", action="store_true", help="stop the program as soon as the debugger is attached"
    )
    _add_common(parser)
    return parser


def _core_parser() -> _Parser:
    parser = _Parser(
        prog="dap-dotnet core",
        usage="%(prog)s [OPTIONS] FILE",
        description="Look into a core dump of a .NET program: where it was, with which exception, values and threads.",
        epilog="Nothing in a dump runs: values are read, and code that only reads is interpreted. The exit code is 0; "
        "124 after --timeout, 125 when the dump cannot be opened, 2 for an invalid command line, 130 after Ctrl-C.",
    )
    parser.add_argument("file", metavar="FILE", help="a core dump, of createdump, dotnet-dump, gcore or the kernel")
    parser.add_argument(
        "--folder",
        metavar="THERE=HERE",
        action="append",
        default=[],
        type=_argument(_folder),
        help="where a folder of the machine that the dump is from is here, such as that of .NET (repeatable)",
    )
    _add_reports(parser)
    return parser


def _folder(text: str) -> tuple[str, str]:
    there, mark, here = text.partition("=")
    if not (there and mark and here):
        raise ValueError("name both folders, as in /usr/share/dotnet=/opt/dotnet")
    return there, here


def _core_attributes(found: argparse.Namespace) -> dict[str, Any]:
    path = os.path.abspath(found.file)
    return {wire_name("core_dump_path"): path, wire_name("core_dump_folders"): dict(found.folder)}


def _peek_parser() -> _Parser:
    parser = _Parser(
        prog="dap-dotnet peek",
        usage="%(prog)s [OPTIONS] PID",
        description="Look at a running .NET program that nobody debugs: what its threads do and wait for, deadlocks, "
        "and the suspended async methods. It is held for some milliseconds, in which a copy is made, and goes on.",
        epilog="Nothing of the program changes, and nothing in the copy runs. The exit code is 0; 124 after "
        "--timeout, 125 when the process cannot be looked at, 2 for an invalid command line, 130 after Ctrl-C.",
    )
    add = parser.add_argument
    add("pid", metavar="PID", type=_at_least(1), help="process id; dap-dotnet ps lists them")
    add("--heap", action="store_true", help="show the types that have objects, with numbers and bytes")
    add("--who-holds", metavar="TYPE", help="show what keeps objects of this type alive")
    add("--every", metavar="TIME", type=_argument(_duration), help="look again after this time, such as 1s or 200ms")
    add("--count", metavar="N", type=_at_least(1), help="look N times and show the stacks merged and counted")
    add("--speedscope", metavar="FILE", help="write the merged stacks for https://www.speedscope.app (a JSON file)")
    add("--folded", metavar="FILE", help="write the merged stacks for flame graphs (one line for each, with its count)")
    _add_reports(parser)
    return parser


def _peek_options(parser: _Parser, found: argparse.Namespace) -> PeekOptions:
    files = found.speedscope or found.folded
    looks = found.count or (60 if found.every or files else 1)
    if looks > 1 and (found.interactive or found.script or found.heap or found.who_holds or found.expressions):
        parser.error("several looks show stacks alone: leave out --every and --count")
    return PeekOptions(found.heap, found.who_holds, found.every or 1.0, looks, found.speedscope, found.folded)


def _duration(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)?", text)
    seconds = float(match[1]) * {"ms": 0.001, "m": 60.0}.get(match[2] or "s", 1.0) if match else 0.0
    if not 0 < seconds < 1e7:
        raise ValueError(f"expected a time such as 1s or 200ms, not {text!r}")
    return seconds


def _add_common(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_breakpoint_options(parser)
    add("--history", action="store_true", help="remember each stop, to go back to it with back and rc (-i, --script)")
    add("--list-breakpoints", action="store_true", help="list the breakpoints once all are set, and again at the end")
    add("--explain", action="store_true", help="explain at the end why each breakpoint was or was not hit")
    add("--step", choices=("over", "into", "out"), help="what to do after a stop (default: continue)")
    add(
        "--max-stops",
        metavar="N",
        type=_at_least(1),
        help="after N stops, remove the breakpoints and let the program run (attach: detach)",
    )
    add(
        "--on-timeout",
        choices=("threads",),
        help="when --timeout expires, show where each thread is and what it is waiting for",
    )
    _add_reports(parser)


def _add_reports(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-e",
        dest="expressions",
        metavar="EXPR",
        action="append",
        default=[],
        help="evaluate at each stop (repeatable)",
    )
    add("--stack", metavar="N", type=_at_least(0), default=0, help="show N frames of the call stack at each stop")
    add("--locals", action="store_true", help="show arguments and locals at each stop")
    add("--async", dest="async_tasks", action="store_true", help="show the suspended async methods at each stop")
    add("--timeout", metavar="SECONDS", type=_argument(_seconds), help="end after this time, with exit code 124")
    commands = parser.add_mutually_exclusive_group()
    commands.add_argument(
        "--script",
        metavar="FILE",
        help="run the commands in FILE (-: standard input) at the start and at each stop",
    )
    commands.add_argument(
        "-i", "--interactive", action="store_true", help="prompt for commands at the start and at each stop"
    )
    add("--json", action="store_true", help="write one JSON object per line")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e7:
        raise ValueError(f"expected a number of seconds greater than 0, not {text!r}")
    return seconds


def _filter(text: str) -> str:
    """A command line has no room for thousands of names."""
    if not text.startswith("@"):
        return text
    try:
        with open(text[1:], encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"the filter cannot be read: {error}") from error


def _at_least(minimum: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text) or int(text) < minimum:
            raise argparse.ArgumentTypeError(f"expected a number of at least {minimum}, not {text!r}")
        return int(text)

    return parse


def _argument(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Let argparse show what a `ValueError` says."""

    def checked(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked


_PARSERS: dict[str, Callable[[], _Parser]] = {
    "run": _run_parser,
    "test": _test_parser,
    "attach": _attach_parser,
    "core": _core_parser,
    "peek": _peek_parser,
}
_ATTRIBUTES: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "run": _launch_attributes,
    "test": _test_attributes,
    "attach": _history_attributes,
    "core": _core_attributes,
    "peek": lambda found: {"mode": "peek"},
}
