"""Where in the source the calls of a statement are written, as far as their names tell without doubt. Pure.

The source gives the names of calls in the order of their evaluation, the IL does so, too: where both have the same
number of a name, they are the same calls. Where they have not, since a field has the name of a property or a
call was compiled away, the places of that name are left out; as they are in source that is not the one compiled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.symbols.csharp_grammar import tree_of
from dap_dotnet.symbols.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_OPERATORS = {
    "op_Addition": "+",
    "op_Subtraction": "-",
    "op_Multiply": "*",
    "op_Division": "/",
    "op_Modulus": "%",
    "op_BitwiseAnd": "&",
    "op_BitwiseOr": "|",
    "op_ExclusiveOr": "^",
    "op_LeftShift": "<<",
    "op_RightShift": ">>",
    "op_Equality": "==",
    "op_Inequality": "!=",
    "op_LessThan": "<",
    "op_LessThanOrEqual": "<=",
    "op_GreaterThan": ">",
    "op_GreaterThanOrEqual": ">=",
}
_FORMS = (("", ""), ("", ";"), ("", "{}"), ("_=", ";"))
"""What makes a statement of the piece of source that the PDB has: a part of a header, an expression."""
_OTHER_METHODS = (
    "lambda_expression",
    "anonymous_method_expression",
    "local_function_statement",
    "query_expression",
    "attribute_list",
)
_REORDERED = ("conditional_expression", "switch_expression")
"""Of them the compiler writes a later part first."""
_NAMES = ("identifier", "generic_name")
_MEMBERS = ("member_access_expression", "member_binding_expression")
_CONDITIONAL = "conditional_access_expression"


class Written(Struct, frozen=True):
    """A call in the source: `key` as `key_of` has it, and its place in bytes of the parsed text."""

    key: str
    start: int
    end: int


def key_of(type_name: str, method: str) -> str | None:
    """What a method is called by in the source: `F()`, `get P`, `set P`, `new T`, `+`; None for what has no name there.

    `type_name` and `method` are metadata names: `Ns.List`1`, `get_P`, `op_Addition`, `<Main>g__Local|0_0`.
    """
    if method == ".ctor":
        return "new " + type_name.replace("+", ".").rpartition(".")[2].partition("`")[0]
    if method.startswith(("get_", "set_")):
        return f"{method[:3]} {method[4:]}"
    if method.startswith("op_"):
        return _OPERATORS.get(method)
    if method.startswith("<"):
        _, is_local, name = method.partition(">g__")
        return f"{name.partition('|')[0]}()" if is_local else None
    return f"{method}()"


def call_places(lines: Sequence[str], span: Span, keys: Sequence[str | None]) -> list[Span | None]:
    """The places of calls, given by their keys in the order of the IL; None where it is not known.

    `lines` are the document's, `span` is the statement in them.
    """
    places: list[Span | None] = [None] * len(keys)
    text = _text(lines, span)
    written = _written(text) if text else None
    if written is None:
        return places
    found, is_reordered, prefix = written
    by_key: dict[str, list[Written]] = defaultdict(list)
    for one in found:
        by_key[one.key].append(one)
    for key, same in by_key.items():
        called = [number for number, each in enumerate(keys) if each == key]
        if len(called) == len(same) and (len(same) == 1 or not is_reordered):
            for number, one in zip(called, same, strict=True):
                places[number] = _span(text, one.start - prefix, one.end - prefix, span)
    return places


def _text(lines: Sequence[str], span: Span) -> str:
    """The source of a span, whose columns count UTF-16 units from 1; empty where the lines do not have it."""
    taken = list(lines[span.line - 1 : span.end_line])
    if len(taken) != span.end_line - span.line + 1:
        return ""
    taken[-1] = _utf16(taken[-1])[: 2 * (span.end_column - 1)].decode("utf-16-le", "surrogatepass")
    taken[0] = _utf16(taken[0])[2 * (span.column - 1) :].decode("utf-16-le", "surrogatepass")
    return "\n".join(taken)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _written(text: str) -> tuple[list[Written], bool, int] | None:
    """The calls of a statement in the order of their evaluation, whether some may be in another, the bytes before it.

    None where it is no C# statement.
    """

    for before, after in _FORMS:
        root = tree_of(before + text + after)
        if root is None:
            return None
        if not root.has_error:
            nodes = list(_in_order(root))
            is_reordered = any(node.type in _REORDERED for node in nodes)
            found = [one for node in nodes for one in _calls_of(node)]
            return found, is_reordered, len(before.encode())
    return None


def _in_order(root: TreeNode) -> Iterator[TreeNode]:
    """All nodes, each after those below it; without those of other methods and of `nameof`."""
    pending = [(root, False)]
    while pending:
        node, is_below_done = pending.pop()
        if is_below_done:
            yield node
        elif node.type not in _OTHER_METHODS and not _is_nameof(node):
            pending.append((node, True))
            pending += [(child, False) for child in reversed(node.children)]


def _is_nameof(node: TreeNode) -> bool:
    callee = node.child_by_field_name("function") if node.type == "invocation_expression" else None
    return callee is not None and callee.text == b"nameof"


def _calls_of(node: TreeNode) -> Iterator[Written]:
    if node.type == "invocation_expression":
        callee = node.child_by_field_name("function")
        name = _name_of(callee) if callee is not None else None
        if name is not None:
            yield Written(f"{_plain(name)}()", name.start_byte, node.end_byte)
    elif node.type == "object_creation_expression":
        made = node.child_by_field_name("type")
        if made is not None:
            yield Written(f"new {_plain(made).rpartition('.')[2]}", node.start_byte, node.end_byte)
    elif node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None:
            yield Written(operator.type, node.start_byte, node.end_byte)
    elif node.type == "identifier":
        for accessor in _accessors(node):
            yield Written(f"{accessor} {_plain(node)}", node.start_byte, node.end_byte)


def _accessors(name: TreeNode) -> tuple[str, ...]:
    """What a name would do if it were a property's."""
    whole, parent = name, name.parent
    while parent is not None and parent.type in (*_MEMBERS, _CONDITIONAL):
        last = parent.children[-1] if parent.type == _CONDITIONAL else parent.child_by_field_name("name")
        if last != whole:
            return ("get",)  # the object of a member
        whole, parent = parent, parent.parent
    if parent is None or (parent.type == "invocation_expression" and parent.child_by_field_name("function") == whole):
        return ()
    if parent.type in ("variable_declarator", "argument", "parameter", "name_colon", "declaration_expression"):
        return () if parent.child_by_field_name("name") == whole else ("get",)
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == whole:
        operator = parent.child_by_field_name("operator")
        return ("set",) if operator is None or operator.type == "=" else ("get", "set")
    if parent.type in ("prefix_unary_expression", "postfix_unary_expression") and parent.text is not None:
        changes = parent.text.startswith((b"++", b"--")) or parent.text.endswith((b"++", b"--"))
        return ("get", "set") if changes else ("get",)
    return ("get",)


def _name_of(callee: TreeNode) -> TreeNode | None:
    """The name of what an expression calls; None where it calls what has no name."""
    if callee.type == _CONDITIONAL:
        callee = callee.children[-1]
    if callee.type in _MEMBERS:
        return callee.child_by_field_name("name")
    return callee if callee.type in _NAMES else None


def _plain(name: TreeNode) -> str:
    """A name without its type arguments and `@`."""
    return (name.text or b"").decode("utf-8", "replace").partition("<")[0].strip().removeprefix("@")


def _span(text: str, start: int, end: int, origin: Span) -> Span:
    """A place in the statement's bytes as one in the document."""
    data = text.encode("utf-8", "surrogatepass")
    line, column = _position(data[:start], origin)
    end_line, end_column = _position(data[:end], origin)
    return Span(line, column, end_line, end_column)


def _position(before: bytes, origin: Span) -> tuple[int, int]:
    head, _, last = before.decode("utf-8", "surrogatepass").rpartition("\n")
    lines = head.count("\n") + 1 if b"\n" in before else 0
    units = len(_utf16(last)) // 2
    return origin.line + lines, units + (1 if lines else origin.column)
