"""A change of a watched field, in words."""

from __future__ import annotations

from typing import NamedTuple

from dap_dotnet.breakpoints.data.field_names import shown_field
from dap_dotnet.breakpoints.data.stores import FieldName
from dap_dotnet.breakpoints.model import LogicalBreakpoint
from dap_dotnet.values.snapshots import Snapshot


class Change(NamedTuple):
    """A data breakpoint whose field has changed, and how."""

    logical: LogicalBreakpoint
    text: str
    """Such as ``Counter.total: 3 -> 4``."""


def change_text(field: FieldName, before: Snapshot, now: Snapshot) -> str:
    """The field without its namespace, with its old and its new value."""
    owner = field.type_name.rpartition(".")[2].rpartition("+")[2].partition("`")[0]
    name = shown_field(field.name)
    shown = name if owner.startswith("<") else f"{owner}.{name}"
    return f"{shown}: {before.text} -> {now.text}"
