"""Local constants of a frame: the compiler writes their values where they are used, and keeps them in the PDB."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, TypeId, Value
from dap_dotnet.symbols.local_names import constants_at
from dap_dotnet.symbols.metadata_names import resolve
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values import primitives
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.signature_names import decode_spec, signature_text
from dap_dotnet.values.typenames import shown_names

if TYPE_CHECKING:
    from portablepdb.constants import ConstantValue


class LocalConstant(NamedTuple):
    """A constant in scope: a number, decimal, bool, char, string, null or value of an enum."""

    name: str
    value: Value
    type_name: str
    """Of a null whose type only the PDB has, such as `int[]`; else empty."""


def local_constants(context: FrameContext, module: LoadedModule | None) -> list[LocalConstant]:
    """The constants in scope. Those of an enum that the program has not loaded are left out."""
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
            found.append(LocalConstant(constant.name, value, _spec_name(context, module, decoded.type_token)))
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
        kind = _type_of(context, module, type_token) if type_token is not None else None
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
    kind = _type_of(context, module, type_token)
    return Value(None, kind, ElementType.VALUETYPE, raw=raw) if kind is not None else None


def _spec_name(context: FrameContext, module: LoadedModule, token: int | None) -> str:
    spec = decode_spec(module, token) if token is not None else None
    return signature_text(module, spec, [], shown_names(context.program)) if spec is not None else ""


def _type_of(context: FrameContext, module: LoadedModule, token: int) -> TypeId | None:
    """The type that a TypeDef or TypeRef means; None where the program has not loaded it, and for a TypeSpec."""
    definition = resolve(context.program.modules, module, token)
    if definition is None:
        return None
    try:
        return context.program.debuggee.make_type(*definition)
    except DapDotnetError:
        return None
