"""Calls and creations in code: the overload that C# chooses, its arguments converted; `nameof`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding import extensions as extending
from dap_dotnet.evaluation.binding import members
from dap_dotnet.evaluation.binding.arguments import Arguments, applied
from dap_dotnet.evaluation.binding.conversions import explicit, implicit, reached, result_of
from dap_dotnet.evaluation.binding.members import is_named_as_its_type, this
from dap_dotnet.evaluation.binding.method_groups import is_local_function, local_function
from dap_dotnet.evaluation.binding.pointers import bind_pointer_call
from dap_dotnet.evaluation.binding.scope import Entity, Scope, stand_in, unsupported
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.rules.variables import check_required
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Type
from dap_dotnet.evaluation.types.declarations import constructors, delegate_signature, methods_named

_ABSTRACT, _SEALED = 0x80 | 0x20, 0x100
_VIRTUAL = 0x40
_IS_STRUCT, _HAS_CONSTRUCTOR = 0x08, 0x10
"""GenericParamAttributes (ECMA-335 II.23.1.7)."""


def bind_call(scope: Scope, node: syntax.Call) -> Code:
    """A call of a method or a delegate."""
    target = node.target
    if isinstance(target, syntax.Name):
        return _simple(scope, node, target)
    if not isinstance(target, syntax.Member):
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    owner = scope.entity(target.target)
    arguments = _arguments(scope, node, target.type_arguments)
    if isinstance(owner, Namespace):
        raise Diagnostic("CS0234", target.name, owner.name)
    if isinstance(owner, Type):
        return on_type(scope, owner, target.name, arguments)
    if owner.type is types.VOID:
        raise Diagnostic("CS0023", ".", owner.type.name)
    named = is_named_as_its_type(target.target, owner.type)
    missing = "CS1936" if node.is_clause else "CS0117" if bound.is_base(owner) else "CS1061"
    return on_value(scope, owner, target.name, arguments, is_named_as_its_type=named, missing=missing)


def _arguments(scope: Scope, node: syntax.Call, type_arguments: tuple[syntax.TypeSyntax, ...] = ()) -> Arguments:
    return Arguments(scope, node.arguments, scope.binder.type_arguments(type_arguments), node.receiver)


def _simple(scope: Scope, node: syntax.Call, target: syntax.Name) -> Code:
    if target.name == "nameof" and len(node.arguments) == 1:
        return bind_name_of(scope, node.arguments[0].value)
    if target.name in scope.variables or target.name in scope.captured:
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    by_pointer = bind_pointer_call(scope, node, target.name)
    if by_pointer is not None:
        return by_pointer
    return _unqualified(scope, target.name, _arguments(scope, node, target.type_arguments))


def _unqualified(scope: Scope, name: str, arguments: Arguments) -> Code:
    """`name(arguments)`: a method of `this` or of a type around the site, or a variable that holds a delegate."""
    if arguments.are_late:
        return _late(scope, arguments, lambda inner, given: _unqualified(inner, name, given))
    own = this(scope)
    if own is not None:
        made = _method_of(scope, own.type, own, name, arguments)
        if isinstance(made, bound.Invoked) and made.target is own:
            members.check_this(scope, own)
        if made is not None:
            return made
    for owner in scope.binder.owners():
        made = _method_of(scope, owner, None, name, arguments)
        if made is not None:
            return made
    held = members.variable(scope, name) or members.imported_member(scope, name)
    if held is not None:
        return _invoke(scope, held, arguments, name)
    made = local_function_call(scope, name, arguments, own)
    if made is None:
        raise Diagnostic("CS0103", name)
    return made


def _late(scope: Scope, arguments: Arguments, bind: Callable[[Scope, Arguments], Code]) -> Code:
    """A call for which the actual types of some of its arguments decide."""
    return scope.late(arguments.codes, lambda inner, given: bind(inner, arguments.replaced(inner, given)))


def on_type(scope: Scope, owner: Type, name: str, arguments: Arguments) -> Code:
    """`owner.name(arguments)`: a static method, a delegate that a member holds, or an extension of the type."""
    if arguments.are_late:
        return _late(scope, arguments, lambda inner, given: on_type(inner, owner, name, given))
    made = _method_of(scope, owner, None, name, arguments)
    if made is not None:
        return made
    held = members.static_member(scope, owner, name)
    from_outside = extending.static_extensions(scope, owner, name) if held is None else []
    chosen = choose(scope.universe, from_outside, arguments.given, name=name)
    if chosen is not None:
        return called(scope, chosen, None, arguments)
    if held is None:
        raise members.without_static(scope, owner, name)
    return _invoke(scope, held, arguments, name)


def on_value(
    scope: Scope,
    target: Code,
    name: str,
    arguments: Arguments,
    *,
    is_named_as_its_type: bool = False,
    missing: str = "CS1061",
) -> Code:
    """`target.name(arguments)`: a method, a delegate that a member holds, or an extension method. CS1929.

    `missing`: the compiler's code where there is none of them.
    """
    if target.type.kind is Kind.NULL:
        raise Diagnostic("CS0023", ".", "<null>")
    if bound.is_late(target):
        return _late_on_value(scope, target, name, arguments, missing)
    if arguments.are_late:
        return _late(scope, arguments, lambda inner, given: on_value(inner, target, name, given, missing=missing))
    found = methods_named(scope.universe, target.type, name)
    if is_named_as_its_type and found and all(one.method.is_static for one in found):
        return on_type(scope, target.type, name, arguments)
    made = _method_of(scope, target.type, target, name, arguments, is_instance=not is_named_as_its_type)
    if made is not None:
        return made
    held = members.member(scope, target, name) if not found else None
    is_invocable = held is not None and (
        bound.is_late(held) or delegate_signature(scope.universe, held.type) is not None
    )
    if held is not None and is_invocable:
        return _invoke(scope, held, arguments)
    offered = extending.extensions(scope.env, scope.binder.lookup, name)
    if held is not None and not offered:
        raise Diagnostic("CS1955", f"{target.type.name}.{name}")
    receiver = stand_in(target, scope.names_of(target))
    given = arguments.given
    bound.know_names([receiver, *given.operands])
    # of an array Enumerable's methods do the same as those of spans
    others = [one for one in offered if one.owner.full_name != extending.OF_SPANS]
    chosen = extending.choose_extension(scope, others, receiver, given) or extending.choose_extension(
        scope, offered, receiver, given
    )
    received = [one for one in offered if extending.may_receive(scope.universe, one, target.type)]
    is_open = chosen is None and not found and not received and not bound.is_base(target)
    if is_open and scope.may_have(target, name):
        return _late_on_value(scope, target, name, arguments, missing)
    if chosen is None and any(one.method.is_static for one in found):
        raise Diagnostic("CS0176", found[0].owner.name, name)
    if chosen is None:
        if found:
            raise why_no_overload(scope.universe, found, given, f"{target.type.name}.{name}")
        if not received:
            extending.check_receiver(scope.universe, offered, name, receiver)
            raise Diagnostic(missing, target.type.name, name)
        raise why_no_overload(scope.universe, received, extending.with_target(receiver, given), name)
    arguments.receive(receiver, target)
    return called(scope, chosen, None, arguments)


def _late_on_value(scope: Scope, target: Code, name: str, arguments: Arguments, missing: str = "CS1061") -> Code:
    """A call of a method of the actual type, which gives something: what only changes an object, C# is to allow."""
    declared = target.type if not bound.is_late(target) else None

    def bind(inner: Scope, given: Sequence[Code]) -> Code:
        made = on_value(inner, given[0], name, arguments.replaced(inner, given[1:]), missing=missing)
        if made.type is types.VOID and declared is not None:
            raise Diagnostic(missing, declared.name, name)
        return made

    actual = scope.dynamic(target, is_behind=True)
    return scope.late((actual, *arguments.codes), bind, used=f"the target of '.{name}()'")


def _method_of(
    scope: Scope, owner: Type, target: Code | None, name: str, arguments: Arguments, *, is_instance: bool = False
) -> Code | None:
    """A call of a method by its name; None where there is none, or only ones that an extension method stands for.

    `is_instance`: the target is a value, which no static method is called on.
    """
    found = methods_named(scope.universe, owner, name)
    if target is None or is_instance:
        found = [one for one in found if one.method.is_static is (target is None)]
    if not found or (owner.parameter is not None and target is None and not found[0].method.flags & _VIRTUAL):
        return None
    shown = f"{owner.name}.{name}"
    receiver = [stand_in(target, scope.names_of(target))] if target is not None else []
    bound.know_names([*receiver, *arguments.given.operands])
    chosen = choose(scope.universe, found, arguments.given, name=shown)
    if chosen is None:
        if target is not None and extending.extensions(scope.env, scope.binder.lookup, name):
            return None
        raise why_no_overload(scope.universe, found, arguments.given, shown)
    exact = reached(scope, chosen.exact, owner) if target is None else chosen.exact
    return called(scope, chosen, None if chosen.candidate.method.is_static else target, arguments, exact)


def called(
    scope: Scope, chosen: Chosen, target: Code | None, arguments: Arguments, exact: ExactMethod | None = None
) -> Code:
    """A call of the chosen method, or of what it is for a type parameter."""
    kind = result_of(scope, chosen)

    def call(held: Code | None, passed: tuple[Code, ...]) -> Code:
        method = scope.with_argument_names(chosen.candidate, exact or chosen.exact, passed)
        scope.give_names(method, held, {n: code for n, code in enumerate(passed) if code in arguments.untyped})
        return scope.with_result_names(bound.Invoked(kind, method, held, passed, not bound.is_base(held)))

    return applied(scope, arguments, chosen, target, call)


def _invoke(scope: Scope, held: Code, arguments: Arguments, name: str = "") -> Code:
    """A call of a delegate, which a variable or a member of a name holds, if one is given. CS0149, CS1955."""
    if bound.is_late(held):
        return _late_on_value(scope, held, "Invoke", arguments)
    if delegate_signature(scope.universe, held.type) is None:
        if not name or not isinstance(held, (bound.FieldOf, bound.Invoked)):
            raise Diagnostic("CS0149")
        owner = held.owner if isinstance(held, bound.FieldOf) else held.method.owner
        raise Diagnostic("CS1955", f"{owner.name}.{name}")
    made = _method_of(scope, held.type, held, "Invoke", arguments)
    assert made is not None
    return made


def constructed(scope: Scope, kind: Type, arguments: Arguments, initialised: frozenset[str] = frozenset()) -> Code:
    """`new kind(arguments)`, before its initializer. CS0144, CS0712, CS1729, CS9035."""
    if arguments.are_late:
        return explicit(scope, _late(scope, arguments, lambda inner, given: constructed(inner, kind, given)), kind)
    given = arguments.given
    if kind.parameter is not None:
        return _of_parameter(scope, kind, given)
    declared = scope.universe.declaration(kind)
    if kind.kind is Kind.NULLABLE and len(arguments.codes) == len(given.operands) < 2:
        value = [implicit(scope, code, kind.element) for code in arguments.codes]
        return implicit(scope, value[0], kind) if value else bound.Zero(kind)
    if kind.kind is Kind.NULLABLE or declared is None:
        raise unsupported(f"new {kind.name}(…)")
    flags = declared[1].type_def(declared[2]).flags
    if flags & _ABSTRACT:
        raise Diagnostic("CS0712" if flags & _SEALED else "CS0144", kind.name)
    if delegate_signature(scope.universe, kind) is not None:
        source = bound.source_of(given.operands[0]) if len(given.operands) == 1 else None
        if source is None:
            raise Diagnostic("CS0149")
        return scope.function(source, kind)
    found = constructors(scope.universe, kind)
    chosen = choose(scope.universe, found, given, name=kind.name)
    if chosen is None:
        if found and (given.operands or not kind.is_value_type):
            raise why_no_overload(scope.universe, found, given, kind.name)
        if given.operands or not kind.is_value_type:
            raise Diagnostic("CS1729", kind.name, len(given.operands))
        check_required(scope.universe, kind, None, initialised)
        return bound.Zero(kind)
    check_required(scope.universe, kind, chosen.candidate, initialised)
    return applied(scope, arguments, chosen, None, lambda _, passed: bound.Made(kind, chosen.candidate.exact, passed))


def _of_parameter(scope: Scope, kind: Type, given: Given) -> Code:
    """`new T()`. CS0304, CS0417."""
    assert kind.parameter is not None
    if given.operands:
        raise Diagnostic("CS0417", kind.name)
    if not kind.parameter.flags & (_HAS_CONSTRUCTOR | _IS_STRUCT):
        raise Diagnostic("CS0304", kind.name)
    actual = scope.closed(kind)
    return bound.TypedOperation(kind, "Convert", constructed(scope, actual, Arguments(scope, (), ())), kind)


def call(scope: Scope, target: Code, name: str, *codes: Code) -> Code:
    """`target.name(codes)`, of arguments that are bound already."""
    return on_value(scope, target, name, Arguments.of_codes(scope, codes))


def new(scope: Scope, kind: Type, *codes: Code) -> Code:
    """`new kind(codes)`, as `call`."""
    return constructed(scope, kind, Arguments.of_codes(scope, codes))


def local_function_call(scope: Scope, name: str, arguments: Arguments, this: Code | None) -> Code | None:
    """The call; None where no local function has the name.

    Raises `EvaluationError` where the frame does not have the variables that the function uses.
    """
    meant = local_function(scope, name, this)
    if meant is None:
        return None
    only, target, closures = meant
    given = arguments.given
    if not given.types:
        # The method's own type parameters are the function's, too.
        lookup = scope.binder.lookup
        outer = [lookup.type_parameter(scope.env, one.name) for one in only.method.generic_parameters]
        arguments.given = replace(given, types=tuple(kind for kind in outer if kind is not None))
    arguments.add_closures(closures)
    chosen = choose(scope.universe, [only], arguments.given)
    if chosen is None:
        raise why_no_overload(scope.universe, [only], given if closures else arguments.given, name)
    return bound.Invoked(result_of(scope, chosen), chosen.exact, target, arguments.passed(chosen))


# nameof (C# specification 12.8.23)


def bind_name_of(scope: Scope, node: syntax.Node) -> Code:
    """The name as a constant. CS8081, CS8082, and for what is not there as for its value."""
    with passing(node.at):
        if not isinstance(node, syntax.Name | syntax.Member):
            raise Diagnostic("CS8081")
        _meant(scope, node)
    return bound.characters(node.name)


def _meant(scope: Scope, node: syntax.Node) -> Entity | None:
    """What a name means; None for methods, and for members that have no value here."""
    with passing(node.at):
        if isinstance(node, syntax.Name):
            return _meant_by_name(scope, node)
        if isinstance(node, syntax.Member):
            return _meant_by_member(scope, node)
        if isinstance(node, syntax.This | syntax.Base | syntax.PredefinedTypeSyntax):
            return scope.entity(node)
        raise Diagnostic("CS8082")


def _meant_by_name(scope: Scope, node: syntax.Name) -> Entity | None:
    binder = scope.binder
    meant = members.variable(scope, node.name) or binder.type_or_namespace(node)
    is_group = is_local_function(scope, node.name) or any(_declares(scope, one, node.name) for one in binder.owners())
    return meant or (None if is_group else members.bind_name(scope, node))


def _meant_by_member(scope: Scope, node: syntax.Member) -> Entity | None:
    owner = _meant(scope, node.target)
    if owner is None or isinstance(owner, Namespace):
        return scope.binder.in_namespace(owner, node) if owner is not None else None
    kind = owner if isinstance(owner, Type) else owner.type
    value = members.member(scope, owner if isinstance(owner, Code) else bound.Variable(owner, ""), node.name)
    if value is not None or _declares(scope, kind, node.name):
        return value
    if isinstance(owner, Type):
        return members.of_type(scope, owner, node)
    if bound.is_late(owner) or extending.instance_extensions(scope, f"get_{node.name}"):
        return None
    raise Diagnostic("CS1061", kind.name, node.name)


def _declares(scope: Scope, kind: Type, name: str) -> bool:
    """Whether a type or one of its bases has a field, property, method or event of a name."""
    accessors = (f"{word}{name}" for word in ("", "get_", "set_", "add_"))
    return any(methods_named(scope.universe, kind, one) for one in accessors) or any(
        members.declared_member(scope, kind, name, static=is_static) is not None for is_static in (False, True)
    )
