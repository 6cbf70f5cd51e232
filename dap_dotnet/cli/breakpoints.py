"""The breakpoints of the command line, as the adapter has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dap_dotnet.cli.breakpoint_arguments import (
    DUMP_FILTER,
    BreakpointArgument,
    ExceptionArgument,
    FieldArgument,
    FunctionArgument,
    LineArgument,
)
from dap_dotnet.cli.report import Body, BreakpointReport, ErrorReport
from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.client.connection import Arguments
from dap_dotnet.protocol.messages.breakpoint_list import ListBreakpointsArguments
from dap_dotnet.protocol.messages.breakpoints import (
    ExceptionFilterOptions,
    FunctionBreakpoint,
    SetExceptionBreakpointsArguments,
    SourceBreakpoint,
)
from dap_dotnet.protocol.messages.data_breakpoints import DataBreakpoint
from dap_dotnet.protocol.messages.explaining import ExplainBreakpointArguments


@dataclass(slots=True, eq=False)
class _Requested:
    """One breakpoint of the command line. `id` is 0 until the adapter has assigned one."""

    argument: BreakpointArgument
    id: int = 0
    is_removed: bool = False


class BreakpointSet:
    """Sets breakpoints in the order of the command line, so that their ids are the numbers there; removes and lists."""

    def __init__(
        self,
        client: DapClient,
        arguments: Sequence[BreakpointArgument],
        exceptions: Sequence[ExceptionArgument] | None,
        request: Callable[[str, Arguments], Body] | None = None,
    ) -> None:
        """`request` sends those that set breakpoints, and returns the body of the answer; None: `client.request`."""
        self._client = client
        self._request = request or client.request
        self._breakpoints = [_Requested(argument) for argument in arguments]
        self._exceptions = exceptions
        self._last_known: dict[int, Body] = {}
        """The newest listing of breakpoints that were removed since."""

    def wanted(self) -> tuple[tuple[BreakpointArgument, ...], tuple[ExceptionArgument, ...] | None]:
        """What it has now, to be set elsewhere; None as for the constructor."""
        kept: list[_Requested] = []
        arguments: list[BreakpointArgument] = []
        for requested in self._breakpoints:
            argument = requested.argument
            trigger = None if argument.after is None else self._breakpoints[argument.after - 1]
            if requested.is_removed or (trigger is not None and trigger not in kept):
                continue  # without its trigger it waits for ever
            kept.append(requested)
            arguments.append(replace(argument, after=None if trigger is None else kept.index(trigger) + 1))
        return tuple(arguments), None if self._exceptions is None else tuple(self._exceptions)

    def set_all(self) -> list[Body]:
        """Set all of them; what became of each, as DAP's `Breakpoint` with its place. Exceptions come last."""
        answers: dict[int, Body] = {}
        done = 0
        while done < len(self._breakpoints):
            end = done + 1
            while end < len(self._breakpoints) and self._may_join(done, end):
                end += 1
            for requested, answer in self._send(self._breakpoints[:end], self._breakpoints[done]):
                answers[id(requested)] = answer
            done = end
        return [*(answers[id(requested)] for requested in self._breakpoints), *self._set_exceptions()]

    def add(self, argument: BreakpointArgument) -> Body:
        """Set one more; what became of it, as DAP's `Breakpoint` with its place. Raises `ValueError` for one twice."""
        known = [requested for requested in self._breakpoints if not requested.is_removed]
        if any(requested.argument.place == argument.place for requested in known):
            raise ValueError("There is a breakpoint at this place already.")
        requested = _Requested(argument)
        self._breakpoints.append(requested)
        answers = {id(sent): answer for sent, answer in self._send(self._breakpoints, requested)}
        return answers[id(requested)]

    def remove(self, number: int) -> bool:
        """Remove one by its id; whether there was one."""
        for requested in self._breakpoints:
            if requested.id == number and number and not requested.is_removed:
                requested.is_removed = True
                self._send(self._breakpoints, requested)
                return True
        return False

    def stop_at_exceptions(self, wanted: ExceptionArgument | None) -> tuple[list[str], list[Body]]:
        """Stop at exceptions as `wanted` says, besides what the other filters say; None: no filter stops any more.

        The filters that the command line or this has set, as written there; what became of each, as DAP's `Breakpoint`.
        """
        kept = [known for known in self._exceptions or () if wanted is not None and known.filter != wanted.filter]
        self._exceptions = [*kept, wanted] if wanted is not None else []
        answers = self._set_exceptions()
        return [_written(one) for one in self._exceptions], answers

    def _may_join(self, first: int, index: int) -> bool:
        """Whether a breakpoint can go into one request with the first one: same file, and its trigger has an id."""
        requested = self._breakpoints[index]
        after = requested.argument.after
        return _group(requested) == _group(self._breakpoints[first]) and (after is None or after <= first)

    def _send(self, breakpoints: Iterable[_Requested], of: _Requested) -> list[tuple[_Requested, Body]]:
        """Make the breakpoints that are in the file of `of`, or functions or fields as it is, the adapter's."""
        chosen = [
            requested for requested in breakpoints if _group(requested) == _group(of) and not requested.is_removed
        ]
        wanted = [self._settings(requested.argument) for requested in chosen]
        arguments: dict[str, Any] = {"breakpoints": [settings.to_wire() for settings in wanted]}
        if isinstance(of.argument.place, FieldArgument):
            body = self._request("setDataBreakpoints", arguments)
        elif isinstance(of.argument.place, FunctionArgument):
            body = self._request("setFunctionBreakpoints", arguments)
        else:
            arguments["source"] = {"path": of.argument.place.path}
            body = self._request("setBreakpoints", arguments)
        answered: list[tuple[_Requested, Body]] = []
        for requested, answer in zip(chosen, body.get("breakpoints") or (), strict=False):
            requested.id = int(answer.get("id") or 0)
            answered.append((requested, {**_asked(requested.argument), **answer}))
        return answered

    def _settings(self, argument: BreakpointArgument) -> SourceBreakpoint | FunctionBreakpoint | DataBreakpoint:
        place = argument.place
        if isinstance(place, FunctionArgument):
            settings: SourceBreakpoint | FunctionBreakpoint | DataBreakpoint = FunctionBreakpoint(name=place.name)
        elif isinstance(place, FieldArgument):
            settings = DataBreakpoint(data_id=place.name, access_type="write")
        else:
            settings = SourceBreakpoint(line=place.line, column=place.column)
        settings.condition = argument.when
        settings.hit_condition = argument.hits
        settings.log_message = argument.log
        if argument.after is not None:
            settings.mode = f"after:{self._breakpoints[argument.after - 1].id}"
        return settings

    def _set_exceptions(self) -> list[Body]:
        """The answers to ``--break-exception`` and ``--dump-on-exception``; none for the defaults, which nobody
        asked for.
        """
        asked = self._exceptions or ()
        filters: list[str] = []
        if self._exceptions is None or (asked and all(one.filter == DUMP_FILTER for one in asked)):
            capabilities = self._client.capabilities
            offered = (capabilities.exception_breakpoint_filters if capabilities else None) or []
            filters = [known.filter for known in offered if known.default]
        if not asked:
            self._request("setExceptionBreakpoints", {"filters": filters})
            return []
        options = [ExceptionFilterOptions(filter_id=one.filter, condition=one.types) for one in asked]
        body = self._request(
            "setExceptionBreakpoints", SetExceptionBreakpointsArguments(filters=filters, filter_options=options)
        )
        answers = (body.get("breakpoints") or [])[len(filters) :]
        reported: list[Body] = []
        for wanted, answer in zip(asked, answers, strict=False):
            reported.append({"exception": _written(wanted), **answer})
            if answer.get("reason") == "failed":  # the filter is known to exist: its types are wrong
                reported[-1] = {**reported[-1], "code": "INVALID_CONDITION"}
        return reported

    # while the program runs

    def remove_temporary(self, hit_ids: Iterable[int]) -> list[int]:
        """Remove those of the hit breakpoints that are temporary; their ids."""
        gone = set(hit_ids)
        removed = [
            requested for requested in self._breakpoints if requested.id in gone and requested.argument.is_temporary
        ]
        removed = [requested for requested in removed if not requested.is_removed]
        self._keep(self.listed([requested.id for requested in removed]) if removed else [])
        for requested in removed:
            requested.is_removed = True
        for requested in {_group(requested): requested for requested in removed}.values():
            self._send(self._breakpoints, requested)
        return [requested.id for requested in removed]

    def remove_all(self) -> None:
        """Remove all of them, those for exceptions too."""
        self._keep(self.listed())
        for requested in self._breakpoints:
            requested.is_removed = True
        for requested in {_group(requested): requested for requested in self._breakpoints}.values():
            self._send(self._breakpoints, requested)
        self._client.request("setExceptionBreakpoints", {"filters": []})

    def _keep(self, listed: Iterable[BreakpointReport]) -> None:
        for report in listed:
            self._last_known[report.id] = {**report.body, "state": "removed"}

    def listed(self, ids: Sequence[int] | None = None) -> list[BreakpointReport]:
        """All breakpoints (or those with these ids) with all that is known of them, also those that were removed."""
        arguments = ListBreakpointsArguments(breakpoint_ids=None if ids is None else list(ids))
        try:
            bodies = self._client.request("dap-dotnet/breakpoints", arguments).get("breakpoints") or []
        except DapRequestError as error:
            if error.code != "UNKNOWN_REQUEST":
                raise
            bodies = []  # another adapter
        by_default = self._exceptions is None  # exception filters that nobody asked for
        found = {int(body["id"]): body for body in bodies if not (by_default and body.get("kind") == "exception")}
        known = {key: body for key, body in self._last_known.items() if ids is None or key in ids}
        temporary = {requested.id for requested in self._breakpoints if requested.argument.is_temporary}
        merged = {**known, **found}
        return [BreakpointReport(key, {**merged[key], "temporary": key in temporary}) for key in sorted(merged)]

    def explain(self) -> list[tuple[int, Body | ErrorReport]]:
        """Why each of the breakpoints (not of the exceptions) is or is not hit, by its id."""
        explained: list[tuple[int, Body | ErrorReport]] = []
        for requested in self._breakpoints:
            if not requested.is_removed and requested.id:
                arguments = ExplainBreakpointArguments(breakpoint_id=requested.id)
                try:
                    explained.append((requested.id, self._client.request("dap-dotnet/explainBreakpoint", arguments)))
                except DapRequestError as error:
                    explained.append((requested.id, ErrorReport(error.code, error.text)))
        return explained


def _group(requested: _Requested) -> str | type:
    """What is set by one request: the file; the kind for functions and fields."""
    place = requested.argument.place
    return place.path if isinstance(place, LineArgument) else type(place)


def _written(argument: ExceptionArgument) -> str:
    return argument.filter + (f":{argument.types}" if argument.types is not None else "")


def _asked(argument: BreakpointArgument) -> dict[str, Any]:
    place = argument.place
    if isinstance(place, FunctionArgument):
        return {"function": place.name}
    if isinstance(place, FieldArgument):
        return {"field": place.name}
    asked: dict[str, Any] = {"source": {"path": place.path}, "line": place.line}
    if place.column is not None:
        asked["column"] = place.column
    return asked
