"""What the command line reads of a program that stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dap_dotnet.cli.report import Body, ErrorReport, FrameReport, ThreadReport
from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.protocol.messages.stack import ScopesArguments, StackTraceArguments
from dap_dotnet.protocol.messages.variables import EvaluateArguments, VariablesArguments
from dap_dotnet.protocol.wire_names import member

_MOST_TYPES = 30
_MOST_FRAMES_OF_OTHERS = 50
"""How far the newest frame of the user's code is looked for."""


class StopReader:
    """Asks for frames, variables and values."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self.modules: dict[Any, str] = {}
        """Names of the modules, by id."""

    def thread_name(self, thread_id: int) -> str:
        """The name of a thread."""
        threads = self._client.request("threads").get("threads") or ()
        return next((str(thread["name"]) for thread in threads if thread["id"] == thread_id), "unknown")

    def threads(self, levels: int, *, with_locals: bool = False) -> list[ThreadReport]:
        """All threads with their top frames, 0 for all, and the variables of each frame of the user's."""
        found = self._client.request("threads").get("threads") or ()
        return [self._thread(int(one["id"]), str(one["name"]), levels, with_locals) for one in found]

    def _thread(self, number: int, name: str, levels: int, with_locals: bool) -> ThreadReport:
        frames = self.frames_at(number, levels)
        variables = {
            place: self.locals(frame["id"])
            for place, frame in enumerate(frames)
            if with_locals and is_of_user(frame) and frame.get("source")
        }
        return ThreadReport(number, name, tuple(self.frame(frame) for frame in frames), variables)

    def heap_types(self) -> Body:
        """The types that have objects. Raises `DapRequestError` while the program runs."""
        return self._client.request("dap-dotnet/heapTypes", {"count": _MOST_TYPES})

    def holders(self, type_name: str) -> Body:
        """What keeps the objects of a type alive. Raises `DapRequestError` while the program runs."""
        return self._client.request("dap-dotnet/holders", {"name": type_name})

    def explained_step(self) -> Body:
        """What the last step did. Raises `DapRequestError` where there was none."""
        return self._client.request("dap-dotnet/explainStep")

    def waiting(self) -> Body:
        """Who waits for whose lock. Raises `DapRequestError` while the program runs."""
        return self._client.request("dap-dotnet/waiting")

    def async_tasks(self) -> Body:
        """The suspended async methods. Raises `DapRequestError` while the program runs."""
        return self._client.request("dap-dotnet/asyncTasks")

    def frames(self, thread_id: int, levels: int) -> Sequence[Mapping[str, Any]]:
        """The top frames of a thread, 0 for all, as the protocol has them."""
        arguments = StackTraceArguments(thread_id=thread_id, start_frame=0, levels=levels)
        return member(self._client.request("stackTrace", arguments), "stack_frames") or ()

    def frames_at(self, thread_id: int, levels: int) -> Sequence[Mapping[str, Any]]:
        """As `frames`, without the external code that the thread stands in, where other frames follow."""
        found = self.frames(thread_id, levels + 1 if levels else 0)
        start = first_shown(found)
        return found[start : start + levels] if levels else found[start:]

    def frames_of_stop(self, body: Body, levels: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """The top frames of a stop, `levels` of them or more, and which of them is to be looked at.

        That is the top one, but where code that is not the user's has thrown an exception, the newest of the user's.
        """
        thread_id = int(member(body, "thread_id") or 0)
        frames = self.frames_at(thread_id, levels)
        if body.get("reason") != "exception" or not frames or is_of_user(frames[0]):
            return frames, 0
        more = self.frames_at(thread_id, max(levels, _MOST_FRAMES_OF_OTHERS))
        focus = next((place for place, frame in enumerate(more) if is_of_user(frame)), 0)
        return more[: max(levels, focus + 1)], focus

    def frame(self, frame: Mapping[str, Any]) -> FrameReport:
        """A frame of the protocol, for a report."""
        source = frame.get("source") or {}
        return FrameReport(
            function=str(frame.get("name")),
            module=self.modules.get(member(frame, "module_id")),
            file=source.get("path"),
            line=int(frame.get("line") or 0),
            column=int(frame.get("column") or 0),
            end_line=member(frame, "end_line"),
            end_column=member(frame, "end_column"),
        )

    def locals(self, frame_id: int | None) -> tuple[Body, ...]:
        """The variables of all scopes of a frame that are not expensive."""
        if frame_id is None:
            return ()
        scopes = self._client.request("scopes", ScopesArguments(frame_id=frame_id)).get("scopes") or ()
        found: list[Body] = []
        for scope in scopes:
            if not scope.get("expensive") and member(scope, "presentation_hint") != "returnValue":
                reference = VariablesArguments(variables_reference=member(scope, "variables_reference"))
                found += self._client.request("variables", reference).get("variables") or ()
        return tuple(found)

    def evaluate(self, expression: str, frame_id: int | None, context: str) -> Body | ErrorReport:
        """The value of an expression, or what is wrong with it."""
        arguments = EvaluateArguments(expression=expression, context=context, frame_id=frame_id)
        try:
            return self._client.request("evaluate", arguments)
        except DapRequestError as error:
            return ErrorReport(error.code, error.text)


def first_shown(frames: Sequence[Mapping[str, Any]]) -> int:
    """The number of the first frame that is a method; 0 where there is none."""
    return next((number for number, frame in enumerate(frames) if member(frame, "presentation_hint") != "label"), 0)


def is_of_user(frame: Mapping[str, Any]) -> bool:
    """Whether the frame is in the user's code: others are marked."""
    return member(frame, "presentation_hint") not in ("subtle", "label")
