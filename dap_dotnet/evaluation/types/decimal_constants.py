"""Constants of type decimal, which metadata has no form for: the compiler writes them into an attribute."""

from __future__ import annotations

from decimal import Decimal

from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import DECIMAL_CONSTANT

_WORD = 0xFFFFFFFF


def decimal_constant(module: LoadedModule, token: int) -> Decimal | None:
    """The value of a `const decimal` field, or the default of a parameter; None where that is none."""
    assert module.metadata is not None
    for attribute in module.metadata.attributes_of(token):
        if attribute.type_name != DECIMAL_CONSTANT:
            continue
        values = [argument.value for argument in attribute.fixed_arguments]
        if len(values) == 5:
            scale, sign, high, middle, low = (int(value) for value in values)
            high, middle, low = high & _WORD, middle & _WORD, low & _WORD  # one of its constructors takes ints
            digits = tuple(map(int, str(high << 64 | middle << 32 | low)))
            return Decimal((1 if sign else 0, digits, -scale))
    return None
