"""Local constants of a frame: the compiler writes their values where they are used, and keeps them in the PDB."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, TypeDefToken, TypeId, Value
from dap_dotnet.symbols.local_names import constants_at
from dap_dotnet.symbols.metadata_names import resolve
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values import primitives
from dap_dotnet.values.context import FrameContext

if TYPE_CHECKING:
    from portablepdb.constants import ConstantValue

_TYPE_DEF = 0x02


def local_constants(context: FrameContext, module: LoadedModule | None) -> list[tuple[str, Value]]:
    """Names and values of the constants in scope: numbers, decimals, bools, chars, strings, nulls and enums.

    Those of an enum that the program has not loaded are left out.
    """
    from portablepdb import PortablePdbError

    frame = context.frame
    if module is None or module.pdb is None or frame.method is None or frame.il_offset is None:
        return []
    found = []
    for constant in constants_at(module, frame.method, frame.il_offset):
        try:
            decoded = constant.decoded
        except PortablePdbError:
            continue
        value = _value(context, module, decoded)
        if value is not None:
            found.append((constant.name, value))
    return found


def _value(context: FrameContext, module: LoadedModule, constant: ConstantValue) -> Value | None:
    code, raw, value, type_token = constant.type_code, constant.raw, constant.value, constant.type_token
    if code == ElementType.STRING:
        if not isinstance(value, str):
            return Value(None, None, ElementType.STRING, is_null=True, is_reference=True)
        units = value.encode("utf-16-le", "surrogatepass")
        head = units[: 2 * TEXT_LIMIT].decode("utf-16-le", "surrogatepass")
        return Value(None, None, ElementType.STRING, is_reference=True, text=head, length=len(units) // 2)
    if code in (ElementType.CLASS, ElementType.OBJECT) and value is None:
        is_own = type_token is not None and type_token >> 24 == _TYPE_DEF
        kind = _own_type(context, module, TypeDefToken(type_token)) if is_own and type_token is not None else None
        return Value(None, kind, ElementType(code), is_null=True, is_reference=True)
    try:
        element_type = ElementType(code)
    except ValueError:
        return None
    if isinstance(value, Decimal):
        raw = primitives.pack_decimal(value)
    elif primitives.decode(element_type, raw) is None:
        return None
    if type_token is None:
        return Value(None, None, element_type, raw=raw)
    definition = resolve(context.program.modules, module, type_token)
    owner = context.program.modules.get(definition[0]) if definition is not None else None
    if definition is None or owner is None:
        return None
    kind = _own_type(context, owner, definition[1])
    return Value(None, kind, ElementType.VALUETYPE, raw=raw) if kind is not None else None


def _own_type(context: FrameContext, module: LoadedModule, token: TypeDefToken) -> TypeId | None:
    """A type of the module; None where the program has not loaded it."""
    try:
        return context.program.debuggee.make_type(module.id, token)
    except DapDotnetError:
        return None
