"""The heap: requests of our own."""

from typing import Literal

from dap_dotnet.protocol.messages.base import WireModel


class ObjectArguments(WireModel):
    """An object, by an expression in the scope of a frame; without `frame_id` in that of the top one."""

    expression: str
    frame_id: int | None = None


class Reference(WireModel):
    """A reference to the object. `value` and `variables_reference` are of the object that refers, where it is one."""

    kind: Literal["field", "element", "object", "static", "local", "stack", "handle", "finalizer", "dependentHandle"]
    text: str
    """Such as `field Next of App.Node`, `element [3] of App.Node[]`, `variable node of Program.Main(…), thread 7`."""
    value: str | None = None
    type: str | None = None
    variables_reference: int = 0
    memory_reference: str | None = None


class ReferencesResponseBody(WireModel):
    """The references to an object, roots first. `left_out` counts further ones."""

    references: list[Reference]
    left_out: int


class RetainedSizeResponseBody(WireModel):
    """What would be collected with the object, including itself, and its own size."""

    bytes: int
    objects: int
    own_bytes: int


class HoldersArguments(WireModel):
    """A type by its name, in C# notation or as metadata has it; `count` objects of it are looked at, 3 by default."""

    name: str
    count: int | None = None


class HeldObject(WireModel):
    """An object, and what keeps it alive: each link refers to the one before; the last is a root where `is_whole`."""

    type: str
    links: list[str]
    is_whole: bool


class HoldersResponseBody(WireModel):
    """The first objects of a type, of `total_objects`; `text` says the same in lines."""

    objects: list[HeldObject]
    total_objects: int
    text: str


class HeapTypesArguments(WireModel):
    """The types with objects: all, or those of a name. `count` limits the answer, 100 by default."""

    name: str | None = None
    count: int | None = None


class HeapType(WireModel):
    """A type in C# notation, how many objects it has, and their own bytes."""

    name: str
    count: int
    bytes: int


class HeapTypesResponseBody(WireModel):
    """Types, most bytes first, of `total_types`. `variables_reference` has the objects, where a name was asked for."""

    types: list[HeapType]
    total_types: int
    total_objects: int
    total_bytes: int
    variables_reference: int = 0
