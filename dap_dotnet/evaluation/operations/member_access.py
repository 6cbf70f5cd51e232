"""`target.name` on values: fields, auto-properties, properties, and what is known without reading the program.

Members are looked up on the type that the source gives the target, then on the object's own type: a debugger's user
sees the object, and need not cast. What was found is kept by type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import type_objects
from dap_dotnet.evaluation.operations.dynamic_members import EXPANDO, expando_member, provided_member
from dap_dotnet.evaluation.operations.element_names import GivenNames, names_in_signature, names_of_arguments
from dap_dotnet.evaluation.operations.known_members import KNOWN, NULLABLE, Access
from dap_dotnet.evaluation.operations.returned import as_returned
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.decimal_constants import decimal_constant
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import ancestors, bases_of, is_interface
from dap_dotnet.runtime.model import ArrayShape, FieldRef, FieldToken, MethodToken, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, TypeMembers, members
from dap_dotnet.values.dynamic_types import is_dynamic_member
from dap_dotnet.values.members import hierarchy

_TUPLE_REST = 8
_VIRTUAL = 0x40


Reading = Callable[[Environment, Operand], Operand]
Missing = Callable[[Environment, Operand, str], EvaluationError]
"""What is said of an operand without a member of a name."""


class MemberReader:
    """Reads the member `name` from any operand."""

    __slots__ = ("_expandos", "_found", "_takes_static", "name")

    def __init__(self, name: str, *, takes_static: bool = True) -> None:
        """`takes_static` False refuses static members, as C# does after a value (CS0176)."""
        self.name = name
        self._takes_static = takes_static
        self._found: dict[tuple[Type, TypeId | None], Access] = {}
        self._expandos: dict[TypeId | None, bool] = {}

    def read(self, env: Environment, target: Operand, missing: Missing | None = None) -> Operand:
        """The member. Raises `EvaluationError`: null, or what `missing` says of an operand without it, else CS1061."""
        found = self.read_if_any(env, target)
        if found is None:
            raise (missing or _no_member)(env, target, self.name)
        return found

    def read_if_any(self, env: Environment, target: Operand) -> Operand | None:
        """The member; None where the operand has none of the name. Raises `EvaluationError`: null."""
        if target.type.kind is Kind.TUPLE and self.name in target.names:
            item: Operand = target.data[target.names.index(self.name)]
            return item
        if isinstance(target.data, tuple) and tuple_names.is_tuple(target.type):
            made = tuple_names.element(target.type, target.names, self.name)
            if made is not None and made[0] <= len(target.data):
                part: Operand = target.data[made[0] - 1]
                return part
        if target.names and target.data is not None:
            inner = tuple_names.element(target.type, target.names, self.name)
            if inner is not None:
                return _named_item(env, target, *inner)
        value = target.program_value
        if value is not None and self._is_expando(env, value):
            member = expando_member(env, value, self.name)
            if member is None:
                raise EvaluationError(f"'{EXPANDO}' does not contain a definition for '{self.name}'")
            return member
        key = (target.type, value.type if value is not None else None)
        access = self._found.get(key)
        if access is None or (target.data is None and target.type.kind is not Kind.NULLABLE):
            access = self._find(env, target)
            if access is None:
                return None
            if target.data is not None:
                self._found[key] = access
        found = access(env, target)
        if found is not None and target.names and target.type.kind is Kind.NULLABLE and self.name == "Value":
            found.names = target.names
        return found

    def _is_expando(self, env: Environment, value: Value) -> bool:
        """Whether the value is an ExpandoObject; asked once for each exact type."""
        known = self._expandos.get(value.type)
        if known is None:
            own = env.type_of(value.type) if not value.is_null else None
            known = self._expandos[value.type] = own is not None and own.full_name == EXPANDO
        return known

    def exists(self, env: Environment, target: Operand) -> bool:
        """Whether there is such a member. Reads no value of the program, and runs nothing."""
        return target.data is not None and _object_access(env, target, self.name) is not None

    def _find(self, env: Environment, target: Operand) -> Access | None:
        kind, name = target.type.kind, self.name
        if kind is Kind.NULLABLE and name in NULLABLE:
            return NULLABLE[name]
        if target.data is None and kind is not Kind.NULLABLE:
            raise null_reference(f"the target of '.{name}'")
        known = KNOWN.get((kind, name))
        if known is None and kind is Kind.CLASS and not is_interface(env.universe, target.type):
            known = KNOWN.get((Kind.ARRAY, name)) if env.own_type(target).kind is Kind.ARRAY else None
        if known is not None:
            return known
        if kind in (Kind.NULLABLE, Kind.PAIR, Kind.SEQUENCE, Kind.LAMBDA) or target.type is types.ANONYMOUS:
            return None
        if target.type is types.TUPLE:
            return _tuple_item(target, name)
        if kind is Kind.TYPE:
            return lambda env, operand: MemberReader(name).read_if_any(env, type_objects.type_object(env, operand.data))
        object_access = _object_access(env, target, name, takes_static=self._takes_static)
        object_access = object_access or provided_member(env, target, name)
        unreadable = without_getter(env, env.own_type(target), name) if object_access is None else None
        if unreadable is not None:
            raise unreadable
        return object_access


def _no_member(env: Environment, target: Operand, name: str) -> EvaluationError:
    return Diagnostic("CS1061", (target.type if target.type.kind is Kind.NULLABLE else env.own_type(target)).name, name)


def without_getter(env: Environment, owner: Type, name: str) -> EvaluationError | None:
    """CS0154 where the type or one of its bases has a property of the name that can only be set."""
    for declaring in bases_of(env.universe, owner):
        for candidate in candidates(env.universe, declaring):
            if candidate.method.name == f"set_{name}" and len(candidate.method.signature.parameters) == 1:
                return Diagnostic("CS0154", declaring.name, name)
    return None


def _object_access(env: Environment, target: Operand, name: str, *, takes_static: bool = True) -> Access | None:
    """A field or a property of an object or a value type, from its metadata."""
    value = target.program_value
    type_id = value.type if value is not None else None
    if type_id is None:
        type_id = env.universe.id_of(env.program, target.type)
    own = env.own_type(target)
    if own.kind is Kind.ARRAY and (array := env.universe.named("System.Array")) is not None:
        type_id = env.universe.id_of(env.program, array)
    if type_id is None:
        return None
    if is_interface(env.universe, target.type):
        if not takes_static:
            _check_static_of_interface(env, target.type, name)
        of_interface = _interface_access(env, [target.type], name)
        if of_interface is not None:
            return of_interface
    found = _found_on_object(env, type_id, target, name, takes_static)
    return found or _interface_access(env, [own], name)


def _check_static_of_interface(env: Environment, start: Type, name: str) -> None:
    """CS0176 for a static member of the interface that an expression has for its type."""
    definition = env.universe.definition_of(start)
    declared = members(env.universe.module_of(start), definition[1] if definition is not None else None)
    field = declared.field(name)
    if (field is not None and field.is_static) or any(
        one.name == name and one.is_static for one in declared.properties
    ):
        raise Diagnostic("CS0176", start.name, name)


def _interface_access(env: Environment, starts: Sequence[Type], name: str) -> Access | None:
    """A property of an interface: as the object implements it, else its default implementation."""
    for start in starts:
        definition = env.universe.definition_of(start)
        if definition is None:
            continue
        for owner in ancestors(env.universe, definition, start.arguments):
            owner_definition = env.universe.definition_of(owner)
            if owner_definition is None:
                continue
            for candidate in members(env.program.modules.get(owner_definition[0]), owner_definition[1]).properties:
                if candidate.name == name and not candidate.parameter_count:
                    exact = ExactMethod(owner, candidate.getter)
                    return partial(_invoke_getter, exact)
    return None


def _invoke_getter(exact: ExactMethod, env: Environment, target: Operand | None) -> Operand:
    return as_returned(env, exact, env.runner.run(env, exact, target, []), target)


def _found_on_object(
    env: Environment, type_id: TypeId, target: Operand, name: str, takes_static: bool
) -> Access | None:
    if tuple_names.is_tuple(target.type) and name.startswith("Item") and name[4:].isdigit():
        return _value_tuple_item(int(name[4:]))
    return _found_in_hierarchy(env, type_id, target.type, name, takes_static)


def _found_in_hierarchy(
    env: Environment, type_id: TypeId, start: Type, name: str, takes_static: bool = True
) -> Access | None:
    found = find_member(env, type_id, start, name)
    if found is None:
        return None
    _check_static(env, found.type, name, refused=found.member.is_static and not takes_static and not found.is_below)
    return declared_access(env, found.type, found.member)


def declared_access(env: Environment, declaring: TypeId, member: FieldInfo | PropertyInfo) -> Reading:
    """What reads a member that an exact type declares; of a static one, whatever the target is."""
    if isinstance(member, FieldInfo):
        return field_access(env, declaring, member)
    return property_access(declaring, member)


class FoundMember(Struct, frozen=True):
    """A field or a property with the exact type that declares it."""

    type: TypeId
    member: FieldInfo | PropertyInfo
    is_below: bool
    """Whether only the object has it: it is declared by a class more derived than the static type."""


def find_member(env: Environment, type_id: TypeId, start: Type, name: str) -> FoundMember | None:
    """The member of an object of an exact type that `name` means after an expression of type `start`.

    Members of classes more derived than the static type are taken only when nothing else has the name; then explicit
    implementations of interfaces.
    """
    hidden: FoundMember | None = None
    explicit: FoundMember | None = None
    is_below = start.definition is not None
    for declaring, declared in hierarchy(env.program, type_id):
        if is_below and env.debuggee.type_info(declaring).module is not None:
            info = env.debuggee.type_info(declaring)
            is_below = (info.module, info.token) != start.definition
        found: FieldInfo | PropertyInfo | None = declared.field(name)
        if found is None:
            for candidate in declared.properties:
                if candidate.parameter_count:
                    continue
                if candidate.name == name:
                    found = candidate
                elif explicit is None and candidate.name.endswith("." + name):
                    explicit = FoundMember(declaring, candidate, False)
        if found is not None:
            if not is_below:
                if hidden is not None and isinstance(found, FieldInfo) and found.is_backing_field:
                    found = _virtual_property(env, declaring, declared, name) or found
                return FoundMember(declaring, found, False)
            hidden = hidden or FoundMember(declaring, found, True)
    return hidden or explicit


def _virtual_property(env: Environment, declaring: TypeId, declared: TypeMembers, name: str) -> PropertyInfo | None:
    """The automatic property of the name where classes below may override it: its field is not what it gives."""
    module = env.program.modules.get(env.debuggee.type_info(declaring).module)
    if module is None or module.metadata is None:
        return None
    metadata = module.metadata
    return next(
        (one for one in declared.properties if one.name == name and metadata.method(one.getter).flags & _VIRTUAL), None
    )


def _check_static(env: Environment, declaring: TypeId, name: str, *, refused: bool) -> None:
    if refused:
        owner = env.type_of(declaring)
        raise Diagnostic("CS0176", owner.name if owner is not None else "", name)


def field_access(env: Environment, declaring: TypeId, field: FieldInfo) -> Reading:
    """What reads a field, instance or static."""
    declared = field_type(env, declaring, field.token)
    ref = FieldRef(declaring, field.token)
    module = env.program.modules.get(env.debuggee.type_info(declaring).module)
    known = constant_of(module, declared, field)
    if known is not None:
        return lambda env, target: known
    if field.is_static:
        owner = env.type_of(declaring)
        return lambda env, target: read_static(env, owner, ref, declared, field.shown_name)

    own_names = field_tuple_names(env, declaring, field, declared)
    is_generic = declared is not None and bool(tuple_names.count(declared))
    is_dynamic = declared is types.OBJECT and module is not None and is_dynamic_member(module, field.token)

    def names(env: Environment, target: Operand) -> tuple_names.Names:
        owner = env.type_of(declaring)
        if owner is None or module is None or module.metadata is None or not owner.arguments:
            return own_names
        signature = module.metadata.field(field.token).signature
        given = GivenNames(own_names, names_of_arguments(env, target, owner))
        found = names_in_signature(env, module, signature, given)
        return found if declared is not None and len(found) == tuple_names.count(declared) else own_names

    def read(env: Environment, target: Operand) -> Operand:
        value = target.program_value
        if value is not None and value.parts is not None and field.token in value.parts:
            return _part(env, value.parts[field.token], declared)
        if value is None or value.handle is None:
            raise EvaluationError(f"The fields of a computed value cannot be read: {field.shown_name}")
        operand = env.operand(env.fields(value, [ref])[0], declared)
        operand.names = names(env, target) if is_generic and target.names else own_names
        return env.as_dynamic(operand) if is_dynamic else operand

    return read


def _part(env: Environment, value: Value, declared: Type | None) -> Operand:
    """A field of a structure that only the debugger has: a nullable's is what it holds."""
    operand = env.operand(value, declared)
    is_held = declared is not None and declared.kind is Kind.NULLABLE and operand.type is not declared
    return Operand(declared, operand.data) if is_held and declared is not None else operand


def field_tuple_names(
    env: Environment, declaring: TypeId, field: FieldInfo, declared: Type | None
) -> tuple_names.Names:
    """The names that the source gives the elements of a field's tuple; () for others."""
    module = env.program.modules.get(env.debuggee.type_info(declaring).module)
    if module is None or declared is None or not tuple_names.count(declared):
        return ()
    return tuple_names.of_member(module, field.token)


def field_type(env: Environment, declaring: TypeId, field: FieldToken) -> Type | None:
    """The declared type of a field, with the generic arguments of the type that declares it."""
    return env.universe.field_type(env.program, declaring, field)


def literal(declared: Type | None, field: FieldInfo) -> Operand:
    """A constant field: an enum's member, or a `const`."""
    own, constant = declared or types.OBJECT, field.constant
    if constant is None:
        return Operand(own, None)
    if own.kind is Kind.NUMBER and isinstance(constant, str):
        return Operand(own, ord(constant))
    return Operand(own, constant)


def constant_of(module: LoadedModule | None, declared: Type | None, field: FieldInfo) -> Operand | None:
    """The value of a `const` field of a module, of a declared type; None for other fields."""
    if field.is_literal:
        return literal(declared, field)
    known = decimal_constant(module, field.token) if field.is_constant and module is not None else None
    return Operand(types.DECIMAL, known) if known is not None else None


def property_access(declaring: TypeId, found: PropertyInfo) -> Reading:
    """What calls a property's getter, instance or static."""
    return lambda env, target: call_getter(env, declaring, found.getter, None if found.is_static else target)


def call_getter(env: Environment, declaring: TypeId, getter: MethodToken, target: Operand | None) -> Operand:
    """The value of a property: its getter is interpreted where it only reads, else called."""
    owner = env.type_of(declaring)
    if owner is None:
        raise EvaluationError("The property's type has no metadata, so its getter cannot be found")
    return _invoke_getter(ExactMethod(owner, getter), env, target)


# tuples


def _named_item(env: Environment, target: Operand, number: int, names: tuple_names.Names) -> Operand:
    item = _value_tuple_item(number)(env, target)
    assert item is not None
    item.names = names
    return item


def _tuple_item(target: Operand, name: str) -> Access | None:
    items: tuple[Operand, ...] = target.data
    index = int(name[4:]) - 1 if name.startswith("Item") and name[4:].isdigit() else -1
    return (lambda env, operand: operand.data[index]) if 0 <= index < len(items) else None


def _value_tuple_item(number: int) -> Access:
    """ItemN: beyond seven, in the tuple that the field Rest holds."""

    def read(env: Environment, target: Operand) -> Operand | None:
        left = number
        while left >= _TUPLE_REST:
            target = MemberReader("Rest").read(env, target)
            left -= _TUPLE_REST - 1
        access = _found_in_hierarchy(env, _type_id(target), target.type, f"Item{left}")
        return access(env, target) if access is not None else None

    return read


def _type_id(target: Operand) -> TypeId:
    if isinstance(target.data, Value) and target.data.type is not None:
        return target.data.type
    raise EvaluationError("The type of the value is unknown")


def array_shape(env: Environment, value: Value) -> ArrayShape:
    """The dimensions of an array."""
    assert value.handle is not None
    return env.debuggee.array_shape(value.handle)


def unbox(env: Environment, target: Operand) -> Operand:
    """What a box holds, or a string that is seen as an object, as an operand of its own type; others as they are."""
    data = target.data
    if target.type.kind is Kind.CLASS and data is not None and env.own_type(target) is types.STRING:
        return Operand(types.STRING, data, target.value)
    if isinstance(data, Value) and data.is_boxed:
        return env.opened_box(data)
    return target
