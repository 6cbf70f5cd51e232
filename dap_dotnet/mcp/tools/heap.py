"""The objects of a stopped program: how many of which types, and who refers to one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.long_requests import long_request
from dap_dotnet.mcp.models import Value
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import Budget, clip, frame_id, values_within, variables_of
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, FrameArguments, MaxChars, SessionArguments
from dap_dotnet.protocol.wire_names import member, wire_name

_GOING_THROUGH = "going through the heap"


class HeapArguments(SessionArguments):
    """Of `heap_get`."""

    type: str | None = Field(
        default=None, description="Only types of this name, and the objects themselves.", examples=["Shop.Cart"]
    )
    start: int = Field(default=0, ge=0, le=10_000_000, description="The first that is shown.", examples=[0])
    count: int = Field(default=30, ge=1, le=1000, description="How many types, or objects, are shown.", examples=[30])
    max_chars: MaxChars = MAX_CHARS


class ReferencesArguments(FrameArguments):
    """Of `references_get`."""

    expression: str = Field(description="The object.", examples=["order"])
    retained_size: bool = Field(
        default=False,
        description="Also count what would be collected with it.",
        examples=[True],
    )
    start: int = Field(default=0, ge=0, description="The first reference that is shown.", examples=[0])
    max_chars: MaxChars = MAX_CHARS


class TypeOnHeap(Part):
    """A type, how many objects it has, and their own bytes."""

    name: str
    count: int
    bytes: int


class HeapAnswer(Answer):
    """Types, those with the most bytes first; where a type was asked for, its objects."""

    types: list[TypeOnHeap]
    total_types: int
    total_objects: int
    total_bytes: int
    objects: list[Value] | None = None

    def to_text(self) -> str:
        """Totals, then a line for each."""
        objects = "1 object" if self.total_objects == 1 else f"{self.total_objects:,} objects"
        types = "1 type" if self.total_types == 1 else f"{self.total_types:,} types"
        lines = [f"{objects} of {types}, {self.total_bytes:,} bytes"]
        lines += [f"{one.count:>12,} {one.bytes:>15,}  {one.name}" for one in self.types]
        lines += [line for value in self.objects or () for line in value.lines("  ")]
        return self.joined(lines)


class Referrer(Part):
    """Who refers. `value` and `reference` are of the object that does, where it is one."""

    kind: str = Field(description="local, static, field, element, object, stack, handle, finalizer, dependentHandle")
    text: str
    value: str | None = None
    type: str | None = None
    reference: int | None = Field(default=None, description="For variables_get, until the program runs.")


class ReferencesAnswer(Answer):
    """Who refers to an object, roots first."""

    expression: str
    total: int
    references: list[Referrer]
    retained_bytes: int | None = Field(default=None, description="What would be collected with it, itself included.")
    retained_objects: int | None = None
    retained_note: str | None = Field(default=None, description="Why that could not be counted.")

    def to_text(self) -> str:
        """A line for each."""
        lines = [f"{self.total} refer to {self.expression}"]
        if self.retained_bytes is not None:
            lines.append(f"{self.retained_bytes:,} bytes in {self.retained_objects:,} objects would go with it")
        if self.retained_note is not None:
            lines.append(f"What would go with it is not known: {self.retained_note}")
        lines += [f"  {one.text}" + (f": {one.value}" if one.value else "") for one in self.references]
        return self.joined(lines)


@tool(read_only=True)
def heap_get(call: Call, arguments: HeapArguments) -> HeapAnswer:
    """Count the objects and bytes of each type; of one type show the objects. Goes through the heap.

    Two of them, before and after, tell what a program does not let go of; references_get says who holds it.
    """
    session = call.sessions.get(arguments.session)
    session.need_stopped()
    is_of_one = arguments.type is not None
    asked = {"name": arguments.type, "count": 1000 if is_of_one else arguments.start + arguments.count}
    body = long_request(call, session, "dap-dotnet/heapTypes", asked, _GOING_THROUGH)
    types = [TypeOnHeap.model_validate(one) for one in body.get("types") or ()]
    if is_of_one and not types:
        raise ToolError(
            "NOT_FOUND",
            f"The heap has no object of a type {clip(arguments.type or '', 100)!r}.",
            "types_find has names.",
        )
    budget = Budget(arguments.max_chars)
    shown = budget.fit(types if is_of_one else types[arguments.start :])
    total_types, total_objects = int(member(body, "total_types")), int(member(body, "total_objects"))
    objects = None
    if is_of_one:
        reference = int(member(body, "variables_reference"))
        objects = values_within(variables_of(session, reference, arguments.start, arguments.count), budget)
    total, behind = total_types, arguments.start + len(shown)
    if objects is not None:
        total, behind = total_objects, arguments.start + len(objects)
    return HeapAnswer(
        types=shown,
        total_types=total_types,
        total_objects=total_objects,
        total_bytes=int(member(body, "total_bytes")),
        objects=objects,
        left_out=f"{total - behind:,} more: ask with start: {behind}" if total > behind else None,
    )


@tool(read_only=True)
def references_get(call: Call, arguments: ReferencesArguments) -> ReferencesAnswer:
    """Show who refers to an object: variables, statics, fields and elements of others, handles. Goes through the heap.

    What it refers to itself is in object_inspect.
    """
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    asked = {
        "expression": arguments.expression,
        wire_name("frame_id"): frame_id(session, stop, arguments.thread_id, arguments.frame),
    }
    body = long_request(call, session, "dap-dotnet/references", asked, _GOING_THROUGH)
    found = [
        Referrer(
            kind=str(one.get("kind")),
            text=clip(str(one.get("text"))),
            value=clip(str(one["value"])) if one.get("value") is not None else None,
            type=one.get("type"),
            reference=member(one, "variables_reference") or None,
        )
        for one in body.get("references") or ()
    ]
    size: Mapping[str, Any] = {}
    size_note = None
    if arguments.retained_size:
        try:
            size = long_request(call, session, "dap-dotnet/retainedSize", asked, "counting what it keeps")
        except DapRequestError as error:  # some runtimes do not tell all that stacks refer to
            size_note = error.text
    shown = Budget(arguments.max_chars).fit(found[arguments.start :])
    behind, unseen = arguments.start + len(shown), int(member(body, "left_out") or 0)
    left_out = f"{unseen} more objects refer to it" if unseen else None
    if behind < len(found):
        left_out = f"{len(found) - behind + unseen} more: ask with start: {behind}"
    return ReferencesAnswer(
        expression=arguments.expression,
        total=len(found) + unseen,
        references=shown,
        retained_bytes=size.get("bytes"),
        retained_objects=size.get("objects"),
        retained_note=clip(size_note, 500) if size_note is not None else None,
        left_out=left_out,
    )
