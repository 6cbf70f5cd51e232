"""The language of conditions and log messages: C# expressions, and `$NAME`s. Implements `verdicts.Language`.

Session thread only. The expression engine is loaded with the first condition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.breakpoints.verdicts import Condition
from dap_dotnet.errors import DapDotnetError, EvaluationError, UserError
from dap_dotnet.runtime.model import MethodToken, ModuleId, ThreadId
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.threads import thread_name

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.evaluation.evaluator import LoggedExpression
    from dap_dotnet.values.rendering import Format

_MAX_CALLSTACK = 64
_MOST_LOGGED = 1024
"""So many expressions of log messages are kept bound."""
CALL_TIMEOUT_S = 2.0
"""For a call that a condition or message makes: the program waits, and nobody has asked for it just now."""

CallerFor = Callable[[ThreadId, float], "Caller"]
"""Gives what runs the program's code on a thread, each call for so many seconds at most."""


class _Logged(Struct):
    expression: LoggedExpression
    style: Format


class ExpressionLanguage:
    """Expressions in the scope of the place where a breakpoint was hit."""

    def __init__(self, caller_for: CallerFor) -> None:
        self._caller_for = caller_for
        self._logged: dict[tuple[str, ModuleId | None, MethodToken | None, int | None], _Logged] = {}

    def check_condition(self, text: str) -> None:
        """See `Language.check_condition`."""
        from dap_dotnet.evaluation.evaluator import check_condition

        check_condition(text)

    def check_logged(self, text: str) -> None:
        """See `Language.check_logged`."""
        from dap_dotnet.evaluation.syntax.parser import parse
        from dap_dotnet.evaluation.syntax.user_texts import split_format

        try:
            parse(split_format(text)[0])
        except EvaluationError as error:
            raise UserError(error.told, code="INVALID_CONDITION") from error

    def compile_condition(self, text: str, context: FrameContext) -> Condition:
        """See `Language.compile_condition`."""
        from dap_dotnet.evaluation.evaluator import Condition

        condition = Condition(text)
        return lambda at: condition.test(at, self._caller_for(at.thread, CALL_TIMEOUT_S))

    def format_expression(self, text: str, context: FrameContext) -> str:
        """See `Language.format_expression`. Strings are shown without quotes, numbers as the program writes them."""
        from dap_dotnet.values.rendering import render

        logged = self._logged_at(text, context)
        caller = self._caller_for(context.thread, CALL_TIMEOUT_S)
        value = logged.expression.value(context, caller, write_numbers=not logged.style.hexadecimal)
        return value if isinstance(value, str) else render(context.program, value, logged.style).text

    def _logged_at(self, text: str, context: FrameContext) -> _Logged:
        """An expression of a log message, parsed and bound once for each place."""
        frame = context.frame
        key = (text, frame.module, frame.method, frame.il_offset)
        logged = self._logged.get(key)
        if logged is None:
            from dap_dotnet.evaluation.evaluator import LoggedExpression
            from dap_dotnet.evaluation.syntax.user_texts import split_format
            from dap_dotnet.values.rendering import Format

            expression, specifiers = split_format(text)
            style = Format(hexadecimal=bool(specifiers.hexadecimal), whole_strings=True, quotes=False)
            logged = _Logged(LoggedExpression(expression), style)
            if len(self._logged) >= _MOST_LOGGED:
                self._logged.clear()
            self._logged[key] = logged
        return logged

    def format_name(self, name: str, context: FrameContext, hit_count: int) -> str:
        """See `Language.format_name`."""
        match name:
            case "HITCOUNT":
                return str(hit_count)
            case "TID":
                return str(context.thread)
            case "TNAME":
                return _thread_name(context)
            case "FUNCTION":
                return describe_frame(context.program.modules, context.frame).name
        frames, _ = StackView(context.program.debuggee, context.thread).page(0, _MAX_CALLSTACK)
        names = [describe_frame(context.program.modules, frame).name for frame in frames]
        if name == "CALLER":
            return names[1] if len(names) > 1 else "<no caller>"
        return "\n\t".join(names)


def _thread_name(context: FrameContext) -> str:
    program, thread = context.program, ThreadId(context.thread)
    try:
        states = {info.thread: info.user_state for info in program.debuggee.threads()}
    except DapDotnetError:
        states = {}
    return thread_name(program, thread, states.get(thread))
