"""Names that stand for values which no variable of the program has: `$exception`, `$returnValue`, `$returnValue1`.

C# has no such names, so the text is given others, which the frame's variables cannot have.
"""

from __future__ import annotations

import re

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import FrameContext

_NAME = re.compile(r"\$(?:(exception)|[rR]eturnValue(\d{0,4}))\b")
_TOKENS = re.compile(
    r'(?P<skipped>(?:@\$?|\$@)"(?:[^"]|"")*"|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|(?P<name>' + _NAME.pattern + ")"
)


def has_pseudo_variable(expression: str) -> bool:
    """Whether an expression may have one of the names."""
    return _NAME.search(expression) is not None


def without_pseudo_variables(expression: str) -> tuple[str, dict[str, str]]:
    """The expression with C# names for the pseudo-variables outside literals; and these with what they stand for."""
    found: dict[str, str] = {}

    def replaced(match: re.Match[str]) -> str:
        text = match["name"]
        if text is None:
            return match[0]
        name = f"__{text[1:].lower()}__"
        found[name] = text
        return name

    return _TOKENS.sub(replaced, expression), found


def with_pseudo_variables(text: str, names: dict[str, str]) -> str:
    """The text with the names as the user wrote them."""
    for name, written in names.items():
        text = text.replace(name, written)
    return text


def pseudo_value(written: str, context: FrameContext) -> Value:
    """What a pseudo-variable means in a frame. Raises `EvaluationError` where it has no value."""
    program, thread = context.program, context.thread
    if written == "$exception":
        raised = program.debuggee.current_exception(thread)
        if raised is None:
            raise EvaluationError(
                "error CS0103: No exception is being raised on this thread: '$exception' has no value"
            )
        return raised
    digits = written.lower().removeprefix("$returnvalue")
    count = len(program.returned.names(thread)) if program.returned is not None else 0
    number = int(digits) if digits else count
    value = program.returned.value(program, thread, number - 1) if program.returned is not None else None
    if value is None:
        raise EvaluationError(
            f"error CS0103: '{written}' has no value: "
            + (f"only {count} calls returned a known value" if count else "no step here has brought a returned value")
        )
    return value
