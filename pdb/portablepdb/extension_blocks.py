"""Members of C# 14's extension blocks: which method of the block a static method is the code of.

The compiler makes a static method of each, in the class that has the block. The member itself, without code, is in a
nested type that stands for the blocks of one receiver; there are its flags and its own parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .members import Method, methods_of, type_def

if TYPE_CHECKING:
    from .metadata_index import MetadataIndex

_BLOCK = "<G>$"
_SPECIAL_NAME = 0x800
_PREFIXES = ("get_", "set_", "op_")


def special_extension_member(metadata: MetadataIndex, method: Method) -> Method | None:
    """The accessor or operator of an extension block that a static method is the code of; None for other methods."""
    if not method.is_static or not method.name.startswith(_PREFIXES) or method.row.flags & _SPECIAL_NAME:
        return None
    for nested in metadata.nested_type_tokens(metadata.declaring_type_token(method)):
        if type_def(metadata, nested).name.startswith(_BLOCK):
            for member in methods_of(metadata, nested):
                if member.name == method.name and member.row.flags & _SPECIAL_NAME:
                    return member
    return None
