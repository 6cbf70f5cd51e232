"""The parser's nodes -> our tree of expressions. Recursion is bounded: the parser has checked the depth."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import literals, pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.access_chains import AccessChains, chain_of
from dap_dotnet.evaluation.syntax.creation_builder import CreationBuilder, implied_name
from dap_dotnet.evaluation.syntax.hidden_indirections import HIDING
from dap_dotnet.evaluation.syntax.literal_builder import build_interpolated, build_raw, build_string
from dap_dotnet.evaluation.syntax.nodes import (
    Places,
    check_operand,
    child,
    excerpt,
    identifier,
    named_children,
    node_text,
)
from dap_dotnet.evaluation.syntax.operator_builder import CHAINS, OperatorBuilder
from dap_dotnet.evaluation.syntax.pattern_builder import PatternParts, build_pattern, with_designation
from dap_dotnet.evaluation.syntax.query_builder import build_query
from dap_dotnet.evaluation.syntax.scanner import SyntaxFault
from dap_dotnet.evaluation.syntax.statement_builder import StatementBuilder, lambda_parameters
from dap_dotnet.evaluation.syntax.statement_tree import Return
from dap_dotnet.evaluation.syntax.tree import Argument, Node, Place, placed, starts_of
from dap_dotnet.evaluation.syntax.type_builder import build_type
from dap_dotnet.evaluation.syntax.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_UNSUPPORTED = {
    "stackalloc_expression": "an expression has no stack of its own for stackalloc; use new",
    "implicit_stackalloc_expression": "an expression has no stack of its own for stackalloc; use new",
    "ref_expression": "ref is not supported",
    "makeref_expression": "__makeref is not supported",
}

_RESERVED = re.compile(r"Item[1-9]\d*|Rest|ToString|Equals|GetHashCode|CompareTo")
"""Names that elements of tuples are not given for what they are of."""


class TreeBuilder:
    """Builds the tree of the expression in a text; `parse` parses the holes of its interpolated strings, each behind so
    many characters of the user's text. `places` are those of the nodes, which may be of a text that was put right for
    the grammar.
    """

    def __init__(self, parse: Callable[[str, int], Node], text: str, places: Places) -> None:
        self.parse = parse
        self.text = text
        self.places = places
        self._written = Written(text, places)
        self.creations = CreationBuilder(self.build, self.arguments, self.type, places)
        self._chains = AccessChains()
        self._in_name_of = False
        """Whether parentheses and `!` are kept, which the argument of nameof cannot have."""
        self.operators = OperatorBuilder(self.build, self.pattern, self.type, self._chains.settle, places)
        self.statements = StatementBuilder(self.build, self.pattern, self.creations, self.type, places)

    def build(self, node: TreeNode) -> Node:
        """Any expression. Raises `EvaluationError` for what the engine does not know."""
        links, base = chain_of(node)
        if links and self._chains.settle(node) == base:
            links = []
        result = self._unchained(base)
        for link in links:
            result = _ACCESSES[link.type](self, link, result, self.places.start(link))
        for link in self._chains.taken(node):
            result = _ACCESSES[link.type](self, link, result, result.at.start)
        return result

    def _unchained(self, node: TreeNode) -> Node:
        handler = _HANDLERS.get(node.type)
        try:
            if handler is None:
                said = _UNSUPPORTED.get(node.type, f"this kind of expression is not supported ({node.type})")
                raise EvaluationError(f"{said[0].upper()}{said[1:]}: '{excerpt(node)}'")
            return placed(handler(self, node), self.places.of(node))
        except EvaluationError as error:
            error.trail.append(self.places.of(node))
            raise

    def field(self, node: TreeNode, name: str) -> Node:
        """The expression in a field of a node."""
        return self.build(child(node, name))

    def pattern(self, node: TreeNode) -> pattern_tree.Pattern:
        """A pattern."""
        return build_pattern(PatternParts(self.build, self._chains.settle, self.type, self.places), node)

    def type(self, node: TreeNode) -> syntax.TypeSyntax:
        """A type."""
        return build_type(node, self.places)

    def arguments(self, node: TreeNode | None) -> tuple[Argument, ...]:
        """The arguments of a call, an indexer or a tuple."""
        if node is None:
            return ()
        return tuple(self._argument(entry) for entry in node.named_children if entry.type == "argument")

    def _argument(self, node: TreeNode) -> Argument:
        name = node.child_by_field_name("name")
        modifier = next((entry.type for entry in node.children if entry.type in ("ref", "out", "in")), "")
        value = named_children(node)[-1]
        given = identifier(name) if name is not None else None
        return Argument(self.build(value), given, modifier, self._written.text(value))

    def _declaration(self, node: TreeNode) -> Node:
        kind = child(node, "type")
        if kind.type == "pointer_type" and not _is_out(node):
            # The grammar takes `(x: a * b)` for a declaration of a pointer.
            name = child(node, "name")
            right = syntax.Name(identifier(name), at=self.places.of(name))
            return syntax.Binary("*", self.build(named_children(kind)[0]), right)
        wanted = None if kind.type == "implicit_type" else self.type(kind)
        return syntax.Declaration(wanted, identifier(child(node, "name")))

    # names and members

    def _identifier(self, node: TreeNode) -> Node:
        return syntax.Name(identifier(node))

    def _generic_name(self, node: TreeNode) -> Node:
        named = self.type(node)
        assert isinstance(named, syntax.NamedTypeSyntax)
        part = named.parts[0]
        if part.unbound and not self._in_name_of:
            raise Diagnostic("CS0305", "method group", part.name, part.unbound)
        return syntax.Name(part.name, part.arguments, part.unbound)

    def _qualified_name(self, node: TreeNode) -> Node:
        """`A.B` where the grammar read a type name."""
        name, arguments = self._member_name(node)
        at = Place(self.places.start(node), self.places.start(child(node, "name")))
        return syntax.Member(self.field(node, "qualifier"), name, arguments, at=at)

    def _alias_qualified(self, node: TreeNode) -> Node:
        name = node.child_by_field_name("name")
        alias = node.child_by_field_name("alias")
        if name is None or alias is None or node_text(alias) != "global":
            raise EvaluationError(f"Only the alias global:: is supported: '{excerpt(node)}'")
        return self.build(name)

    def _predefined(self, node: TreeNode) -> Node:
        return syntax.KeywordType(syntax.PredefinedTypeSyntax(node_text(node)))

    def _member(self, node: TreeNode, target: Node, start: int) -> Node:
        name, arguments = self._member_name(node)
        if any(entry.type == "->" for entry in node.children):
            target = syntax.Unary("*", target, at=target.at)
        at = Place(start, self.places.start(child(node, "name")))
        dot = self._hidden(node, ".")
        if dot is not None:
            start_of_access = self.places.start(dot)
            access = syntax.Member(syntax.Receiver(), name, arguments, at=Place(start_of_access, start_of_access))
            return syntax.ConditionalAccess(target, access, at=Place(start, start))
        return continued(target, lambda inner: syntax.Member(inner, name, arguments, at=at))

    def _hidden(self, node: TreeNode, opening: str) -> TreeNode | None:
        """The dot or bracket of an access by `?.` or `?[` that was hidden from the grammar, left of an assignment."""
        token = next((one for one in reversed(node.children) if one.type == opening), None)
        at = self.places.before(token) if token is not None else 0
        return token if self.text[max(at - 1, 0) : at] == "?" else None

    def _member_name(self, node: TreeNode) -> tuple[str, tuple[syntax.TypeSyntax, ...]]:
        name = child(node, "name")
        if name.type == "generic_name":
            named = self.type(name)
            assert isinstance(named, syntax.NamedTypeSyntax)
            part = named.parts[0]
            if part.unbound and not self._in_name_of and node.type != "qualified_name":
                raise Diagnostic("CS0305", "method group", part.name, part.unbound)
            return part.name, part.arguments
        return identifier(name), ()

    def _element_access(self, node: TreeNode, target: Node, start: int) -> Node:
        arguments = self.arguments(node.child_by_field_name("subscript"))
        at = Place(start, start, starts_of(one.value for one in arguments))
        subscript = node.child_by_field_name("subscript")
        if subscript is not None and self._hidden(subscript, "[") is not None:
            at = Place(self.places.start(subscript), self.places.start(subscript), at.arguments)
            return syntax.ConditionalAccess(target, syntax.Index(syntax.Receiver(), arguments, at=at), at=at)
        return continued(target, lambda inner: syntax.Index(inner, arguments, at=at))

    def _invocation(self, node: TreeNode, target: Node, start: int) -> Node:
        outer, self._in_name_of = self._in_name_of, isinstance(target, syntax.Name) and target.name == "nameof"
        arguments = self.arguments(node.child_by_field_name("arguments"))
        self._in_name_of = outer
        if isinstance(target, pattern_tree.IsPattern) and target.pattern == pattern_tree.TypePattern(None, None):
            return with_designation(target, arguments)
        receiver = self._written.receiver(node)
        starts = starts_of(one.value for one in arguments)
        return continued(
            target, lambda inner: syntax.Call(inner, arguments, receiver, at=Place(start, inner.at.name, starts))
        )

    def _conditional_access(self, node: TreeNode, target: Node, start: int) -> Node:
        return syntax.ConditionalAccess(target, self.build(named_children(node)[-1]), at=Place(start, start))

    def _member_binding(self, node: TreeNode) -> Node:
        name, arguments = self._member_name(node)
        return syntax.Member(syntax.Receiver(), name, arguments, at=self.places.of(node))

    def _element_binding(self, node: TreeNode) -> Node:
        arguments = self.arguments(node)
        start = self.places.start(node)
        return syntax.Index(
            syntax.Receiver(), arguments, at=Place(start, start, starts_of(one.value for one in arguments))
        )

    def _parenthesized(self, node: TreeNode) -> Node:
        inner = self.build(named_children(node)[0])
        is_kept = isinstance(inner, syntax.ConditionalAccess) or self._in_name_of
        return syntax.Parenthesized(inner) if is_kept else inner

    def _suppression(self, node: TreeNode, target: Node, start: int) -> Node:
        """`target!`, which changes nothing."""
        return syntax.Parenthesized(target, at=Place(start, start)) if self._in_name_of else target

    # operators

    def _prefix(self, node: TreeNode) -> Node:
        operator = node.children[0].type
        if operator == HIDING:
            operator = self.text[self.places.before(node)]
        operand = named_children(node)[0]
        check_operand(operand)
        inner = self.build(operand)
        if operator in ("++", "--"):
            return syntax.Increment(inner, operator, True)
        if operator == "-" and isinstance(inner, syntax.Literal) and operand.type == "integer_literal":
            merged = literals.negated(inner, node_text(operand))
            if merged is not None:
                return merged
        return syntax.Unary(operator, inner)

    def _postfix(self, node: TreeNode) -> Node:
        return syntax.Increment(self.build(node.children[0]), node.children[-1].type, False)

    def _assignment(self, node: TreeNode) -> Node:
        target, operator, value = self.field(node, "left"), child(node, "operator").type, self.field(node, "right")
        at = self.places.of(node)
        return continued(target, lambda inner: syntax.Assignment(inner, operator, value, at=_of_access(inner) or at))

    def _conditional(self, node: TreeNode) -> Node:
        branches = [child(node, name) for name in ("consequence", "alternative")]
        are_references = [branch.type == "ref_expression" for branch in branches]
        if any(are_references) and not all(are_references):
            raise Diagnostic("CS8325")
        first, second = (
            self.build(named_children(branch)[0] if is_reference else branch)
            for branch, is_reference in zip(branches, are_references, strict=True)
        )
        return syntax.Conditional(self.field(node, "condition"), first, second, are_references[0])

    def _cast(self, node: TreeNode) -> Node:
        check_operand(child(node, "value"))
        return syntax.Cast(self._type(node, "type"), self.field(node, "value"))

    def _switch(self, node: TreeNode) -> Node:
        children = named_children(node)
        if self._chains.settle(children[0]).type in CHAINS:
            raise EvaluationError(f"Write parentheses around what 'switch' tests: '{excerpt(children[0])}'")
        arms = []
        for arm in children[1:]:
            parts = named_children(arm)
            guard = next((part for part in parts if part.type == "when_clause"), None)
            arms.append(
                pattern_tree.Arm(
                    self.pattern(parts[0]),
                    self.build(named_children(guard)[0]) if guard is not None else None,
                    self.build(parts[-1]),
                )
            )
        return pattern_tree.Switch(self.build(children[0]), tuple(arms))

    def _type(self, node: TreeNode, name: str) -> syntax.TypeSyntax:
        return self.type(child(node, name))

    def _typeof(self, node: TreeNode) -> Node:
        return syntax.TypeOf(self._type(node, "type"))

    def _sizeof(self, node: TreeNode) -> Node:
        return syntax.SizeOf(self._type(node, "type"))

    def _default(self, node: TreeNode) -> Node:
        wanted = node.child_by_field_name("type")
        return syntax.Default(self.type(wanted) if wanted is not None else None)

    def _checked(self, node: TreeNode) -> Node:
        return syntax.Checked(self.build(named_children(node)[0]), node.children[0].type == "checked")

    def _tuple(self, node: TreeNode) -> Node:
        items = self.arguments(node)
        implied = [item.name or implied_name(item.value) for item in items]
        names = [
            given or (name if name and implied.count(name) == 1 and not _RESERVED.fullmatch(name) else None)
            for given, name in zip([item.name for item in items], implied, strict=True)
        ]
        return syntax.Tuple(tuple(item.value for item in items), tuple(names))

    def _lambda(self, node: TreeNode) -> Node:
        parameters, body = child(node, "parameters"), child(node, "body")
        names, kinds = lambda_parameters(parameters, self.type)
        arrow = next(entry for entry in node.children if entry.type == "=>")
        at, is_async = Place(self.places.start(node), self.places.start(arrow)), _is_async(node)
        if body.type != "block":
            return syntax.Lambda(names, self.build(body), kinds, is_async, at=at)
        block = self.statements.block(body)
        only = block.statements[0] if len(block.statements) == 1 else None
        if isinstance(only, Return) and only.value is not None and not is_async:
            return syntax.Lambda(names, only.value, kinds, at=at)
        return syntax.Lambda(names, block, kinds, is_async, at=at)

    def _anonymous_method(self, node: TreeNode) -> Node:
        """`delegate (int x) { … }`."""
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            raise EvaluationError(f"Write the parameters of the anonymous method: '{excerpt(node)}'")
        body = next(entry for entry in node.named_children if entry.type == "block")
        names, kinds = lambda_parameters(parameters, self.type)
        return syntax.Lambda(names, self.statements.block(body), kinds, _is_async(node))

    def interpolated(self, node: TreeNode) -> Node:
        """An interpolated string of any kind. What is wrong in a hole is told at its place in the whole text."""
        start = self.places.start(node)

        def hole(text: str, before: int) -> Node:
            try:
                return self.parse(text, start + before)
            except SyntaxFault as fault:
                raise fault.in_hole(text).within(self.text, self.places.before(node) + before) from None

        return build_interpolated(node, hole)

    def _range(self, node: TreeNode) -> Node:
        dots = next(index for index, entry in enumerate(node.children) if entry.type == "..")
        before = [entry for entry in node.children[:dots] if entry.is_named]
        after = [entry for entry in node.children[dots + 1 :] if entry.is_named]
        return syntax.Range(self.build(before[0]) if before else None, self.build(after[0]) if after else None)


def _is_async(node: TreeNode) -> bool:
    return any(entry.type == "modifier" and node_text(entry) == "async" for entry in node.children)


def continued(target: Node, build: Callable[[Node], Node]) -> Node:
    """A longer chain: behind a `?.` it belongs to what is skipped when the target is null."""
    if isinstance(target, syntax.ConditionalAccess):
        return syntax.ConditionalAccess(target.target, continued(target.access, build), at=target.at)
    return build(target)


def _of_access(node: Node) -> Place | None:
    """Where what follows a `?` begins; None for what is not behind one."""
    while isinstance(node, syntax.Member | syntax.Index) and not isinstance(node.target, syntax.Receiver):
        node = node.target
    is_access = isinstance(node, syntax.Member | syntax.Index)
    return Place(node.at.start, node.at.start) if is_access else None


_ACCESSES: dict[str, Callable[[TreeBuilder, TreeNode, Node, int], Node]] = {
    "member_access_expression": TreeBuilder._member,
    "element_access_expression": TreeBuilder._element_access,
    "invocation_expression": TreeBuilder._invocation,
    "conditional_access_expression": TreeBuilder._conditional_access,
    "postfix_unary_expression": TreeBuilder._suppression,
}


def _is_out(node: TreeNode) -> bool:
    """Whether an expression is passed by `out`."""
    return node.parent is not None and any(entry.type == "out" for entry in node.parent.children)


_BRANCHES = frozenset(
    {"conditional_expression", "switch_expression_arm", "lambda_expression", "arrow_expression_clause"}
)


def _may_throw(around: TreeNode | None) -> bool:
    """Whether `throw x` may stand in a node (C# specification 12.16)."""
    is_branch = around is not None and around.type in _BRANCHES
    return is_branch or (around is not None and any(one.type == "??" for one in around.children))


_HANDLERS: dict[str, Callable[[TreeBuilder, TreeNode], Node]] = {
    "identifier": TreeBuilder._identifier,
    "generic_name": TreeBuilder._generic_name,
    "qualified_name": TreeBuilder._qualified_name,
    "alias_qualified_name": TreeBuilder._alias_qualified,
    "predefined_type": TreeBuilder._predefined,
    "member_binding_expression": TreeBuilder._member_binding,
    "element_binding_expression": TreeBuilder._element_binding,
    "parenthesized_expression": TreeBuilder._parenthesized,
    "binary_expression": lambda builder, node: builder.operators.binary(node),
    "prefix_unary_expression": TreeBuilder._prefix,
    "postfix_unary_expression": TreeBuilder._postfix,
    "assignment_expression": TreeBuilder._assignment,
    "conditional_expression": TreeBuilder._conditional,
    "cast_expression": TreeBuilder._cast,
    "as_expression": lambda builder, node: builder.operators.type_test(node),
    "is_expression": lambda builder, node: builder.operators.type_test(node),
    "is_pattern_expression": lambda builder, node: builder.operators.type_test(node),
    "switch_expression": TreeBuilder._switch,
    "typeof_expression": TreeBuilder._typeof,
    "sizeof_expression": TreeBuilder._sizeof,
    "default_expression": TreeBuilder._default,
    "checked_expression": TreeBuilder._checked,
    "tuple_expression": TreeBuilder._tuple,
    "object_creation_expression": lambda builder, node: builder.creations.new(node),
    "implicit_object_creation_expression": lambda builder, node: builder.creations.new(node),
    "array_creation_expression": lambda builder, node: builder.creations.new_array(node),
    "implicit_array_creation_expression": lambda builder, node: builder.creations.new_implicit_array(node),
    "with_expression": lambda builder, node: builder.creations.with_(node),
    "range_expression": TreeBuilder._range,
    "lambda_expression": TreeBuilder._lambda,
    "anonymous_method_expression": TreeBuilder._anonymous_method,
    "throw_expression": lambda builder, node: syntax.Throw(
        builder.build(named_children(node)[0]), is_placed=_may_throw(node.parent)
    ),
    "declaration_expression": TreeBuilder._declaration,
    "await_expression": lambda builder, node: syntax.Await(builder.build(named_children(node)[0])),
    "collection_expression": lambda builder, node: builder.creations.collection(node),
    "query_expression": lambda builder, node: build_query(builder.build, builder.type, builder.places, node),
    "anonymous_object_creation_expression": lambda builder, node: builder.creations.new_anonymous(node),
    "this": lambda _, __: syntax.This(),
    "base": lambda _, __: syntax.Base(),
    "integer_literal": lambda _, node: literals.integer(node_text(node)),
    "real_literal": lambda _, node: literals.real(node_text(node)),
    "null_literal": lambda _, __: literals.NULL,
    "boolean_literal": lambda _, node: literals.boolean(node_text(node) == "true"),
    "character_literal": lambda _, node: build_string(node),
    "string_literal": lambda _, node: build_string(node),
    "verbatim_string_literal": lambda _, node: build_string(node),
    "raw_string_literal": lambda _, node: build_raw(node),
    "interpolated_string_expression": lambda builder, node: builder.interpolated(node),
}
