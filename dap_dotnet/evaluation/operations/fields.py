"""Fields and getters by their metadata: what reads them of objects, structures and types.

Static fields are never read of a class whose initialiser has not run yet: they are zero, which no C# expression would
see. Where code may run, the initialiser is run as the expression's own access would; elsewhere the value is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import not_initialised
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import call_framework, type_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates, declared_members
from dap_dotnet.evaluation.types.universe import decimal_constant
from dap_dotnet.runtime.model import NOT_LOADED, ElementType, FieldRef, MethodToken, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.placed_values import read_refs

_HELPERS = "System.Runtime.CompilerServices.RuntimeHelpers"
_MOST_FRAMES = 64


def read_static(env: Environment, owner: Type | None, ref: FieldRef, declared: Type | None, name: str) -> Operand:
    """A static field of `owner` (None: its initialisation is not looked at, and nothing is run for it).

    Raises `EvaluationError` while it has no value, `CalleeThrew` when the initialiser throws.
    """
    value = env.static(ref) if owner is None else _read(env, ref, declared)
    if owner is not None and _is_zero(env, value) and not has_begun(env, owner, ref.type):
        initialise(env, owner)
        value = _read(env, ref, declared)
    if value.error is not None:
        raise EvaluationError(f"The static field {name} cannot be read: {value.error}")
    return env.operand(value, declared)


def _read(env: Environment, ref: FieldRef, declared: Type | None) -> Value:
    """The value of a static field. Where code may run, its type is loaded for it, by an empty array of that."""
    value = env.static(ref)
    if value.error != NOT_LOADED or declared is None or env.caller is None:
        return value
    env.runner.new_array(env, declared, 0)
    return env.static(ref)


def has_begun(env: Environment, owner: Type, type_id: TypeId) -> bool:
    """Whether the initialiser of a class is known to have begun, or there is none. Runs nothing."""
    initialiser = _initialiser(env, owner)
    if initialiser is None or owner in env.universe.initialised:
        return True
    declared = declared_members(env.universe, owner)
    refs = [FieldRef(type_id, field.token) for field in declared.fields if field.is_static and not field.is_literal]
    values = env.debuggee.static_fields(refs, env.context.thread, env.context.frame.index)
    if any(not _is_zero(env, value) for value in values):
        env.universe.initialised.add(owner)
        return True
    return _is_running(env, initialiser)


def initialise(env: Environment, owner: Type) -> None:
    """Run the initialiser of a class, if it has not run. Raises `EvaluationError` where no code may run."""
    if env.caller is None:
        raise not_initialised(owner.name)
    handle = call_framework(env, type_object(env, owner), "System.Type", "get_TypeHandle")
    call_framework(env, None, _HELPERS, "RunClassConstructor", [handle], parameters=[handle.type])
    env.universe.initialised.add(owner)


def _initialiser(env: Environment, owner: Type) -> ExactMethod | None:
    for candidate in candidates(env.universe, owner):
        if candidate.method.name == ".cctor":
            return ExactMethod(owner, MethodToken(candidate.method.token))
    return None


def _is_zero(env: Environment, value: Value) -> bool:
    """Whether a value is, for all that can be read, what a field has before anything is stored there."""
    if value.is_null or value.error is not None:
        return True
    if value.raw:
        return not any(value.raw)
    if value.element_type is not ElementType.VALUETYPE or value.type is None or value.handle is None:
        return False
    fields = [FieldRef(value.type, place.field) for place in env.debuggee.type_layout(value.type).fields]
    return all(_is_zero(env, part) for part in read_refs(env.program, value, fields, text_limit=0))


def _is_running(env: Environment, initialiser: ExactMethod) -> bool:
    """Whether a thread is in the initialiser: it has the values that its thread has given it so far."""
    module = env.universe.module_of(initialiser.owner)
    for info in env.debuggee.threads():
        for frame in env.debuggee.stack(info.thread, 0, _MOST_FRAMES).frames:
            if module is not None and (frame.module, frame.method) == (module.id, initialiser.token):
                return True
    return False


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


def constant_of(module: LoadedModule | None, declared: Type | None, field: FieldInfo) -> Operand | None:
    """The value of a `const` field of a module, of a declared type; None for other fields."""
    if field.is_literal:
        kind, constant = declared or types.OBJECT, field.constant
        return Operand(kind, ord(constant) if kind.kind is Kind.NUMBER and isinstance(constant, str) else constant)
    known = decimal_constant(module, field.token) if field.is_constant and module is not None else None
    return Operand(types.DECIMAL, known) if known is not None else None
