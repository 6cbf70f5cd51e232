"""Names in code: simple ones, of variables and of what needs no target; members of values and of types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.conversions import by_method, item_of, reached
from dap_dotnet.evaluation.binding.extensions import extension_members, instance_extensions, static_extensions
from dap_dotnet.evaluation.binding.scope import Entity, Scope, constant_of, stand_in
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.binding.variables import captured_value
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import read_kept
from dap_dotnet.evaluation.operations.member_access import constant_of as constant_field
from dap_dotnet.evaluation.operations.member_access import method_of
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.rules.conversions import without_getter
from dap_dotnet.evaluation.rules.overloads import assigning_name, choose, metadata_name
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import declarations
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo


def bind_member(scope: Scope, node: syntax.Member) -> Entity:
    """`target.name`."""
    return bind_member_of(scope, scope.entity(node.target), node)


def bind_member_of(scope: Scope, target: Entity, node: syntax.Member) -> Entity:
    """As `bind_member`, of a target that is bound already."""
    if isinstance(target, Namespace):
        return scope.binder.in_namespace(target, node)
    if isinstance(target, types.Type):
        return of_type(scope, target, node)
    if target.type.kind is types.Kind.NULL:
        raise Diagnostic("CS0023", ".", "<null>")
    found_member = member(scope, target, node.name)
    if bound.is_base(target):
        if found_member is None:
            raise Diagnostic("CS0117", target.type.name, node.name)
        return replace(found_member, is_virtual=False) if isinstance(found_member, bound.Invoked) else found_member
    if found_member is not None and node.type_arguments:
        raise Diagnostic("CS0307", "property or field", node.name)
    if found_member is not None:
        return found_member
    if is_named_as_its_type(node.target, target.type):
        static = static_member(scope, target.type, node.name)
        if static is not None:
            return static
    from_outside = _by_extension(scope, instance_extensions(scope, f"get_{node.name}"), (target,), has_receiver=True)
    if from_outside is not None:
        return from_outside
    for_dynamic = _dynamic_member(scope, target, node.name) if target in scope.exact else None
    if for_dynamic is not None:
        return for_dynamic
    if not scope.may_have(target, node.name) or declared_member(scope, target.type, node.name, static=True) is not None:
        return _undeclared(scope, target, node.name)
    actual = scope.dynamic(target, is_behind=True)
    return scope.late(
        (actual,),
        lambda inner, given: member(inner, given[0], node.name) or _undeclared(inner, given[0], node.name),
        used=f"the target of '.{node.name}'",
    )


def _undeclared(scope: Scope, target: Code, name: str) -> Code:
    """A member that an object itself says it has, where its type declares none to read. CS0154, CS0176, CS1061."""
    made = _dynamic_member(scope, target, name)
    if made is not None:
        return made
    declared = declared_member(scope, target.type, name, static=True)
    if declared is not None:
        raise Diagnostic("CS0176", declared[0].name, name)
    raise without_getter(scope.universe, target.type, name) or Diagnostic("CS1061", target.type.name, name)


def _dynamic_member(scope: Scope, target: Code, name: str) -> Code | None:
    """A member that an object has for `dynamic` code only; None where its type says of itself what it has."""
    if all(one.full_name != _DYNAMIC for one in declarations.ancestors_of(scope.universe, target.type)):
        return None
    return scope.dynamic(bound.DynamicMember(types.OBJECT, target, name))


_DYNAMIC = "System.Dynamic.IDynamicMetaObjectProvider"


def of_type(scope: Scope, owner: types.Type, node: syntax.Member) -> Entity:
    """`Type.name`: a static member or a nested type. CS0117, CS0305."""
    static = static_member(scope, owner, node.name)
    if static is not None and node.type_arguments:
        raise Diagnostic("CS0307", "property or field", node.name)
    if static is not None:
        return static
    nested = scope.binder.lookup.nested(owner, node.name, scope.binder.type_arguments(node.type_arguments))
    if nested is not None:
        return nested
    from_outside = _by_extension(scope, static_extensions(scope, owner, f"get_{node.name}"), ())
    if from_outside is not None:
        return from_outside
    wrong_nested = scope.binder.lookup.wrong_nested(owner, node.name, len(node.type_arguments))
    raise wrong_nested or without_static(scope, owner, node.name)


def without_static(scope: Scope, owner: types.Type, name: str) -> EvaluationError:
    """Why a type has no static member of a name that has a value: CS0119, CS0120, CS0117.

    CS0704 of a type parameter, which has none but for those of interfaces.
    """
    if owner.parameter is not None:
        return Diagnostic("CS0704", owner.name)
    named = declarations.methods_named(scope.universe, owner, name)
    if any(one.method.is_static for one in named):
        return Diagnostic("CS0119", f"{owner.name}.{name}", "method")
    if named or declared_member(scope, owner, name, static=False) is not None:
        return Diagnostic("CS0120", owner.name, name)
    return without_getter(scope.universe, owner, name) or Diagnostic("CS0117", owner.name, name)


def member(scope: Scope, target: Code, name: str) -> Code | None:
    """An instance member by its name; None where the static type has none."""
    if target.type.kind is types.Kind.ARRAY and target.type.rank <= 1 and name == "Length":
        return bound.Operation(types.I4, "ArrayLength", (target,))
    of_tuple = types.tuple_element(target.type, scope.names_of(target), name) if types.is_tuple(target.type) else None
    if of_tuple is not None:
        return item_of(scope, target, of_tuple[0])
    found = declared_member(scope, target.type, name, static=False)
    if found is None:
        return None
    owner, declared = found
    kind = declared_type(scope, owner, declared)
    if isinstance(declared, FieldInfo):
        return scope.with_field_names(bound.FieldOf(kind, owner, declared.token, target))
    return scope.with_result_names(bound.Invoked(kind, types.ExactMethod(owner, declared.getter), target, ()))


def static_member(scope: Scope, owner: types.Type, name: str) -> Code | None:
    """A static member of a type or its bases. CS8926 for one of an interface, which only its implementations have."""
    special = _SPECIAL.get((owner, name))
    if special is not None:
        return bound.Captured(owner, types.Operand(owner, special), is_constant=True)
    found = declared_member(scope, owner, name, static=True)
    if found is None:
        return None
    declaring, declared = found
    kind, module = declared_type(scope, declaring, declared), scope.universe.module_of(declaring)
    if isinstance(declared, FieldInfo):
        known = constant_field(module, kind, declared)
        if known is not None:
            data = types.InternedText(known.data) if isinstance(known.data, str) else known.data
            return bound.Captured(known.type, types.Operand(known.type, data), is_constant=True)
        return scope.with_field_names(bound.FieldOf(kind, declaring, declared.token, None))
    getter = types.ExactMethod(declaring, declared.getter)
    if owner.parameter is None and method_of(scope.env, getter).flags & _VIRTUAL:
        raise Diagnostic("CS8926")
    exact = reached(scope, getter, owner)
    return scope.with_result_names(bound.Invoked(kind, exact, None, ()))


_VIRTUAL = 0x40
_SPECIAL = {
    (types.STRING, "Empty"): types.InternedText(""),
    **{
        (kind, name): float(text)
        for kind in (types.R4, types.R8)
        for name, text in (("NaN", "nan"), ("PositiveInfinity", "inf"), ("NegativeInfinity", "-inf"))
    },
}


def declared_member(
    scope: Scope, start: types.Type, name: str, *, static: bool
) -> tuple[types.Type, FieldInfo | PropertyInfo] | None:
    """A field or property of the type or of its bases, nearest first."""
    for owner in declarations.bases_of(scope.universe, start):
        declared = declarations.declared_members(scope.universe, owner)
        every: list[FieldInfo | PropertyInfo] = [*declared.fields, *declared.properties]
        for found in every:
            is_indexer = isinstance(found, PropertyInfo) and found.parameter_count
            if found.name == name and found.is_static is static and not is_indexer:
                return owner, found
    return None


def declared_type(scope: Scope, owner: types.Type, declared: FieldInfo | PropertyInfo) -> types.Type:
    """The type of a field or a property. Raises `EvaluationError` where it is not loaded."""
    if isinstance(declared, PropertyInfo):
        kind = declarations.declared_method(scope.universe, types.ExactMethod(owner, declared.getter)).return_type(
            scope.universe
        )
    else:
        declaration = scope.universe.declaration(owner)
        assert declaration is not None
        module, metadata, _ = declaration
        kind = scope.universe.of_signature(module, metadata.field(declared.token).signature, owner.arguments)
    if kind is None:
        raise EvaluationError(f"The type of '{declared.name}' is not loaded")
    return kind


def is_named_as_its_type(node: syntax.Node, kind: types.Type) -> bool:
    """Whether a value may stand for its type too (C# specification 12.8.7.2): a property `Color` of type Color."""
    return isinstance(node, syntax.Name) and kind.name.rpartition(".")[2] == node.name


_RETURN_VALUE = re.compile(r"\$[rR]eturnValue(\d{0,4})")
Read = Callable[[Environment], types.Operand]


def bind_name(scope: Scope, node: syntax.Name) -> Entity:
    """A simple name: a variable, a member of `this` or of a type around the site, a type, a namespace. CS0103."""
    binder = scope.binder
    value = variable(scope, node.name)
    if value is not None and node.type_arguments:
        raise Diagnostic("CS0307", "variable", node.name)
    entity = value or binder.type_or_namespace(node)
    if entity is not None:
        return entity
    static = imported_member(scope, node.name)
    if static is not None:
        return static
    if binder.is_method_group(node.name):
        raise Diagnostic("CS0119", node.name, "method")
    raise binder.lookup.unknown(node.name, len(node.type_arguments))


def imported_member(scope: Scope, name: str) -> Code | None:
    """A static member of a type that the source imports by `using static`."""
    found = (static_member(scope, imported, name) for imported in scope.binder.lookup.imports.static_types)
    return next((static for static in found if static is not None), None)


def variable(scope: Scope, name: str) -> Code | None:
    """A variable of the body or of the frame, or a member that needs no target."""
    own = scope.variables.get(name)
    if own is not None:
        return own
    if name in scope.captured:
        return _known(scope, scope.captured[name])
    if name.startswith("$"):
        return _of_debugger(scope, name, _special(name))
    return _of_frame(scope, name) or _implicit_member(scope, name) or _kept(scope, name)


def _of_frame(scope: Scope, name: str) -> Code | None:
    variables, env = scope.binder.variables, scope.env
    found = variables.bind(env, name) if variables is not None else None
    if variables is None or not isinstance(found, bound.Stored):
        return found
    if found.type is types.OBJECT and not found.is_typed_by_value and variables.is_dynamic(env, name):
        return scope.dynamic(found)
    return scope.named(found, variables.element_names(env, name))


def _implicit_member(scope: Scope, name: str) -> Code | None:
    target, binder = this(scope), scope.binder
    for own_name in binder.names_in_this(name) if target is not None else ():
        found = member(scope, target, own_name) if target is not None else None
        if target is not None and found is not None:
            check_this(scope, target)
            return found
    for owner in binder.user_types():
        static = static_member(scope, owner, binder.static_local(name) or name)
        if static is not None:
            return static
    return None


# this and base


def this(scope: Scope) -> Code | None:
    """`this` of the frame; None in static code."""
    return scope.binder.this()


def check_this(scope: Scope, target: Code) -> None:
    """A lambda inside of a structure has no `this`. CS1673."""
    if target.type.is_value_type and scope.in_lambda:
        raise Diagnostic("CS1673")


def bind_this(scope: Scope, node: syntax.This) -> Code:
    """`this`. CS0026."""
    found = this(scope)
    if found is None:
        raise Diagnostic("CS0026")
    check_this(scope, found)
    return found


def bind_base(scope: Scope, node: syntax.Base) -> Code:
    """`base`: `this` as the class that it derives from. CS1511."""
    own = this(scope)
    if own is None:
        raise Diagnostic("CS1511")
    above = declarations.bases_of(scope.universe, own.type)
    kind = above[1] if len(above) > 1 else types.OBJECT
    return bound.TypedOperation(kind, bound.BASE, own, kind)


# what the debugger has


def _known(scope: Scope, operand: types.Operand) -> Code:
    """A value as it is now."""
    if operand.type is types.TYPE:
        return type_constant(scope, operand)
    return scope.named(captured_value(operand), operand.names)


def type_constant(scope: Scope, operand: types.Operand) -> Code:
    """What `typeof` gives."""
    of_system = scope.universe.named("System.Type")
    if of_system is None:
        raise Diagnostic("CS0518", "System.Type")
    return bound.Captured(of_system, operand)


def _of_debugger(scope: Scope, name: str, read: Read, *, is_of_console: bool = False) -> Code:
    """A variable that the debugger has, not the frame: only its value shows its type."""
    now = read(scope.env)
    known = _known(scope, now)
    made = bound.Stored(
        known.type, name, read, None, lambda env: known, is_typed_by_value=True, is_of_console=is_of_console
    )
    return scope.named(made, now.names)


def _kept(scope: Scope, name: str) -> Code | None:
    """A variable of the debug console."""
    kept = scope.env.program.kept
    known = kept.variable(name) if kept is not None else None
    if known is None:
        return None
    return _of_debugger(scope, name, lambda env: read_kept(env, name), is_of_console=not known.is_constant)


def _special(name: str) -> Read:
    """`$exception`, `$returnValue`, `$returnValue1`, `$tid`, `$pid` and the object ids `$1`. CS0103 for others."""
    if name[1:].isdecimal():
        number = int(name[1:])
        return lambda env: _object(env, number)
    returned = _RETURN_VALUE.fullmatch(name)
    if returned is not None:
        return lambda env: _returned(env, name, returned[1])
    read = _READS.get(name)
    if read is None:
        raise Diagnostic("CS0103", name)
    return read


def _exception(env: Environment) -> types.Operand:
    raised = env.debuggee.current_exception(env.context.thread)
    if raised is None:
        raise Diagnostic("CS0103 exception")
    return env.operand(raised)


def _returned(env: Environment, name: str, number: str) -> types.Operand:
    """What a call of the statement that was stepped over has returned; the last one without a number."""
    program, thread = env.program, env.context.thread
    count = len(program.returned.names(thread)) if program.returned is not None else 0
    which = (int(number) if number else count) - 1
    value = program.returned.value(program, thread, which) if program.returned is not None else None
    if value is None:
        reason = f"only {count} calls returned a known value" if count else "no step has returned a value here"
        raise Diagnostic("CS0103 special", name, reason)
    return env.operand(value)


def _object(env: Environment, number: int) -> types.Operand:
    kept = env.program.kept
    if kept is None:
        raise Diagnostic("CS0103", f"${number}")
    return env.operand(kept.object(env.debuggee, number))


_READS: dict[str, Read] = {
    "$exception": _exception,
    "$tid": lambda env: types.Operand(types.I4, int(env.context.thread)),
    "$pid": lambda env: types.Operand(types.I4, int(env.debuggee.process_id)),
}


def extension_operator(scope: Scope, operator: str, *operands: Code) -> Code | None:
    """An operator that is declared from outside of the operands' types; None where none takes them."""
    name = metadata_name(operator, is_unary=len(operands) == 1)
    return _by_extension(scope, [one for one, _, _ in extension_members(scope, name)], operands)


def extension_assignment(scope: Scope, operator: str, target: Code, *operands: Code) -> Code | None:
    """`target operator= value` by an operator from outside that changes the target; None where none takes them."""
    name = assigning_name(operator)
    declared = instance_extensions(scope, name) if name is not None else ()
    return _by_extension(scope, declared, (target, *operands), has_receiver=True)


def _by_extension(
    scope: Scope, methods: Sequence[declarations.Candidate], operands: Sequence[Code], *, has_receiver: bool = False
) -> Code | None:
    given = Given(
        [stand_in(code) for code in operands],
        constants=[constant_of(code) for code in operands],
        has_receiver=has_receiver,
    )
    chosen = choose(scope.universe, methods, given) if methods else None
    return by_method(scope, chosen, *operands) if chosen is not None else None
