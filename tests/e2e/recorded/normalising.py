"""Makes recordings of sessions comparable over runs, machines and runtimes.

What differs by nature is replaced (process and thread ids, frame and variable numbers, paths) or left out (modules and
threads of the runtime, frames of the runtime, how output is cut into events). Responses and events are kept apart, each
in their order: how they interleave is a matter of timing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dap_dotnet.client import RecordedMessage

_LEFT_OUT_EVENTS = {"module", "thread"}
_NUMBERED = {
    "threadId": "thread",
    "id": "id",
    "frameId": "frame",
    "variablesReference": "reference",
    "systemProcessId": "process",
    "processId": "process",
}
_LEFT_OUT = {"moduleId", "seq", "request_seq", "type", "totalFrames", "env"}
_ADDRESS = "instructionPointerReference"
"""Each compiler makes other IL."""
_LEFT_OUT_OF_EXCEPTIONS = {"namedVariables"}
"""Each release of the runtime gives exceptions other members."""
_STACK_LINE = re.compile(r"^   at (?!.* in <).*\n?", re.M)


class Normaliser:
    """Replaces what differs between runs by names that count in order of appearance."""

    def __init__(self, folders: Mapping[Path, str]) -> None:
        """`folders`: a folder -> the name that stands for it."""
        self._folders = {str(path): name for path, name in folders.items()}
        self._seen: dict[tuple[str, int], str] = {}

    def recording(self, messages: Iterable[RecordedMessage]) -> dict[str, list[Any]]:
        """Requests, responses and events of a session, normalised."""
        kept: dict[str, list[Any]] = {"requests": [], "responses": [], "events": []}
        for entry in messages:
            message = entry.message
            if message["type"] == "event" and message["event"] in _LEFT_OUT_EVENTS:
                continue
            shown = {name: self._value(name, value) for name, value in message.items() if name not in _LEFT_OUT}
            kept[f"{message['type']}s"].append(shown)
        kept["events"] = _joined_output(kept["events"])
        for event in kept["events"]:
            if _category(event) == "stderr":  # the runtime's own words, which each version chooses anew
                event["body"]["output"] = event["body"]["output"].lstrip().partition("\n")[0]
        return kept

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            left_out = _LEFT_OUT | _LEFT_OUT_OF_EXCEPTIONS if value.get("name") == "$exception" else _LEFT_OUT
            return {key: self._value(key, entry) for key, entry in value.items() if key not in left_out}
        if isinstance(value, list):
            entries = [entry for entry in value if not _is_of_the_runtime(name, entry)]
            return [self._value(name, entry) for entry in entries]
        if isinstance(value, str):
            return "<address>" if name == _ADDRESS else self._text(value)
        if name in _NUMBERED and isinstance(value, int) and value != 0:
            kind = _NUMBERED[name]
            count = sum(1 for known, _ in self._seen if known == kind)
            return self._seen.setdefault((kind, value), f"<{kind} {count + 1}>")
        return value

    def _text(self, text: str) -> str:
        for path, name in self._folders.items():
            text = text.replace(path, name)
        for (kind, number), name in self._seen.items():
            if kind == "process":
                text = re.sub(rf"\b{number}\b", name, text)
        return _STACK_LINE.sub("", text)


def _is_of_the_runtime(name: str, entry: Any) -> bool:
    """Frames without source and threads but the main one belong to the runtime, and differ between versions."""
    if name == "stackFrames":
        return "source" not in entry
    return name == "threads" and entry.get("name") != "Main Thread"


def _joined_output(events: list[Any]) -> list[Any]:
    """Output events of one category that follow each other, as one."""
    joined: list[Any] = []
    for event in events:
        last = joined[-1] if joined else None
        if last is not None and _category(event) is not None and _category(last) == _category(event):
            last["body"]["output"] += event["body"]["output"]
        else:
            joined.append(event)
    return joined


def _category(event: Any) -> str | None:
    """The category of an output event; None for other events."""
    return event["body"].get("category", "console") if event["event"] == "output" else None
