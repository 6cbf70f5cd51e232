"""Methods whose result is known without running anything: of strings, numbers, enums and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.evaluation.environment import MOST_TEXT, Environment
from dap_dotnet.evaluation.operations.dictionaries import DICTIONARY, find_value
from dap_dotnet.evaluation.operations.operators import same_object, same_reference
from dap_dotnet.evaluation.operations.text import known_text, strings_equal, to_text
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean
from dap_dotnet.runtime.model import ElementType, Value

_TEXTUAL = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRING, Kind.TYPE, Kind.TUPLE})


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
        if name == "ToString" and (
            kind in _TEXTUAL or (kind is Kind.NULLABLE and target.type.element.kind in _TEXTUAL)
        ):
            return Operand(types.STRING, to_text(env, target))
        if name == "GetValueOrDefault" and kind is Kind.NULLABLE and target.data is not None:
            return Operand(target.type.element, target.data, None, target.names)
        return None
    first = arguments[0]
    if len(arguments) != 1:
        return None
    if name == "ToString" and kind in (Kind.NUMBER, Kind.ENUM) and first.type is types.STRING:
        shown = known_text(env, target, env.text(first) or "") if target.type is not types.CHAR else None
        return Operand(types.STRING, shown) if shown is not None else None
    if kind is Kind.STRING and name in _STRING_METHODS and _is_text(first) and first.data is not None:
        text, other = env.text(target) or "", _text(env, first)
        return boolean(_STRING_METHODS[name](text, other))
    if kind is Kind.STRING and name == "Equals" and first.type.kind in (Kind.STRING, Kind.NULL):
        return boolean(strings_equal(env, target, first))
    if kind in (Kind.STRING, Kind.NUMBER) and name in ("StartsWith", "EndsWith") and first.type is types.CHAR:
        text, other = env.text(target) or "", chr(first.data)
        return boolean(text.startswith(other) if name == "StartsWith" else text.endswith(other))
    if kind is Kind.ENUM and name == "HasFlag" and first.type is target.type:
        return boolean(target.data & first.data == first.data)
    if kind in (Kind.NUMBER, Kind.BOOL) and name == "Equals" and first.type is target.type:
        both_nan = target.data != target.data and first.data != first.data
        return boolean(target.data == first.data or both_nan)
    if name == "ContainsKey" and env.own_type(target).full_name == DICTIONARY:
        found = find_value(env, target, first)
        return boolean(found[0]) if found is not None else None
    if kind is Kind.TYPE and name == "Equals" and first.type.kind in (Kind.TYPE, Kind.NULL):
        return boolean(same_object(target, first))
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
        if any(argument.type.is_value_type for argument in arguments):
            return boolean(False)
        kinds = {argument.type.kind for argument in arguments}
        if Kind.TYPE in kinds and not kinds <= {Kind.TYPE, Kind.NULL}:
            return None
        return boolean(same_reference(env, arguments[0], arguments[1]))
    return None


def _is_text(operand: Operand) -> bool:
    return operand.type.kind is Kind.STRING or operand.type is types.CHAR


def _text(env: Environment, operand: Operand) -> str:
    return chr(operand.data) if operand.type is types.CHAR else env.text(operand) or ""


_STRING_METHODS: dict[str, Callable[[str, str], bool]] = {"Contains": lambda text, other: other in text}
"""The ordinal ones; the others follow the program's culture, which only the program knows."""
