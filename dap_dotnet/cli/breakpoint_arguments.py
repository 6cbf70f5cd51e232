"""Breakpoints on the command line (``-b``, ``--break-function``, ``--watch``, ``--break-exception``), their options."""

from __future__ import annotations

import argparse
import os
import re
import typing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dap_dotnet.protocol.messages.dumps import DumpType

DUMP_FILTER = "dump"
"""The filter of exceptions that saves core dumps; the others stop."""
DUMP_OPTION = "--dump-on-exception"
EXCEPTION_FILTERS = ("all", "user-unhandled", "unhandled")

_BREAKPOINT = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")
_HIT_CONDITION = re.compile(r"\s*(==?|>=?|<=?|%)?\s*\d{1,18}\s*")


@dataclass(frozen=True, slots=True)
class LineArgument:
    """``FILE:LINE[:COLUMN]``. `path` is absolute where the file is found from here; 1-based line and column."""

    path: str
    line: int
    column: int | None


@dataclass(frozen=True, slots=True)
class FunctionArgument:
    """``--break-function NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class FieldArgument:
    """``--watch FIELD``."""

    name: str


PlaceArgument = LineArgument | FunctionArgument | FieldArgument


@dataclass(frozen=True, slots=True)
class BreakpointArgument:
    """A breakpoint with the options that follow it. None: not said."""

    place: PlaceArgument
    when: str | None = None
    hits: str | None = None
    log: str | None = None
    after: int | None = None
    """The number on the command line, from 1, of the breakpoint that has to act before."""
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class ExceptionArgument:
    """``--break-exception FILTER[:TYPES]``. `types` None means all."""

    filter: str
    types: str | None


class CodedArgumentError(ValueError):
    """A value that is wrong in a way that has one of the codes of `dap_dotnet.errors`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def parse_line(text: str) -> LineArgument:
    """Parse ``FILE:LINE[:COLUMN]``; the file may be a Windows path. Raises `ValueError`."""
    match = _BREAKPOINT.fullmatch(text)
    if match is None:
        raise CodedArgumentError("INVALID_LINE", f"expected FILE:LINE or FILE:LINE:COLUMN, not {text!r}")
    line = int(match["line"])
    column = int(match["column"]) if match["column"] else None
    if not 1 <= line < 1 << 31:
        raise CodedArgumentError("INVALID_LINE", f"lines and columns start at 1: {text!r}")
    if column is not None and not 1 <= column < 1 << 31:
        raise CodedArgumentError("INVALID_COLUMN", f"lines and columns start at 1: {text!r}")
    path = os.path.abspath(match["file"])
    return LineArgument(path if os.path.exists(path) else match["file"], line, column)


def parse_exception(text: str) -> ExceptionArgument:
    """Parse ``FILTER[:TYPES]``. Raises `ValueError`."""
    name, _, types = text.partition(":")
    if name not in EXCEPTION_FILTERS:
        raise ValueError(f"expected {', '.join(EXCEPTION_FILTERS)}, alone or with :TYPES, not {text!r}")
    return ExceptionArgument(name, types.strip() or None)


def add_breakpoint_options(parser: argparse.ArgumentParser) -> None:
    """Add the options. They fill `breakpoints` and `exceptions` of the namespace, both tuples."""
    parser.set_defaults(breakpoints=(), exceptions=None)
    group = parser.add_argument_group(
        "breakpoints", "Indented options follow the -b, --break-function or --watch to which they apply."
    )

    def add(name: str, action: type[argparse.Action], metavar: str | None, text: str) -> None:
        more: dict[str, Any] = {"nargs": 0} if metavar is None else {"metavar": metavar}
        group.add_argument(name, action=action, default=argparse.SUPPRESS, dest=name, help=text, **more)

    add("-b", _AddLine, "FILE:LINE[:COLUMN]", "stop at a line, or at a place within it (repeatable)")
    add("--break-function", _AddFunction, "NAME", "stop at the beginning of a function: Ns.Type.Method (repeatable)")
    add("--watch", _AddField, "FIELD", "stop when a field of any object changes: Ns.Type.Field (repeatable)")
    add("--when", _Follow, "EXPR", "  only if this C# expression is true")
    add("--hits", _Follow, "N", "  only at the Nth hit; also '>= N', '> N', '< N', '<= N', '%% N'")
    add("--log", _Follow, "TEXT", "  write this, with {expressions}, and do not stop")
    add("--after", _Follow, "N", "  only after breakpoint N of this command line has stopped or logged")
    add("--temporary", _Temporary, None, "  remove it after its first stop")
    add(
        "--break-exception",
        _AddException,
        "FILTER[:TYPES]",
        f"stop at exceptions: {', '.join(EXCEPTION_FILTERS)}; TYPES: names separated by commas, a leading ! means "
        "all others (repeatable; replaces the default, user-unhandled and unhandled)",
    )
    add(
        DUMP_OPTION,
        _AddDump,
        "=TYPES",
        "save a core dump where an exception of these types is thrown, and go on; without =TYPES where one is thrown "
        "that nothing catches (repeatable)",
    )
    group.add_argument("--dump-folder", metavar="FOLDER", default=".", help="where such dumps go (default: here)")
    group.add_argument(
        "--dump-kind", choices=typing.get_args(DumpType), default="heap", help="what is in them (default: heap)"
    )


class _Action(argparse.Action):
    """Calls `take` with the value; what that raises is a usage error."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        try:
            self.take(namespace, values if isinstance(values, str) else "")
        except ValueError as error:
            wrong = argparse.ArgumentError(self, str(error))
            wrong.__cause__ = error
            raise wrong from error

    def take(self, namespace: argparse.Namespace, value: str) -> None:
        """Put a value into the namespace. Raises `ValueError`."""
        raise NotImplementedError


class _AddLine(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        _add(namespace, parse_line(value))


class _AddFunction(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        if not value.strip():
            raise ValueError("expected the name of a function")
        _add(namespace, FunctionArgument(value.strip()))


class _AddField(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        if not re.fullmatch(r".+\.\s*@?[^\W\d]\w*\s*", value):
            raise CodedArgumentError("INVALID_FIELD", f"expected a field with its type, Ns.Type.Field, not {value!r}")
        _add(namespace, FieldArgument(value.strip()))


class _AddException(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        namespace.exceptions = (*(namespace.exceptions or ()), parse_exception(value))
        namespace.follows_breakpoint = False


class _AddDump(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        namespace.exceptions = (*(namespace.exceptions or ()), ExceptionArgument(DUMP_FILTER, value.strip() or None))
        namespace.follows_breakpoint = False


class _Temporary(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        _change(namespace, self.dest, is_temporary=True)


class _Follow(_Action):
    def take(self, namespace: argparse.Namespace, value: str) -> None:
        change: dict[str, Any] = {self.dest.lstrip("-"): value}
        if not value.strip():
            raise ValueError("the value is empty")
        if self.dest == "--hits" and not _HIT_CONDITION.fullmatch(value):
            text = f"{value!r} is not a valid hit condition: write N, == N, >= N, > N, < N, <= N or % N"
            raise CodedArgumentError("INVALID_CONDITION", text)
        if self.dest == "--after":
            earlier = len(namespace.breakpoints) - 1
            if not re.fullmatch(r"\d{1,9}", value):
                raise ValueError(f"expected the number of a breakpoint, not {value!r}")
            if not 1 <= int(value) <= earlier:
                count = {0: "no breakpoint comes", 1: "1 breakpoint comes"}.get(
                    max(earlier, 0), f"{earlier} breakpoints come"
                )
                text = f"there is no breakpoint {value} to wait for: {count} before this one"
                raise CodedArgumentError("BREAKPOINT_NOT_FOUND", text)
            change["after"] = int(value)
        _change(namespace, self.dest, **change)


def _add(namespace: argparse.Namespace, place: PlaceArgument) -> None:
    if any(known.place == place for known in namespace.breakpoints):
        number = next(number for number, known in enumerate(namespace.breakpoints, 1) if known.place == place)
        text = f"breakpoint {number} is already at this place; put all of its options after that one"
        raise CodedArgumentError("BREAKPOINT_EXISTS", text)
    namespace.breakpoints = (*namespace.breakpoints, BreakpointArgument(place))
    namespace.follows_breakpoint = True


def _change(namespace: argparse.Namespace, option: str, **changes: Any) -> None:
    if not getattr(namespace, "follows_breakpoint", False):
        raise ValueError(f"{option} must follow a -b, --break-function or --watch")
    *others, last = namespace.breakpoints
    namespace.breakpoints = (*others, replace(last, **changes))
