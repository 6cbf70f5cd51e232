"""Members that are known without running a getter or a method of the program.

Those of arrays, strings, numbers, enums, types and queries; and those that objects have only for `dynamic` code: of an
ExpandoObject, which the class keeps in arrays, while its own members (Count, Keys) are those of interfaces, which only
a cast reaches in C#. Others (DynamicObject) are asked for theirs in the program, by what the C# runtime library has for
debuggers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden
from dap_dotnet.evaluation.environment import MOST_TEXT, Environment
from dap_dotnet.evaluation.operations.framework import call_framework, type_full_name, type_name, type_namespace
from dap_dotnet.evaluation.operations.indexing import DICTIONARY, find_value
from dap_dotnet.evaluation.operations.operand_values import boxed, unbox
from dap_dotnet.evaluation.operations.operators import same_reference
from dap_dotnet.evaluation.operations.text import known_text, string_length, strings_equal, to_text
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean
from dap_dotnet.runtime.model import ElementType, Value
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


_PROPERTIES: dict[tuple[Kind, str], Callable[[Environment, Operand], Operand]] = {
    (Kind.ARRAY, "Length"): lambda env, target: Operand(types.I4, target.data.length),
    (Kind.ARRAY, "LongLength"): lambda env, target: Operand(types.I8, target.data.length),
    (Kind.ARRAY, "Rank"): lambda env, target: Operand(types.I4, max(env.own_type(target).rank, 1)),
    (Kind.STRING, "Length"): lambda env, target: Operand(types.I4, string_length(target)),
    (Kind.PAIR, "Key"): lambda env, target: target.data[0],
    (Kind.PAIR, "Value"): lambda env, target: target.data[1],
    (Kind.SEQUENCE, "Key"): lambda env, target: target.data.key,
    (Kind.SEQUENCE, "Count"): lambda env, target: Operand(types.I4, len(target.data.groups)),
    (Kind.TYPE, "Name"): lambda env, target: Operand(types.STRING, type_name(target.data)),
    (Kind.TYPE, "FullName"): lambda env, target: Operand(types.STRING, type_full_name(env.universe, target.data)),
    (Kind.TYPE, "Namespace"): lambda env, target: Operand(types.STRING, type_namespace(target.data)),
}
PROPERTY_NAMES = frozenset(name for _, name in _PROPERTIES)
"""The names of all properties that `known_property` may have."""
_ORDINAL = {"Contains": (types.STRING, types.CHAR), "StartsWith": (types.CHAR,), "EndsWith": (types.CHAR,)}
"""Methods of strings by what they take; with others they follow the program's culture, which only the program knows."""
_TEXTUAL = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRING, Kind.TYPE, Kind.TUPLE})


def known_property(env: Environment, target: Operand, name: str) -> Operand | None:
    """A property that needs no getter of the program; None for others."""
    kind = env.own_type(target).kind if target.type.kind is Kind.CLASS else target.type.kind
    access = _PROPERTIES.get((kind, name))
    return access(env, target) if access is not None else None


def known_method(env: Environment, target: Operand, name: str, arguments: Sequence[Operand]) -> Operand | None:
    """The result of an instance method; None when it has to be looked for in the program."""
    kind = target.type.kind
    if _is_long(target) or any(map(_is_long, arguments)):
        if name == "ToString" and not arguments:
            return target
        if name not in ("GetType", "Equals"):
            return None
    if not arguments:
        if name == "GetType" and target.data is not None:
            own = env.own_type(target)
            if isinstance(target.data, Value) and target.data.is_reference:
                env.witnesses[own] = target
            return Operand(types.TYPE, own)
        if name == "ToString" and kind in _TEXTUAL:
            return Operand(types.STRING, to_text(env, target))
        return None
    if len(arguments) != 1:
        return None
    first = unbox(env, arguments[0]) if name in ("Equals", "HasFlag") else arguments[0]
    if name == "ToString" and kind in (Kind.NUMBER, Kind.ENUM) and first.type is types.STRING:
        shown = known_text(env, target, env.text(first) or "") if target.type is not types.CHAR else None
        return Operand(types.STRING, shown) if shown is not None else None
    if kind is Kind.STRING and name in _ORDINAL and first.type in _ORDINAL[name] and first.data is not None:
        text, other = env.text(target) or "", chr(first.data) if first.type is types.CHAR else env.text(first) or ""
        if name == "Contains":
            return boolean(other in text)
        return boolean(text.startswith(other) if name == "StartsWith" else text.endswith(other))
    if kind is Kind.STRING and name == "Equals" and first.type.kind in (Kind.STRING, Kind.NULL):
        return boolean(strings_equal(env, target, first))
    if kind is Kind.ENUM and name == "HasFlag" and first.type is target.type:
        return boolean(target.data & first.data == first.data)
    if kind in (Kind.NUMBER, Kind.BOOL) and name == "Equals" and first.type is target.type:
        both_nan = target.data != target.data and first.data != first.data
        return boolean(target.data == first.data or both_nan)
    if name == "ContainsKey" and env.own_type(target).full_name == DICTIONARY:
        found = find_value(env, target, first)
        return boolean(found[0]) if found is not None else None
    if kind is Kind.TYPE and name == "Equals":
        return boolean(same_reference(env, target, first))
    return None


def _is_long(operand: Operand) -> bool:
    """Whether it is a string of which only the program can tell something that takes all of it."""
    value = operand.data
    return isinstance(value, Value) and value.element_type is ElementType.STRING and value.length > MOST_TEXT


def known_static(env: Environment, owner: Type, name: str, arguments: Sequence[Operand]) -> Operand | None:
    """The result of a static method; None when it has to be looked for in the program."""
    strings = all(argument.type.kind in (Kind.STRING, Kind.NULL) for argument in arguments)
    if owner is types.STRING and strings:
        if name == "IsNullOrEmpty" and len(arguments) == 1:
            return boolean(not _is_long(arguments[0]) and not env.text(arguments[0]))
        if name not in ("Equals", "ReferenceEquals") and any(map(_is_long, arguments)):
            return None
        if name == "IsNullOrWhiteSpace" and len(arguments) == 1:
            return boolean(not (env.text(arguments[0]) or "").strip())
        if name == "Equals" and len(arguments) == 2:
            return boolean(strings_equal(env, arguments[0], arguments[1]))
    if owner is types.OBJECT and name == "ReferenceEquals" and len(arguments) == 2:
        return boolean(same_reference(env, arguments[0], arguments[1]))
    return None
