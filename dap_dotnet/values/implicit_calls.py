"""Texts that only running the program gives: of ToString and of DebuggerDisplays that do more than read.

All handles die with each call, so that these texts come last, when everything else of an answer has been read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import structs

from dap_dotnet.errors import DapDotnetError, DeadlineError, EvaluationError
from dap_dotnet.runtime.model import TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.values.context import Program
from dap_dotnet.values.debugger_attributes import Display, Hole, display_of, parts_of
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.primitives import one_line
from dap_dotnet.values.rendering import PLAIN, Format, Parts, Rendered, hole_format, render
from dap_dotnet.values.to_string import call_of, text_of

_CALL_TIMEOUT_S = 2.0
_MOST_TIME_S = 1.0
"""How long the calls for one request may take together, before the rest is shown without."""
_MOST_PARTS = 8
"""Values inside another that are asked for their texts."""
_MOST_OF_ERROR = 200
"""Characters of an error in the hole of a display."""
_UNENDED: CacheSlot[set[TypeId]] = CacheSlot("types whose text did not end", lambda _: set())

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
    module = program.modules.get(program.debuggee.type_info(value.type).module) if value.type is not None else None
    if module is None or value.type is None or value.type in module.cached(_UNENDED):
        return None
    if not depth and _rendered(program, source, style).has_parts:
        return _composed(program, source, style)
    try:
        display = display_of(program, value.type)
        if display is not None:
            return _display(program, source, display, style, depth)
        call = call_of(program, value.type) if program.display.may_run_to_string else None
        return text_of(_called(program, source, call)) if call is not None else None
    except EvaluationError as error:
        if error.code == DeadlineError.code:
            module.cached(_UNENDED).add(value.type)
        raise


def _rendered(program: Program, source: LiveValue, style: Format, parts: Parts | None = None) -> Rendered:
    return render(program, source.get(), structs.replace(style, parts=parts or Parts()))


def _composed(program: Program, source: LiveValue, style: Format) -> str:
    """The text of a tuple, a task or another value with others in it, which are asked for one after the other."""

    def part(number: int) -> Value | None:
        found = Parts()
        _rendered(program, source, style, found)
        return found.wanted[number] if number < len(found.wanted) else None

    texts: list[str | None] = []
    while True:
        parts = Parts(texts)
        shown = _rendered(program, source, style, parts)
        if len(texts) >= min(len(parts.wanted), _MOST_PARTS):
            return shown.text
        one = LiveValue(program, parts.wanted[len(texts)], partial(part, len(texts)))
        try:
            texts.append(_text(program, one, style, 1))
        except EvaluationError as error:
            if error.code == DeadlineError.code:
                raise
            texts.append(None)


def _called(program: Program, source: LiveValue, expression: str, scope: TypeId | None = None) -> Value:
    assert program.expressions is not None
    value = source.in_program(_CALL_TIMEOUT_S)
    return program.expressions.value(
        program, value, expression, scope=scope, place=source.get, call_timeout_s=_CALL_TIMEOUT_S
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
