"""Fields and getters by their metadata: what reads them of objects, structures and types."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.decimal_constants import decimal_constant
from dap_dotnet.runtime.model import FieldRef, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo

Reading = Callable[[Environment, Operand], Operand]


def declared_access(env: Environment, declaring: TypeId, member: FieldInfo | PropertyInfo) -> Reading:
    """What reads a member that an exact type declares; of a static one, whatever the target is."""
    if isinstance(member, FieldInfo):
        return field_access(env, declaring, member)
    owner = env.type_of(declaring)
    if owner is None:
        raise EvaluationError("The property's type has no metadata, so its getter cannot be found")
    getter = ExactMethod(owner, member.getter)
    return lambda env, target: env.runner.run(env, getter, None if member.is_static else target, [])


def field_access(env: Environment, declaring: TypeId, field: FieldInfo) -> Reading:
    """What reads a field, instance or static."""
    declared = env.universe.field_type(env.program, declaring, field.token)
    ref = FieldRef(declaring, field.token)
    known = constant_of(env.program.modules.get(env.debuggee.type_info(declaring).module), declared, field)
    if known is not None:
        return lambda env, target: known
    if field.is_static:
        owner = env.type_of(declaring)
        return lambda env, target: read_static(env, owner, ref, declared, field.shown_name)

    def read(env: Environment, target: Operand) -> Operand:
        value = target.program_value
        if value is not None and value.parts is not None and field.token in value.parts:
            return _part(env, value.parts[field.token], declared)
        if value is None or value.handle is None:
            raise EvaluationError(f"The fields of a computed value cannot be read: {field.shown_name}")
        return env.operand(env.fields(value, [ref])[0], declared)

    return read


def _part(env: Environment, value: Value, declared: Type | None) -> Operand:
    """A field of a structure that only the debugger has: a nullable's is what it holds."""
    operand = env.operand(value, declared)
    is_held = declared is not None and declared.kind is Kind.NULLABLE and operand.type is not declared
    return Operand(declared, operand.data) if is_held and declared is not None else operand


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
