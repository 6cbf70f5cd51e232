"""tree-sitter's C# grammar: text -> its tree."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.syntax.scanner import scan

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode
    from tree_sitter import Parser


@lru_cache(maxsize=1)
def grammar() -> Parser:
    """The parser, made when it is first used."""
    import tree_sitter
    import tree_sitter_c_sharp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c_sharp.language()))


def tree_of(text: str) -> TreeNode:
    """The root of what the grammar makes of any text. Raises `SyntaxFault` for one that nests too deeply for it."""
    scan(text)
    return grammar().parse(text.encode("utf-8", "surrogatepass")).root_node
