"""Writing what the user types to a program, whether it comes through a pipe or a pseudo-terminal."""

from __future__ import annotations

import os

from dap_dotnet.errors import DebuggeeError


def input_has_ended() -> DebuggeeError:
    """The error for text that the program will never read."""
    return DebuggeeError("The program no longer reads its input.", code="NO_INPUT")


def write_input(fd: int, text: bytes) -> None:
    """Write all of a text to a descriptor that does not block.

    Raises `DebuggeeError` when the program is gone, or does not read what was written before. One thread at a time.
    """
    rest = text
    try:
        while rest:
            rest = rest[os.write(fd, rest) :]
    except BlockingIOError as error:
        raise DebuggeeError(
            f"The program does not read its input: {len(rest)} bytes of this do not fit any more.",
            code="NO_INPUT",
        ) from error
    except OSError as error:
        raise input_has_ended() from error
