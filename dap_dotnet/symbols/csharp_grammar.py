"""tree-sitter's C# grammar, for source that is looked at as a whole: text -> its tree."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode
    from tree_sitter import Parser

_MAX_LENGTH = 8192
_MAX_LESS_THAN = 400  # the grammar tries each < as the start of type arguments: this bounds the tries


@lru_cache(maxsize=1)
def grammar() -> Parser:
    """The parser, made when it is first used."""
    import tree_sitter
    import tree_sitter_c_sharp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c_sharp.language()))


def tree_of(text: str) -> TreeNode | None:
    """The root of what the grammar makes of a piece of source; None for one that may take it long."""
    if len(text) > _MAX_LENGTH or text.count("<") > _MAX_LESS_THAN:
        return None
    return grammar().parse(text.encode("utf-8", "surrogatepass")).root_node
