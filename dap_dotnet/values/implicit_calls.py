"""Texts that only running the program gives: of ToString and of DebuggerDisplays that do more than read.

All handles die with each call, so that these texts come last, when everything else of an answer has been read.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from msgspec import structs

from dap_dotnet.errors import DapDotnetError, DeadlineError, EvaluationError
from dap_dotnet.runtime.model import ThreadId, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.values import exceptions
from dap_dotnet.values.context import Program
from dap_dotnet.values.debugger_attributes import Display, Hole, display_of, parts_of
from dap_dotnet.values.exceptions import ExceptionDescription
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.primitives import one_line
from dap_dotnet.values.rendering import PLAIN, Format, Rendered, hole_format, render
from dap_dotnet.values.text_parts import Parts
from dap_dotnet.values.to_string import call_of, text_of

T = TypeVar("T")
_MOST_TIME_S = 1.0
"""How long the calls for one request may take together, before the rest is shown without."""
_MOST_PARTS = 8
"""Values inside another that are asked for their texts."""
_MOST_OF_ERROR = 200
"""Characters of an error in the hole of a display."""
_UNENDED: CacheSlot[dict[TypeId, float]] = CacheSlot("types whose text did not end", lambda _: {})
"""With the seconds that a call for it was given."""

Wanted = tuple[LiveValue, Callable[[str], None]]
"""A value that `rendering` says needs a call, and what takes its text."""


def run(program: Program, wanted: Sequence[Wanted], style: Format = PLAIN) -> None:
    """Let the program give the texts of values, one after the other, where the settings allow it.

    A ToString that throws, or gives nothing, leaves what is shown; what did not end is not run again. Session thread.
    """
    if not wanted or program.expressions is None or not program.display.may_run:
        return
    with program.expressions.with_others_staying():
        _run(program, wanted, style)


def _run(program: Program, wanted: Sequence[Wanted], style: Format) -> None:
    end = time.monotonic() + _MOST_TIME_S
    for source, show in wanted:
        if time.monotonic() > end:
            return
        try:
            text = _text(program, source, style)
        except EvaluationError as error:
            if error.code == DeadlineError.code:  # the rest is not asked for: the client has waited already
                return
            continue
        except DapDotnetError:
            continue
        if text is not None:
            show(one_line(text) if style.quotes else text)


def _text(program: Program, source: LiveValue, style: Format, depth: int = 0) -> str | None:
    value = source.get()
    if value.type is None or _is_unended(program, value.type):
        return None
    if not depth and _rendered(program, source, style).has_parts:
        return _composed(program, source, style)
    with _noting_unended(program, value.type):
        display = display_of(program, value.type)
        if display is not None:
            return _display(program, source, display, style, depth)
        call = call_of(program, value.type) if program.display.may_run_to_string else None
        return text_of(_called(program, source, call)) if call is not None else None


def _string(program: Program, source: LiveValue, expression: str) -> str | None:
    value = source.get()
    if value.type is None or _is_unended(program, value.type):
        return None
    with _noting_unended(program, value.type):
        return exceptions.shown_text(_called(program, source, expression))


def _unended(program: Program, type_id: TypeId) -> dict[TypeId, float] | None:
    module = program.modules.get(program.debuggee.type_info(type_id).module)
    return module.cached(_UNENDED) if module is not None else None


def _is_unended(program: Program, type_id: TypeId) -> bool:
    """Whether a text of the type did not end once, given as long; True, too, where that could not be remembered."""
    known = _unended(program, type_id)
    return known is None or known.get(type_id, 0.0) >= program.display.text_timeout_s


@contextlib.contextmanager
def _noting_unended(program: Program, type_id: TypeId) -> Iterator[None]:
    """Inside, a call that does not end in time is remembered of the type."""
    try:
        yield
    except EvaluationError as error:
        known = _unended(program, type_id)
        if error.code == DeadlineError.code and known is not None:
            known[type_id] = max(known.get(type_id, 0.0), program.display.text_timeout_s)
        raise


def _rendered(program: Program, source: LiveValue, style: Format, parts: Parts | None = None) -> Rendered:
    return render(program, source.get(), structs.replace(style, parts=parts or Parts()))


def _composed(program: Program, source: LiveValue, style: Format) -> str:
    """The text of a tuple, a task, an exception or another value with others in it that have to be asked for."""
    return _with_parts(program, lambda parts: _rendered(program, source, style, parts), style).text


def _with_parts(program: Program, show: Callable[[Parts], T], style: Format = PLAIN) -> T:
    """What `show` makes of the texts of its parts, which are asked for one after the other.

    Raises `EvaluationError` for a call that did not end: the rest is not asked for.
    """

    def part(number: int) -> Value | None:
        found = Parts()
        show(found)
        return found.wanted[number].value if number < len(found.wanted) else None

    end = time.monotonic() + _MOST_TIME_S
    texts: list[str | None] = []
    while True:
        parts = Parts(texts)
        shown = show(parts)
        if len(texts) >= min(len(parts.wanted), _MOST_PARTS) or time.monotonic() > end:
            return shown
        wanted = parts.wanted[len(texts)]
        one = LiveValue(program, wanted.value, partial(part, len(texts)))
        try:
            texts.append(
                _text(program, one, style, 1) if wanted.expression is None else _string(program, one, wanted.expression)
            )
        except EvaluationError as error:
            if error.code == DeadlineError.code:
                raise
            texts.append(None)


def thrown(program: Program, thread: ThreadId, *, with_inner: bool = True) -> ExceptionDescription | None:
    """As `exceptions.current`, with the messages that only running the program tells, where the settings allow it."""

    def describe(parts: Parts) -> ExceptionDescription | None:
        return exceptions.current(program, thread, with_inner=with_inner, ask=parts.message)

    if program.expressions is None or not program.display.may_run:
        return describe(Parts())
    try:
        with program.expressions.with_others_staying():
            return _with_parts(program, describe)
    except EvaluationError:
        return describe(Parts())


def _called(program: Program, source: LiveValue, expression: str, scope: TypeId | None = None) -> Value:
    assert program.expressions is not None
    timeout_s = program.display.text_timeout_s
    value = source.in_program(timeout_s)
    return program.expressions.value(
        program, value, expression, scope=scope, place=source.get, call_timeout_s=timeout_s
    )


def _display(program: Program, source: LiveValue, display: Display, style: Format, depth: int) -> str | None:
    """A DebuggerDisplay; each hole is shown before the next one may run. None where its braces do not match."""
    parts = parts_of(display.text)
    if parts is None:
        return None
    return "".join(
        one if isinstance(one, str) else _filled(program, source, one, display.scope, style=style, depth=depth)
        for one in parts
    )


def _filled(program: Program, source: LiveValue, hole: Hole, scope: TypeId | None, *, style: Format, depth: int) -> str:
    """A hole of a display, filled. What fills it may need a call for its own text, one level deep.

    A hole that throws, or that is no C#, has the error in its place: the author of the display is to see it.
    """
    within = hole_format(style, hole)
    try:
        found = _called(program, source, hole.expression, scope)
    except EvaluationError as error:
        if not (error.is_thrown or error.compiler_code):
            raise  # it may be another time
        return f"<{error.message.splitlines()[0][:_MOST_OF_ERROR]}>"
    filled = render(program, found, within, 1)
    if not filled.needs_call or filled.inner is not None or depth:
        return filled.text
    again = LiveValue(program, found, lambda: _called(program, source, hole.expression, scope))
    try:
        return _text(program, again, within, depth + 1) or filled.text
    except EvaluationError as error:
        if error.code == DeadlineError.code:
            raise
        return filled.text
