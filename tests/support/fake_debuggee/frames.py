"""What stands on the fake stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ModuleId, TypeId

_MAPPING_EXACT = 0x10
_MAPPING_APPROXIMATE = 0x20
"""Of a frame that waits for a call."""


class FakeFrame(Protocol):
    """An activation, as the debuggee reads it."""

    @property
    def kind(self) -> FrameKind: ...
    @property
    def module(self) -> ModuleId | None: ...
    @property
    def method(self) -> MethodToken | None: ...
    @property
    def il_offset(self) -> int | None: ...
    @property
    def internal_type(self) -> int: ...
    @property
    def type_arguments(self) -> tuple[TypeId, ...]: ...

    def read_arguments(self) -> list[Any]:
        """Contents of all arguments, `this` first."""

    def read_locals(self) -> list[Any]:
        """Contents of all local slots."""

    def write_argument(self, index: int, content: Any) -> None:
        """Store in an argument."""

    def write_local(self, slot: int, content: Any) -> None:
        """Store in a local slot."""

    def go_to(self, il_offset: int) -> None:
        """Go on at another instruction."""


@dataclass
class SlotFrame:
    """An activation whose arguments and locals are in the order of their slots."""

    method: MethodToken | None = None
    module: ModuleId | None = None
    il_offset: int | None = None
    arguments: list[Any] = field(default_factory=list)
    locals: list[Any] = field(default_factory=list)
    type_arguments: tuple[TypeId, ...] = ()
    kind: FrameKind = FrameKind.IL
    internal_type: int = 0

    def go_to(self, il_offset: int) -> None:
        self.il_offset = il_offset

    def read_arguments(self) -> list[Any]:
        return self.arguments

    def read_locals(self) -> list[Any]:
        return self.locals

    def write_argument(self, index: int, content: Any) -> None:
        self.arguments[index] = content

    def write_local(self, slot: int, content: Any) -> None:
        self.locals[slot] = content


def described(index: int, depth: int, frame: FakeFrame) -> Frame:
    """The frame as a stack walk brings it; `depth` counts from the outermost one, and is the activation's address."""
    return Frame(
        index=index,
        kind=frame.kind,
        module=frame.module,
        method=frame.method,
        il_offset=frame.il_offset,
        mapping=0 if frame.kind is not FrameKind.IL else _MAPPING_APPROXIMATE if index else _MAPPING_EXACT,
        internal_type=frame.internal_type,
        stack_address=0 if frame.kind is FrameKind.NATIVE and frame.method is None else 0x1000 + depth,
    )
