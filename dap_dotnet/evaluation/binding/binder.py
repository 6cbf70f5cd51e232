"""The tree -> a closure. Names, types and literals are bound once; operators and members when they meet their first
operands, and again only when operands of other types come.

A binder belongs to one site. What it makes can be run in any frame at that site.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding import operator_chains as operators
from dap_dotnet.evaluation.binding.assignments import bind_assignment, bind_increment
from dap_dotnet.evaluation.binding.awaiting import bind_await
from dap_dotnet.evaluation.binding.bound import Bound, Entity, Namespace, constant, passing, placed_run
from dap_dotnet.evaluation.binding.branch_types import ShownType
from dap_dotnet.evaluation.binding.collections import bind_collection
from dap_dotnet.evaluation.binding.creations import bind_new, bind_new_array, bind_new_of, bind_with
from dap_dotnet.evaluation.binding.extension_members import extension_properties, read_member, static_extensions
from dap_dotnet.evaluation.binding.functions import bind_function, function_of_program
from dap_dotnet.evaluation.binding.handled_calls import with_handlers
from dap_dotnet.evaluation.binding.index_values import bind_range
from dap_dotnet.evaluation.binding.indexers import bind_index
from dap_dotnet.evaluation.binding.interpolated_strings import bind_interpolated
from dap_dotnet.evaluation.binding.invocations import bind_call
from dap_dotnet.evaluation.binding.method_groups import bind_argument, has_method, is_method_group
from dap_dotnet.evaluation.binding.missing_members import missing_member
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.patterns import bind_is, bind_switch
from dap_dotnet.evaluation.binding.static_members import bind_static
from dap_dotnet.evaluation.binding.static_types import (
    base_getter,
    check_not_null,
    is_named_as_its_type,
    member_type,
    skipped_type,
)
from dap_dotnet.evaluation.binding.type_operands import (
    bind_as,
    bind_cast,
    bind_default,
    bind_sizeof,
    bind_typeof,
    with_names,
)
from dap_dotnet.evaluation.binding.variables import site_of
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.default_values import default_of
from dap_dotnet.evaluation.operations.formattable import FORMATTABLE
from dap_dotnet.evaluation.operations.member_access import MemberReader, Missing, without_getter
from dap_dotnet.evaluation.operations.nullables import as_nullable
from dap_dotnet.evaluation.operations.program_code import FunctionSource
from dap_dotnet.evaluation.operations.throwing import check_exception, throw
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Elements, ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import is_delegate
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken


class Binder(NameBinder):
    """Binds expressions of all kinds at one site."""

    def expression(self, node: Node) -> Bound:
        """A node that must be a value. Raises `EvaluationError`: CS0119 for types and namespaces."""
        found = self.entity(node)
        if isinstance(found, Bound):
            return found
        kind = "type" if isinstance(found, Type) else "namespace"
        with passing(node.at):
            raise Diagnostic("CS0119", found.name, kind)

    def typed(self, node: Node, kind: Type) -> Bound:
        """A node whose type comes from its target."""
        if isinstance(node, syntax.New) and node.type is None:
            return bind_new_of(self, node, kind.element if kind.kind is Kind.NULLABLE else kind)
        if isinstance(node, syntax.Collection):
            return bind_collection(self, node, kind)
        if isinstance(node, syntax.Default) and node.type is None:
            return Bound(lambda env: default_of(env, kind), kind)
        if isinstance(node, syntax.Interpolated) and kind.full_name in FORMATTABLE:
            return bind_interpolated(self, node, is_target_typed=True)
        if isinstance(node, syntax.Name | syntax.Member) and _takes_groups(self.universe, kind):
            return bind_argument(self, node)
        return self.expression(node)

    def entity(self, node: Node) -> Entity:
        """Any node: a value, a type or a namespace. Raises `EvaluationError` where it cannot be bound."""
        try:
            found = _BINDERS[type(node)](self, node)
        except EvaluationError as error:
            error.trail.append(node.at)
            raise
        if not isinstance(found, Bound):
            return found
        if isinstance(node, syntax.New | syntax.Cast | syntax.As | syntax.Default) and node.type is not None:
            found = with_names(self, found, node.type)
        run = placed_run(found.run, node.at) if found.constant is None else found.run
        return Bound(run, found.type, found.constant, found.is_dynamic, node.at)

    # names

    def _name(self, node: syntax.Name) -> Entity:
        found = self.variable(node.name)
        if found is not None:
            if node.type_arguments:
                raise Diagnostic("CS0307", "variable", node.name)
            return found
        arguments = self.type_arguments(node.type_arguments)
        made = self.lookup.type_parameter(self.env, node.name) or self.lookup.simple(self.env, node.name, arguments)
        if made is not None:
            return made
        if node.name in ("nint", "nuint"):
            return types.I if node.name == "nint" else types.U
        namespace = self.lookup.namespace(node.name)
        if namespace is not None:
            return Namespace(namespace)
        for imported in self.lookup.imports.static_types:
            static = bind_static(self.env, imported, node.name)
            if static is not None:
                return static
        if is_method_group(self, node):
            raise Diagnostic("CS0119", node.name, "method")
        raise self.lookup.unknown(node.name, len(arguments))

    def _this(self, node: syntax.This) -> Entity:
        this = self.this()
        if this is None:
            raise Diagnostic("CS0026")
        return this

    def _base(self, node: syntax.Base) -> Entity:
        this = self.this()
        if this is None or this.type is None:
            raise Diagnostic("CS1511")
        owners = bases_of(self.universe, this.type)
        own = owners[1] if len(owners) > 1 else types.OBJECT
        run = this.run

        def typed(env: Environment) -> Operand:
            operand = run(env)
            return Operand(own, operand.data, operand.value)

        return Bound(typed, own)

    def _member(self, node: syntax.Member) -> Entity:
        target = self.entity(node.target)
        if isinstance(target, Namespace):
            return self._in_namespace(target, node)
        if isinstance(target, Type):
            return self._of_type(target, node)
        check_not_null(node.target, target)
        if member_type(self.universe, target.type, node.name) is not None:
            _check_no_type_arguments(node)
        getter = base_getter(self.universe, target.type, node.name) if isinstance(node.target, syntax.Base) else None
        run = target.run
        if getter is not None:
            exact = getter
            return Bound(
                lambda env: env.runner.run(env, exact, run(env), [], is_virtual=False),
                member_type(self.universe, target.type, node.name),
            )
        reader = MemberReader(node.name, takes_static=is_named_as_its_type(node.target, target))
        from_outside = extension_properties(self.env, self.lookup, node.name)
        if from_outside:
            return Bound(lambda env: read_member(env, reader, run(env), from_outside))
        if target.type is not None and has_method(self, target.type, node.name):
            missing: Missing | None = _only_method
        else:
            missing = missing_member(self, node)
        return Bound(
            lambda env: reader.read(env, run(env), missing), member_type(self.universe, target.type, node.name)
        )

    def _call(self, node: syntax.Call) -> Entity:
        return with_handlers(self, node, bind_call(self, node))

    def _in_namespace(self, target: Namespace, node: syntax.Member) -> Entity:
        made = self.lookup.in_namespace(target.name, node.name, self.type_arguments(node.type_arguments))
        if made is not None:
            return made
        namespace = self.lookup.namespace(node.name, target.name)
        if namespace is None:
            raise self.lookup.unknown(node.name, len(node.type_arguments), target.name)
        return Namespace(namespace)

    def _of_type(self, target: Type, node: syntax.Member) -> Entity:
        of_parameter = (
            isinstance(node.target, syntax.Name)
            and not node.target.type_arguments
            and (self.lookup.type_parameter(self.env, node.target.name) is not None)
        )
        static = bind_static(self.env, target, node.name, of_parameter=of_parameter)
        if static is not None:
            _check_no_type_arguments(node)
            return static
        nested = self.lookup.nested(target, node.name, self.type_arguments(node.type_arguments))
        if nested is not None:
            return nested
        from_outside = static_extensions(self.env, self.lookup, target, f"get_{node.name}")
        if from_outside:
            getter = from_outside[0]
            exact = ExactMethod(getter.owner, MethodToken(getter.method.token))
            return Bound(lambda env: env.runner.run(env, exact, None, []), getter.return_type(self.universe))
        if member_type(self.universe, target, node.name) is not None:
            raise Diagnostic("CS0120", target.name, node.name)
        if has_method(self, target, node.name):
            raise Diagnostic("CS0119", f"{target.name}.{node.name}", "method")
        misused = self.lookup.wrong_nested(target, node.name, len(node.type_arguments))
        raise (misused or without_getter(self.env, target, node.name) or Diagnostic("CS0117", target.name, node.name))

    def _receiver(self, node: syntax.Receiver) -> Entity:
        return Bound(_receiver, self.receiver_type)

    def _conditional_access(self, node: syntax.ConditionalAccess) -> Entity:
        bound, outer_type = self.expression(node.target), self.receiver_type
        is_nullable = bound.type is not None and bound.type.kind is Kind.NULLABLE
        if bound.type is not None and bound.type.is_value_type and not is_nullable and not bound.is_dynamic:
            raise no_operator("?", bound.type)
        self.receiver_type = bound.type.element if bound.type is not None and is_nullable else bound.type
        try:
            accessed = self.expression(node.access)
            skipped = accessed.type or skipped_type(
                self.universe,
                self.receiver_type,
                node.access,
                lambda called: self.type_arguments(called.type_arguments),
            )
        finally:
            self.receiver_type = outer_type
        target, access, universe = bound.run, accessed.run, self.universe
        kind = universe.nullable(skipped) if skipped is not None else None
        none = Operand(kind, None) if kind is not None else None
        shown = ShownType(self, node)

        def run(env: Environment) -> Operand:
            operand = target(env)
            if operand.data is None:
                found = shown.find(env) if none is None else None
                if found is not None and found is not types.VOID:
                    return Operand(found, None)
                return none or types.NULL_OPERAND
            if operand.type.kind is Kind.NULLABLE:
                operand = MemberReader("Value").read(env, operand)
            outer, env.receiver = env.receiver, operand
            try:
                result = access(env)
            finally:
                env.receiver = outer
            return as_nullable(universe, result)

        return Bound(run, kind if accessed.type is not None else None)

    def _parenthesized(self, node: syntax.Parenthesized) -> Entity:
        return self.entity(node.inner)

    def _keyword_type(self, node: syntax.KeywordType) -> Entity:
        return self.type(node.type)

    # functions, and what they stand in

    def _lambda(self, node: syntax.Lambda) -> Entity:
        return self.function(node)

    def function(self, node: syntax.Lambda, result: Type | None = None) -> Bound:
        """See `NameBinder.function`."""
        return bind_function(self, lambda env: Binder(env, site_of(env)), node, result)

    def for_program(self, node: syntax.Lambda) -> Callable[[Environment], FunctionSource]:
        """See `NameBinder.for_program`."""
        return lambda env: function_of_program(env, lambda: Binder(env, site_of(env)), node)

    def _checked(self, node: syntax.Checked) -> Entity:
        outer = self.checked, self.unchecked
        self.checked, self.unchecked = node.is_checked, not node.is_checked
        try:
            return self.expression(node.operand)
        finally:
            self.checked, self.unchecked = outer

    def _throw(self, node: syntax.Throw) -> Entity:
        if not node.is_placed:
            raise Diagnostic("CS8115")
        thrown = self.expression(node.operand)
        if thrown.type is not None:
            with passing(thrown.at):
                check_exception(self.universe, thrown.type)
        run = thrown.run
        return Bound(lambda env: throw(env, run(env)))

    def _tuple(self, node: syntax.Tuple) -> Entity:
        return self._of_items(types.TUPLE, node.items, node.names if any(node.names) else ())

    def _anonymous(self, node: syntax.Anonymous) -> Entity:
        return self._of_items(types.ANONYMOUS, node.items, node.names)

    def _of_items(self, kind: Type, nodes: tuple[Node, ...], names: tuple[str | None, ...]) -> Bound:
        items = [self.expression(item) for item in nodes]
        constants = tuple(item.constant for item in items)

        def run(env: Environment) -> Operand:
            before = len(env.live)
            for item in items:
                env.live.append(item.run(env))
            made = Elements(env.live[before:])
            made.constants = constants
            del env.live[before:]
            return Operand(kind, made, None, names)

        return Bound(run, kind)

    def _collection(self, node: syntax.Collection) -> Entity:
        raise Diagnostic("CS9176")

    def _declaration(self, node: syntax.Declaration) -> Entity:
        raise EvaluationError(
            f"Variables are declared after 'out' only; in the debug console write 'var x = …': '{node.name}'"
        )


def _check_no_type_arguments(node: syntax.Member) -> None:
    """CS0307 for those after the name of a field or a property."""
    if node.type_arguments:
        raise Diagnostic("CS0307", "property or field", node.name)


def _takes_groups(universe: Universe, kind: Type) -> bool:
    """Whether a group of methods may stand where a value of a type is wanted."""
    return is_delegate(universe, kind) or kind.full_name in ("System.Delegate", "System.MulticastDelegate")


def _only_method(env: Environment, target: Operand, name: str) -> Diagnostic:
    return Diagnostic("CS0119", f"{target.type.name}.{name}", "method")


def _receiver(env: Environment) -> Operand:
    if env.receiver is None:
        raise Diagnostic("CS1525", "[")
    return env.receiver


def _literal(binder: Binder, node: syntax.Literal) -> Entity:
    if node.value is None:
        return constant(types.NULL_OPERAND)
    if node.code is types.DECIMAL.code:
        return constant(Operand(types.DECIMAL, node.value))
    return constant(Operand(types.PRIMITIVES[node.code], node.value))


_BINDERS: dict[type, Callable[[Binder, Any], Entity]] = {
    syntax.Literal: _literal,
    syntax.Name: Binder._name,
    syntax.KeywordType: Binder._keyword_type,
    syntax.This: Binder._this,
    syntax.Base: Binder._base,
    syntax.Parenthesized: Binder._parenthesized,
    syntax.Member: Binder._member,
    syntax.Receiver: Binder._receiver,
    syntax.ConditionalAccess: Binder._conditional_access,
    syntax.Unary: operators.bind_unary,
    syntax.Binary: operators.bind_binary,
    syntax.Assignment: bind_assignment,
    syntax.Increment: bind_increment,
    syntax.Conditional: operators.bind_conditional,
    syntax.Cast: bind_cast,
    syntax.As: bind_as,
    pattern_tree.IsPattern: bind_is,
    pattern_tree.Switch: bind_switch,
    syntax.TypeOf: bind_typeof,
    syntax.SizeOf: bind_sizeof,
    syntax.Default: bind_default,
    syntax.Checked: Binder._checked,
    syntax.Throw: Binder._throw,
    syntax.Interpolated: bind_interpolated,
    syntax.Tuple: Binder._tuple,
    syntax.Anonymous: Binder._anonymous,
    syntax.Await: bind_await,
    syntax.Collection: Binder._collection,
    syntax.Range: bind_range,
    syntax.Declaration: Binder._declaration,
    syntax.Lambda: Binder._lambda,
    syntax.Call: Binder._call,
    syntax.Index: bind_index,
    syntax.New: lambda binder, node: with_handlers(binder, node, bind_new(binder, node)),
    syntax.NewArray: bind_new_array,
    syntax.With: bind_with,
}
