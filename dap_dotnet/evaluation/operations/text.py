"""Strings: equality, concatenation, and values as the text that string interpolation gives them.

In the culture of the thread, as the program itself would write them; where that, or the format, is not known well
enough, the program does, and where it may not run there is no text.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.numeric import BITS
from dap_dotnet.evaluation.operations import type_objects
from dap_dotnet.evaluation.operations.cultures import number_format
from dap_dotnet.evaluation.operations.framework_methods import call_framework
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.inheritance import is_subtype
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.enums import has_flags, members_of_value
from dap_dotnet.values.number_formats import INVARIANT, number_text

_MAX_TEXT = 1 << 22


def strings_equal(env: Environment, left: Operand, right: Operand) -> bool:
    """Ordinal equality, by length and head first, so that long strings are seldom read whole."""
    a, b = left.data, right.data
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    if _length(left) != _length(right):
        return False
    return env.text(left) == env.text(right)


def _length(operand: Operand) -> int:
    return operand.data.length if isinstance(operand.data, Value) else utf16_length(operand.data)


def concatenation(env: Environment, left: Operand, right: Operand) -> Operand:
    """`left + right` where one is a string."""
    text = to_text(env, left) + to_text(env, right)
    if len(text) > _MAX_TEXT:
        raise EvaluationError(f"The text would have more than {_MAX_TEXT} characters")
    return Operand(types.STRING, text)


def to_text(env: Environment, operand: Operand, format_text: str | None = None) -> str:
    """What `ToString()` gives; with a format what a hole of an interpolated string gives ("": none). Null is empty.

    Raises `EvaluationError` for values of other types when calls are forbidden.
    """
    kind, data = operand.type.kind, operand.data
    if data is None:
        return ""
    if kind is Kind.STRING or isinstance(data, str):  # also where it is seen as an object
        return env.text(operand) or ""
    if kind is Kind.NULLABLE:
        return to_text(env, Operand(operand.type.element, data), format_text)
    if kind is Kind.BOOL:
        return "True" if data else "False"
    if kind in (Kind.NUMBER, Kind.ENUM):
        text = known_text(env, operand, format_text or "")
        return text if text is not None else _call_formatted(env, operand, format_text or "")
    if kind is Kind.TUPLE and isinstance(data, tuple):
        return _items_text(env, operand)
    if kind is Kind.PAIR:
        key, value = (to_text(env, part) for part in data[:2])
        return f"[{key}, {value}]"
    if kind is Kind.TYPE:
        return type_objects.text(data)
    if kind is Kind.CLASS and isinstance(data, Value):
        own = env.opened_box(data) if data.is_boxed else env.operand(data)
        if own.type.kind is not Kind.CLASS and own.type is not operand.type:
            return to_text(env, own, format_text)
    return call_to_string(env, operand) if format_text is None else _call_formatted(env, operand, format_text)


def _items_text(env: Environment, operand: Operand) -> str:
    """Of a tuple or an anonymous object that the expression made."""
    texts = [to_text(env, item) for item in operand.data]
    if operand.type is not types.ANONYMOUS:
        return f"({', '.join(texts)})"
    members = zip(operand.names, texts, strict=True)
    return f"{{ {', '.join(f'{name} = {text}' for name, text in members)} }}" if texts else "{ }"


def known_text(env: Environment, operand: Operand, format_text: str) -> str | None:
    """What a number, a char or a value of an enum gives ("": without a format). None where only the program can tell.

    A format that .NET has no meaning for is of that kind: the program throws.
    """
    if operand.type.kind is Kind.ENUM:
        return _enum_text(env, operand, format_text or "G")
    return number_text(operand.type.code, operand.data, format_text, lambda: number_format(env))


def _enum_text(env: Environment, operand: Operand, format_text: str) -> str | None:
    letter, underlying = format_text.upper(), operand.type.underlying
    type_id = env.universe.id_of(env.program, operand.type)
    if letter not in ("D", "F", "G", "X") or underlying is None or type_id is None:
        return None
    bits = BITS.get(underlying.code, 32)
    if letter == "X":
        return number_text(underlying.code, operand.data, f"X{bits // 4}", lambda: INVARIANT)
    info = env.debuggee.type_info(type_id)
    parts: list[list[str]] = []
    if letter != "D":
        as_flags = letter == "F" or has_flags(env.program, info)
        parts = members_of_value(env.program, info, operand.data, bits, as_flags=as_flags)
    if not parts:
        return number_text(underlying.code, operand.data, "", lambda: number_format(env))
    if any(len(names) > 1 for names in parts):
        return None  # which one of equal members .NET takes follows from how it sorts and searches them
    return ", ".join(names[0] for names in parts)


def call_to_string(env: Environment, operand: Operand) -> str:
    """`operand.ToString()`, run in the program. Null gives an empty text."""
    if env.caller is None:
        raise calls_forbidden(f"The text of a value of type '{env.own_type(operand).name}'")
    return env.text(call_framework(env, operand, types.OBJECT, "ToString")) or ""


def _call_formatted(env: Environment, operand: Operand, format_text: str) -> str:
    """A hole of an interpolated string ("": without a format): IFormattable's `ToString`, else the object's."""
    if env.caller is None:
        formatted = f" in the format '{format_text}'" if format_text else ""
        raise calls_forbidden(f"The text of a value of type '{env.own_type(operand).name}'{formatted}")
    interface = env.universe.named("System.IFormattable")
    if interface is None or not is_subtype(env.universe, env.own_type(operand), interface):
        return call_to_string(env, operand)
    given = [Operand(types.STRING, format_text or None), types.NULL_OPERAND]
    return env.text(call_framework(env, operand, interface, "ToString", given)) or ""
