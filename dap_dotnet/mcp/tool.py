"""A tool: its name, its typed arguments and answer, and the function behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from dap_dotnet.mcp.caller import Caller, Report
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.parts import Answer, Arguments
from dap_dotnet.mcp.sessions import Sessions


class Call(Caller):
    """One call of a tool, with what it may use."""

    def __init__(self, sessions: Sessions, options: ServerOptions, report: Report | None = None) -> None:
        super().__init__(report)
        self.sessions = sessions
        self.options = options

    def need_writing(self, what: str) -> None:
        """Raises `ToolError` when the server was started with ``--read-only``."""
        if self.options.read_only:
            raise ToolError("NOT_ALLOWED", f"This server was started with --read-only: {what}.")


_A = TypeVar("_A", bound=Arguments)
_R = TypeVar("_R", bound=Answer)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `run` may block; it is called on a worker thread."""

    name: str
    description: str
    arguments: type[Arguments]
    answer: type[Answer]
    run: Callable[[Call, Any], Answer]
    is_read_only: bool
    """Whether it leaves the program as it is, running or stopped."""
    needs: str | None
    """``attach`` or ``write``: what has to be allowed for it to be offered."""

    TABLE: ClassVar[dict[str, Tool]] = {}


def tool(
    *, read_only: bool = False, needs: str | None = None
) -> Callable[[Callable[[Call, _A], _R]], Callable[[Call, _A], _R]]:
    """Make a function a tool: its name and docstring are the tool's, its annotations the arguments and the answer."""

    def register(function: Callable[[Call, _A], _R]) -> Callable[[Call, _A], _R]:
        hints = inspect.get_annotations(function, eval_str=True)
        name = function.__name__
        Tool.TABLE[name] = Tool(
            name=name,
            description=inspect.cleandoc(function.__doc__ or ""),
            arguments=hints["arguments"],
            answer=hints["return"],
            run=function,
            is_read_only=read_only,
            needs=needs,
        )
        return function

    return register
