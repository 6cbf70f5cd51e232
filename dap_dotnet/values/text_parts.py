"""What in the text of one value only running the program tells: collected while it is rendered, then asked for."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.runtime.model import Value


class Part(Struct, frozen=True):
    """A value inside a text; `expression` is what gives its text as a string, None: its own text is meant."""

    value: Value
    expression: str | None = None


class Parts:
    """The values inside one text that only running the program can tell the texts of, in the order of their places."""

    def __init__(self, known: Sequence[str | None] = ()) -> None:
        """`known`: the texts of the first ones, None where the program gave none."""
        self._known = known
        self.wanted: list[Part] = []

    def text(self, value: Value, shown: str) -> str:
        """The text of the next one, which without running anything is `shown`."""
        return self._next(Part(value)) or shown

    def message(self, exception: Value) -> str | None:
        """As the next one, what the Message of an exception says; None where that is not known."""
        return self._next(Part(exception, "this.Message"))

    def _next(self, part: Part) -> str | None:
        number = len(self.wanted)
        self.wanted.append(part)
        return self._known[number] if number < len(self._known) else None
