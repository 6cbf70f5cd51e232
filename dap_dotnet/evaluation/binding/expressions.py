"""Expressions of all kinds in code, and the lambdas and groups of methods that they stand in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding import assignments, calls, creations, indexing, members, operators, patterns
from dap_dotnet.evaluation.binding.conversions import as_type, casts, explicit, implicit, is_there, may_be, thrown
from dap_dotnet.evaluation.binding.creations import bind_formattable, bind_interpolated
from dap_dotnet.evaluation.binding.lambdas import LambdaSource
from dap_dotnet.evaluation.binding.method_groups import GroupSource, local_function_group
from dap_dotnet.evaluation.binding.protected_regions import bind_await
from dap_dotnet.evaluation.binding.scope import CursorReached, Entity, Scope, unsupported
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numeric import BITS
from dap_dotnet.evaluation.rules.conversions import FORMATTABLE
from dap_dotnet.evaluation.rules.inference import delegate_of, natural_delegate, takes_delegates
from dap_dotnet.evaluation.syntax import statement_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Node, passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import delegate_signature, methods_named
from dap_dotnet.values.type_sizes import value_size

EntityT = TypeVar("EntityT", bound=Entity)


class CodeScope(Scope):
    """Binds the body of one lambda."""

    def code(self, node: Node, wanted: Type | None = None) -> Code:
        """See `Scope`."""
        with passing(node.at):
            made = _placed(self._code(node, wanted), node)
        self.places.setdefault(made, node.at)
        return made

    def _code(self, node: Node, wanted: Type | None) -> Code:
        by_target = _BY_TARGET.get(type(node)) if wanted is not None else None
        if by_target is not None:
            return self.with_written_names(by_target(self, node, wanted), _written_type(node))
        if wanted is not None and isinstance(node, syntax.Interpolated) and wanted.full_name in FORMATTABLE:
            return bind_formattable(self, node, wanted)
        return _value(self.entity(node))

    def entity(self, node: Node) -> Entity:
        """See `Scope`."""
        bind = _BINDERS.get(type(node))
        with passing(node.at):
            if bind is None:
                raise unsupported(f"An expression of this form ({type(node).__name__})")
            entity = _placed(bind(self, node), node)
            return self.with_written_names(entity, _written_type(node)) if isinstance(entity, Code) else entity

    def source(self, node: Node) -> bound.FunctionSource | None:
        """What a delegate can be made of: of a lambda or a group of methods; None for other nodes."""
        if isinstance(node, syntax.Parenthesized):
            return self.source(node.inner)
        if isinstance(node, syntax.Lambda):
            return LambdaSource(self, node)
        if isinstance(node, syntax.Name):
            return self._named_group(node)
        if isinstance(node, syntax.Member) and not isinstance(node.target, syntax.Base):
            return self._group(node, self.entity(node.target))
        return None

    def code_or_source(self, node: Node, wanted: Type | None = None) -> Code | bound.FunctionSource:
        """See `Scope`."""
        if isinstance(node, syntax.Parenthesized):
            return self.code_or_source(node.inner, wanted)
        if not isinstance(node, syntax.Member) or isinstance(node.target, syntax.Base):
            return self.source(node) or self.code(node, wanted)
        with passing(node.at):
            target = self.entity(node.target)
            group = self._group(node, target)
            if group is not None:
                return group
            made = _placed(_value(members.bind_member_of(self, target, node)), node)
        self.places.setdefault(made, node.at)
        return made

    def collection(self, kind: Type, items: tuple[Code, ...]) -> Code:
        """See `Scope`."""
        return creations.collection_of(self, kind, items)

    def reference(self, node: Node) -> Code:
        """See `Scope`."""
        return assignments.bind_reference(self, node)

    def _named_group(self, node: syntax.Name) -> bound.FunctionSource | None:
        if members.variable(self, node.name) is not None:
            return None
        given = self.binder.type_arguments(node.type_arguments)
        own = members.this(self)
        if own is not None and methods_named(self.universe, own.type, node.name):
            return GroupSource(self, own.type, own, node.name, given)
        for owner in self.binder.owners():
            if methods_named(self.universe, owner, node.name):
                return GroupSource(self, owner, None, node.name, given)
        group = local_function_group(self, node.name, own)
        return GroupSource(self, *group, given) if group is not None else None

    def _group(self, node: syntax.Member, target: Entity) -> bound.FunctionSource | None:
        given = self.binder.type_arguments(node.type_arguments)
        if isinstance(target, Type):
            is_group = bool(methods_named(self.universe, target, node.name))
            return GroupSource(self, target, None, node.name, given) if is_group else None
        if isinstance(target, Namespace) or not methods_named(self.universe, target.type, node.name):
            return None
        return GroupSource(self, target.type, target, node.name, given)

    def function(self, source: bound.FunctionSource, delegate: Type) -> Code:
        """See `Scope`."""
        natural = natural_delegate(self.universe, source) if takes_delegates(delegate) else None
        if natural is not None:
            return implicit(self, self.function(source, natural), delegate)
        inner = delegate_of(delegate)
        signature = delegate_signature(self.universe, inner)
        if signature is None:
            raise Diagnostic("CS0030 method group" if source.is_group else "CS1660", delegate.name)
        if inner is delegate:
            return source.code(delegate, signature)
        if source.is_async:
            raise Diagnostic("CS1989")
        made = source.code(inner, signature)
        if not isinstance(made, bound.Function) or source.is_group:
            raise Diagnostic("CS1660", delegate.name)
        return bound.Function(delegate, made.parameters, made.body)


def _value(entity: Entity) -> Code:
    if isinstance(entity, Code):
        return entity
    raise Diagnostic("CS0119", entity.name, "type" if isinstance(entity, Type) else "namespace")


def _placed(made: EntityT, node: Node) -> EntityT:
    """With the place of the innermost node where it is bound late."""
    return replace(made, at=node.at) if isinstance(made, bound.Late) and made.at is NOWHERE else made


def _literal(scope: Scope, node: syntax.Literal) -> Code:
    if node.value is None:
        return bound.Captured(types.NULL, types.NULL_OPERAND, is_constant=True)
    kind = types.DECIMAL if node.code is types.DECIMAL.code else types.PRIMITIVES[node.code]
    return bound.Captured(kind, Operand(kind, node.value), is_constant=True, is_literal=True)


def _size_of(scope: Scope, node: syntax.SizeOf) -> Code:
    """`sizeof(T)`, of value types; those that C# allows in unsafe code are as large as the program has them. CS0233."""
    kind = scope.binder.type(node.type)
    own = kind.underlying or kind
    size = {types.BOOL: 1, types.R4: 4, types.R8: 8, types.DECIMAL: 16}.get(own) or BITS.get(own.code, 0) // 8
    if not size and not kind.is_value_type:
        raise Diagnostic("CS0233", kind.name)
    size = size or _size_in_program(scope.env, kind) or 0
    if not size:
        raise EvaluationError(f"The size of '{kind.name}' is not known: the program may not have loaded it yet")
    return bound.integer(size)


def _size_in_program(env: Environment, kind: Type) -> int | None:
    """The bytes of a structure; None where the program has not loaded its type, or they are not known."""
    type_id = env.universe.id_of(env.program, kind)
    if type_id is None:
        return None
    try:
        return value_size(env.program, type_id, env.debuggee.type_layout(type_id))
    except RuntimeCallError:
        return None


def _throw(scope: Scope, node: syntax.Throw) -> Code:
    """`throw value`, of the type of whatever else there may be in its place. CS0155."""
    if not node.is_placed:
        raise Diagnostic("CS8115")
    return thrown(scope, scope.code(node.operand), types.NULL)


def _cast(scope: Scope, node: syntax.Cast) -> Code:
    kind = scope.binder.type(node.type)
    operand = scope.code_or_source(node.operand, kind)
    if not isinstance(operand, Code):
        return scope.function(operand, kind)
    scope.places[operand] = node.at
    if kind is types.OBJECT and [part.name for part in getattr(node.type, "parts", ())] == ["dynamic"]:
        return scope.dynamic(implicit(scope, operand, kind))
    return explicit(scope, operand, kind)


def _written_type(node: Node) -> syntax.TypeSyntax | None:
    """The type of a value, or of an array's elements, where the node says it."""
    if isinstance(node, syntax.NewArray):
        return node.element
    return node.type if isinstance(node, syntax.New | syntax.Default | syntax.Cast | syntax.As) else None


def _as(scope: Scope, node: syntax.As) -> Code:
    kind, operand = scope.binder.type(node.type), scope.code(node.operand)
    if kind.is_value_type and kind.kind is not Kind.NULLABLE:
        raise Diagnostic("CS0077", kind.name)
    if operand.type.kind is Kind.NULL:
        return bound.Zero(kind)
    may_fit = may_be(scope, operand.type, kind) if kind.is_reference else casts(scope, operand.type, kind)
    if not may_fit and not scope.binder.is_generic():
        raise Diagnostic("CS0039", operand.type.name, kind.name)
    return bound.TypedOperation(kind, "TypeAs", operand, kind)


def _checked(scope: Scope, node: syntax.Checked) -> Code:
    outer = scope.checked, scope.unchecked
    scope.checked, scope.unchecked = node.is_checked, not node.is_checked
    try:
        return scope.code(node.operand)
    finally:
        scope.checked, scope.unchecked = outer


def _receiver(scope: Scope, node: syntax.Receiver) -> Code:
    if scope.receiver is None:
        raise Diagnostic("CS1525", "[")
    return scope.receiver


def _conditional_access(scope: Scope, node: syntax.ConditionalAccess) -> Code:
    """`target?access`: null where the target is null. CS0023."""
    target = scope.code(node.target)
    if target.type.is_value_type and target.type.kind is not Kind.NULLABLE:
        raise Diagnostic("CS0023", "?", target.type.name)
    kept = scope.declare(target.type, value=target)
    outer = scope.receiver
    is_nullable = target.type.kind is Kind.NULLABLE
    scope.receiver = members.member(scope, kept, "Value") if is_nullable else kept
    try:
        accessed = scope.code(node.access)
    finally:
        scope.receiver = outer
    given = bound.assigned(kept, target)
    test = is_there(kept)
    if accessed.type is types.VOID:
        return bound.Steps(types.VOID, (), (given, bound.if_then(test, accessed)))
    kind = scope.universe.nullable(accessed.type)
    value = accessed if accessed.type is kind else bound.converted(accessed, kind)
    return bound.Steps(kind, (), (given, bound.Operation(kind, "Condition", (test, value, bound.Zero(kind)))))


def _unary(scope: Scope, node: syntax.Unary) -> Code:
    if node.operator == "^":
        return indexing.index_value(scope, scope.operand(node), from_end=True)
    return operators.bind_unary(scope, node)


def _conditional(scope: Scope, node: syntax.Conditional, wanted: Type | None = None) -> Code:
    """`c ? a : b`, of the `wanted` type where the branches have none in common (12.18). CS0173."""
    if node.is_reference:
        return assignments.bind_chosen_variable(scope, node)
    test = operators.truth(scope, scope.code(node.condition))
    nodes = node.when_true, node.when_false
    parts = [scope.code_or_source(one, wanted) for one in nodes]
    if wanted is not None and not all(isinstance(one, Code) for one in parts):
        return bound.Operation(wanted, "Condition", (test, *(as_type(scope, one, wanted) for one in parts)))
    first, second = (
        part if isinstance(part, Code) else scope.code(one) for one, part in zip(nodes, parts, strict=True)
    )
    return operators.conditional(scope, test, first, second, wanted)


def _lambda(scope: CodeScope, node: syntax.Lambda) -> Code:
    """A lambda that nothing says the type of: of its natural type. CS8917."""
    source = scope.source(node)
    kind = natural_delegate(scope.universe, source) if source is not None else None
    if source is None or kind is None:
        raise Diagnostic("CS8917")
    return scope.function(source, kind)


def _untyped_collection(scope: Scope, node: syntax.Collection) -> Code:
    """A collection expression that nothing says the type of. CS9176."""
    raise Diagnostic("CS9176")


def _cursor(scope: CodeScope, node: syntax.Cursor) -> Entity:
    raise CursorReached(scope, scope.entity(node.target) if node.target is not None else None)


_BINDERS: dict[type, Callable[[Any, Any], Entity]] = {
    syntax.Literal: _literal,
    syntax.SizeOf: _size_of,
    syntax.Cursor: _cursor,
    syntax.Name: members.bind_name,
    syntax.PredefinedTypeSyntax: lambda scope, node: scope.binder.type(node),
    syntax.This: members.bind_this,
    syntax.Base: members.bind_base,
    syntax.Lambda: _lambda,
    syntax.Collection: _untyped_collection,
    syntax.Parenthesized: lambda scope, node: scope.entity(node.inner),
    syntax.Member: members.bind_member,
    syntax.Receiver: _receiver,
    syntax.ConditionalAccess: _conditional_access,
    syntax.Unary: _unary,
    syntax.Binary: operators.bind_binary,
    syntax.Assignment: assignments.bind_assignment,
    syntax.Increment: assignments.bind_increment,
    syntax.Conditional: _conditional,
    syntax.Cast: _cast,
    syntax.As: _as,
    statement_tree.IsPattern: patterns.bind_is,
    statement_tree.Switch: patterns.bind_switch,
    syntax.TypeOf: lambda scope, node: members.type_constant(
        scope, Operand(types.TYPE, scope.binder.type_of(node.type))
    ),
    syntax.Checked: _checked,
    syntax.Interpolated: bind_interpolated,
    syntax.Tuple: creations.bind_tuple,
    syntax.Call: calls.bind_call,
    syntax.Index: indexing.bind_index,
    syntax.Default: creations.bind_default,
    syntax.New: creations.bind_new,
    syntax.NewArray: creations.bind_new_array,
    syntax.With: creations.bind_with,
    syntax.Anonymous: creations.bind_anonymous,
    syntax.Range: indexing.bind_range,
    syntax.Throw: _throw,
    syntax.Await: bind_await,
}


_BY_TARGET: dict[type, Callable[[Any, Any, Any], Code]] = {
    syntax.Parenthesized: lambda scope, node, wanted: scope.code(node.inner, wanted),
    syntax.Default: creations.bind_default,
    syntax.New: creations.bind_new,
    syntax.Collection: creations.bind_collection,
    syntax.Tuple: creations.bind_tuple,
    syntax.Conditional: _conditional,
    statement_tree.Switch: patterns.bind_switch,
}
"""What takes its type, or those of its parts, from what it is converted to."""
