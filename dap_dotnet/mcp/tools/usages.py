"""Where members are used."""

from __future__ import annotations

from pydantic import Field

from dap_dotnet.mcp.parts import Answer
from dap_dotnet.mcp.reports import Budget
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments
from dap_dotnet.mcp.usage_search import Usage, UsageKind, find_usages


class UsagesArguments(SessionArguments):
    """Of `usages_find`."""

    member: str = Field(
        min_length=1,
        description="[Namespace.][Type.]Member: a method, property or field; * and ? stand for any text.",
        examples=["Cart.total"],
    )
    kinds: list[UsageKind] | None = Field(
        default=None, description="Only these: call, read, write, address, delegate.", examples=[["write"]]
    )
    start: int = Field(default=0, ge=0, description="The first that is shown.", examples=[0])
    max_chars: MaxChars = MAX_CHARS


class UsagesAnswer(Answer):
    """Uses, module by module. `address`: a reference to the field is taken, through which it may be written."""

    usages: list[Usage]
    total: int

    def to_text(self) -> str:
        """A line for each."""
        return self.joined([one.to_text() for one in self.usages] or ["No code of yours uses such a member."])


@tool(read_only=True)
def usages_find(call: Call, arguments: UsagesArguments) -> UsagesAnswer:
    """Find where your code calls a method or property, or reads or writes a field: from the IL of the loaded modules.

    It needs no sources. What reflection and other modules do is not seen; a breakpoint on the field shows all changes.
    """
    session = call.sessions.get(arguments.session)
    session.need_alive()
    modules = session.request("modules", {}).get("modules") or []
    found = find_usages(call, modules, arguments.member, arguments.kinds)
    shown = Budget(arguments.max_chars).fit(found[arguments.start :])
    behind = arguments.start + len(shown)
    return UsagesAnswer(
        usages=shown,
        total=len(found),
        left_out=f"{len(found) - behind} more: ask with start: {behind}" if len(found) > behind else None,
    )
