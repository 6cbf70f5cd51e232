"""Where types and members are defined."""

from __future__ import annotations

from pydantic import Field

from dap_dotnet.mcp.definition_search import Definition, find_definitions, find_used, names_at
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.parts import Answer
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import Budget
from dap_dotnet.mcp.stale_sources import stale_note
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments


class DefinitionsArguments(SessionArguments):
    """Of `definitions_find`: a name, or a place in a source file."""

    name: str | None = Field(
        default=None,
        min_length=1,
        description="[Namespace.][Type.]Member, or a type; * and ? stand for any text.",
        examples=["Cart.Add"],
    )
    file: str | None = Field(
        default=None, description="A source file: what its code at `line` uses.", examples=["/src/Shop/Cart.cs"]
    )
    line: int | None = Field(default=None, ge=1, description="The line in it.", examples=[27])
    column: int | None = Field(default=None, ge=1, description="Only what is named at that column.", examples=[14])
    start: int = Field(default=0, ge=0, description="The first that is shown.", examples=[0])
    max_chars: MaxChars = MAX_CHARS


class DefinitionsAnswer(Answer):
    """Definitions, module by module."""

    definitions: list[Definition]
    total: int

    def to_text(self) -> str:
        """Each with the lines around it."""
        return self.joined([one.to_text() for one in self.definitions])


@tool(read_only=True)
def definitions_find(call: Call, arguments: DefinitionsArguments) -> DefinitionsAnswer:
    """Find where a type or member is defined, by its name or at a place that uses it; with the source around it.

    From metadata, IL and symbols of the loaded modules: a method's place is where its code begins.
    """
    session = call.sessions.get(arguments.session)
    session.need_alive()
    if (arguments.name is None) == (arguments.file is None or arguments.line is None):
        raise ToolError("INVALID_ARGUMENTS", "Give a name, or else a file and a line.")
    modules = session.request("modules", {}).get("modules") or []
    if arguments.name is not None:
        found = find_definitions(call, modules, arguments.name)
    else:
        assert arguments.line is not None
        file = allowed_path(str(arguments.file), call.options.folders)
        found = find_used(call, modules, names_at(call, modules, file, arguments.line, arguments.column))
    if not found:
        raise ToolError(
            "NOT_FOUND",
            "No loaded module defines that.",
            "Look for it with types_find and members_get; a module may not be loaded yet.",
        )
    shown = Budget(arguments.max_chars).fit(found[arguments.start :])
    for one in shown:
        if one.source:
            one.note = stale_note(session, one.file) or one.note
    behind = arguments.start + len(shown)
    return DefinitionsAnswer(
        definitions=shown,
        total=len(found),
        left_out=f"{len(found) - behind} more: ask with start: {behind}" if len(found) > behind else None,
    )
