"""Enums: the texts of their values, by the names of their members."""

from __future__ import annotations

from dap_dotnet.runtime.model import ElementType, TypeDefToken, TypeInfo
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.types import members
from dap_dotnet.values import primitives
from dap_dotnet.values.context import Program
from dap_dotnet.values.typenames import full_name


def underlying_type(program: Program, info: TypeInfo) -> ElementType | None:
    """The integer type of an enum; None for types that are not enums."""
    if info.base is None or full_name(program, program.debuggee.type_info(info.base)) != "System.Enum":
        return None
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return None
    for field in module.metadata.fields_of(info.token):
        if not field.is_static:
            code = getattr(field.signature, "code", None)
            return ElementType(code) if code is not None else ElementType.I4
    return None


def enum_name(program: Program, info: TypeInfo, raw: bytes) -> str | None:
    """An enum's value by its members: `Red`, `Read | Write` for [Flags], the number when none fits. None: no enum."""
    underlying = underlying_type(program, info)
    if underlying is None:
        return None
    number = primitives.decode(underlying, raw)
    if number is None:
        return None
    parts = members_of_value(program, info, int(number), 8 * len(raw), as_flags=has_flags(program, info))
    return " | ".join(names[0] for names in parts) or str(int(number))


def members_of_value(program: Program, info: TypeInfo, number: int, bits: int, *, as_flags: bool) -> list[list[str]]:
    """The members that a value of so many bits is made of, with `as_flags` several: of each all names that it has.

    Empty where no members fit.
    """
    by_value: dict[int, list[str]] = {}
    for field in members(program.modules.get(info.module), info.token).fields:
        if field.is_literal and isinstance(field.constant, int):
            by_value.setdefault(field.constant, []).append(field.name)
    if number in by_value:
        return [by_value[number]]
    mask = (1 << bits) - 1  # of signed ones the highest bit is a flag, too
    rest = number & mask if as_flags else 0
    parts: list[list[str]] = []
    for constant in sorted((one & mask for one in by_value), reverse=True) if rest else ():
        if constant and rest & constant == constant:
            parts.insert(0, by_value[constant] if constant in by_value else by_value[constant - mask - 1])
            rest &= ~constant
    return parts if not rest else []


_FLAGS_ENUMS: CacheSlot[dict[TypeDefToken, bool]] = CacheSlot("whether an enum has [Flags]", lambda _: {})


def has_flags(program: Program, info: TypeInfo) -> bool:
    """Whether an enum has the attribute [Flags]: looked up once."""
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return False
    cache = module.cached(_FLAGS_ENUMS)
    if info.token not in cache:
        attributes = module.metadata.attributes_of(info.token)
        cache[info.token] = any(attribute.type_name == "System.FlagsAttribute" for attribute in attributes)
    return cache[info.token]
