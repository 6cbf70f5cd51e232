"""What the runtime writes when a program calls Environment.FailFast: the text of the call is kept nowhere else."""

from __future__ import annotations

import re

from msgspec import structs

from dap_dotnet.values.exceptions import ExceptionDescription

_OF_FAIL_FAST = "System.ExecutionEngineException"
"""What the runtime has for Environment.FailFast, one object for all, without its text."""
_BEGIN = "Process terminated."
_MESSAGE = re.compile(r"Process terminated\.[ \n](?P<text>.*?)\n   at System\.Environment\.FailFast\(", re.DOTALL)
_MOST = 64 * 1024


class LastWords:
    """Looks through the standard error of the program, where the session gets it. Session thread only."""

    def __init__(self) -> None:
        self._tail = ""

    def written(self, text: str) -> None:
        """The next part of what the program writes."""
        self._tail += text
        begin = self._tail.rfind(_BEGIN)
        self._tail = self._tail[begin : begin + _MOST] if begin >= 0 else self._tail[-len(_BEGIN) :]

    @property
    def fail_fast_text(self) -> str | None:
        """The text that Environment.FailFast was called with; None where none was written yet."""
        found = _MESSAGE.match(self._tail)
        return found["text"] if found is not None else None

    def explained(self, thrown: ExceptionDescription) -> ExceptionDescription:
        """An exception with the text of Environment.FailFast, where that is what it stands for and was written."""
        text = self.fail_fast_text if thrown.type_name == _OF_FAIL_FAST else None
        if text is None:
            return thrown
        return structs.replace(thrown, message=f"Environment.FailFast: {text}", is_message_known=True)
