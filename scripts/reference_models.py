"""Tables of message models for the reference: members by their wire names, with their types in the terms of JSON."""

from __future__ import annotations

import json
import re
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dap_dotnet.protocol.wire_names import wire_name
from scripts.launch_schema import descriptions

ROOT = Path(__file__).resolve().parents[1]
_NAMES = {
    int: "number",
    float: "number",
    str: "string",
    bool: "boolean",
    Any: "any",
    dict: "object",
}


def wire_names(model: type[BaseModel]) -> str:
    """The members of a request's arguments, with those of the objects in them in braces."""
    shown = []
    for name, field in model.model_fields.items():
        inner = [one for one in models_in(field.annotation) if one.__name__ != "Source"]
        braces = f" {{{', '.join(wire_name(member) for member in inner[0].model_fields)}}}" if inner else ""
        shown.append(f"`{field.alias or wire_name(name)}`{braces}")
    return ", ".join(shown)


def members_table(model: type[BaseModel]) -> list[str]:
    """A row for each member, and an empty line; nothing for a model without members."""
    if not model.model_fields:
        return []
    texts = descriptions(model)
    lines = ["| member | type | |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        optional = "" if field.is_required() else "?"
        text = " ".join(prose(texts.get(name)).split())
        cells = (f"`{field.alias or wire_name(name)}`{optional}", json_type(field.annotation), text)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def nested_models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The models that the members are made of, and theirs, but for those that the protocol's specification has."""
    found: list[type[BaseModel]] = []
    to_look_at = [model]
    while to_look_at:
        for field in to_look_at.pop(0).model_fields.values():
            new = [inner for inner in models_in(field.annotation) if inner not in found and not is_of_protocol(inner)]
            found += new
            to_look_at += new
    return found


def is_of_protocol(model: type[BaseModel]) -> bool:
    """Whether the specification describes it."""
    return model.__name__ in _protocol_types()


@cache
def _protocol_types() -> frozenset[str]:
    schema = json.loads((ROOT / "tests" / "support" / "debugAdapterProtocol.json").read_text(encoding="utf-8"))
    return frozenset(schema["definitions"])


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in models_in(part)]


def json_type(annotation: Any) -> str:
    """The type as JSON has it; None, which stands for an absent member, is left out."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(json_type(part) for part in parts if part is not type(None)))
    if origin is typing.Literal:
        return ", ".join(f"`{value}`" for value in parts)
    if origin is typing.Annotated:
        return json_type(parts[0])
    if origin in (list, tuple):
        return f"{json_type(parts[0])}[]"
    if origin is dict:
        return "object"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"`{annotation.__name__}`"
    return _NAMES[annotation]


def prose(docstring: str | None) -> str:
    """A docstring for readers of the documents: members by their wire names, RST's double backticks as Markdown's."""
    text = re.sub(r"^ {4}", "", docstring or "", flags=re.MULTILINE).strip().replace("``", "`")
    text = re.sub(r"\bNone\b", "null", text)
    return re.sub(r"`([a-z]+(?:_[a-z]+)+)`", lambda match: f"`{wire_name(match[1])}`", text)
