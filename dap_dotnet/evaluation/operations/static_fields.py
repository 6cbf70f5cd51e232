"""Static fields: their values, never those of a class whose initialiser has not run yet.

Before the program touches a class its fields are zero, which no C# expression would see. Where code may run, the
initialiser is run as the expression's own access would; elsewhere the value is refused.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import not_initialised
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework_methods import call_framework
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates, declared_members
from dap_dotnet.runtime.model import NOT_LOADED, ElementType, FieldRef, MethodToken, TypeId, Value
from dap_dotnet.values.placed_values import read_refs

_HELPERS = "System.Runtime.CompilerServices.RuntimeHelpers"
_MOST_FRAMES = 64


def read_static(env: Environment, owner: Type | None, ref: FieldRef, declared: Type | None, name: str) -> Operand:
    """A static field of `owner` (None: its initialisation is not looked at, and nothing is run for it).

    Raises `EvaluationError` while it has no value, `CalleeThrew` when the initialiser throws.
    """
    if owner is None:
        return _operand(env, env.static(ref), declared, name)
    value = _read(env, ref, declared)
    initialiser = _initialiser(env, owner)
    if initialiser is None or owner in env.universe.initialised:
        return _operand(env, value, declared, name)
    if value.error is None and (not _is_zero(env, value) or _has_begun(env, owner, ref.type, initialiser)):
        return env.operand(value, declared)
    initialise(env, owner)
    return _operand(env, _read(env, ref, declared), declared, name)


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
    return _has_begun(env, owner, type_id, initialiser)


def _has_begun(env: Environment, owner: Type, type_id: TypeId, initialiser: ExactMethod) -> bool:
    if _has_values(env, owner, type_id):
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


def _operand(env: Environment, value: Value, declared: Type | None, name: str) -> Operand:
    if value.error is not None:
        raise EvaluationError(f"The static field {name} cannot be read: {value.error}")
    return env.operand(value, declared)


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


def _has_values(env: Environment, owner: Type, type_id: TypeId) -> bool:
    """Whether any static field of the class has a value: then its initialiser has begun."""
    declared = declared_members(env.universe, owner)
    refs = [FieldRef(type_id, field.token) for field in declared.fields if field.is_static and not field.is_literal]
    values = env.debuggee.static_fields(refs, env.context.thread, env.context.frame.index)
    return any(not _is_zero(env, value) for value in values)


def _is_running(env: Environment, initialiser: ExactMethod) -> bool:
    """Whether a thread is in the initialiser: it has the values that its thread has given it so far."""
    module = env.universe.module_of(initialiser.owner)
    for info in env.debuggee.threads():
        for frame in env.debuggee.stack(info.thread, 0, _MOST_FRAMES).frames:
            if module is not None and (frame.module, frame.method) == (module.id, initialiser.token):
                return True
    return False
