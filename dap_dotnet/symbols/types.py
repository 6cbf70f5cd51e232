"""Members of types as the debugger needs them: fields and properties with the names that the user wrote.

Read from metadata once a TypeDef and kept with the module.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import FieldToken, MethodToken, TypeDefToken
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

if TYPE_CHECKING:
    from portablepdb import Field

_BACKING_FIELD = re.compile(r"^<(.+)>k__BackingField$|^<(.+)>i__Field$")

_VISIBILITIES = {2: "protected", 3: "internal", 4: "protected", 5: "protected", 6: "public"}
"""FieldAttributes and MethodAttributes, FieldAccessMask (ECMA-335 II.23.1.5): what is not here is private."""


class FieldInfo(Struct, frozen=True):
    """A field. `shown_name` is the property's name for the backing field of an auto-property, else the name."""

    token: FieldToken
    name: str
    shown_name: str
    is_static: bool
    is_literal: bool
    visibility: str
    """`public`, `protected`, `internal` or `private`; the wider one where C# has two words."""
    is_backing_field: bool
    constant: object | None
    """The value of a literal field; None for others and for null literals."""


class PropertyInfo(Struct, frozen=True):
    """A property with a getter. `parameter_count` is above 0 for indexers."""

    name: str
    getter: MethodToken
    is_static: bool
    parameter_count: int
    token: int = 0
    visibility: str = "public"
    """Of the getter; as `FieldInfo.visibility`."""
    has_setter: bool = False


class TypeMembers(Struct, frozen=True):
    """What one TypeDef declares itself, in declaration order."""

    fields: tuple[FieldInfo, ...]
    properties: tuple[PropertyInfo, ...]

    def field(self, name: str) -> FieldInfo | None:
        """The field that the user calls `name`: by its own name first, then as an auto-property."""
        for wanted in self.fields:
            if wanted.name == name:
                return wanted
        for wanted in self.fields:
            if wanted.shown_name == name:
                return wanted
        return None


_NOTHING = TypeMembers((), ())
_MEMBERS: CacheSlot[dict[TypeDefToken, TypeMembers]] = CacheSlot("members by type", lambda _: {})


def members(module: LoadedModule | None, token: TypeDefToken | None) -> TypeMembers:
    """The members that a TypeDef declares; empty where there is no metadata."""
    if module is None or token is None or module.metadata is None:
        return _NOTHING
    cache = module.cached(_MEMBERS)
    found = cache.get(token)
    if found is None:
        found = cache[token] = _read(module, token)
    return found


def _read(module: LoadedModule, token: TypeDefToken) -> TypeMembers:
    metadata = module.metadata
    assert metadata is not None
    fields = tuple(_field(field) for field in metadata.fields_of(token))
    properties = []
    for declared in metadata.properties_of(token):
        if declared.getter is None:
            continue
        getter = metadata.method(declared.getter)
        count = len(getter.signature.parameters)
        visibility = _VISIBILITIES.get(getter.flags & 0x7, "private")
        properties.append(
            PropertyInfo(
                declared.name,
                MethodToken(declared.getter),
                getter.is_static,
                count,
                declared.token,
                visibility,
                has_setter=declared.setter is not None,
            )
        )
    return TypeMembers(fields, tuple(properties))


def _field(field: Field) -> FieldInfo:
    match = _BACKING_FIELD.match(field.name)
    constant = field.constant if field.is_literal else None
    shown = (match.group(1) or match.group(2)) if match else field.name
    return FieldInfo(
        token=FieldToken(field.token),
        name=field.name,
        shown_name=shown,
        is_static=field.is_static,
        is_literal=field.is_literal,
        visibility=_VISIBILITIES.get(field.flags & 0x7, "private"),
        is_backing_field=match is not None,
        constant=constant.value if constant is not None else None,
    )
