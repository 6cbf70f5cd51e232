"""The arguments of a request; and those that cannot be understood, in words: which, what it must be, what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from dap_dotnet.errors import ProtocolError
from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.reading import NotUnderstoodError, read

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound=WireModel)

_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "an object",
    "int_type": "an integer",
    "list_type": "a list",
    "model_type": "an object",
    "string_type": "a string",
}


def parse_arguments(model: type[M], command: str, arguments: Any) -> M:
    """Read the arguments of a request by the rule of `protocol.reading.read`; missing ones are taken as empty.

    Raises `ProtocolError` that names each member that is needed and cannot be understood, and what was expected.
    """
    try:
        return read(model, arguments, command)
    except NotUnderstoodError as error:
        raise ProtocolError(_describe(command, error.details)) from error


def _describe(command: str, details: list[ErrorDetails]) -> str:
    """One sentence a defect, at most five."""
    sentences = [_sentence(command, detail) for detail in details[:5]]
    if len(details) > len(sentences):
        sentences.append(f"{len(details) - len(sentences)} more problems are not listed.")
    return " ".join(dict.fromkeys(sentences))


def _sentence(command: str, detail: ErrorDetails) -> str:
    from dap_dotnet.protocol.mending import path_text, shown

    where = path_text(detail["loc"])
    subject = f"'{where}' of '{command}'" if where else f"The arguments of '{command}'"
    kind = detail["type"]
    if kind == "missing":
        return f"{subject} is missing."
    if kind == "literal_error":
        return f"{subject} must be {detail['ctx']['expected']}, not {shown(detail['input'])}."
    if kind in _EXPECTED:
        return f"{subject} must be {_EXPECTED[kind]}, not {shown(detail['input'])}."
    if kind == "value_error":  # raised by one of our own validators, with its own sentence
        return f"{subject}: {detail['ctx']['error']}"
    return f"{subject} is invalid: {detail['msg']}, but it is {shown(detail['input'])}."
