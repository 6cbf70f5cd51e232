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
    from portablepdb import Field, Metadata

_BACKING_FIELD = re.compile(r"^<(.+)>k__BackingField$|^<(.+)>i__Field$")
_CAPTURED_PARAMETER = re.compile(r"^<([^<>]+)>P$")

_AUTOMATIC_GETTER = re.compile(rb"(?:\x02\x7B|\x7E)....\x2A", re.DOTALL)  # ldarg.0 ldfld ret, ldsfld ret: III.4
_AUTOMATIC_SETTER = re.compile(rb"(?:\x02\x03\x7D|\x02\x80)....\x2A", re.DOTALL)  # the same with stfld and stsfld

_VIRTUAL, _NEW_SLOT = 0x40, 0x100
_INIT_ONLY = 0x20
_VISIBILITIES = {2: "protected", 3: "internal", 4: "protected", 5: "protected", 6: "public"}
"""FieldAttributes and MethodAttributes, FieldAccessMask (ECMA-335 II.23.1.5): what is not here is private."""

DECIMAL_CONSTANT = "System.Runtime.CompilerServices.DecimalConstantAttribute"


class FieldInfo(Struct, frozen=True):
    """A field. `shown_name` is the property's name for the backing field of an auto-property, else the name.

    A field that stands behind a getter with code of its own (C# 14's `field`) is none: the property says what it is.
    One that holds a parameter of a primary constructor is shown by the name of that.
    """

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
    is_nameless: bool = False
    """Whether it stands behind such a getter: no name of C# means it."""
    is_constant: bool = False
    """Whether it is a `const` of C#: a literal, or a decimal, whose value the compiler writes into an attribute."""
    is_init_only: bool = False
    """Whether C# stores to it in constructors only: `readonly`."""
    is_parameter: bool = False
    """Whether it holds a parameter of a primary constructor, which only the members of its own type can name."""


def is_override(flags: int) -> bool:
    """Whether a method with these MethodAttributes (ECMA-335 II.23.1.10) overrides one of a base."""
    return flags & (_VIRTUAL | _NEW_SLOT) == _VIRTUAL


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
    is_override: bool = False
    is_init_only: bool = False
    """Whether its setter is `init`, which C# calls in constructors and initialisers only."""

    @property
    def is_read_only(self) -> bool:
        """Whether no statement of a method can assign to it."""
        return self.is_init_only or not self.has_setter


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
            if wanted.shown_name == name and not wanted.is_parameter:
                return wanted
        return None

    def parameter(self, name: str) -> FieldInfo | None:
        """The field that holds a primary constructor's parameter; None where no member of the type uses it."""
        return next((one for one in self.fields if one.is_parameter and one.shown_name == name), None)


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
    properties = []
    with_code: set[str] = set()
    for declared in metadata.properties_of(token):
        if declared.getter is None:
            continue
        getter = metadata.method(declared.getter)
        count = len(getter.signature.parameters)
        if not is_automatic(metadata, declared.getter):
            with_code.add(declared.name)
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
                is_override=is_override(getter.flags),
                is_init_only=declared.setter is not None and _is_init(metadata, declared.setter),
            )
        )
    names = {one.name for one in properties} - with_code
    fields = tuple(_field(metadata, field, with_code, names) for field in metadata.fields_of(token))
    return TypeMembers(fields, tuple(properties))


def is_automatic(metadata: Metadata, accessor: int) -> bool:
    """Whether a getter or a setter, a MethodDef token, does nothing but load or store a field.

    So do those that a compiler writes by itself; one whose code cannot be read is taken for such.
    """
    from portablepdb import PortablePdbError

    try:
        body = metadata.method(accessor).body
    except PortablePdbError:
        return True
    return body is None or any(pattern.fullmatch(body.il) for pattern in (_AUTOMATIC_GETTER, _AUTOMATIC_SETTER))


def _is_init(metadata: Metadata, setter: int) -> bool:
    """Whether what a setter returns, which is nothing, is modified with `IsExternalInit`."""
    from portablepdb.signatures import ModifiedType

    return isinstance(metadata.method(setter).signature.return_type, ModifiedType)


def _is_init_only(field: Field) -> bool:
    return bool(field.flags & _INIT_ONLY)


def _is_decimal_constant(metadata: Metadata, field: Field) -> bool:
    if not (field.is_static and _is_init_only(field)):
        return False
    return any(one.type_name == DECIMAL_CONSTANT for one in metadata.attributes_of(field.token))


def _field(metadata: Metadata, field: Field, with_code: set[str], automatic: set[str]) -> FieldInfo:
    """`with_code`: the properties of the type whose getters have code of their own; `automatic`: the others."""
    match = _BACKING_FIELD.match(field.name)
    is_nameless = match is not None and (match.group(1) or match.group(2)) in with_code
    match = None if is_nameless else match
    constant = field.constant if field.is_literal else None
    parameter = _CAPTURED_PARAMETER.match(field.name) if not field.is_static else None
    shown = parameter.group(1) if parameter else field.name
    shown = (match.group(1) or match.group(2)) if match else shown
    of_fsharp = field.name.endswith("@") and field.name[:-1] in automatic
    shown = field.name[:-1] if of_fsharp else shown
    return FieldInfo(
        token=FieldToken(field.token),
        name=field.name,
        shown_name=shown,
        is_static=field.is_static,
        is_literal=field.is_literal,
        visibility=_VISIBILITIES.get(field.flags & 0x7, "private"),
        is_backing_field=match is not None or of_fsharp,
        constant=constant.value if constant is not None else None,
        is_nameless=is_nameless,
        is_constant=field.is_literal
        or (field.is_static and _is_init_only(field) and _is_decimal_constant(metadata, field)),
        is_init_only=_is_init_only(field),
        is_parameter=parameter is not None,
    )
