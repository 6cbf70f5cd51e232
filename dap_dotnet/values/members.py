"""Fields of objects over their whole class hierarchy, read in bulk."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, FieldRef, ThreadId, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, TypeMembers, members
from dap_dotnet.values.context import Program
from dap_dotnet.values.explicit_properties import explicit_property, is_explicit
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.placed_values import read_refs
from dap_dotnet.values.typenames import full_name

_ENUMERABLE = "System.Collections.IEnumerable"
_DYNAMIC = "System.Dynamic.IDynamicMetaObjectProvider"
_TYPE_SPEC = 0x1B


class DeclaredField(Struct, frozen=True):
    """A field with the exact type that declares it."""

    type: TypeId
    field: FieldInfo

    @property
    def ref(self) -> FieldRef:
        """What the debuggee takes to read it."""
        return FieldRef(self.type, self.field.token)


def hierarchy(program: Program, type_id: TypeId | None) -> list[tuple[TypeId, TypeMembers]]:
    """The exact type and its bases, most derived first, each with what it declares."""
    chain = lineage(program, type_id)
    return [(declaring, members(program.modules.get(info.module), info.token)) for declaring, info in chain]


def instance_fields(program: Program, type_id: TypeId | None) -> list[DeclaredField]:
    """All instance fields, most derived class first, in declaration order."""
    return [
        DeclaredField(declaring, field)
        for declaring, declared in hierarchy(program, type_id)
        for field in declared.fields
        if not field.is_static
    ]


def static_fields(program: Program, type_id: TypeId | None) -> list[DeclaredField]:
    """All static fields that are no constants."""
    return _without_instance(program, type_id, is_constant=False)


def constant_fields(program: Program, type_id: TypeId | None) -> list[DeclaredField]:
    """All that C# declares as `const`."""
    return _without_instance(program, type_id, is_constant=True)


def _without_instance(program: Program, type_id: TypeId | None, *, is_constant: bool) -> list[DeclaredField]:
    return [
        DeclaredField(declaring, field)
        for declaring, declared in hierarchy(program, type_id)
        for field in declared.fields
        if field.is_static and field.is_constant is is_constant
    ]


def has_static_members(program: Program, type_id: TypeId | None) -> bool:
    """Whether there are static fields, constants or static properties to be shown."""
    of = program, type_id
    return bool(static_fields(*of) or static_properties(*of) or constant_fields(*of))


def without_overridden(program: Program, type_id: TypeId | None, fields: list[DeclaredField]) -> list[DeclaredField]:
    """Without the backing fields of properties that a derived class overrides: their values are no property's."""
    overriding: set[str] = set()
    overridden: set[tuple[TypeId, str]] = set()
    for declaring, declared in hierarchy(program, type_id):
        overridden |= {(declaring, name) for name in overriding}
        for one in declared.properties:
            (overriding.add if one.is_override else overriding.discard)(one.name)
    return [
        one for one in fields if not (one.field.is_backing_field and (one.type, one.field.shown_name) in overridden)
    ]


def hidden_names(program: Program, type_id: TypeId | None) -> dict[str, list[TypeId]]:
    """Names that several members of the classes have without overriding each other, with those classes in order."""
    found: dict[str, list[TypeId]] = {}
    for declaring, declared in hierarchy(program, type_id):
        names = {one.name for one in declared.properties if not one.is_override}
        overriding = {one.name for one in declared.properties if one.is_override}
        for name in names | ({one.shown_name for one in declared.fields} - overriding):
            found.setdefault(name, []).append(declaring)
    return {name: declaring for name, declaring in found.items() if len(declaring) > 1}


class DeclaredProperty(Struct, frozen=True):
    """A property with the exact type that declares it."""

    type: TypeId
    property: PropertyInfo


def automatic_property(program: Program, declared: DeclaredField) -> PropertyInfo | None:
    """The automatic property whose backing field a field is; None for others."""
    if not declared.field.is_backing_field:
        return None
    info = program.debuggee.type_info(declared.type)
    found = members(program.modules.get(info.module), info.token).properties
    return next((one for one in found if one.name == declared.field.shown_name), None)


def computed_properties(program: Program, type_id: TypeId | None) -> list[DeclaredProperty]:
    """Instance properties whose getters have code of their own, most derived class first; overridden ones once.

    Without indexers, and of explicit implementations of interfaces without those of the compiler's own classes.
    """
    found: list[DeclaredProperty] = []
    seen: set[str] = set()
    for declaring, declared in hierarchy(program, type_id):
        automatic = {field.shown_name for field in declared.fields if field.is_backing_field}
        for one in declared.properties:
            if one.is_static or one.parameter_count or one.name in automatic | seen:
                continue
            if is_explicit(one) and not _has_explicit(program, declaring, one):
                continue
            found.append(DeclaredProperty(declaring, one))
        seen |= automatic | {one.name for one in declared.properties}
    return found


def _has_explicit(program: Program, declaring: TypeId, declared: PropertyInfo) -> bool:
    """Whether an explicit implementation can be named, and is the user's: iterators, say, have their own."""
    own_name = full_name(program, program.debuggee.type_info(declaring)).rpartition("+")[2]
    return not own_name.startswith("<") and explicit_property(program, declaring, declared) is not None


def static_properties(program: Program, type_id: TypeId | None) -> list[DeclaredProperty]:
    """Static properties whose getters have code of their own, most derived class first; without those of interfaces."""
    found: list[DeclaredProperty] = []
    for declaring, declared in hierarchy(program, type_id):
        automatic = {field.shown_name for field in declared.fields if field.is_backing_field}
        found += [
            DeclaredProperty(declaring, one)
            for one in declared.properties
            if one.is_static and not one.parameter_count and not is_explicit(one) and one.name not in automatic
        ]
    return found


_OPENABLE: CacheSlot[dict[TypeId, bool]] = CacheSlot("whether objects of a type can be opened", lambda _: {})


def has_instance_members(program: Program, type_id: TypeId) -> bool:
    """Whether an object of the exact type has fields, computed properties or dynamic members, or enumerates."""
    module = program.modules.get(program.debuggee.type_info(type_id).module)
    known = module.cached(_OPENABLE) if module is not None else {}
    found = known.get(type_id)
    if found is None:
        found = bool(instance_fields(program, type_id) or computed_properties(program, type_id))
        found = found or is_enumerable(program, type_id) or implements(program, type_id, _DYNAMIC)
        found = found or (module is not None and module.is_user_code and has_static_members(program, type_id))
        known[type_id] = found
    return found


def is_enumerable(program: Program, type_id: TypeId | None) -> bool:
    """Whether an exact type implements IEnumerable."""
    return implements(program, type_id, _ENUMERABLE)


def implements(program: Program, type_id: TypeId | None, interface: str) -> bool:
    """Whether an exact type implements an interface that is not generic. Compilers list those that others extend."""
    for _, info in lineage(program, type_id):
        module = program.modules.get(info.module)
        if module is not None and module.metadata is not None and info.token is not None:
            metadata = module.metadata
            implemented = metadata.type_def(info.token).interfaces
            if any(metadata.type_name(one) == interface for one in implemented if one >> 24 != _TYPE_SPEC):
                return True
    return False


def find_field(program: Program, type_id: TypeId | None, name: str) -> DeclaredField | None:
    """The field or auto-property that `name` means on a type: the most derived one."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    known = module.cached(_FIELDS) if module is not None else {}
    found = known.get((type_id, name))
    if found is not None:
        return found
    for declaring, declared in hierarchy(program, type_id):
        field = declared.field(name)
        if field is not None:
            found = known[type_id, name] = DeclaredField(declaring, field)
            break
    return found


_FIELDS: CacheSlot[dict[tuple[TypeId | None, str], DeclaredField]] = CacheSlot("fields by type and name", lambda _: {})


def has_members(value: Value) -> bool:
    """Whether a value is an object or a value type that can be looked into."""
    return (
        (value.handle is not None or value.parts is not None)
        and not value.is_null
        and value.error is None
        and value.element_type
        in (ElementType.CLASS, ElementType.OBJECT, ElementType.VALUETYPE, ElementType.GENERICINST)
    )


def read_fields(
    program: Program, value: Value, wanted: list[DeclaredField], *, text_limit: int = TEXT_LIMIT
) -> list[tuple[DeclaredField, Value]]:
    """Instance fields of one object, in one bulk call."""
    if value.parts is not None:
        return [(field, value.parts[field.field.token]) for field in wanted]
    if value.handle is None or not wanted:
        return []
    values = read_refs(program, value, [field.ref for field in wanted], text_limit=text_limit)
    return list(zip(wanted, values, strict=True))


def read_field(program: Program, value: Value, name: str) -> Value | None:
    """One instance field by the name that the user gave it, or None when the object has none of that name."""
    field = find_field(program, value.type, name)
    if field is None or field.field.is_static:
        return None
    read = read_fields(program, value, [field])
    return read[0][1] if read else None


def read_statics(
    program: Program, wanted: list[DeclaredField], thread: ThreadId, frame_index: int
) -> list[tuple[DeclaredField, Value]]:
    """Static fields, in one bulk call; thread statics are those of `thread`."""
    if not wanted:
        return []
    values = program.debuggee.static_fields([field.ref for field in wanted], thread, frame_index)
    return list(zip(wanted, values, strict=True))
