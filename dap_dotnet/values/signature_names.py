"""Names in C# notation of the types that a module's metadata writes as signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.typenames import Named

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

_TYPE_SPEC = 0x1B


def decode_spec(module: LoadedModule, token: int) -> TypeSignature | None:
    """The type that a TypeSpec is; None for other tokens."""
    from portablepdb.signatures import decode_type

    metadata = module.metadata
    if metadata is None or token >> 24 != _TYPE_SPEC:
        return None
    return decode_type(metadata.blob(metadata.image.table(_TYPE_SPEC).row(token & 0xFFFFFF).signature))


def signature_text(module: LoadedModule, signature: TypeSignature, arguments: list[str], named: Named) -> str:
    """A type of a signature in C# notation, by the names of the type arguments in force."""
    from portablepdb import signatures as sig
    from portablepdb.type_display import type_signature_display

    assert module.metadata is not None
    brackets = ""
    while isinstance(signature, sig.SzArrayType | sig.ArrayType):  # C# writes the outermost dimensions first
        brackets += "[]" if isinstance(signature, sig.SzArrayType) else f"[{',' * (signature.rank - 1)}]"
        signature = signature.element
    if brackets:
        return signature_text(module, signature, arguments, named) + brackets
    if isinstance(signature, sig.NamedType):
        return named(module.metadata.type_name(signature.token), ())
    if isinstance(signature, sig.GenericInstance) and isinstance(signature.generic, sig.NamedType):
        inner = tuple(signature_text(module, one, arguments, named) for one in signature.arguments)
        return named(module.metadata.type_name(signature.generic.token), inner)
    return type_signature_display(module.metadata, signature, arguments)
