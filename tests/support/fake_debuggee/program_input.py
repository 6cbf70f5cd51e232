"""The standard input of a fake debuggee."""

from __future__ import annotations


class FakeInput:
    """A program's input that nobody reads."""

    def __init__(self) -> None:
        self.text = ""
        self.has_ended = False
        self.is_terminal = False
        self.interrupts = 0

    def write(self, text: str) -> None:
        self.text += text

    def end(self) -> None:
        self.has_ended = True

    def interrupt(self) -> None:
        self.interrupts += 1
