"""The program's memory: where fields are, and bytes."""

from __future__ import annotations

import base64

from pydantic import Field

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import Budget, clip, frame_id
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, FrameArguments, MaxChars
from dap_dotnet.mcp.values import evaluate_in
from dap_dotnet.protocol.wire_names import member, wire_name


class LayoutArguments(FrameArguments):
    """Of `layout_get`."""

    type: str = Field(
        description="The name of a type, or an expression whose value's type is meant.", examples=["Shop.Cart"]
    )
    start: int = Field(default=0, ge=0, description="The first field that is shown.", examples=[0])
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
    size: int | None = Field(
        default=None,
        description="None: the runtime does not tell how its type is laid out, or that leaves more than one size.",
    )
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
