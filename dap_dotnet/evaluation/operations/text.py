"""Strings: equality, concatenation, and values as the text that string interpolation gives them.

In the culture of the thread, read from memory, as the program itself would write them; where that, or the format, is
not known well enough, the program does, and where it may not run there is no text.
"""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.numeric import BITS
from dap_dotnet.evaluation.operations.framework import call_framework, type_text
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.declarations import is_subtype
from dap_dotnet.runtime.model import NOT_INITIALISED, FieldRef, Value
from dap_dotnet.values import number_formats as formats
from dap_dotnet.values.enums import has_flags, members_of_value
from dap_dotnet.values.layouts import integer, read_known
from dap_dotnet.values.members import static_fields
from dap_dotnet.values.number_formats import INVARIANT, Notation, NumberFormat, number_text

_CULTURE = "System.Globalization.CultureInfo"
_CURRENT = ("s_currentThreadCulture", "s_DefaultThreadCurrentCulture", "s_userDefaultCulture")
"""CultureInfo.CurrentCulture is the first of them that is not null."""
_MODES = ("System.Globalization.GlobalizationMode+Settings", "System.Globalization.GlobalizationMode")
_PARTS = ("GroupSizes", "GroupSeparator", "DecimalSeparator", "DecimalDigits", "NegativePattern")
_NUMBER = tuple(f"_number{part}" for part in _PARTS)
_CURRENCY = (*(f"_currency{part}" for part in _PARTS), "_currencyPositivePattern", "_currencySymbol")
_PERCENT = (*(f"_percent{part}" for part in _PARTS), "_percentPositivePattern", "_percentSymbol")
_SIGNS = ("_negativeSign", "_positiveSign", "_nanSymbol", "_positiveInfinitySymbol", "_negativeInfinitySymbol")


def number_format(env: Environment) -> NumberFormat | None:
    """What the thread that an expression is evaluated in writes numbers with. None where only the program can tell.

    That is where the program has not asked for it before, and where it has a culture of a class of its own.
    """
    known, key = env.program.number_formats, (env.program.clock.generation, env.context.thread)
    if env.has_stored or key not in known:
        try:
            known[key] = _read(env)
        except DapDotnetError:
            known[key] = None
    return known[key]


def _read(env: Environment) -> NumberFormat | None:
    found = _statics(env, _CULTURE, (*_CURRENT, "s_InvariantCultureInfo"))
    if found is None:
        return None
    *candidates, invariant = found
    culture = None
    for candidate in candidates:
        if candidate.error is not None and not candidate.error.startswith(NOT_INITIALISED):
            return None
        if candidate.error is None and not candidate.is_null:
            culture = candidate
            break
    if culture is None:
        return INVARIANT if _is_globalization_invariant(env) else None
    if culture.address == invariant.address:
        return INVARIANT
    read = read_known(env.program, culture, ("_name", "_numInfo"))
    if read is None or env.own_type(env.operand(culture)) is not env.universe.named(_CULTURE):
        return None
    name, info = read
    if info.is_null:  # made when it is asked for
        return INVARIANT if name.text == "" else None
    return _number_format(env, info)


def _is_globalization_invariant(env: Environment) -> bool:
    """Whether the program runs in the invariant mode, in which no culture but that one is the user's."""
    for owner in _MODES:
        found = _statics(env, owner, ("<Invariant>k__BackingField",))
        if found is not None and found[0].raw[:1] == b"\1":
            return True
    return False


def _statics(env: Environment, owner: str, names: tuple[str, ...]) -> list[Value] | None:
    """Static fields by name, in one read; None unless the class has them all."""
    kind = env.universe.named(owner)
    type_id = env.universe.id_of(env.program, kind) if kind is not None else None

    def find() -> list[FieldRef | None]:
        declared = {one.field.name: one.ref for one in static_fields(env.program, type_id)}
        return [declared.get(name) for name in names]

    refs = env.universe.derived(("static fields by name", type_id, names), find) if type_id is not None else []
    known = [ref for ref in refs if ref is not None]
    if not known or len(known) != len(names):
        return None
    return env.debuggee.static_fields(known, env.context.thread, max(env.context.frame.index, 0), text_limit=0)


def _number_format(env: Environment, info: Value) -> NumberFormat | None:
    """What a NumberFormatInfo has."""
    names = (*_SIGNS, *_NUMBER, *_CURRENCY, *_PERCENT)
    read = read_known(env.program, info, names)
    if read is None:
        return None
    fields = dict(zip(names, read, strict=True))
    minus, plus, nan, positive_infinity, negative_infinity = (_text(env, fields[name]) for name in _SIGNS)
    return NumberFormat(
        minus,
        plus,
        nan,
        positive_infinity,
        negative_infinity,
        _notation(env, [fields[name] for name in _NUMBER], formats.NUMBER_NEGATIVE),
        _notation(env, [fields[name] for name in _CURRENCY], formats.CURRENCY_NEGATIVE, formats.CURRENCY_POSITIVE),
        _notation(env, [fields[name] for name in _PERCENT], formats.PERCENT_NEGATIVE, formats.PERCENT_POSITIVE),
    )


def _notation(
    env: Environment, fields: list[Value], negative: tuple[str, ...], positive: tuple[str, ...] = ("n",)
) -> Notation:
    sizes, separator, point, places, negative_pattern, *symbols = fields
    elements = env.debuggee.elements(sizes.handle, 0, sizes.length) if sizes.handle is not None else []
    positive_pattern, symbol = symbols or (None, None)
    return Notation(
        _pattern(negative, negative_pattern),
        _pattern(positive, positive_pattern) if positive_pattern is not None else positive[0],
        _text(env, symbol) if symbol is not None else "",
        integer(places) or 0,
        _text(env, point),
        _text(env, separator),
        tuple(integer(element) or 0 for element in elements),
    )


def _pattern(patterns: tuple[str, ...], number: Value) -> str:
    """Raises `EvaluationError` for a number that no pattern has: the object is being made, or damaged."""
    position = integer(number) or 0
    if not 0 <= position < len(patterns):
        raise EvaluationError(f"The culture has no pattern {position}")
    return patterns[position]


def _text(env: Environment, value: Value) -> str:
    return env.text(env.operand(value)) or ""


_MAX_TEXT = 1 << 22


def strings_equal(env: Environment, left: Operand, right: Operand) -> bool:
    """Ordinal equality, by length and head first, so that long strings are seldom read whole."""
    a, b = left.data, right.data
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    if string_length(left) != string_length(right):
        return False
    return env.text(left) == env.text(right)


def string_length(operand: Operand) -> int:
    """How many UTF-16 units a string has."""
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
        return type_text(data)
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
