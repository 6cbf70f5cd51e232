"""Writes the attributes of launch and attach configurations into the VS Code extension, from the adapter's own models.

`--check` only reports whether they are up to date. Names, types, defaults and descriptions come from
`dap_dotnet/launching/arguments.py`; what an editor offers beyond that (variables, wider types) is below.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dap_dotnet.launching import arguments

PACKAGE = Path(__file__).resolve().parents[1] / "vscode-extension" / "package.json"
LEFT_OUT = {"noDebug", "__restart"}
SIMPLE_TYPES = ["string", "number", "boolean", "null"]
IN_EDITORS: dict[str, dict[str, Any]] = {
    "program": {"default": "${workspaceFolder}/bin/Debug/net8.0/${workspaceFolderBasename}.dll"},
    "args": {"type": ["array", "string"]},
    "cwd": {"type": "string", "default": "${workspaceFolder}"},
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


def attributes(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a request's attributes, as package.json has it."""
    schema = model.model_json_schema(by_alias=True)
    texts = descriptions(model)
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        alias = field.alias or name
        if alias in LEFT_OUT:
            continue
        shown = {key: value for key, value in schema["properties"][alias].items() if key not in ("title", "anyOf")}
        shown["description"] = " ".join(texts[name].split())
        if field.default_factory is not None:
            shown["default"] = field.get_default(call_default_factory=True, validated_data={})
        properties[alias] = {**shown, **IN_EDITORS.get(alias, {})}
    return {"required": schema["required"], "properties": properties}


def main() -> int:
    """Write or check."""
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    wanted = {
        "launch": attributes(arguments.LaunchArguments),
        "attach": attributes(arguments.AttachArguments),
    }
    debugger = package["contributes"]["debuggers"][0]
    if debugger["configurationAttributes"] == wanted:
        return 0
    if sys.argv[1:] == ["--check"]:
        print("error: the attributes in vscode-extension/package.json are not those of the adapter", file=sys.stderr)
        print("run .venv/bin/python scripts/launch_schema.py", file=sys.stderr)
        return 1
    debugger["configurationAttributes"] = wanted
    PACKAGE.write_text(json.dumps(package, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
