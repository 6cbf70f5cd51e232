"""Names and members in code."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Namespace
from dap_dotnet.evaluation.binding.program_code.conversions import item_of
from dap_dotnet.evaluation.binding.program_code.element_names import names_of, with_field_names, with_result_names
from dap_dotnet.evaluation.binding.program_code.extension_members import (
    extension_property,
    static_extension_property,
)
from dap_dotnet.evaluation.binding.program_code.late import dynamic, late, may_be_more
from dap_dotnet.evaluation.binding.program_code.scope import Entity, Scope, named, unsupported
from dap_dotnet.evaluation.binding.program_code.type_parameters import open_type, reached
from dap_dotnet.evaluation.binding.special_names import bind_kept_variable, bind_special
from dap_dotnet.evaluation.binding.static_members import bind_static
from dap_dotnet.evaluation.binding.static_types import is_named_as_its_type
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    DynamicMember,
    FieldOf,
    Invoked,
    Operation,
    Stored,
    TypedOperation,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, kept_place
from dap_dotnet.evaluation.operations.assignables import Stored as StoredPlace
from dap_dotnet.evaluation.operations.fields import literal
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.rules.type_errors import without_getter
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import ancestors_of, bases_of, is_stack_only
from dap_dotnet.evaluation.types.tuple_names import element
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, members


def bind_name(scope: Scope, node: syntax.Name) -> Entity:
    """A simple name: a variable, a member of `this` or of a type around the site, a type, a namespace. CS0103."""
    value = variable(scope, node.name)
    if value is not None and node.type_arguments:
        raise Diagnostic("CS0307", "variable", node.name)
    if value is not None:
        return value
    entity = scope.binder.type_or_namespace(node)
    if entity is not None:
        return entity
    static = imported_member(scope, node.name)
    if static is not None:
        return static
    owners = (*scope.binder.user_types(), *scope.binder.lookup.imports.static_types)
    if any(methods(scope, owner, node.name) for owner in owners):
        raise Diagnostic("CS0119", node.name, "method")
    raise scope.binder.lookup.unknown(node.name, len(node.type_arguments))


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
        return captured_value(scope, scope.captured[name])
    if name.startswith("$"):
        return _of_debugger(scope, name, bind_special(name), None)
    return _of_frame(scope, name) or _implicit_member(scope, name) or _kept(scope, name)


def captured_value(scope: Scope, operand: Operand, declared: Type | None = None) -> Code:
    """A value of the frame, as it is now."""
    if operand.type.kind in (Kind.LAMBDA, Kind.SEQUENCE, Kind.PAIR) or operand.type in (types.TUPLE, types.ANONYMOUS):
        raise unsupported(f"A value that only the expression has ('{operand.type.name}')")
    if operand.type.kind is Kind.POINTER and not scope.is_live:
        raise unsupported("A pointer")
    if operand.type is types.TYPE:
        return type_constant(scope, operand)
    kind = declared if declared is not None and operand.type.kind is Kind.NULL else operand.type
    return named(scope, Captured(kind, operand), operand.names)


def type_constant(scope: Scope, operand: Operand) -> Code:
    """What `typeof` gives."""
    of_system = scope.universe.named("System.Type")
    if of_system is None:
        raise Diagnostic("CS0518", "System.Type")
    return Captured(of_system, operand)


def this(scope: Scope) -> Code | None:
    """`this` of the frame; None in static code."""
    bound = scope.binder.this()
    if bound is None:
        return None
    if scope.is_live:
        return _live(scope, "this", bound, lambda: this_now(scope))
    return this_now(scope)


def this_now(scope: Scope) -> Code:
    """`this` of the frame as it is."""
    bound = scope.binder.this()
    assert bound is not None
    operand = bound.run(scope.env)
    return Captured(operand.type, operand)


def check_this(scope: Scope, target: Code) -> None:
    """A lambda inside of a structure has no `this`. CS1673."""
    if target.type.is_value_type and scope.in_lambda:
        raise Diagnostic("CS1673")


def _of_frame(scope: Scope, name: str) -> Code | None:
    if not scope.is_live:
        return _of_frame_now(scope, name)
    variables = scope.binder.variables
    bound = variables.bind(scope.env, name) if variables is not None else None
    if bound is None:
        return None
    if bound.constant is not None:
        return Captured(bound.constant.type, bound.constant, is_constant=True)

    def captured() -> Code:
        made = _of_frame_now(scope, name)
        assert made is not None
        return made

    made = _live(scope, name, bound, captured)
    return dynamic(scope, made) if bound.is_dynamic else made


def _live(scope: Scope, name: str, bound: Bound, captured: Callable[[], Code]) -> Code:
    """A variable that is read when the code runs."""
    kind = open_type(scope, name) or (bound.type if not bound.is_dynamic else types.OBJECT)
    now = bound.run(scope.env) if kind is None or tuple_names.count(kind) else None
    variables = scope.binder.variables
    stored = variables.stored(scope.env, name) if variables is not None else None
    if kind is None:
        assert now is not None
        kind = now.type
    declared, locate = kind, stored[0] if stored is not None else None
    place = (lambda env: StoredPlace(declared, locate)) if locate is not None else None
    is_fixed = variables is not None and variables.is_read_only(scope.env, name)
    made = Stored(
        checked_type(scope, kind), name, bound.run, place, captured,
        is_read_only=is_fixed, is_typed_by_value=bound.type is None,
    )  # fmt: skip
    return made if now is None else named(scope, made, now.names)


def _of_frame_now(scope: Scope, name: str) -> Code | None:
    variables, env = scope.binder.variables, scope.env
    if variables is None:
        return None
    held = variables.in_closure(env, name)
    if held is not None:
        closure, field = held
        owner, declared = env.type_of(field.type), open_type(scope, name) or variables.declared(env, name)
        if owner is not None and declared is not None:
            target = Captured(owner, env.operand(closure, owner))
            made = FieldOf(declared, owner, field.field.token, target)
            kept = variables.bind(env, name) if tuple_names.count(declared) else None
            return made if kept is None else named(scope, made, kept.run(env).names)
    bound = variables.bind(env, name)
    if bound is None:
        return None
    if bound.constant is not None:
        return Captured(bound.constant.type, bound.constant, is_constant=True)
    return captured_value(scope, bound.run(env), bound.type)


def _implicit_member(scope: Scope, name: str) -> Code | None:
    target = this(scope)
    for own_name in scope.binder.names_in_this(name) if target is not None else ():
        found = member(scope, target, own_name) if target is not None else None
        if target is not None and found is not None:
            check_this(scope, target)
            return found
    for owner in scope.binder.user_types():
        static = static_member(scope, owner, scope.binder.static_local(name) or name)
        if static is not None:
            return static
    return None


def _kept(scope: Scope, name: str) -> Code | None:
    bound, kept = bind_kept_variable(scope.env, name), scope.env.program.kept
    if bound is None or kept is None:
        return None
    known = kept.variable(name)
    is_constant = known is not None and known.is_constant
    return _of_debugger(scope, name, bound, None if is_constant else lambda env: kept_place(env, name))


def _of_debugger(scope: Scope, name: str, bound: Bound, place: Callable[[Environment], Assignable] | None) -> Code:
    """A variable that the debugger has, not the frame."""
    now = bound.run(scope.env)
    code = captured_value(scope, now)
    if not scope.is_live:
        return code
    made = Stored(code.type, name, bound.run, place, lambda: code, is_typed_by_value=bound.type is None)
    return named(scope, made, now.names)


def bind_member(scope: Scope, node: syntax.Member) -> Entity:
    """`target.name`."""
    target = scope.entity(node.target)
    if isinstance(target, Namespace):
        return scope.binder.in_namespace(target, node)
    if isinstance(target, Type):
        return of_type(scope, target, node)
    if target.type.kind is Kind.NULL:
        raise Diagnostic("CS0023", ".", "<null>")
    found_member = member(scope, target, node.name)
    if is_base(target):
        if found_member is None:
            raise Diagnostic("CS0117", target.type.name, node.name)
        return replace(found_member, is_virtual=False) if isinstance(found_member, Invoked) else found_member
    if found_member is not None and node.type_arguments:
        raise Diagnostic("CS0307", "property or field", node.name)
    if found_member is not None:
        return found_member
    if isinstance(node.target, syntax.Name) and is_named_as_its_type(node.target, Bound(_unused, target.type)):
        static = static_member(scope, target.type, node.name)
        if static is not None:
            return static
    from_outside = extension_property(scope, target, node.name)
    if from_outside is not None:
        return from_outside
    for_dynamic = _dynamic_member(scope, target, node.name) if target in scope.exact else None
    if for_dynamic is not None:
        return for_dynamic
    if not may_be_more(scope, target) or _declared(scope, target.type, node.name, static=True) is not None:
        return _undeclared(scope, target, node.name)
    actual = dynamic(scope, target, is_behind=True)
    return late(scope, (actual,), lambda inner, given: _late_member(inner, given[0], node.name))


def _late_member(scope: Scope, target: Code, name: str) -> Code:
    """A member of the actual type. CS0176, CS1061."""
    if target.type is types.NULL:
        raise null_reference(f"the target of '.{name}'")
    return member(scope, target, name) or _undeclared(scope, target, name)


def _undeclared(scope: Scope, target: Code, name: str) -> Code:
    """A member that an object itself says it has, where its type declares none to read. CS0154, CS0176, CS1061."""
    made = _dynamic_member(scope, target, name)
    if made is not None:
        return made
    declared = _declared(scope, target.type, name, static=True)
    if declared is not None:
        raise Diagnostic("CS0176", declared[0].name, name)
    raise without_getter(scope.universe, target.type, name) or Diagnostic("CS1061", target.type.name, name)


def _dynamic_member(scope: Scope, target: Code, name: str) -> Code | None:
    """A member that an object has for `dynamic` code only; None where its type says of itself what it has."""
    if all(one.full_name != _DYNAMIC for one in ancestors_of(scope.universe, target.type)):
        return None
    return dynamic(scope, DynamicMember(types.OBJECT, target, name))


_DYNAMIC = "System.Dynamic.IDynamicMetaObjectProvider"


def of_type(scope: Scope, owner: Type, node: syntax.Member) -> Entity:
    """`Type.name`: a static member or a nested type. CS0117, CS0305."""
    static = static_member(scope, owner, node.name)
    if static is not None and node.type_arguments:
        raise Diagnostic("CS0307", "property or field", node.name)
    if static is not None:
        return static
    nested = scope.binder.lookup.nested(owner, node.name, scope.binder.type_arguments(node.type_arguments))
    if nested is not None:
        return nested
    from_outside = static_extension_property(scope, owner, node.name)
    if from_outside is not None:
        return from_outside
    wrong_nested = scope.binder.lookup.wrong_nested(owner, node.name, len(node.type_arguments))
    raise wrong_nested or without_static(scope, owner, node.name)


def without_static(scope: Scope, owner: Type, name: str) -> EvaluationError:
    """Why a type has no static member of a name that has a value: CS0119, CS0120, CS0117.

    CS0704 of a type parameter, which has none but for those of interfaces.
    """
    if owner.parameter is not None:
        return Diagnostic("CS0704", owner.name)
    named = methods(scope, owner, name)
    if any(one.method.is_static for one in named):
        return Diagnostic("CS0119", f"{owner.name}.{name}", "method")
    if named or _declared(scope, owner, name, static=False) is not None:
        return Diagnostic("CS0120", owner.name, name)
    return without_getter(scope.universe, owner, name) or Diagnostic("CS0117", owner.name, name)


def member(scope: Scope, target: Code, name: str) -> Code | None:
    """An instance member by its name; None where the static type has none."""
    if target.type.kind is Kind.ARRAY and target.type.rank <= 1 and name == "Length":
        return Operation(types.I4, "ArrayLength", (target,))
    of_tuple = element(target.type, names_of(scope, target), name)
    if of_tuple is not None:
        return item_of(scope, target, of_tuple[0])
    found = _declared(scope, target.type, name, static=False)
    if found is None:
        return None
    owner, declared = found
    kind = _type(scope, owner, declared)
    if isinstance(declared, FieldInfo):
        return with_field_names(scope, FieldOf(kind, owner, declared.token, target))
    return with_result_names(scope, Invoked(kind, ExactMethod(owner, declared.getter), target, ()))


def static_member(scope: Scope, owner: Type, name: str) -> Code | None:
    """A static member of a type or its bases."""
    known = bind_static(scope.env, owner, name) if owner.parameter is None else None
    if known is None and owner.parameter is None:
        return None
    if known is not None and known.constant is not None:
        return Captured(known.constant.type, known.constant, is_constant=True)
    found = _declared(scope, owner, name, static=True)
    if found is None:
        return None
    declaring, declared = found
    kind = _type(scope, declaring, declared)
    if isinstance(declared, FieldInfo):
        if declared.is_literal:
            return Captured(kind, literal(kind, declared), is_constant=True)
        return with_field_names(scope, FieldOf(kind, declaring, declared.token, None))
    exact = reached(scope, ExactMethod(declaring, declared.getter), owner)
    return with_result_names(scope, Invoked(kind, exact, None, ()))


def _declared(scope: Scope, start: Type, name: str, *, static: bool) -> tuple[Type, FieldInfo | PropertyInfo] | None:
    """A field or property of the type or of its bases, nearest first."""
    for owner in bases_of(scope.universe, start):
        definition = scope.universe.definition_of(owner)
        module = scope.universe.module_of(owner)
        declared = members(module, definition[1] if definition is not None else None)
        for field in declared.fields:
            if field.name == name and field.is_static is static:
                return owner, field
        for found in declared.properties:
            if found.name == name and found.is_static is static and not found.parameter_count:
                return owner, found
    return None


def _type(scope: Scope, owner: Type, declared: FieldInfo | PropertyInfo) -> Type:
    from portablepdb.signatures import ByRefType

    module = scope.universe.module_of(owner)
    assert module is not None
    assert module.metadata is not None
    if isinstance(declared, FieldInfo):
        signature = module.metadata.field(declared.token).signature
    else:
        signature = module.metadata.method(declared.getter).signature.return_type
    kind = scope.universe.of_signature(module, signature, owner.arguments)
    if kind is None or (not scope.is_live and isinstance(signature, ByRefType)):
        raise unsupported(f"'{declared.name}', which gives a reference or a type that is not loaded,")
    return checked_type(scope, kind)


def checked_type(scope: Scope, kind: Type) -> Type:
    """The type itself. Raises `EvaluationError` for those that no expression tree can have: spans, pointers."""
    if scope.is_live:
        return kind
    if kind.kind is Kind.POINTER:
        raise unsupported("A pointer")
    if is_stack_only(scope.universe, kind):
        raise unsupported(f"A value of type '{kind.name}'")
    return kind


def methods(scope: Scope, owner: Type, name: str) -> list[Candidate]:
    """The methods of a name that a type and its bases declare."""
    return [
        candidate
        for declaring in bases_of(scope.universe, owner)
        for candidate in candidates(scope.universe, declaring)
        if candidate.method.name == name
    ]


def result_of(scope: Scope, chosen: Chosen) -> Type:
    """What the chosen method gives. Raises `EvaluationError` for what no tree can have."""
    from portablepdb.signatures import ByRefType

    kind = chosen.candidate.return_type(scope.universe, chosen.type_arguments)
    is_reference = isinstance(chosen.candidate.method.signature.return_type, ByRefType)
    if kind is None or (is_reference and not scope.is_live):
        raise unsupported(f"A call of '{chosen.candidate.method.name}', which returns a reference,")
    return checked_type(scope, kind)


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
    if not scope.is_live:
        raise unsupported("'base'")
    above = bases_of(scope.universe, own.type)
    kind = above[1] if len(above) > 1 else types.OBJECT
    return TypedOperation(kind, BASE, own, kind)


BASE = "Base"


def is_base(code: Code | None) -> bool:
    """Whether it is `base`, on which no member is virtual."""
    return isinstance(code, TypedOperation) and code.name == BASE


def _unused(env: object) -> Operand:
    raise AssertionError
