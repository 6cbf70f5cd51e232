"""Members that objects have only for `dynamic` code.

Those of an ExpandoObject, which the class keeps in arrays, are read without running it; its own members (Count, Keys)
are those of interfaces, which only a cast reaches in C#. Others (DynamicObject) are asked for theirs in the program, by
what the C# runtime library has for debuggers.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.known_members import Access
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken, Value
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.values.members import implements

EXPANDO = "System.Dynamic.ExpandoObject"
_PROVIDER = "System.Dynamic.IDynamicMetaObjectProvider"
_NO_MEMBER = "DynamicBindingFailedException"
_FOR_DEBUGGERS = "Microsoft.CSharp.RuntimeBinder.DynamicMetaObjectProviderDebugView"


def expando_member(env: Environment, target: Value, name: str) -> Operand | None:
    """The member of an ExpandoObject, as the type that it has now; None when there is none.

    Raises `EvaluationError` when the object's layout is not the known one.
    """
    names, values = _keys_and_values(env, target)
    if name not in names:
        return None
    value = env.element(values, names.index(name))
    own = env.opened_box(value) if value.is_boxed else env.operand(value)
    type_name = env.own_type(own).full_name if isinstance(own.data, Value) else ""
    if type_name == "System.Object" and own.data is not None:
        return None  # the mark of a member that was removed
    return own


def expando_names(env: Environment, target: Value) -> list[str]:
    """The members that an ExpandoObject has, or had. As `expando_member`."""
    return [name for name in _keys_and_values(env, target)[0] if name is not None]


def _keys_and_values(env: Environment, target: Value) -> tuple[list[str | None], Value]:
    data = env.read_named(target, "_data")
    keys = env.read_named(env.read_named(data, "Class"), "_keys")
    values = env.read_named(data, "_dataArray")
    if keys.handle is None or values.handle is None or values.length < keys.length:
        raise EvaluationError(f"The members of the {EXPANDO} cannot be read")
    return [env.text(env.operand(key)) for key in env.debuggee.elements(keys.handle, 0, keys.length)], values


def provided_member(env: Environment, target: Operand, name: str) -> Access | None:
    """What asks an object for a dynamic member; None for objects that have none. Only the program can say which."""
    value = target.program_value
    if value is None or value.type is None or not implements(env.program, value.type, _PROVIDER):
        return None
    definition = find_definition(env.universe.modules, _FOR_DEBUGGERS, assembly="Microsoft.CSharp")
    owner = env.universe.of_definition(definition) if definition is not None else None
    if owner is None:  # the program has not used `dynamic` yet
        return None
    for candidate in candidates(env.universe, owner):
        if candidate.method.name == "TryGetMemberValue" and len(candidate.method.signature.parameters) == 3:
            exact = ExactMethod(owner, MethodToken(candidate.method.token))
            return lambda env, operand: _asked(env, exact, operand, name)
    return None


def _asked(env: Environment, exact: ExactMethod, target: Operand, name: str) -> Operand | None:
    if env.caller is None:
        raise calls_forbidden(f"{env.own_type(target).name}.{name}")
    given = [target if target.type.is_reference else boxed(env, target), Operand(types.STRING, name), types.FALSE]
    try:
        return env.as_dynamic(env.runner.run(env, exact, None, given))
    except CalleeThrew as thrown:
        kind = env.own_type(Operand(types.OBJECT, thrown.exception))
        if kind.full_name.endswith(_NO_MEMBER):
            return None
        raise
