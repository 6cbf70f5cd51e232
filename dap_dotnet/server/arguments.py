"""The arguments of a request, validated; and invalid ones, in words: which member, what it must be, what it is."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from dap_dotnet.errors import ProtocolError

M = TypeVar("M", bound=BaseModel)

_EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "an object",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "int_parsing_size": "an integer in range",
    "int_type": "an integer",
    "list_type": "a list",
    "mapping_type": "an object",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "string_type": "a string",
}


def parse_arguments(model: type[M], command: str, arguments: Any) -> M:
    """Validate the arguments of a request.

    Raises `ProtocolError` that names the member and what was expected. Missing arguments are taken as empty, and so is
    an empty list: in some clients' languages an empty list and an empty object are the same.
    """
    try:
        return model.model_validate({} if arguments is None or arguments == [] else arguments)
    except ValidationError as error:
        raise ProtocolError(describe_invalid_arguments(command, error)) from error


def describe_invalid_arguments(command: str, error: ValidationError) -> str:
    """One sentence a defect, at most five."""
    details = error.errors(include_url=False)
    sentences = [_sentence(command, detail) for detail in details[:5]]
    if len(details) > len(sentences):
        sentences.append(f"{len(details) - len(sentences)} more problems are not listed.")
    return " ".join(dict.fromkeys(sentences))


def _sentence(command: str, detail: Any) -> str:
    where = _path(detail["loc"])
    subject = f"'{where}' of '{command}'" if where else f"The arguments of '{command}'"
    kind = detail["type"]
    if kind == "missing":
        return f"{subject} is missing."
    if kind == "literal_error":
        return f"{subject} must be {detail['ctx']['expected']}, not {_shown(detail['input'])}."
    if kind in _EXPECTED:
        return f"{subject} must be {_EXPECTED[kind]}, not {_shown(detail['input'])}."
    if kind == "value_error":  # raised by one of our own validators, with its own sentence
        return f"{subject}: {detail['ctx']['error']}"
    return f"{subject} is invalid: {detail['msg']}, but it is {_shown(detail['input'])}."


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in ("int", "str"):  # branches of a union
            path += f".{part}" if path else part
    return path


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
