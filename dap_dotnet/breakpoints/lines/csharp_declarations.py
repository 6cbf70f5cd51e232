"""The declarations of a C# source, also of the code in a Razor file, by its syntax."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.lines.declarations import Declaration, Position
from dap_dotnet.symbols.csharp_grammar import grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_LOCAL_FUNCTION = "local_function_statement"
_FUNCTIONS = (
    _LOCAL_FUNCTION,
    "method_declaration",
    "constructor_declaration",
    "destructor_declaration",
    "operator_declaration",
    "conversion_operator_declaration",
    "property_declaration",
    "indexer_declaration",
    "event_declaration",
    "accessor_declaration",
    "lambda_expression",
    "anonymous_method_expression",
)
_TYPES = ("class_declaration", "struct_declaration", "record_declaration", "interface_declaration")
_RAZOR_CODE = re.compile(rb"^([ \t]*)@(?:code|functions)(?=\s*\{)", re.MULTILINE)
_BEGINNING = re.compile(rb"\S")


class CSharpDeclarations:
    """See the module's docstring."""

    def __init__(self, lines: Sequence[str]) -> None:
        encoded = [line.encode("utf-8", "surrogatepass") for line in lines]
        self._starts = list(accumulate((len(line) + 1 for line in encoded), initial=0))
        """Of each line, in bytes of the text."""
        self._text = _without_markup(b"\n".join(encoded))
        self._root = grammar().parse(self._text).root_node

    def around(self, line: int) -> Declaration | None:
        """See `Declarations.around`."""
        if not 1 <= line < len(self._starts):
            return None
        start = self._starts[line - 1]
        first = node = self._first_token(start)
        is_on_line = first is not None and first.start_byte < self._starts[line]
        while node is not None:
            if _is_type(node):
                return self._type_header(node, start) if is_on_line else None
            if node.type in _FUNCTIONS and (is_on_line or node.start_byte < start or node.type == _LOCAL_FUNCTION):
                return Declaration(self._position(node.end_byte), self._local_functions([node]))
            if node.type == "global_statement" and node.parent is not None:
                statements = [child for child in node.parent.children if child.type == node.type]
                if is_on_line or statements[0].start_byte < start:
                    return Declaration(self._position(statements[-1].end_byte), self._local_functions(statements))
                return None
            node = node.parent
        return None

    def start_around(self, position: Position) -> Position | None:
        """See `Declarations.start_around`."""
        line, column = position
        if not 1 <= line < len(self._starts):
            return None
        units = self._text[self._starts[line - 1] : self._starts[line]].decode("utf-8", "surrogatepass")
        before = units.encode("utf-16-le", "surrogatepass")[: 2 * (column - 1)].decode("utf-16-le", "surrogatepass")
        offset = self._starts[line - 1] + len(before.encode("utf-8", "surrogatepass"))
        node = self._root.descendant_for_byte_range(offset, offset)
        while node is not None and node.type not in _FUNCTIONS:
            node = node.parent
        return self._position(node.start_byte) if node is not None else None

    def _first_token(self, offset: int) -> Node | None:
        """The first that is neither a comment nor part of a directive, on the line at an offset or below."""
        while True:
            found = _BEGINNING.search(self._text, offset)
            if found is None:
                return None
            node = self._root.descendant_for_byte_range(found.start(), found.end())
            if node is None:
                return None
            if node.type == "comment":
                offset = node.end_byte
            elif found.group() == b"#":
                offset = self._starts[bisect_right(self._starts, found.start())]
            else:
                return node

    def _type_header(self, node: Node, start: int) -> Declaration | None:
        """Of a type with a primary constructor, up to its body."""
        body = node.child_by_field_name("body")
        end = node.end_byte if body is None else body.start_byte
        has_parameters = any(child.type == "parameter_list" for child in node.children)
        return Declaration(self._position(end), is_type=True) if has_parameters and start < end else None

    def _local_functions(self, nodes: Iterable[Node]) -> tuple[tuple[Position, Position], ...]:
        found = [each for node in nodes for child in node.children for each in _outermost_local_functions(child)]
        return tuple((self._position(each.start_byte), self._position(each.end_byte)) for each in found)

    def _position(self, offset: int) -> Position:
        line = min(bisect_right(self._starts, offset), len(self._starts) - 1)
        before = self._text[self._starts[line - 1] : offset].decode("utf-8", "surrogatepass")
        return line, len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1


def _outermost_local_functions(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == _LOCAL_FUNCTION:
            yield current
        else:
            pending += current.children


def _is_type(node: Node) -> bool:
    """The grammar takes a block of extension members for a constructor."""
    name = node.child_by_field_name("name") if node.type == "constructor_declaration" else None
    return node.type in _TYPES or (name is not None and name.text == b"extension")


def _without_markup(text: bytes) -> bytes:
    """Of a Razor file the members in its `@code { … }` as those of a class, each where it was; other text as it is."""
    code = _RAZOR_CODE.search(text)
    if code is None:
        return text
    blank = re.sub(rb"[^\n]", b" ", text[: code.start()])
    members = _RAZOR_CODE.sub(lambda each: (each[1] + b"class").ljust(len(each[0])), text[code.start() :])
    return blank + members
