"""The breakpoints that a session has: DAP replaces all of a kind at once, tools set and remove one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.protocol.wire_names import wire_name

Kind = Literal["line", "function", "field", "exception"]
_COMMANDS = {
    "function": "setFunctionBreakpoints",
    "field": "setDataBreakpoints",
}


@dataclass(slots=True)
class Kept:
    """A breakpoint: its settings as the protocol has them, and the adapter's id."""

    kind: Kind
    path: str | None
    settings: Mapping[str, Any]
    id: int = 0
    is_enabled: bool = True


class BreakpointBook:
    """Sets and removes breakpoints one by one. Any thread."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._kept: list[Kept] = []
        self._lock = threading.Lock()

    def all(self) -> list[Kept]:
        """In the order in which they were set."""
        with self._lock:
            return list(self._kept)

    def add(self, kind: Kind, settings: Mapping[str, Any], path: str | None = None) -> Mapping[str, Any]:
        """Set one; its `Breakpoint` of the protocol. Raises `ToolError` when it is refused, `ClientError`."""
        with self._lock:
            wanted = Kept(kind, path, settings)
            answers = self._send([*self._group(wanted), wanted])
            answer = answers[-1] if answers else {}
            if not wanted.id:
                code = "INVALID_FIELD" if kind == "field" else "INVALID_CONDITION"
                raise ToolError(code, str(answer.get("message") or "The adapter refused the breakpoint."))
            # The same place twice is one breakpoint, with the newer settings.
            self._kept = [kept for kept in self._kept if kept.id != wanted.id]
            self._kept.append(wanted)
            return answer

    def set_exceptions(self, options: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Replace the exception filters, each ``filterId`` and perhaps ``condition``; what became of each.

        When one is refused, and so has no id, those from before stay.
        """
        with self._lock:
            wanted = [Kept("exception", None, option) for option in options]
            known = [kept for kept in self._kept if kept.kind == "exception"]
            answers = self._send_exceptions(wanted)
            if not all(kept.id for kept in wanted):
                self._send_exceptions(known)
                return answers
            self._kept = [kept for kept in self._kept if kept.kind != "exception"] + wanted
            return answers

    def remove(self, ids: list[int]) -> list[int]:
        """Remove those; the ids that were there."""
        with self._lock:
            gone = [kept for kept in self._kept if kept.id in ids]
            self._kept = [kept for kept in self._kept if kept.id not in ids]
            for kept in {(kept.kind, kept.path): kept for kept in gone}.values():
                if kept.kind == "exception":
                    self._send_exceptions(self._group(kept))
                else:
                    self._send(self._group(kept), of=kept)
            return [kept.id for kept in gone]

    def enable(self, ids: list[int], *, enabled: bool) -> None:
        """Let breakpoints act or not; they keep their ids and hit counts. Raises `ToolError`, `ClientError`."""
        with self._lock:
            exceptions = [kept.id for kept in self._kept if kept.kind == "exception" and kept.id in ids]
            if exceptions:
                problem = f"{', '.join(map(str, exceptions))}: exception breakpoints cannot be enabled or disabled."
                raise ToolError("INVALID_REQUEST", problem, "Choose them with breakpoint_set_exception.")
            self._client.request("dap-dotnet/enableBreakpoints", {wire_name("breakpoint_ids"): ids, "enabled": enabled})
            for kept in self._kept:
                if kept.id in ids:
                    kept.is_enabled = enabled

    def set_again(self, kept: list[Kept]) -> list[tuple[Kind, Mapping[str, Any]]]:
        """Set the breakpoints of an earlier session, with new ids: kind and `Breakpoint` of each.

        Those that are refused now are left out.
        """
        made: list[tuple[Kind, Mapping[str, Any]]] = []
        new_ids: dict[str, int] = {}
        for old in (one for one in kept if one.kind != "exception"):
            settings = dict(old.settings)
            mode = str(settings.get("mode") or "")
            if mode in new_ids:
                settings["mode"] = f"after:{new_ids[mode]}"
            try:
                answer = self.add(old.kind, settings, old.path)
            except (ToolError, DapRequestError):
                continue
            new_ids[f"after:{old.id}"] = int(answer.get("id") or 0)
            made.append((old.kind, answer))
        exceptions = [one.settings for one in kept if one.kind == "exception"]
        if exceptions:
            made += [("exception", answer) for answer in self.set_exceptions(exceptions)]
        disabled = [new_ids[f"after:{old.id}"] for old in kept if not old.is_enabled and f"after:{old.id}" in new_ids]
        if disabled:
            self.enable(disabled, enabled=False)
        return made

    def _group(self, of: Kept) -> list[Kept]:
        return [kept for kept in self._kept if (kept.kind, kept.path) == (of.kind, of.path)]

    def _send(self, group: list[Kept], of: Kept | None = None) -> list[Mapping[str, Any]]:
        of = of or group[-1]
        arguments: dict[str, Any] = {"breakpoints": [dict(kept.settings) for kept in group]}
        if of.kind == "line":
            arguments["source"] = {"path": of.path}
        body = self._client.request(_COMMANDS.get(of.kind, "setBreakpoints"), arguments)
        answers: list[Mapping[str, Any]] = body.get("breakpoints") or []
        for kept, answer in zip(group, answers, strict=False):
            kept.id = int(answer.get("id") or 0)
        return answers

    def _send_exceptions(self, wanted: list[Kept]) -> list[Mapping[str, Any]]:
        options = [dict(kept.settings) for kept in wanted]
        body = self._client.request("setExceptionBreakpoints", {"filters": [], wire_name("filter_options"): options})
        answers: list[Mapping[str, Any]] = body.get("breakpoints") or []
        for kept, answer in zip(wanted, answers, strict=False):
            kept.id = int(answer.get("id") or 0)
        return answers
