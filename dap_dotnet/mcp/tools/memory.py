"""The program's memory: where fields are, who refers to an object, bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import Budget, clip, frame_id
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, FrameArguments, MaxChars
from dap_dotnet.mcp.values import evaluate_in
from dap_dotnet.protocol.wire_names import member, wire_name

_HEAP_TIMEOUT_S = 300.0


class LayoutArguments(FrameArguments):
    """Of `layout_get`."""

    type: str = Field(
        description="The name of a type, or an expression whose value's type is meant.", examples=["Shop.Cart"]
    )
    start: int = Field(default=0, ge=0, description="The first field that is shown.", examples=[0])
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


class MemoryArguments(FrameArguments):
    """Of `memory_read`: the memory of a value, or an address."""

    expression: str | None = Field(
        default=None,
        description="An array or string (from its first element), a pointer (what it points to), an object, a value.",
        examples=["buffer"],
    )
    address: str | None = Field(
        default=None,
        pattern=r"^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$",
        description="Or this.",
        examples=["0x7f0012345678"],
    )
    offset: int = Field(
        default=0, ge=-(1 << 40), le=1 << 40, description="How many bytes behind that to begin.", examples=[16]
    )
    count: int = Field(default=256, ge=1, le=16_384, description="How many bytes.", examples=[256])


class FieldPlace(Part):
    """A field. `padding` are unused bytes before it."""

    name: str
    type: str
    offset: int
    size: int | None = None
    padding: int | None = None
    declared_by: str | None = Field(default=None, description="The base that has it; None: the type itself.")


class LayoutAnswer(Answer):
    """Where the fields of a type are, in bytes, by their offsets.

    Offsets count from an object's address, where its method table is, or from the first byte of a value type.
    """

    type: str
    is_value_type: bool
    object_size: int | None = Field(default=None, description="On the heap, with header; None: arrays differ.")
    value_size: int | None = Field(default=None, description="Of a value where it stands; None: unknown.")
    first_element_offset: int | None = Field(default=None, description="Of an array.")
    element_size: int | None = Field(default=None, description="Of an array.")
    fields: list[FieldPlace]

    def to_text(self) -> str:
        """Sizes, and a line for each field."""
        if self.element_size is not None:
            return self.joined(
                [f"{self.type}: elements of {self.element_size} bytes from offset {self.first_element_offset}"]
            )
        sizes = f"{self.object_size} bytes" if self.object_size is not None else "no objects of its own"
        if self.is_value_type:
            size = self.value_size if self.value_size is not None else "?"
            sizes = f"{size} bytes, boxed {self.object_size}"
        lines = [f"{self.type}: {sizes}"]
        for one in self.fields:
            gap = f" after {one.padding} of padding" if one.padding else ""
            owner = f" ({one.declared_by})" if one.declared_by else ""
            lines.append(
                f"  {one.offset:4} +{one.size if one.size is not None else '?'} {one.type} {one.name}{owner}{gap}"
            )
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

    def to_text(self) -> str:
        """A line for each."""
        lines = [f"{self.total} refer to {self.expression}"]
        if self.retained_bytes is not None:
            lines.append(f"{self.retained_bytes:,} bytes in {self.retained_objects:,} objects would go with it")
        lines += [f"  {one.text}" + (f": {one.value}" if one.value else "") for one in self.references]
        return self.joined(lines)


class MemoryAnswer(Answer):
    """Bytes from an address, in hexadecimal."""

    address: str
    count: int
    bytes: str

    def to_text(self) -> str:
        """Sixteen a line, with what of them is ASCII."""
        data, start = bytes.fromhex(self.bytes), int(self.address, 16)
        lines = []
        for at in range(0, len(data), 16):
            row = data[at : at + 16]
            shown = "".join(chr(one) if 32 <= one < 127 else "." for one in row)
            lines.append(f"{start + at:016x}  {row.hex(' '):47}  {shown}")
        return self.joined(lines)


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
    call.progress(0, None, "going through the heap")
    body = session.request("dap-dotnet/references", asked, timeout_s=_HEAP_TIMEOUT_S)
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
    if arguments.retained_size:
        size = session.request("dap-dotnet/retainedSize", asked, timeout_s=_HEAP_TIMEOUT_S)
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
        left_out=left_out,
    )


@tool(read_only=True)
def memory_read(call: Call, arguments: MemoryArguments) -> MemoryAnswer:
    """Read bytes of the program: those of a value, or at an address."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    if (arguments.expression is None) == (arguments.address is None):
        raise ToolError("INVALID_ARGUMENTS", "Give one of expression and address.")
    reference = arguments.address
    if arguments.expression is not None:
        at = (arguments.thread_id, arguments.frame)
        body = evaluate_in(session, stop, at, arguments.expression, side_effects=False)
        reference = member(body, "memory_reference")
        if reference is None:
            shown = clip(str(body.get("result")), 100)
            text = f"{arguments.expression} is {shown}, which has no place in memory."
            raise ToolError("NOT_FOUND", text, "Choose an object, or a variable, field or element that is in memory.")
    asked = {wire_name("memory_reference"): reference, "offset": arguments.offset, "count": arguments.count}
    body = session.request("readMemory", asked)
    data = base64.b64decode(body.get("data") or "")
    if not data:
        raise ToolError("NOT_FOUND", f"Nothing can be read at {body.get('address')}.", "Choose another address.")
    missing = arguments.count - len(data)
    return MemoryAnswer(
        address=str(body["address"]),
        count=len(data),
        bytes=data.hex(),
        left_out=f"{missing} bytes behind them cannot be read" if missing else None,
    )


@tool(read_only=True)
def layout_get(call: Call, arguments: LayoutArguments) -> LayoutAnswer:
    """Show where the runtime has put the fields of a type: offsets, sizes, padding; the size of its objects."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    body = session.request(
        "dap-dotnet/typeLayout",
        {
            "expression": arguments.type,
            wire_name("frame_id"): frame_id(session, stop, arguments.thread_id, arguments.frame),
        },
    )
    is_value_type = bool(member(body, "is_value_type"))
    end: int | None = 0 if is_value_type else 8
    fields: list[FieldPlace] = []
    for one in body.get("fields") or ():
        offset, size = int(one["offset"]), one.get("size")
        owner = member(one, "declared_by")
        fields.append(
            FieldPlace(
                name=str(one["name"]),
                type=str(one["type"]),
                offset=offset,
                size=size,
                padding=offset - end if end is not None and offset > end else None,
                declared_by=owner if owner != body.get("type") else None,
            )
        )
        # Fields of an explicit layout may lie over each other.
        end = max(end or 0, offset + size) if size is not None else None
    shown = Budget(arguments.max_chars).fit(fields[arguments.start :])
    behind = arguments.start + len(shown)
    return LayoutAnswer(
        type=str(body.get("type")),
        is_value_type=is_value_type,
        object_size=member(body, "object_size"),
        value_size=member(body, "value_size"),
        first_element_offset=member(body, "first_element_offset"),
        element_size=member(body, "element_size"),
        fields=shown,
        left_out=f"{len(fields) - behind} more fields: ask with start: {behind}" if len(fields) > behind else None,
    )
