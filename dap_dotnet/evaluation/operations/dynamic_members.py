"""Members that objects have only for `dynamic` code.

Those of an ExpandoObject, which the class keeps in arrays, are read without running it; its own members (Count, Keys)
are those of interfaces, which only a cast reaches in C#. Others (DynamicObject) are asked for theirs in the program, by
what the C# runtime library has for debuggers.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework_methods import call_framework
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.metadata_names import find_definition

EXPANDO = "System.Dynamic.ExpandoObject"
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


def dynamic_member(env: Environment, target: Operand, name: str) -> Operand:
    """A member that an object has for `dynamic` code. Raises `EvaluationError` where it has none, or may not say."""
    value = target.program_value
    own = env.own_type(target)
    if value is not None and own.full_name == EXPANDO:
        member = expando_member(env, value, name)
        if member is None:
            raise EvaluationError(f"'{EXPANDO}' does not contain a definition for '{name}'")
        return member
    definition = find_definition(env.universe.modules, _FOR_DEBUGGERS, assembly="Microsoft.CSharp")
    owner = env.universe.of_definition(definition) if definition is not None else None
    if owner is None:  # the program has not used `dynamic` yet
        raise Diagnostic("CS1061", own.name, name)
    if env.caller is None:
        raise calls_forbidden(f"{own.name}.{name}")
    given = [target if target.type.is_reference else boxed(env, target), Operand(types.STRING, name), types.FALSE]
    try:
        return env.as_dynamic(call_framework(env, None, owner, "TryGetMemberValue", given))
    except CalleeThrew as thrown:
        if env.own_type(Operand(types.OBJECT, thrown.exception)).full_name.endswith(_NO_MEMBER):
            raise Diagnostic("CS1061", own.name, name) from None
        raise
