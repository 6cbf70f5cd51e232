"""What stands left of an assignment: the names and members that may be assigned (C# specification 12.21.2)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Namespace, passing, placed_run
from dap_dotnet.evaluation.binding.call_targets import bind_call_target
from dap_dotnet.evaluation.binding.extension_members import deciding
from dap_dotnet.evaluation.binding.extension_targets import extension_target, static_extension_target
from dap_dotnet.evaluation.binding.indexers import bind_indices, index_values, names_of_indices
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_members import bind_static
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import (
    Assignable,
    BodyLocal,
    OnlyRead,
    Slot,
    Stored,
    Untyped,
    element,
    own_copy,
)
from dap_dotnet.evaluation.operations.index_values import IndexValue, opened
from dap_dotnet.evaluation.operations.indexing import check_takes_names
from dap_dotnet.evaluation.operations.kept_variables import kept_place
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.member_targets import member_target, static_member_target
from dap_dotnet.evaluation.operations.placed_elements import (
    inline_element,
    is_placed,
    span_element,
)
from dap_dotnet.evaluation.operations.pointers import pointed
from dap_dotnet.evaluation.operations.read_only import ReadOnlyElementError
from dap_dotnet.evaluation.operations.returned_references import indexed
from dap_dotnet.evaluation.operations.truth import truth
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.tuple_names import is_tuple
from dap_dotnet.runtime.model import Value

_READ_ONLY_LIST = "System.Collections.Generic.IReadOnlyList`1"
Find = Callable[[Environment], Assignable]
"""Evaluates what the left side consists of, once; the operands stay in flight (`Environment.live`)."""


def bind_target(binder: NameBinder, node: Node, *, is_inside: bool = False, refusal: str = "CS0131") -> Find:
    """The left side of an assignment. Raises `EvaluationError`, the diagnostic `refusal` for what cannot be assigned.

    `is_inside`: not what stands there is assigned, but a member of it.
    """
    with passing(node.at):
        find = _target(binder, node, is_inside=is_inside)
        if find is None:
            raise Diagnostic(refusal)
        return placed_run(find, node.at)


def _target(binder: NameBinder, node: Node, *, is_inside: bool) -> Find | None:
    """None for what is no variable."""
    while isinstance(node, syntax.Parenthesized):
        node = node.inner
    if isinstance(node, syntax.Name):
        return _name(binder, node)
    if isinstance(node, syntax.Member):
        return _member(binder, node, is_inside=is_inside)
    if isinstance(node, syntax.Unary) and node.operator == "*":
        return _pointed(binder, node)
    if isinstance(node, syntax.Index):
        return _index(binder, node, is_inside=is_inside)
    if isinstance(node, syntax.Conditional) and node.is_reference:
        return _chosen(binder, node)
    if isinstance(node, syntax.Call):
        return bind_call_target(binder, node)
    if isinstance(node, syntax.This):
        raise Diagnostic("CS1604")
    return None


def _name(binder: NameBinder, node: syntax.Name) -> Find | None:
    name = node.name
    local = binder.locals.get(name)
    if local is not None:
        if local.refusal:
            raise Diagnostic(*local.refusal)
        if local.constant is not None:
            return None
        return lambda env: BodyLocal(env, name, local.type)
    if name in binder.declared:
        return lambda env: Slot(name)
    kept = binder.variables.stored(binder.env, name) if binder.variables is not None else None
    if binder.variables is not None and binder.variables.is_read_only(binder.env, name):
        raise Diagnostic("CS8331", name)
    if kept is not None:
        locate, declared = kept
        if declared is None:
            return lambda env: _of_its_own_type(env, name, locate)
        variable = Stored(declared, locate)
        if is_tuple(declared) and (bound := binder.variable(name)) is not None:
            variable.names = bound.run(binder.env).names
        return lambda env: variable
    found = binder.variable(name)
    if found is None:
        binder.entity(node)  # the error for a name that means nothing
    elif found.constant is not None:
        return None
    return _implicit_member(binder, name)


def _of_its_own_type(env: Environment, name: str, locate: Callable[[Environment], Value]) -> Stored:
    """A variable whose declared type is not known: only a value type's is the value's own."""
    kind = env.operand(locate(env)).type
    return Stored(kind, locate) if kind.is_value_type else Untyped(kind, locate, name)


def _implicit_member(binder: NameBinder, name: str) -> Find | None:
    this = binder.this()
    static_local = binder.static_local(name)
    if this is not None:
        for member in binder.names_in_this(name):
            if MemberReader(member).exists(binder.env, this.run(binder.env)):
                return _of_value(binder, syntax.This(), this, member)
    static_local = binder.static_local(name)
    for owner in (*binder.user_types(), *binder.lookup.imports.static_types):
        if static_member_target(binder.env, owner, static_local or name) is not None:
            return _static(owner, static_local or name)
    kept = binder.env.program.kept
    variable = kept.variable(name) if kept is not None else None
    if variable is None or variable.is_constant:
        return None
    return lambda env: kept_place(env, name)


def _chosen(binder: NameBinder, node: syntax.Conditional) -> Find:
    """One of two variables."""
    condition = binder.expression(node.condition)
    outside = deciding(binder, condition.type)
    test, first, second = condition.run, bind_target(binder, node.when_true), bind_target(binder, node.when_false)
    return lambda env: first(env) if truth(env, test(env), outside) else second(env)


def _pointed(binder: NameBinder, node: syntax.Unary) -> Find:
    run = binder.expression(node.operand).run

    def find(env: Environment) -> Assignable:
        pointer = run(env)
        env.live.append(pointer)
        return pointed(env, pointer)

    return find


def _static(owner: Type, name: str) -> Find:
    def find(env: Environment) -> Assignable:
        found = static_member_target(env, owner, name)
        if found is None:
            raise Diagnostic("CS0117", owner.name, name)
        return found

    return find


def _member(binder: NameBinder, node: syntax.Member, *, is_inside: bool) -> Find | None:
    owner = binder.entity(node.target)
    if isinstance(owner, Namespace):
        return None
    if isinstance(owner, Type):
        static = bind_static(binder.env, owner, node.name)
        if static is not None and static.constant is not None:
            return None
        if static_member_target(binder.env, owner, node.name) is None:
            outside = static_extension_target(binder.env, binder.lookup, owner, node.name)
            if outside is not None:
                return lambda env: outside
            raise Diagnostic("CS0117", owner.name, node.name)
        return _static(owner, node.name)
    return _of_value(binder, node.target, owner, node.name, is_inside=is_inside)


def _of_value(binder: NameBinder, node: Node, bound: Bound, name: str, *, is_inside: bool = False) -> Find:
    """A member of a value. Where that is a structure, it must be a variable itself, whose member is changed."""
    outer = None if _is_reference(bound) else _outer(binder, node)
    is_base, run, opens_properties = isinstance(node, syntax.Base), bound.run, binder.opens_properties
    lookup = binder.lookup

    def find(env: Environment) -> Assignable:
        try:
            kept = outer(env) if outer is not None else None
        except ReadOnlyElementError as error:
            raise ReadOnlyElementError(error.what, is_member=True) from None
        if isinstance(kept, Slot) and isinstance(kept.read(env).data, Value) and kept.read(env).type.is_value_type:
            kept = own_copy(env, kept)
        target = kept.read(env) if isinstance(kept, Stored | OnlyRead) else run(env)
        if bound.type is not None and target.type.is_reference and bound.type.is_reference:
            target.type = bound.type
        env.live.append(target)
        structure = kept if isinstance(kept, Stored) and target.type.is_value_type else None
        if structure is not None and structure.property_name and not opens_properties:
            raise Diagnostic("CS1612", structure.property_name)
        try:
            place = member_target(env, target, structure, name, is_base=is_base)
        except Diagnostic as error:
            if is_inside and error.compiler_code == "CS0200":
                return OnlyRead(lambda env: MemberReader(name).read(env, target))
            raise
        place = place or extension_target(env, lookup, target, name)
        if place is None:
            raise Diagnostic("CS1061", env.own_type(target).name, name)
        return place

    return find


def _is_reference(bound: Bound) -> bool:
    return bound.type is not None and bound.type.is_reference


def _outer(binder: NameBinder, node: Node) -> Find | None:
    """Where a structure is kept; None for what is no variable."""
    if isinstance(node, syntax.Index) and isinstance(node.arguments[0].value, syntax.Range):
        return None
    if isinstance(node, syntax.This):
        kept = binder.variables.stored(binder.env, "this") if binder.variables is not None else None
        if kept is None or (kept[1] is None and not binder.user_types()):
            return None
        locate, declared = kept
        this = Stored(declared or binder.user_types()[0], locate)
        return lambda env: this
    try:
        return bind_target(binder, node, is_inside=True)
    except EvaluationError:
        return None


def _index(binder: NameBinder, node: syntax.Index, *, is_inside: bool) -> Find:
    bound, indices = binder.expression(node.target), bind_indices(binder, node)
    names = names_of_indices(node)
    target, outer = bound.run, None if _is_reference(bound) else _outer(binder, node.target)

    def find(env: Environment) -> Assignable:
        before = len(env.live)
        env.live.append(target(env))
        for run, _ in indices:
            env.live.append(run(env))
        operand, *values = env.live[before:]
        given = index_values(values, indices)
        if operand.data is None:
            raise null_reference("the indexed value")
        if names:
            check_takes_names(env, operand)
        if operand.type.kind is Kind.POINTER and len(given) == 1:
            return pointed(env, operand, given[0].operand)
        own = env.own_type(operand)
        if own.kind is Kind.ARRAY and operand.type.full_name != _READ_ONLY_LIST:
            return element(env, operand, [opened(env, index) for index in given])
        if own.kind is Kind.STRUCT and len(given) == 1 and is_placed(env, own):
            return _placed(env, operand, own, outer, opened(env, given[0]))
        if operand.type.kind is Kind.STRING:
            raise Diagnostic("CS0200", "string.this[int]")
        if operand.type.is_value_type:
            raise EvaluationError(f"An element of '{operand.type.name}' cannot be assigned here")
        return indexed(env, operand, given, names, is_inside=is_inside)

    return find


def _placed(env: Environment, target: Operand, own: Type, outer: Find | None, index: IndexValue) -> Assignable:
    """An element of a span, or of an inline array or a fixed buffer, which is a variable itself. CS8331."""
    if own.full_name in SPANS:
        return span_element(env, target, index)
    try:
        kept = outer(env) if outer is not None else None
    except EvaluationError:
        raise ReadOnlyElementError("method 'this.get'") from None
    if not isinstance(kept, Stored):
        raise Diagnostic("CS0131")
    return inline_element(env, kept, own, index)
