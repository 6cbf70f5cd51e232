"""What the objects of a type have to show in a variables view: which members, in which groups, as attributes say."""

from __future__ import annotations

from msgspec import Struct, structs

from dap_dotnet.runtime.model import TypeId
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.context import Program
from dap_dotnet.values.debugger_attributes import Browsable, Display, browsable_of, member_display_of
from dap_dotnet.values.dynamic_view import is_dynamic
from dap_dotnet.values.explicit_properties import ExplicitProperty, explicit_property
from dap_dotnet.values.members import (
    DeclaredField,
    DeclaredProperty,
    automatic_property,
    computed_properties,
    has_static_members,
    hidden_names,
    instance_fields,
    is_enumerable,
    without_overridden,
)


class Shape(Struct, frozen=True):
    """What an exact type has to show: found out once, for a page of a list has a hundred objects of one type."""

    shown: tuple[list[DeclaredField], list[DeclaredProperty]]
    hidden_away: tuple[list[DeclaredField], list[DeclaredProperty]]
    """What is not public, of types that are not the user's; nothing where hidden members are to be shown."""
    browsable: dict[DeclaredField | DeclaredProperty, Browsable | None]
    visibility: dict[DeclaredField, str]
    ambiguous: dict[str, list[TypeId]]
    """Names that several classes use anew: see `hidden_names`."""
    read_only: frozenset[DeclaredField]
    automatic: dict[DeclaredField, PropertyInfo]
    """The properties that backing fields stand for."""
    displays: dict[DeclaredField | DeclaredProperty, Display]
    """The DebuggerDisplays of members themselves."""
    explicit: dict[DeclaredField | DeclaredProperty, ExplicitProperty]
    """What implements an interface under a name of metadata's, automatic properties too."""
    has_statics: bool
    is_enumerable: bool
    is_dynamic: bool
    count: int | None
    """Of what is shown with the groups; None where a RootHidden member has to be read to know."""


_SHAPES: CacheSlot[dict[tuple[TypeId, bool, bool], Shape]] = CacheSlot("members to show by exact type", lambda _: {})


def shape_of(program: Program, type_id: TypeId | None, *, raw: bool) -> Shape:
    """What a type has to show; `raw`: whatever attributes say."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    if module is None or type_id is None:
        return _new_shape(program, type_id, raw=raw)
    known, key = module.cached(_SHAPES), (type_id, raw, program.display.hidden)
    found = known.get(key)
    if found is None:
        found = known[key] = _new_shape(program, type_id, raw=raw)
    return found


def _new_shape(program: Program, type_id: TypeId | None, *, raw: bool) -> Shape:
    properties = computed_properties(program, type_id)
    hidden = program.display.hidden
    fields = [one for one in instance_fields(program, type_id) if raw or hidden or not one.field.is_nameless]
    if not raw:
        fields = without_overridden(program, type_id, fields)
    automatic = {one: automatic_property(program, one) for one in fields}
    visibility = {one: _visibility(one, automatic[one]) for one in fields}
    browsable: dict[DeclaredField | DeclaredProperty, Browsable | None] = {}
    for field in fields:
        browsable[field] = None if raw else _browsable(program, field, automatic[field])
    for one in properties:
        browsable[one] = None if raw else _browsable(program, one, None)
    displays: dict[DeclaredField | DeclaredProperty, Display] = {}
    declared_members: list[DeclaredField | DeclaredProperty] = [] if raw else [*fields, *properties]
    for member in declared_members:
        display = _display(program, member, automatic[member] if isinstance(member, DeclaredField) else None)
        if display is not None:
            displays[member] = structs.replace(display, scope=member.type)
    explicit: dict[DeclaredField | DeclaredProperty, ExplicitProperty] = {}
    every: list[DeclaredField | DeclaredProperty] = [*fields, *properties]
    for member in every:
        declared = automatic[member] if isinstance(member, DeclaredField) else member.property
        implemented = explicit_property(program, member.type, declared) if declared is not None else None
        if implemented is not None:
            explicit[member] = implemented
    groups: tuple[tuple[list[DeclaredField], list[DeclaredProperty]], ...] = ([], []), ([], [])
    for field in fields:
        if hidden or browsable[field] is not Browsable.NEVER:
            groups[not hidden and _is_grouped(program, field.type, visibility[field])][0].append(field)
    for one in properties:
        if hidden or browsable[one] is not Browsable.NEVER:
            groups[not hidden and _is_grouped(program, one.type, one.property.visibility)][1].append(one)
    has_statics = has_static_members(program, type_id)
    has_results = not raw and is_enumerable(program, type_id)
    has_dynamic_view = not raw and is_dynamic(program, type_id)
    shown_fields, shown_properties = groups[False]
    shown_members: list[DeclaredField | DeclaredProperty] = [*shown_fields, *shown_properties]
    is_counted = all(browsable[one] is not Browsable.ROOT_HIDDEN for one in shown_members)
    count_of_groups = any(groups[True]) + has_statics + has_results + has_dynamic_view
    return Shape(
        shown=groups[False],
        hidden_away=groups[True],
        browsable=browsable,
        visibility=visibility,
        ambiguous=hidden_names(program, type_id),
        read_only=frozenset(
            one for one, of in automatic.items() if (one.field.is_init_only if of is None else of.is_read_only)
        ),
        automatic={one: of for one, of in automatic.items() if of is not None},
        displays=displays,
        explicit=explicit,
        has_statics=has_statics,
        is_enumerable=has_results,
        is_dynamic=has_dynamic_view,
        count=len(shown_members) + count_of_groups if is_counted else None,
    )


def display_of_member(program: Program, type_id: TypeId, name: str) -> Display | None:
    """The DebuggerDisplay that a field or property of an exact type has itself, by its name in C#."""
    shape = shape_of(program, type_id, raw=False)
    for declared, display in shape.displays.items():
        own: FieldInfo | PropertyInfo
        if isinstance(declared, DeclaredProperty):
            own = declared.property
        else:
            own = shape.automatic.get(declared, declared.field)
        if own.name == name:
            return display
    return None


def module_of(program: Program, declaring: TypeId) -> LoadedModule | None:
    """The module that defines a type."""
    return program.modules.get(program.debuggee.type_info(declaring).module)


def _is_grouped(program: Program, declaring: TypeId, visibility: str) -> bool:
    """Whether a member is shown under `NON_PUBLIC_MEMBERS`: those of the user's types are not."""
    module = module_of(program, declaring)
    return visibility != "public" and module is not None and not module.is_user_code


def _visibility(declared: DeclaredField, automatic: PropertyInfo | None) -> str:
    if automatic is not None:
        return automatic.visibility
    return "public" if declared.field.is_backing_field else declared.field.visibility


def _browsable(
    program: Program, declared: DeclaredField | DeclaredProperty, automatic: PropertyInfo | None
) -> Browsable | None:
    """What DebuggerBrowsable says of a member, but for the framework's fields.

    The attribute hides those where the framework's own views show something instead.
    """
    module = module_of(program, declared.type)
    if module is None:
        return None
    if isinstance(declared, DeclaredProperty):
        return browsable_of(module, declared.property.token)
    if not module.is_user_code or declared.field.is_parameter:  # compilers hide those
        return None
    return browsable_of(module, automatic.token if automatic is not None else declared.field.token)


def _display(
    program: Program, declared: DeclaredField | DeclaredProperty, automatic: PropertyInfo | None
) -> Display | None:
    """The DebuggerDisplay of a member of the user's."""
    module = module_of(program, declared.type)
    if module is None or not module.is_user_code:
        return None
    if isinstance(declared, DeclaredProperty):
        return member_display_of(module, declared.property.token)
    return member_display_of(module, automatic.token if automatic is not None else declared.field.token)
