"""Types in C# notation: of tokens, of signatures, with their type arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import signatures as sig
from .handles import TableNumber, table_of
from .members import generic_parameters_of

if TYPE_CHECKING:
    from .metadata_index import MetadataIndex

KEYWORDS = {
    "void": "void",
    "bool": "bool",
    "char": "char",
    "int8": "sbyte",
    "uint8": "byte",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    "float32": "float",
    "float64": "double",
    "string": "string",
    "object": "object",
    "nint": "nint",
    "nuint": "nuint",
    "typedref": "System.TypedReference",
    "System.Decimal": "decimal",
}
"""C# keywords of the primitive types."""

_CONVENTIONS = {
    "cdecl": " unmanaged[Cdecl]",
    "stdcall": " unmanaged[Stdcall]",
    "thiscall": " unmanaged[Thiscall]",
    "fastcall": " unmanaged[Fastcall]",
    "unmanaged": " unmanaged",
}
_TUPLE = "System.ValueTuple`"
_REST = 8
"""The type argument of a tuple that is a tuple of the elements from the eighth on."""

_FILE_LOCAL = re.compile(r"<[^<>]*>F[0-9A-F]{64}__")
"""What Roslyn puts before the name of a type that its file keeps for itself."""


def type_display(metadata: MetadataIndex, token: int) -> str:
    """A TypeDef or TypeRef in C# notation: ``Ns.Outer<T>.Inner``."""
    if table_of(token) == TableNumber.TYPE_DEF:
        return type_def_display(metadata, token)
    return plain_name(metadata.type_name(token))


def type_signature_display(
    metadata: MetadataIndex,
    type_: sig.TypeSignature,
    type_parameters: list[str] | None = None,
    method_parameters: list[str] | None = None,
) -> str:
    """A type of a signature in C# notation; generic parameters by the names given, else ``!0``, ``!!0``."""
    return TypeTexts(metadata, type_parameters or [], method_parameters or []).text(type_)


class TypeTexts:
    """Types of signatures in C# notation, by names for the generic parameters."""

    def __init__(self, metadata: MetadataIndex, type_parameters: list[str], method_parameters: list[str]) -> None:
        self.metadata = metadata
        self.type_parameters = type_parameters
        self.method_parameters = method_parameters

    def text(self, type_: sig.TypeSignature) -> str:
        """The type."""
        if isinstance(type_, sig.PrimitiveType):
            return KEYWORDS[type_.name]
        if isinstance(type_, sig.NamedType):
            return type_display_plain(self.metadata, type_.token)
        if isinstance(type_, sig.SzArrayType):
            return self._array(type_, "[]")
        if isinstance(type_, sig.ArrayType):
            return self._array(type_, f"[{',' * (type_.rank - 1)}]")
        if isinstance(type_, sig.GenericInstance):
            return self._instance(type_)
        if isinstance(type_, sig.ByRefType):
            return "ref " + self.text(type_.element)
        if isinstance(type_, sig.PointerType):
            return self.text(type_.element) + "*"
        if isinstance(type_, sig.TypeParameter):
            return _pick(self.type_parameters, type_.number, "!")
        if isinstance(type_, sig.MethodParameter):
            return _pick(self.method_parameters, type_.number, "!!")
        if isinstance(type_, sig.PinnedType):
            return self.text(type_.element)
        if isinstance(type_, sig.ModifiedType):
            text = self.text(type_.element)
            is_readonly = type_.is_required and text.startswith("ref ") and self._is_in(type_.modifier)
            return "ref readonly" + text[3:] if is_readonly else text
        signature = type_.signature
        parts = [self.text(parameter) for parameter in (*signature.parameters, signature.return_type)]
        return f"delegate*{_CONVENTIONS.get(signature.convention, '')}<{', '.join(parts)}>"

    def _is_in(self, modifier: int) -> bool:
        """Whether a modifier is the one of references that may not be written through."""
        return self.metadata.type_name(modifier) == "System.Runtime.InteropServices.InAttribute"

    def _array(self, type_: sig.SzArrayType | sig.ArrayType, suffix: str) -> str:
        # C# writes the outermost rank first: an array of int[,] is int[][,].
        suffixes = suffix
        element = type_.element
        while isinstance(element, (sig.SzArrayType, sig.ArrayType)):
            suffixes += "[]" if isinstance(element, sig.SzArrayType) else f"[{',' * (element.rank - 1)}]"
            element = element.element
        return self.text(element) + suffixes

    def _instance(self, type_: sig.GenericInstance) -> str:
        arguments = [self.text(argument) for argument in type_.arguments]
        if not isinstance(type_.generic, sig.NamedType):
            return f"{self.text(type_.generic)}<{', '.join(arguments)}>"
        name = self.metadata.type_name(type_.generic.token)
        if name == "System.Nullable`1" and len(arguments) == 1:
            return arguments[0] + "?"
        if name.startswith(_TUPLE) and len(arguments) > 1:
            if len(arguments) < _REST:
                return f"({', '.join(arguments)})"
            if (rest := self._tuple_rest(type_.arguments[-1])) is not None:
                return f"({', '.join([*arguments[:-1], *rest])})"
        return with_arguments(name, arguments)

    def _tuple_rest(self, type_: sig.TypeSignature) -> list[str] | None:
        """The elements of a tuple from the eighth on, which are a tuple of their own; None for what is none."""
        found: list[str] = []
        while isinstance(type_, sig.GenericInstance) and isinstance(type_.generic, sig.NamedType):
            if not self.metadata.type_name(type_.generic.token).startswith(_TUPLE):
                return None
            found += [self.text(argument) for argument in type_.arguments[: _REST - 1]]
            if len(type_.arguments) < _REST:
                return found
            type_ = type_.arguments[-1]
        return None


def with_arguments(name: str, arguments: list[str]) -> str:
    """A metadata name with the generic arguments put where their arities stand: ``A`1+B`1`` → ``A<int>.B<string>``."""
    parts = []
    used = 0
    for part in _FILE_LOCAL.sub("", name).split("+"):
        plain, _, arity = part.partition("`")
        if arity.isdigit() and used < len(arguments):
            count = int(arity)
            plain += f"<{', '.join(arguments[used : used + count])}>"
            used += count
        parts.append(plain)
    return ".".join(parts)


def type_display_plain(metadata: MetadataIndex, token: int) -> str:
    """The name of a type without generic parameters, nested with dots."""
    name = metadata.type_name(token)
    return KEYWORDS.get(name) or plain_name(name)


def plain_name(name: str) -> str:
    """A metadata name without arities, nested with dots."""
    return re.sub(r"`\d+", "", _FILE_LOCAL.sub("", name)).replace("+", ".")


def _pick(names: list[str], index: int, prefix: str) -> str:
    return names[index] if index < len(names) else f"{prefix}{index}"


def type_def_display(metadata: MetadataIndex, token: int, arguments: Sequence[str] = ()) -> str:
    """A TypeDef with the type arguments given, and its parameters by name after these."""
    names = [parameter.name for parameter in generic_parameters_of(metadata, token)]
    given = list(arguments[: len(names)])
    return with_arguments(metadata.type_name(token), given + names[len(given) :])
