"""The arguments that most tools have."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dap_dotnet.mcp.parts import Arguments

WaitSeconds = Annotated[
    float,
    Field(
        ge=0,
        le=3600,
        description="How many seconds to wait for a stop or the end; the program goes on after that. 0: do not wait.",
        examples=[10],
    ),
]
"""How long a call waits for the program."""
MaxChars = Annotated[
    int, Field(ge=100, le=200_000, description="How many characters the answer may take.", examples=[8000])
]
"""The size limit of an answer."""
MAX_CHARS = 8_000
"""The usual one."""


class SessionArguments(Arguments):
    """Names a session."""

    session: str | None = Field(
        default=None,
        description="The session's id, as debug_launch returned it; may be left out while there is only one.",
        examples=["s1"],
    )


class ThreadArguments(SessionArguments):
    """Names a session and a thread."""

    thread_id: int | None = Field(
        default=None, ge=1, description="A thread; None: the one that stopped.", examples=[4711]
    )


class FrameArguments(ThreadArguments):
    """Names a session, a thread and a frame."""

    frame: int = Field(
        default=0, ge=0, le=100_000, description="The number of a frame in stack_get; 0: the newest.", examples=[0]
    )
