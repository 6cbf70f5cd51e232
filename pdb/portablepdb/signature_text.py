"""Signatures as text, in the notation of the canonical dump: ``valuetype N.S[]``, ``instance void(int32,!0)``."""

from __future__ import annotations

from collections.abc import Callable

from . import signatures as sig

NameOf = Callable[[int], str]
"""Gives the name of a TypeDef, TypeRef or TypeSpec token."""


def type_text(type_: sig.TypeSignature, name_of: NameOf) -> str:
    """A type as text."""
    if isinstance(type_, sig.PrimitiveType):
        return type_.name
    if isinstance(type_, sig.NamedType):
        return ("valuetype " if type_.is_value_type else "class ") + name_of(type_.token)
    if isinstance(type_, sig.SzArrayType):
        return type_text(type_.element, name_of) + "[]"
    if isinstance(type_, sig.GenericInstance):
        arguments = ",".join([type_text(argument, name_of) for argument in type_.arguments])
        return f"{type_text(type_.generic, name_of)}<{arguments}>"
    if isinstance(type_, sig.ByRefType):
        return type_text(type_.element, name_of) + "&"
    if isinstance(type_, sig.PointerType):
        return type_text(type_.element, name_of) + "*"
    if isinstance(type_, sig.TypeParameter):
        return f"!{type_.number}"
    if isinstance(type_, sig.MethodParameter):
        return f"!!{type_.number}"
    if isinstance(type_, sig.ModifiedType):
        word = "modreq" if type_.is_required else "modopt"
        return f"{type_text(type_.element, name_of)} {word}({name_of(type_.modifier)})"
    if isinstance(type_, sig.PinnedType):
        return type_text(type_.element, name_of) + " pinned"
    if isinstance(type_, sig.ArrayType):
        sizes = ",".join(map(str, type_.sizes))
        bounds = ",".join(map(str, type_.lower_bounds))
        return f"{type_text(type_.element, name_of)}[r:{type_.rank} s:{sizes} l:{bounds}]"
    return f"fnptr({method_text(type_.signature, name_of)})"


def method_text(signature: sig.MethodSignature, name_of: NameOf) -> str:
    """A method or property signature as text."""
    words = []
    if signature.has_this:
        words.append("instance")
    if signature.has_explicit_this:
        words.append("explicit")
    if signature.convention:
        words.append(signature.convention)
    if signature.generic_count:
        words.append(f"<{signature.generic_count}>")
    parameters = [type_text(parameter, name_of) for parameter in signature.parameters]
    if signature.required_count < len(parameters):
        parameters[signature.required_count] = "...," + parameters[signature.required_count]
    words.append(f"{type_text(signature.return_type, name_of)}({','.join(parameters)})")
    return " ".join(words)
