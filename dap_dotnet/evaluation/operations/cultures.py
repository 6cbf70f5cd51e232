"""The culture that the program's own formatting would use at a place: read from memory, nothing runs."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.runtime.model import NOT_INITIALISED, FieldRef, Value
from dap_dotnet.values import number_formats as formats
from dap_dotnet.values.layouts import integer, read_known
from dap_dotnet.values.members import static_fields
from dap_dotnet.values.number_formats import INVARIANT, Notation, NumberFormat

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
