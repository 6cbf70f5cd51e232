"""`target.name` left of an assignment: which field or property it is, and whether it may be changed."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import (
    Assignable,
    ContentOfNullable,
    Property,
    StaticField,
    Stored,
    field_of_object,
)
from dap_dotnet.evaluation.operations.dispatch import returns_reference
from dap_dotnet.evaluation.operations.expando_targets import ExpandoMember, is_expando
from dap_dotnet.evaluation.operations.known_members import KNOWN
from dap_dotnet.evaluation.operations.member_access import field_tuple_names, field_type, find_member
from dap_dotnet.evaluation.operations.returned_references import Returned
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import FieldRef, MethodToken, TypeId
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, is_automatic, members

_INIT_ONLY, _VIRTUAL, _FINAL = 0x20, 0x40, 0x20


def member_target(
    env: Environment,
    target: Operand,
    outer: Stored | None,
    name: str,
    *,
    is_base: bool = False,
    initialises: bool = False,
) -> Assignable | None:
    """The member of a value, None where it has none; `outer` is where a structure is kept. CS0191, CS0200…

    `initialises`: in an object's initializer, where `init` setters may be called.
    """
    if target.data is None:
        raise null_reference(f"the target of '.{name}'")
    if target.type.is_reference and is_expando(env, target):
        return ExpandoMember(target, name)
    if outer is not None and outer.type.kind is Kind.NULLABLE and outer.type.element is not None and name == "Value":
        return ContentOfNullable(outer, outer.type.element)
    inner_names: tuple_names.Names = ()
    if target.names and (inner := tuple_names.element(target.type, target.names, name)) is not None:
        name, inner_names = f"Item{inner[0]}", inner[1]
    value = target.program_value
    type_id = value.type if value is not None else None
    found = find_member(env, type_id, target.type, name) if type_id is not None else None
    if (target.type.kind, name) in KNOWN:
        raise Diagnostic("CS0200", f"{target.type.name}.{name}")
    if found is None:
        setter = _interface_setter(env, target.type, name)
        if setter is None:
            return None
        return Property(_value_type(env, setter), target, (None, _exact(setter)), outer=outer)
    owner = env.type_of(found.type) or types.OBJECT
    if isinstance(found.member, PropertyInfo):
        receiver = None if found.member.is_static else target
        return _property(env, owner, found.member, receiver, outer, is_virtual=not is_base, initialises=initialises)
    if found.member.is_static:
        return static_target(env, owner, found.type, found.member)
    kept = _field(env, found.type, found.member, target, outer, initialises=initialises)
    if inner_names and isinstance(kept, Stored):
        kept.names = inner_names
    return kept


def _field(
    env: Environment,
    declaring: TypeId,
    field: FieldInfo,
    target: Operand,
    outer: Stored | None,
    *,
    initialises: bool,
) -> Assignable:
    owner = env.type_of(declaring) or types.OBJECT
    declared = field_type(env, declaring, field.token)
    if declared is None:
        raise EvaluationError(f"The type of {field.shown_name} is not known, so that nothing can be stored in it")
    if field.is_backing_field:
        setter = _setter(env, owner, field.shown_name, initialises=initialises)
        if setter is None:
            raise Diagnostic("CS0200", f"{owner.name}.{field.shown_name}")
        if _has_code(env, setter) or (setter.method.flags & _VIRTUAL and not setter.method.flags & _FINAL):
            getter = _getter(env, owner, field.shown_name)
            return Property(declared, target, (getter, _exact(setter)), outer=outer)
    _check_changeable(env, owner, field)
    ref = FieldRef(declaring, field.token)
    if not target.type.is_value_type:
        kept = field_of_object(target, ref, declared)
    elif outer is None:
        raise Diagnostic("CS1612 typed", target.type.name)
    else:
        kept = outer.field(env, ref, declared)
    kept.names = field_tuple_names(env, declaring, field, declared)
    kept.property_name = f"{owner.name}.{field.shown_name}" if field.is_backing_field else ""
    return kept


def static_target(env: Environment, owner: Type, declaring: TypeId, field: FieldInfo) -> Assignable:
    """A static field. CS0131 for constants, CS0191 for readonly ones."""
    declared = field_type(env, declaring, field.token)
    if declared is None:
        raise EvaluationError(f"The type of {field.shown_name} is not known, so that nothing can be stored in it")
    if field.is_backing_field:
        setter = _setter(env, owner, field.shown_name)
        if setter is None:
            raise Diagnostic("CS0200", f"{owner.name}.{field.shown_name}")
        if _has_code(env, setter):
            return Property(declared, None, (_getter(env, owner, field.shown_name), _exact(setter)))
    _check_changeable(env, owner, field)
    kept = StaticField(owner, FieldRef(declaring, field.token), declared, field.shown_name)
    kept.property_name = f"{owner.name}.{field.shown_name}" if field.is_backing_field else ""
    return kept


def static_member_target(env: Environment, start: Type, name: str) -> Assignable | None:
    """`Type.name`; None when the type and its bases have no such field or property."""
    for owner in bases_of(env.universe, start):
        definition = env.universe.definition_of(owner)
        declared = members(env.universe.module_of(owner), definition[1] if definition is not None else None)
        field = declared.field(name)
        if field is not None and field.is_static:
            if field.is_constant:
                raise Diagnostic("CS0131")
            type_id = env.universe.id_of(env.program, owner)
            if type_id is None:
                raise EvaluationError(f"The program has not loaded the type '{owner.name}' yet")
            return static_target(env, owner, type_id, field)
        for candidate in declared.properties:
            if candidate.name == name and candidate.is_static and not candidate.parameter_count:
                return _property(env, owner, candidate, None, None)
    return None


def _check_changeable(env: Environment, owner: Type, field: FieldInfo) -> None:
    module = env.universe.module_of(owner)
    if field.is_constant:
        raise Diagnostic("CS0131")
    if module is None or module.metadata is None:
        return
    if not field.is_backing_field and module.metadata.field(field.token).flags & _INIT_ONLY:
        raise Diagnostic("CS0191", f"{owner.name}.{field.name}")


def _property(
    env: Environment,
    owner: Type,
    found: PropertyInfo,
    target: Operand | None,
    outer: Stored | None,
    *,
    is_virtual: bool = True,
    initialises: bool = False,
) -> Assignable:
    setter = _setter(env, owner, found.name, initialises=initialises)
    getter = ExactMethod(owner, found.getter)
    if setter is None and found.getter and returns_reference(env, getter):
        return Returned(env, getter, target, [])
    if setter is None:
        raise Diagnostic("CS0200", f"{owner.name}.{found.name}")
    return Property(_value_type(env, setter), target, (getter, _exact(setter)), outer=outer, is_virtual=is_virtual)


def _setter(env: Environment, owner: Type, name: str, *, initialises: bool = False) -> Candidate | None:
    """The setter of a property; an `init` one only in an initializer (CS8852)."""
    prefix, dot, simple = name.rpartition(".")
    for candidate in candidates(env.universe, owner):
        if candidate.method.name == f"{prefix}{dot}set_{simple}" and len(candidate.method.signature.parameters) == 1:
            if not initialises and _is_init_only(candidate):
                raise Diagnostic("CS8852", f"{owner.name}.{name}")
            return candidate
    return None


def _has_code(env: Environment, setter: Candidate) -> bool:
    """Whether a setter does more than store what it is given."""
    module = env.universe.module_of(setter.owner)
    metadata = module.metadata if module is not None else None
    return metadata is not None and not is_automatic(metadata, setter.method.token)


def _is_init_only(candidate: Candidate) -> bool:
    """Whether it is `init`: the runtime calls it only while the object is made."""
    from portablepdb.signatures import ModifiedType

    return isinstance(candidate.method.signature.return_type, ModifiedType)


def _getter(env: Environment, owner: Type, name: str) -> ExactMethod | None:
    for candidate in candidates(env.universe, owner):
        if candidate.method.name == f"get_{name}" and not candidate.method.signature.parameters:
            return _exact(candidate)
    return None


def _interface_setter(env: Environment, start: Type, name: str) -> Candidate | None:
    for owner in bases_of(env.universe, start):
        found = _setter(env, owner, name)
        if found is not None:
            return found
    return None


def _exact(candidate: Candidate) -> ExactMethod:
    return ExactMethod(candidate.owner, MethodToken(candidate.method.token))


def _value_type(env: Environment, setter: Candidate) -> Type:
    declared = setter.parameter_types(env.universe)[-1]
    if declared is None:
        raise EvaluationError(f"The type of {setter.method.name} is not known, so that it cannot be called")
    return declared
