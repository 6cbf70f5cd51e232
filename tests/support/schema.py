"""Checks messages against the official JSON schema of the Debug Adapter Protocol (debugAdapterProtocol.json).

Each request, response and event has a definition of its own, found here by `command` or `event`. The schema lets any
property pass that it does not know; what the adapter sends is checked for those too, since a misspelt property is as
good as none.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = Path(__file__).with_name("debugAdapterProtocol.json")
Schema = Mapping[str, Any]


class SchemaError(AssertionError):
    """A message is not as the protocol says; the text lists every fault with the path to it."""


OWN_PREFIX = "dap-dotnet/"
"""Of requests that the adapter answers, and of events that it sends, beyond the protocol: any arguments, any body."""


def validate_message(message: Mapping[str, Any], *, strict: bool | None = None) -> None:
    """Raises SchemaError when `message` does not fit the definition for its type and its command or event.

    `strict` also refuses properties that the protocol does not know; None means for responses and events only.
    """
    name = definition_name(message)
    faults = [f"{_path(error.absolute_path)}: {error.message}" for error in _validator(name).iter_errors(message)]
    if message["type"] != "request" if strict is None else strict:
        faults += [
            f"{path}: the protocol knows no such property" for path in _unknown(message, {"$ref": _ref(name)}, "$")
        ]
    if faults:
        shown = json.dumps(message, ensure_ascii=False)
        raise SchemaError(f"not a {name}:\n  " + "\n  ".join(faults) + f"\n  in {shown[:1000]}")


def definition_name(message: Mapping[str, Any]) -> str:
    """The name of the definition for a message; raises SchemaError when the protocol has no such command or event."""
    kind = message.get("type")
    key = message.get("event" if kind == "event" else "command")
    names = _names_by_key()
    if kind == "response" and message.get("success") is False:
        # Any command, unknown ones too, may fail.
        return "ErrorResponse"
    name = names.get(("request" if kind == "response" else str(kind), str(key)))
    if name is None and str(key).startswith(OWN_PREFIX):
        return str(kind).capitalize()
    if name is None:
        raise SchemaError(f"the protocol has no {kind} {key!r}: {json.dumps(message)[:1000]}")
    return name.removesuffix("Request") + "Response" if kind == "response" else name


@functools.cache
def _definitions() -> Schema:
    definitions: Schema = json.loads(SCHEMA.read_bytes())["definitions"]
    return definitions


@functools.cache
def _names_by_key() -> dict[tuple[str, str], str]:
    """The names of all requests' and events' definitions by ("request", command) and ("event", event)."""
    names = {}
    for name, definition in _definitions().items():
        for part in definition.get("allOf", ()):
            properties = part.get("properties", {})
            for kind, discriminator in (("request", "command"), ("event", "event")):
                if name.endswith(kind.capitalize()):
                    names.update({(kind, value): name for value in properties.get(discriminator, {}).get("enum", ())})
    return names


@functools.cache
def _validator(name: str) -> jsonschema.Draft4Validator:
    return jsonschema.Draft4Validator({"definitions": _definitions(), "$ref": _ref(name)})


def _ref(name: str) -> str:
    return f"#/definitions/{name}"


def _parts(schema: Schema) -> Iterator[Schema]:
    """The schemas that together describe one value: `schema` with its references and allOf followed."""
    if "$ref" in schema:
        yield from _parts(_definitions()[schema["$ref"].rpartition("/")[2]])
        return
    yield schema
    for keyword in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(keyword, ()):
            yield from _parts(part)


def _unknown(value: object, schema: Schema, path: str) -> Iterator[str]:
    """The paths of properties in `value` that `schema` does not name, where it names any."""
    parts = list(_parts(schema))
    if isinstance(value, Mapping):
        known: dict[str, Schema] = {name: sub for part in parts for name, sub in part.get("properties", {}).items()}
        free = not known or any(part.get("additionalProperties") for part in parts)
        for name, item in value.items():
            if name in known:
                yield from _unknown(item, known[name], f"{path}.{name}")
            elif not free:
                yield f"{path}.{name}"
    elif isinstance(value, list):
        for items in (part["items"] for part in parts if "items" in part):
            for index, item in enumerate(value):
                yield from _unknown(item, items, f"{path}[{index}]")


def _path(parts: Any) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


# for tests of what clients may leave out


def request_arguments(command: str) -> tuple[Schema, bool]:
    """The definition of a request's arguments, and whether the request must have them."""
    request = _definitions()[_names_by_key()["request", command]]
    # A request without arguments of its own has the base's, of any type.
    definition, must_have = properties(request)["arguments"]
    return (definition, must_have) if "$ref" in definition else ({"type": "object"}, False)


def properties(schema: Schema) -> dict[str, tuple[Schema, bool]]:
    """The properties of an object by name, each with its schema and whether it is required; empty for what is none."""
    parts = list(_parts(schema))
    required = {name for part in parts for name in part.get("required", ())}
    return {name: (sub, name in required) for part in parts for name, sub in part.get("properties", {}).items()}


def items(schema: Schema) -> Schema | None:
    """The schema of a list's items; None for what is no list."""
    return next((part["items"] for part in _parts(schema) if "items" in part), None)


def words(schema: Schema) -> list[str]:
    """The words that an enumerated member may have, open enumerations included; empty for others."""
    parts = _parts(schema)
    return [word for part in parts for word in part.get("enum", part.get("_enum", ())) if isinstance(word, str)]


def smallest(schema: Schema) -> Any:
    """A value that fits: objects with what they must have, lists of one item."""
    if properties(schema):
        return {name: smallest(sub) for name, (sub, required) in properties(schema).items() if required}
    inner = items(schema)
    if inner is not None:
        return [smallest(inner)]
    kind = next((part["type"] for part in _parts(schema) if "type" in part), "object")
    plain = {"string": "x", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
    return next(iter(words(schema)), plain[kind if isinstance(kind, str) else kind[0]])
