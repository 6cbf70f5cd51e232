"""How a field is read where it is known by name: its token, its exact type, and what it holds at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.data.stores import FieldName
from dap_dotnet.runtime.model import FieldRef, FieldToken, ModuleId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import hierarchy

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

_DEFAULTS = {0x02: "false", 0x03: "'\\0'", 0x0E: "null", 0x1C: "null"}
"""By ELEMENT_TYPE (ECMA-335 II.23.1.16); 0 for the other primitives."""


def field_token_of(program: Program, module: ModuleId, type_def: int | None, name: str) -> FieldToken | None:
    """The Field token of a TypeDef's field."""
    loaded = program.modules.get(module)
    if loaded is None or loaded.metadata is None or type_def is None:
        return None
    return next((FieldToken(one.token) for one in loaded.metadata.fields_of(type_def) if one.name == name), None)


def declared_field(program: Program, owner: Value, field: FieldName) -> FieldRef | None:
    """How to read a field of an object or struct: with the exact type among its own and its bases that declares it."""
    for type_id, members in hierarchy(program, owner.type):
        info = program.debuggee.type_info(type_id)
        loaded = program.modules.get(info.module)
        if loaded is None or loaded.metadata is None or info.token is None:
            continue
        if loaded.metadata.type_name(info.token) == field.type_name:
            found = next((one for one in members.fields if one.name == field.name), None)
            return FieldRef(type_id, found.token) if found is not None else None
    return None


def default_text(program: Program, field: FieldName) -> str:
    """What a field shows before anything was stored."""
    from portablepdb.signatures import PrimitiveType

    signature = _signature(program, field)
    if isinstance(signature, PrimitiveType):
        return _DEFAULTS.get(signature.code, "0")
    return "default" if signature is None or _is_struct(signature) else "null"


def is_declared_reference(program: Program, field: FieldName) -> bool:
    """Whether a field is declared with a reference type. A type parameter can be both: then it counts as none."""
    from portablepdb.signatures import MethodParameter, PrimitiveType, TypeParameter

    signature = _signature(program, field)
    if isinstance(signature, PrimitiveType):
        return signature.code in (0x0E, 0x1C)  # string, object
    return (
        signature is not None
        and not isinstance(signature, (MethodParameter, TypeParameter))
        and (not _is_struct(signature))
    )


def _is_struct(signature: TypeSignature) -> bool:
    from portablepdb.signatures import GenericInstance, NamedType

    found = signature.generic if isinstance(signature, GenericInstance) else signature
    return isinstance(found, NamedType) and found.is_value_type


def _signature(program: Program, field: FieldName) -> TypeSignature | None:
    """The declared type of a field; None when no loaded module has it."""
    from portablepdb import PortablePdbError
    from portablepdb.signatures import ModifiedType

    for loaded in program.modules:
        try:
            token = loaded.metadata.find_type(field.type_name) if loaded.metadata is not None else None
            field_token = field_token_of(program, loaded.id, token, field.name)
            if loaded.metadata is None or field_token is None:
                continue
            signature = loaded.metadata.field(field_token).signature
        except PortablePdbError:
            continue
        while isinstance(signature, ModifiedType):  # volatile
            signature = signature.element
        return signature
    return None
