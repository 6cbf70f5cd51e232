"""Statements of a lambda's body: the parser's nodes -> our tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.creation_builder import BuildType, CreationBuilder
from dap_dotnet.evaluation.syntax.nodes import Places, child, excerpt, identifier, named_children, node_text
from dap_dotnet.evaluation.syntax.pattern_tree import Pattern
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import Node, TypeSyntax, placed

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_REFUSED = {
    "goto_statement": "goto",
    "yield_statement": "yield",
    "unsafe_statement": "unsafe",
    "fixed_statement": "fixed",
    "labeled_statement": "goto",
}
_EXPRESSIONS = (syntax.Assignment, syntax.Increment, syntax.Call, syntax.New, syntax.Await)


class StatementBuilder:
    """Builds the statements of one expression; all that it is given are those of the tree's builder."""

    def __init__(
        self,
        build: Callable[[TreeNode], Node],
        pattern: Callable[[TreeNode], Pattern],
        creations: CreationBuilder,
        type_of: BuildType,
        places: Places,
    ) -> None:
        self._places = places
        self._build = build
        self._type = type_of
        self._creations = creations
        self._pattern = pattern

    def block(self, node: TreeNode) -> statements.Block:
        """`{ … }`. Raises `EvaluationError` for statements that a lambda cannot have here."""
        return statements.Block(self._all(named_children(node)))

    def _all(self, nodes: list[TreeNode]) -> tuple[Statement, ...]:
        """Statements, one after the other; a `using` declaration has all that follow it for its body."""
        made: list[Statement] = []
        for number, node in enumerate(nodes):
            first = [entry.type for entry in node.children[:2]]
            if node.type == "local_declaration_statement" and "using" in first:
                resources = self._declarations(named_children(node)[-1])
                body = statements.Block(self._all(nodes[number + 1 :]))
                return (*made, self._used(resources, body, is_await=first[0] == "await"))
            made += self._several(node)
        return tuple(made)

    def _used(self, resources: list[Statement], body: Statement, *, is_await: bool) -> Statement:
        """A statement that disposes of each resource, the last one first."""
        for resource in reversed(resources):
            if isinstance(resource, statements.Declare) and resource.value is None:
                raise Diagnostic("CS0210")
            assert isinstance(resource, statements.Declare | statements.Evaluate)
            body = statements.Using(resource, body, is_await)
        return body

    def _several(self, node: TreeNode) -> list[Statement]:
        """A statement; a declaration of two variables is two."""
        if node.type == "local_declaration_statement":
            modifiers = [node_text(entry) for entry in node.children if entry.type == "modifier"]
            if any(modifier != "const" for modifier in modifiers):
                raise EvaluationError(f"Such a declaration is not supported in a lambda here: '{excerpt(node)}'")
            declaration = next(entry for entry in node.named_children if entry.type == "variable_declaration")
            return self._declarations(declaration, is_constant=bool(modifiers))
        return [self._one(node)]

    def _one(self, node: TreeNode) -> Statement:
        handler = _HANDLERS.get(node.type)
        try:
            if handler is None:
                word = _REFUSED.get(node.type)
                said = f"A {word} statement" if word is not None else "This kind of statement"
                raise EvaluationError(f"{said} is not supported in a lambda here: '{excerpt(node)}'")
            return placed(handler(self, node), self._places.of(node))
        except EvaluationError as error:
            error.trail.append(self._places.of(node))
            raise

    def _inner(self, node: TreeNode) -> Statement:
        """The statement that another one runs. CS1023."""
        if node.type in ("local_declaration_statement", "local_function_statement"):
            raise Diagnostic("CS1023")
        return self._one(node)

    def _declarations(self, node: TreeNode, *, is_constant: bool = False) -> list[Statement]:
        kind = child(node, "type")
        if kind.type == "scoped_type":
            raise EvaluationError(f"scoped locals are not supported in a lambda here: '{excerpt(node)}'")
        is_reference = kind.type == "ref_type"
        kind = child(kind, "type") if is_reference else kind
        wanted = None if kind.type == "implicit_type" else self._type(kind)
        made: list[Statement] = []
        for declarator in node.named_children:
            if declarator.type != "variable_declarator":
                continue
            parts = named_children(declarator)
            if parts[0].type == "tuple_pattern":
                at, right = self._places.of(declarator), self._build(parts[1])
                made.append(statements.Deconstruct(_names(parts[0]), right, at=at))
                continue
            initial = parts[1] if len(parts) > 1 else None
            if is_reference:
                if initial is None or initial.type != "ref_expression":
                    raise Diagnostic("CS8174" if initial is None else "CS8172")
                initial = named_children(initial)[0]
            value = self._initial(wanted, initial) if initial is not None else None
            if wanted is None and value is None:
                raise Diagnostic("CS0818")
            at = self._places.of(declarator)
            made.append(statements.Declare(wanted, identifier(parts[0]), value, is_constant, is_reference, at=at))
        return made

    def _initial(self, wanted: TypeSyntax | None, node: TreeNode) -> Node:
        """What a variable begins with; `{ 1, 2 }` is a new array of its type."""
        if node.type != "initializer_expression":
            return self._build(node)
        if not isinstance(wanted, syntax.ArrayTypeSyntax):
            raise Diagnostic("CS0622")
        return self._creations.array_of(wanted.element, wanted.rank, node)

    def _evaluate(self, node: TreeNode) -> Statement:
        inner = named_children(node)[0]
        apart = self._typed_deconstruction(inner)
        if apart is not None:
            return apart
        return statements.Evaluate(self._effect(inner))

    def _effect(self, node: TreeNode) -> Node:
        """An expression that may stand as a statement. CS0201."""
        built = self._build(node)
        effect = built.access if isinstance(built, syntax.ConditionalAccess) else built
        if not isinstance(effect, _EXPRESSIONS):
            raise Diagnostic("CS0201 excerpt", excerpt(node))
        return built

    def _typed_deconstruction(self, node: TreeNode) -> Statement | None:
        """`(int a, var b) = value;` as declarations and an assignment; None for other assignments."""
        left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        if left is None or left.type != "tuple_expression":
            return None
        parts = [named_children(entry)[-1] for entry in named_children(left)]
        if not any(part.type == "declaration_expression" for part in parts):
            return None
        if not all(
            child(part, "type").type == "implicit_type" for part in parts if part.type == "declaration_expression"
        ):
            raise EvaluationError(f"Write 'var (a, b) = …', or declare the variables first: '{excerpt(node)}'")
        if not all(part.type == "declaration_expression" for part in parts):
            raise EvaluationError(f"Declare all or none of the variables: '{excerpt(node)}'")
        names = tuple(identifier(child(part, "name")) for part in parts)
        return statements.Deconstruct(names, self._build(child(node, "right")))

    def _if(self, node: TreeNode) -> Statement:
        otherwise = node.child_by_field_name("alternative")
        return statements.If(
            self._build(child(node, "condition")),
            self._inner(child(node, "consequence")),
            self._inner(otherwise) if otherwise is not None else None,
        )

    def _while(self, node: TreeNode) -> Statement:
        condition, body = child(node, "condition"), child(node, "body")
        return statements.While(self._build(condition), self._inner(body), node.type == "do_statement")

    def _for(self, node: TreeNode) -> Statement:
        initial: list[Statement] = []
        for entry in node.children_by_field_name("initializer"):
            if entry.type == "variable_declaration":
                initial += self._declarations(entry)
            elif entry.is_named:
                initial.append(statements.Evaluate(self._effect(entry)))
        condition = node.child_by_field_name("condition")
        updates = [entry for entry in node.children_by_field_name("update") if entry.is_named]
        return statements.For(
            tuple(initial),
            self._build(condition) if condition is not None else None,
            tuple(map(self._effect, updates)),
            self._inner(child(node, "body")),
        )

    def _for_each(self, node: TreeNode) -> Statement:
        kind, left = node.child_by_field_name("type"), child(node, "left")
        is_apart = left.type == "tuple_pattern"
        if not is_apart and left.type != "identifier":
            raise EvaluationError(f"Such a loop variable is not supported here: '{excerpt(node)}'")
        return statements.ForEach(
            None if kind is None or kind.type == "implicit_type" else self._type(kind),
            _names(left) if is_apart else (identifier(left),),
            self._build(child(node, "right")),
            self._inner(child(node, "body")),
            is_apart,
            node.children[0].type == "await",
        )

    def _switch(self, node: TreeNode) -> Statement:
        sections: list[statements.Section] = []
        labels: list[statements.Label] = []
        for section in named_children(child(node, "body")):
            pattern: Pattern | None = None
            guard: Node | None = None
            body: list[TreeNode] = []
            for entry in named_children(section):
                if entry.type == "when_clause":
                    guard = self._build(named_children(entry)[0])
                elif entry.type.endswith("pattern") or entry.type == "discard":
                    pattern = self._pattern(entry)
                else:
                    body.append(entry)
            labels.append(statements.Label(pattern, guard))
            if body:
                sections.append(statements.Section(tuple(labels), self._all(body)))
                labels = []
        if labels:
            raise Diagnostic("CS8070")
        return statements.SwitchStatement(self._build(child(node, "value")), tuple(sections))

    def _return(self, node: TreeNode) -> Statement:
        values = named_children(node)
        return statements.Return(self._build(values[0]) if values else None)

    def _throw(self, node: TreeNode) -> Statement:
        values = named_children(node)
        return statements.Evaluate(syntax.Throw(self._build(values[0]))) if values else statements.Rethrow()

    def _try(self, node: TreeNode) -> Statement:
        clauses = [entry for entry in node.named_children if entry.type == "catch_clause"]
        final = next((entry for entry in node.named_children if entry.type == "finally_clause"), None)
        if not clauses and final is None:
            raise Diagnostic("CS1524")
        return statements.Try(
            self.block(child(node, "body")),
            tuple(map(self._catch, clauses)),
            self.block(named_children(final)[0]) if final is not None else None,
        )

    def _catch(self, node: TreeNode) -> statements.Catch:
        kind: TypeSyntax | None = None
        name: str | None = None
        guard: Node | None = None
        for entry in node.named_children:
            if entry.type == "catch_declaration":
                declared = entry.child_by_field_name("name")
                kind = self._type(child(entry, "type"))
                name = identifier(declared) if declared is not None else None
            elif entry.type == "catch_filter_clause":
                guard = self._build(named_children(entry)[0])
        return statements.Catch(kind, name, guard, self.block(child(node, "body")))

    def _using(self, node: TreeNode) -> Statement:
        is_await = node.children[0].type == "await"
        resource, body = named_children(node)
        if resource.type == "variable_declaration":
            return self._used(self._declarations(resource), self._inner(body), is_await=is_await)
        return statements.Using(statements.Evaluate(self._build(resource)), self._inner(body), is_await)

    def _lock(self, node: TreeNode) -> Statement:
        value, body = named_children(node)
        return statements.Lock(self._build(value), self._inner(body))

    def _checked(self, node: TreeNode) -> Statement:
        return statements.CheckedBlock(self.block(named_children(node)[0]), node.children[0].type == "checked")

    def _local_function(self, node: TreeNode) -> Statement:
        if any(node_text(entry) != "static" for entry in node.children if entry.type == "modifier") or any(
            entry.type == "type_parameter_list" for entry in node.children
        ):
            raise EvaluationError(f"Such a local function is not supported here: '{excerpt(node)}'")
        kind, name, body = child(node, "type"), child(node, "name"), node.child_by_field_name("body")
        if body is None:
            error = Diagnostic("CS8112", node_text(name))
            error.trail.append(self._places.of(name))
            raise error
        is_void = node_text(kind) == "void"
        inner: Node
        if body.type == "block":
            inner = self.block(body)
        else:
            value = self._build(named_children(body)[0])
            inner = statements.Block((statements.Evaluate(value) if is_void else statements.Return(value),))
        names, kinds = lambda_parameters(child(node, "parameters"), self._type)
        function = syntax.Lambda(names, inner, kinds)
        return statements.LocalFunction(identifier(name), None if is_void else self._type(kind), function)


def lambda_parameters(node: TreeNode, type_of: BuildType) -> tuple[tuple[str, ...], tuple[TypeSyntax | None, ...]]:
    """The names and types of parameters; no types where none is written. Raises `EvaluationError` for `ref` ones."""
    if node.type == "implicit_parameter":
        return (identifier(node),), ()
    given = [entry for entry in node.named_children if entry.type == "parameter"]
    if any(part.type in ("modifier", "parameter_modifier") for entry in given for part in entry.children):
        raise EvaluationError(f"Parameters of a lambda cannot be ref, out, in or params here: '{excerpt(node)}'")
    kinds = [entry.child_by_field_name("type") for entry in given]
    names = tuple(identifier(child(entry, "name")) for entry in given)
    if not any(kinds):
        return names, ()
    return names, tuple(type_of(kind) if kind is not None else None for kind in kinds)


def _names(node: TreeNode) -> tuple[str, ...]:
    """The names of `(a, b)`."""
    parts = [entry for entry in node.named_children if entry.type != "comment"]
    if any(part.type not in ("identifier", "discard") for part in parts):
        raise EvaluationError(f"A deconstruction inside another one is not supported here: '{excerpt(node)}'")
    return tuple(identifier(part) for part in parts)


_HANDLERS: dict[str, Callable[[StatementBuilder, TreeNode], Statement]] = {
    "block": StatementBuilder.block,
    "empty_statement": lambda _, __: statements.Block(()),
    "expression_statement": StatementBuilder._evaluate,
    "if_statement": StatementBuilder._if,
    "while_statement": StatementBuilder._while,
    "do_statement": StatementBuilder._while,
    "for_statement": StatementBuilder._for,
    "foreach_statement": StatementBuilder._for_each,
    "switch_statement": StatementBuilder._switch,
    "return_statement": StatementBuilder._return,
    "throw_statement": StatementBuilder._throw,
    "try_statement": StatementBuilder._try,
    "using_statement": StatementBuilder._using,
    "lock_statement": StatementBuilder._lock,
    "break_statement": lambda _, __: statements.Break(),
    "continue_statement": lambda _, __: statements.Continue(),
    "checked_statement": StatementBuilder._checked,
    "local_function_statement": StatementBuilder._local_function,
}
