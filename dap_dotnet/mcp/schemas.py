"""The schemas of tools, as agents read them: without what says nothing."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from dap_dotnet.mcp.tool import Tool


def input_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return _lean(tool.arguments)


def output_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's answer, or of the error in its place: some clients check errors against it, too."""
    schema = _lean(tool.answer)
    text = {"type": "string"}
    names = ("code", "message", "remedy")
    schema["properties"]["error"] = {"type": "object", "properties": dict.fromkeys(names, text)}
    schema["anyOf"] = [{"required": schema.pop("required", [])}, {"required": ["error"]}]
    return schema


def _lean(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(mode="validation")
    schema.pop("description", None)
    for definition in schema.get("$defs", {}).values():
        definition.pop("description", None)
    stripped: dict[str, Any] = _without_titles(schema)
    return stripped


def _without_titles(schema: Any) -> Any:
    """Pydantic's titles only repeat the names. A field may be called `title`: then it is no text."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema


def described(tool: Tool) -> dict[str, Any]:
    """A tool as the protocol lists it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "outputSchema": output_schema(tool),
        "annotations": {"readOnlyHint": tool.is_read_only, "openWorldHint": False},
    }
