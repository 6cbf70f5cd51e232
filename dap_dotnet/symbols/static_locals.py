"""`Static` locals of Visual Basic: fields of the class, whose names say which method's they are.

`$STATIC$Work$20188$total` is the local `total` of a method Work, whose signature has the bytes 20, 1, 8 and 8.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken, TypeDefToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.types import FieldInfo, members

_METHOD_DEF = 0x06
_PREFIX = "$STATIC$"
_INITIALISED = "$Init"
"""The end of the names of the fields that say whether a local has its first value."""


def _of_method(module: LoadedModule, method: MethodToken) -> dict[str, FieldInfo]:
    metadata = module.metadata
    if metadata is None:
        return {}
    own = metadata.method(method)
    fields = [
        field
        for field in members(module, TypeDefToken(own.declaring_type)).fields
        if field.name.startswith(f"{_PREFIX}{own.name}$") and not field.name.endswith(_INITIALISED)
    ]
    if not fields:
        return {}
    signature = metadata.image.blobs[metadata.image.table(_METHOD_DEF).row(method & 0xFFFFFF).signature]
    prefix = f"{_PREFIX}{own.name}${''.join(f'{byte:x}' for byte in signature)}$"
    return {field.name[len(prefix) :]: field for field in fields if field.name[: len(prefix)].lower() == prefix.lower()}


static_locals = ModuleMemo("static locals of methods", _of_method)
"""The fields of a method's static locals by the names in the source. Shared: nobody changes it."""
