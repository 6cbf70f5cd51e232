"""Bodies of messages that are made by the hundred. Without pydantic, for those that do without models."""

from typing import Any, TypeVar

from msgspec import Struct, convert, to_builtins

from dap_dotnet.protocol.wire_names import wire_name

M = TypeVar("M", bound="BulkModel")


class BulkModel(Struct, omit_defaults=True, rename=wire_name):
    """Base of bodies that come by the hundred. Nothing is validated when one is made. Optional members are None."""

    def to_wire(self) -> dict[str, Any]:
        """As `WireModel.to_wire`."""
        found: dict[str, Any] = to_builtins(self)
        return found

    @classmethod
    def from_wire(cls: type[M], value: Any) -> M:
        """One that was received; unknown members are ignored. Raises `ValueError` for what it cannot be."""
        return convert(value, cls, strict=False)
