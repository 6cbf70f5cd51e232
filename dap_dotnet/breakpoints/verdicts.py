"""What a hit breakpoint does: stop, log, or let the program go on. Session thread only.

The pieces of a breakpoint's settings are parsed once; a condition is compiled once for each place that it is hit at.
A triggered breakpoint (`Settings.after`) is armed once the other one has acted, in an earlier hit, and stays armed.
The languages of conditions and messages come from outside, through `Language`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from dap_dotnet.breakpoints.hit_conditions import HitRule, parse_hit_condition
from dap_dotnet.breakpoints.logpoints import Expression, Name, Part, Text, parse_log_message
from dap_dotnet.breakpoints.model import BreakpointId, LogicalBreakpoint, Settings
from dap_dotnet.errors import DapDotnetError, DeadlineError
from dap_dotnet.runtime.model import BreakpointLocation
from dap_dotnet.values.context import FrameContext

Condition = Callable[[FrameContext], bool]


class Language(Protocol):
    """Conditions and messages, as the session gives them."""

    def check_condition(self, text: str) -> None:
        """Raises `UserError` (INVALID_CONDITION) for text that is not an expression; names are not looked up yet."""

    def check_logged(self, text: str) -> None:
        """The same for an expression of a log message, with its format specifier."""

    def compile_condition(self, text: str, context: FrameContext) -> Condition:
        """Bind an expression to the place of a frame. Raises `UserError`: unknown names, or not a boolean."""

    def format_expression(self, text: str, context: FrameContext) -> str:
        """The value of an expression (with its format specifier) for a log message. Raises `UserError`."""

    def format_name(self, name: str, context: FrameContext, hit_count: int) -> str:
        """The text of `$NAME`."""


class Outcome(Struct):
    """What the hit breakpoints of one event do together."""

    stopping: list[LogicalBreakpoint]
    """Those that stop the program."""
    messages: list[str]
    """Lines to log."""
    failed: list[tuple[LogicalBreakpoint, str]]
    """Conditions that failed for the first time, with the reason."""


class Tally(Struct):
    """What a condition came to so far, since it was set."""

    tested: int = 0
    held: int = 0
    failed: int = 0
    first_failure: str = ""
    failure_code: str = ""
    """Of the failure that was reported last: EVAL_FAILED, or TIMEOUT for one that is not tested any more."""


class _Parsed(Struct):
    settings: Settings
    hit_rule: HitRule | None
    message: tuple[Part, ...] | None
    conditions: dict[BreakpointLocation, Condition]
    tally: Tally
    hung: dict[str, str]
    """Expressions of the message that took too long, with what is shown instead: they are not evaluated again."""


class Verdicts:
    """Decides for the breakpoints of a session."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._parsed: dict[BreakpointId, _Parsed] = {}
        self._acted: set[BreakpointId] = set()
        """Breakpoints that have stopped the program or logged."""

    def is_armed(self, settings: Settings) -> bool:
        """Whether hits count: always, but for a triggered breakpoint whose other one has not acted yet."""
        return settings.after is None or settings.after in self._acted

    def check(self, settings: Settings) -> None:
        """Raises `UserError` (INVALID_CONDITION) for settings that can never work."""
        if settings.condition is not None:
            self._language.check_condition(settings.condition)
        if settings.hit_condition is not None:
            parse_hit_condition(settings.hit_condition)
        if settings.log_message is not None:
            for part in parse_log_message(settings.log_message):
                if isinstance(part, Expression):
                    self._language.check_logged(part.expression)

    def tally(self, logical: LogicalBreakpoint) -> Tally:
        """What the breakpoint's condition came to so far; all 0 without one, and before it was first met."""
        parsed = self._parsed.get(logical.id)
        return parsed.tally if parsed is not None and parsed.settings == logical.settings else Tally()

    def decide(self, hit: Sequence[LogicalBreakpoint], location: BreakpointLocation, context: FrameContext) -> Outcome:
        """The verdict on breakpoints that were hit at one place; counts the hits."""
        outcome = Outcome([], [], [])
        acted = []
        for logical in hit:
            if logical.settings == _PLAIN:
                logical.hit_count += 1
                outcome.stopping.append(logical)
                acted.append(logical.id)
            elif self.is_armed(logical.settings) and self._decide_one(logical, location, context, outcome):
                acted.append(logical.id)
        self._acted.update(acted)  # not before: one hit of two breakpoints does not trigger one by the other
        return outcome

    def _decide_one(
        self, logical: LogicalBreakpoint, location: BreakpointLocation, context: FrameContext, outcome: Outcome
    ) -> bool:
        """Whether it stops or logs."""
        parsed = self._of(logical)
        if parsed.settings.condition is not None:
            tally = parsed.tally
            if tally.failure_code == TIMEOUT:
                return False
            tally.tested += 1
            try:
                condition = parsed.conditions.get(location)
                if condition is None:
                    condition = self._language.compile_condition(parsed.settings.condition, context)
                    parsed.conditions[location] = condition
                if not condition(context):
                    return False
            except DapDotnetError as error:
                tally.failed += 1
                if tally.failed == 1 or error.code == TIMEOUT:  # each further test would take as long
                    tally.first_failure = error.told + (NOT_AGAIN if error.code == TIMEOUT else "")
                    tally.failure_code = error.code
                    outcome.failed.append((logical, tally.first_failure))
                return False
            tally.held += 1
        logical.hit_count += 1
        if parsed.hit_rule is not None and not parsed.hit_rule.holds(logical.hit_count):
            return False
        if parsed.message is None:
            outcome.stopping.append(logical)
        else:
            outcome.messages.append("".join(self._shown(part, context, logical, parsed) for part in parsed.message))
        return True

    def _of(self, logical: LogicalBreakpoint) -> _Parsed:
        parsed = self._parsed.get(logical.id)
        if parsed is None or parsed.settings != logical.settings:
            settings = logical.settings
            parsed = self._parsed[logical.id] = _Parsed(
                settings=settings,
                hit_rule=parse_hit_condition(settings.hit_condition) if settings.hit_condition is not None else None,
                message=parse_log_message(settings.log_message) if settings.log_message is not None else None,
                conditions={},
                tally=Tally(),
                hung={},
            )
        return parsed

    def _shown(self, part: Part, context: FrameContext, logical: LogicalBreakpoint, parsed: _Parsed) -> str:
        match part:
            case Text(text=text):
                return text
            case Name(name=name):
                return self._language.format_name(name, context, logical.hit_count)
        if part.expression in parsed.hung:
            return parsed.hung[part.expression]
        try:
            return self._language.format_expression(part.expression, context)
        except DapDotnetError as error:
            if error.code == TIMEOUT:
                parsed.hung[part.expression] = "<not evaluated again: it took too long>"
            return f"<{error.told}>"


_PLAIN = Settings()
TIMEOUT = DeadlineError.code
NOT_AGAIN = ". The condition is not tested again until it is changed or set again"
