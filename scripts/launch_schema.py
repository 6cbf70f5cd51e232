"""Writes the attributes of launch and attach configurations into the VS Code extension and docs/launch-attributes.md.

`--check` only reports whether they are up to date. Names, types, defaults and descriptions come from
`dap_dotnet/launching/arguments.py`; what an editor offers beyond that (variables, wider types) is below.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dap_dotnet.launching import arguments, attribute_notes

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "vscode-extension" / "package.json"
TABLE = ROOT / "docs" / "launch-attributes.md"
LEFT_OUT = {"noDebug", "__restart", "serverReadyAction"}
SIMPLE_TYPES = ["string", "number", "boolean", "null"]
IN_EDITORS: dict[str, dict[str, Any]] = {
    "program": {"default": "${workspaceFolder}/${workspaceFolderBasename}.csproj"},
    "args": {"type": ["array", "string"]},
    "cwd": {"type": "string", "default": "${workspaceFolder}"},
    "launchBrowser": {"type": ["object", "boolean"]},
    "checkForDevCert": {"type": ["object", "boolean"]},
    "pipeArgs": {"type": ["array", "string"]},
    "pipeTransport": {"type": "object"},
    "env": {"additionalProperties": {"type": SIMPLE_TYPES}},
    "processId": {"type": ["number", "string"], "default": "${command:pickProcess}"},
}


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Python name of a member -> the docstring below it, over all base classes."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if owner in (object, BaseModel) or not issubclass(owner, BaseModel):
            continue
        (definition,) = ast.parse(inspect.getsource(owner)).body
        assert isinstance(definition, ast.ClassDef)
        for member, text in zip(definition.body, definition.body[1:], strict=False):
            if not isinstance(member, ast.AnnAssign) or not isinstance(member.target, ast.Name):
                continue
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[member.target.id] = inspect.cleandoc(str(text.value.value))
    return found


def properties(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schemas of a model's members by wire name, as package.json has them: without references."""
    texts = descriptions(model)
    schemas = model.model_json_schema(by_alias=True)["properties"]
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        alias = field.alias or name
        if alias in LEFT_OUT:
            continue
        shown = {
            key: value
            for key, value in schemas[alias].items()
            if key not in ("title", "anyOf", "$ref") and value is not None
        }
        group = group_of(field.annotation)
        if group is not None:
            inner = {"type": "object", "properties": properties(group), "additionalProperties": False}
            shown.update({"type": "object", "additionalProperties": inner} if is_mapping(field.annotation) else inner)
        if isinstance(shown.get("additionalProperties"), dict) and "$ref" in shown["additionalProperties"]:
            del shown["additionalProperties"]
        shown["description"] = " ".join(texts[name].split())
        if field.default_factory is not None:
            default = field.get_default(call_default_factory=True, validated_data={})
            shown["default"] = {} if isinstance(default, BaseModel) else default
        found[alias] = {**shown, **IN_EDITORS.get(alias, {})}
    return found


def group_of(annotation: Any) -> type[BaseModel] | None:
    """The model of an attribute that is an object, or a mapping to such objects; None for others."""
    for kind in (annotation, *typing.get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def is_mapping(annotation: Any) -> bool:
    """Whether the attribute's names are the user's own."""
    return typing.get_origin(annotation) is dict


def attributes(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a request's attributes, as package.json has it."""
    required = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
    return {"required": required, "properties": properties(model)}


def table() -> str:
    """docs/launch-attributes.md."""
    launch, attach = (properties(model) for model in (arguments.LaunchArguments, arguments.AttachArguments))
    lines = [
        "# Attributes of launch.json",
        "",
        "<!-- Made by scripts/launch_schema.py from dap_dotnet/launching/arguments.py; change it there. -->",
        "",
        "Names and defaults are those of the C# extension. An attribute that is not known is reported in the debug",
        "console and ignored. Those marked * are accepted and have no effect yet; where that matters, the console says",
        "so.",
    ]
    for title, found in (("launch", launch), ("attach", attach)):
        lines += ["", f"## {title}", "", "| attribute | default | meaning |", "|---|---|---|"]
        lines += rows(found, "")
    return "\n".join(lines) + "\n"


def rows(found: dict[str, Any], prefix: str) -> list[str]:
    """A row for each attribute, and for each within it."""
    lines = []
    for name, schema in found.items():
        inner = schema.get("properties", {})
        default = schema.get("default")
        shown = "" if inner or default in (None, "", [], {}) or "${" in str(default) else f"`{json.dumps(default)}`"
        mark = "\\*" if f"{prefix}{name}" in attribute_notes.WITHOUT_EFFECT else ""
        choices = f" One of {', '.join(f'`{choice}`' for choice in schema['enum'])}." if "enum" in schema else ""
        text = schema["description"].replace("|", "\\|")
        lines.append(f"| `{prefix}{name}`{mark} | {shown} | {text}{choices} |")
        lines += rows(inner, f"{prefix}{name}.")
    return lines


def main() -> int:
    """Write or check."""
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    debugger = package["contributes"]["debuggers"][0]
    debugger["configurationAttributes"] = {
        "launch": attributes(arguments.LaunchArguments),
        "attach": attributes(arguments.AttachArguments),
    }
    wanted = {PACKAGE: json.dumps(package, indent=2, ensure_ascii=False) + "\n", TABLE: table()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if stale and sys.argv[1:] == ["--check"]:
        names = " and ".join(str(path.relative_to(ROOT)) for path in stale)
        print(f"error: {names}: the attributes are not those of the adapter", file=sys.stderr)
        print("run .venv/bin/python scripts/launch_schema.py", file=sys.stderr)
        return 1
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
