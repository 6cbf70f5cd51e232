"""The names that members have on the wire. Without pydantic, for those that do without models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_IRREGULAR_NAMES = {
    "adapter_id": "adapterID",
    "client_id": "clientID",
    "request_seq": "request_seq",
    "restart_data": "__restart",
    "suppress_jit_optimizations": "suppressJITOptimizations",
    "supports_ansi_styling": "supportsANSIStyling",
}
"""Members whose wire name is not the camelCase of their Python name."""


def wire_name(python_name: str) -> str:
    """The name a member has on the wire: camelCase, but for the protocol's few irregular ones."""
    irregular = _IRREGULAR_NAMES.get(python_name)
    if irregular is not None:
        return irregular
    head, *tail = python_name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in tail)


def member(message: Mapping[str, Any], python_name: str) -> Any:
    """A member of a message that is kept as it was received, by its Python name; None when it is absent."""
    return message.get(wire_name(python_name))
