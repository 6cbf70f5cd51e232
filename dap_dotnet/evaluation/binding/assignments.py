"""Assignments in code: to variables, fields, elements, by setters and indexers, and of what is taken apart (12.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Union

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding import members
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.calls import call, on_value
from dap_dotnet.evaluation.binding.conversions import (
    by_method,
    converts,
    explicit,
    implicit,
    lifted,
    tuple_of,
    tuple_type,
    typed,
)
from dap_dotnet.evaluation.binding.extensions import extensions, may_receive
from dap_dotnet.evaluation.binding.operators import binary, conditional, truth
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, stand_in
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.known_members import EXPANDO
from dap_dotnet.evaluation.operations.member_access import backing_field, method_of
from dap_dotnet.evaluation.rules.conversions import not_assignable
from dap_dotnet.evaluation.rules.overloads import assigning_operator, chosen_operator, no_operator
from dap_dotnet.evaluation.rules.variables import CHOSEN, refusal
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import NOWHERE, passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Type, is_tuple, tuple_length
from dap_dotnet.evaluation.types.declarations import candidates, declared_members, is_delegate, methods_named
from dap_dotnet.symbols.types import FieldInfo


def bind_assignment(scope: Scope, node: syntax.Assignment) -> Code:
    """`target operator value`."""
    if isinstance(node.target, syntax.Tuple) and node.operator == "=":
        return bind_deconstruction(scope, node.target, node.value)
    if isinstance(node.target, syntax.Name) and node.target.name == "_" and "_" not in scope.variables:
        return scope.code(node.value)
    accessor = _event_accessor(scope, node)
    if accessor is not None:
        return scope.code(syntax.Call(accessor, (syntax.Argument(node.value),)))
    written, found = _found(scope, node.target)
    if _is_late(written, found):
        return _of_late(scope, written, found, lambda target: syntax.Assignment(target, node.operator, node.value))
    before: list[Code] = []
    target = _place(scope, written, found, before)
    operator = node.operator[:-1]
    if operator not in ("+", "-"):
        _check_no_event(scope, target)
    if operator == "":
        return bound.in_steps(before, store(scope, target, typed(scope, node.value, target.type)))
    if operator == "??":
        return bound.in_steps(before, _assigned_if_null(scope, target, scope.code(node.value, target.type)))
    if isinstance(node.value, syntax.Default) and node.value.type is None:
        raise no_operator(operator, target.type, types.DEFAULT)
    value = scope.code_or_source(node.value, target.type)
    if not isinstance(value, Code):
        value = scope.function(value, target.type)
    changed = _changed_itself(scope, operator, target, value)
    return bound.in_steps(before, changed or store(scope, target, _compound(scope, operator, target, value)))


def _found(scope: Scope, target: syntax.Node) -> tuple[syntax.Node, Code]:
    """What is to be changed, without parentheses, and as it is read."""
    while isinstance(target, syntax.Parenthesized):
        target = target.inner
    return target, scope.code(target)


def _is_late(target: syntax.Node, found: Code) -> bool:
    """Whether a member or an element is one that only the actual type has."""
    is_part = isinstance(target, syntax.Member | syntax.Index)
    return is_part and isinstance(found, bound.Late) and not found.is_itself and bound.is_late(found)


def _of_late(scope: Scope, target: syntax.Node, found: Code, node: Callable[[syntax.Node], syntax.Node]) -> Code:
    """An assignment to such a member or element; `node` makes it of its target."""
    assert isinstance(target, syntax.Member | syntax.Index)
    assert isinstance(found, bound.Late)
    written = replace(target, target=syntax.Receiver())
    shown = f"the target of '.{target.name}'" if isinstance(target, syntax.Member) else "the indexed value"

    def bind(inner: Scope, given: Sequence[Code]) -> Code:
        inner.receiver = given[0]
        return inner.code(node(written))

    return scope.late(found.operands[:1], bind, used=shown)


def _event_accessor(scope: Scope, node: syntax.Assignment) -> syntax.Member | syntax.Name | None:
    """What `+=` or `-=` calls of an event whose accessors are written in the source: no field is behind it."""
    word, target = {"+=": "add_", "-=": "remove_"}.get(node.operator), node.target
    if word is None or not isinstance(target, syntax.Member | syntax.Name):
        return None
    name = word + target.name
    if isinstance(target, syntax.Name):
        is_event = any(methods_named(scope.universe, owner, name) for owner in scope.binder.user_types())
        return syntax.Name(name) if is_event and members.variable(scope, target.name) is None else None
    if isinstance(target.target, syntax.Base):
        return None
    held = scope.entity(target.target)
    kind = held.type if isinstance(held, Code) else held
    if not isinstance(kind, Type) or not methods_named(scope.universe, kind, name):
        return None
    field = (
        members.member(scope, held, target.name)
        if isinstance(held, Code)
        else members.static_member(scope, kind, target.name)
    )
    return syntax.Member(target.target, name) if field is None else None


def _check_no_event(scope: Scope, target: Code) -> None:
    """An event is only added to and removed from, but in the type that declares it. CS0070."""
    if not isinstance(target, bound.FieldOf) or target.owner in scope.binder.user_types():
        return
    declared = scope.universe.declaration(target.owner)
    assert declared is not None
    _, metadata, token = declared
    name = metadata.field(target.token).name
    if any(event.name == name for event in metadata.events_of(token)):
        raise Diagnostic("CS0070", f"{target.owner.name}.{name}", target.owner.name)


def _assigned_if_null(scope: Scope, target: Code, value: Code) -> Code:
    """`target ??= value` (C# specification 12.21.4). CS0019."""
    kind = target.type
    if kind.is_value_type and kind.kind is not Kind.NULLABLE:
        raise no_operator("??=", kind, value.type)
    missing = binary(scope, "==", target, bound.Zero(types.NULL))
    if kind.kind is not Kind.NULLABLE or not converts(scope, value, kind.element):
        return conditional(scope, missing, store(scope, target, value), target)
    before: list[Code] = []
    kept = scope.kept_value(implicit(scope, value, kind.element), before)
    stored = bound.Steps(kind.element, (), (*before, store(scope, target, kept), kept))
    return bound.Operation(kind.element, "Condition", (missing, stored, explicit(scope, target, kind.element)))


def _changed_itself(scope: Scope, operator: str, target: Code, *operands: Code) -> Code | None:
    """`target operator= value` by an operator of C# 14 that changes the target; None where its type has none such."""
    given, constants = [stand_in(one) for one in operands], [constant_of(one) for one in operands]
    chosen = assigning_operator(scope.universe, operator, target.type, given, constants, checked=scope.checked)
    if chosen is None:
        changed = members.extension_assignment(scope, operator, target, *operands)
        return bound.Steps(target.type, (), (changed, target)) if changed is not None else None
    changed = replace(by_method(scope, chosen, *operands), method=chosen.exact, target=target)
    return bound.Steps(target.type, (), (changed, target))


def bind_reference(scope: Scope, node: syntax.Node, missing: str = "CS1510") -> Code:
    """A variable, an element or a field passed by reference; `missing`: the compiler's code for what is none."""
    before: list[Code] = []
    found = assigned_target(scope, node, before, missing)
    if isinstance(found, bound.Invoked):
        raise Diagnostic(missing)
    return bound.in_steps(before, found)


def bind_chosen_variable(scope: Scope, node: syntax.Conditional) -> Code:
    """`c ? ref a : ref b`. CS8156, CS8327."""
    test = truth(scope, scope.code(node.condition))
    first, second = (bind_reference(scope, one, "CS8156") for one in (node.when_true, node.when_false))
    if first.type is not second.type:
        raise Diagnostic("CS8327", first.type.name)
    return bound.Operation(first.type, CHOSEN, (test, first, second))


def _compound(scope: Scope, operator: str, target: Code, value: Code) -> Code:
    """C# specification 12.21.4: the result may be cast back where the right side converts."""
    if is_delegate(scope.universe, target.type):
        value = implicit(scope, value, target.type)
    made = binary(scope, operator, scope.dynamic(target) if target in scope.dynamic_places else target, value)
    if made.type is target.type:
        return made
    if operator in ("<<", ">>", ">>>") or converts(scope, value, target.type) or target.type.kind is Kind.ENUM:
        return explicit(scope, made, target.type)
    if not converts(scope, made, target.type):
        known = constant_of(value)
        raise not_assignable(value.type, target.type, known.data if known is not None else None)
    return implicit(scope, made, target.type)


def bind_increment(scope: Scope, node: syntax.Increment) -> Code:
    """`++` and `--`."""
    written, found = _found(scope, node.target)
    if _is_late(written, found):
        return _of_late(scope, written, found, lambda target: syntax.Increment(target, node.operator, node.is_prefix))
    before: list[Code] = []
    target = _place(scope, written, found, before, "CS1059")
    operator = node.operator[0] * 2
    if chosen_operator(scope.universe, operator, [target.type]) is None:
        changed = _changed_itself(scope, operator, target)
        if changed is not None:
            return bound.in_steps(before, changed)
    old = scope.declare(target.type, value=target)
    stored = store(scope, target, _stepped(scope, operator, old))
    steps = (*before, bound.assigned(old, target), stored)
    return bound.Steps(target.type, (), steps if node.is_prefix else (*steps, old))


def _stepped(scope: Scope, operator: str, value: Code) -> Code:
    """What `++` or `--` makes of a value (C# specification 12.8.16), also of nullable ones. CS0023."""
    kind = value.type
    own = chosen_operator(scope.universe, operator, [kind], checked=scope.checked)
    if own is not None:
        return implicit(scope, by_method(scope, own, value), kind)
    plain = kind.stripped
    if plain is not kind and chosen_operator(scope.universe, operator, [plain]) is not None:
        return lifted(scope, value, kind, lambda held: implicit(scope, _stepped(scope, operator, held), kind))
    if plain.kind not in (Kind.NUMBER, Kind.ENUM, Kind.POINTER):
        from_outside = members.extension_operator(scope, operator, value)
        if from_outside is None:
            raise no_operator(operator, kind)
        return implicit(scope, from_outside, kind)
    return explicit(scope, binary(scope, operator[0], value, bound.integer(1)), kind)


def assigned_target(scope: Scope, node: syntax.Node, before: list[Code], missing: str = "CS0131") -> Code:
    """What is assigned to, so that it can be read and written: what it is a part of is evaluated once, `before`.

    `missing`: the compiler's code for what is no variable. Raises `EvaluationError`: that, CS0191, CS1612, CS1648,
    CS8331 and the like.
    """
    return _place(scope, *_found(scope, node), before, missing)


def _place(scope: Scope, node: syntax.Node, found: Code, before: list[Code], missing: str = "CS0131") -> Code:
    if isinstance(node, syntax.This) and found.type.is_reference:
        raise Diagnostic("CS1604")
    is_dynamic = isinstance(found, bound.Late) and found.is_itself
    if isinstance(found, bound.Late) and is_dynamic:
        (found,) = found.operands
    if isinstance(found, bound.DynamicMember):
        found = expando_element(scope, found)
    if isinstance(found, bound.Captured) and isinstance(node, syntax.Name) and not found.is_constant:
        raise EvaluationError(
            f"A lambda that the program runs cannot assign to '{node.name}': it has a copy of the frame's variable"
        )
    if scope.binder.opens_properties:
        found = _opened(scope, found)
    with passing(node.at):
        refused = refusal(scope.universe, found, scope.fixed)
        if refused is not None:
            raise Diagnostic(missing) if refused.compiler_code == "CS0131" else refused
    place = scope.once(found, before)
    if is_dynamic:
        scope.dynamic_places.add(place)
    return place


def _opened(scope: Scope, code: Code) -> Code:
    """With the fields of automatic properties, and of nullables, for those of which a part is assigned."""
    if not isinstance(code, bound.FieldOf) or code.target is None or code.target.type.is_reference:
        return code
    target = code.target
    field = _kept_in(scope, target.method) if isinstance(target, bound.Invoked) else None
    if field is not None and isinstance(target, bound.Invoked):
        target = bound.FieldOf(target.type, target.method.owner, field.token, target.target)
    return bound.FieldOf(code.type, code.owner, code.token, _opened(scope, target))


def _kept_in(scope: Scope, getter: ExactMethod) -> FieldInfo | None:
    """The field that what a getter gives is kept in; None for others."""
    if getter.owner.kind is not Kind.NULLABLE or method_of(scope.env, getter).name != "get_Value":
        return backing_field(scope.universe, getter)
    return declared_members(scope.universe, getter.owner).field("value")


def store(scope: Scope, target: Code, value: Code, *, initialises: bool = False) -> Code:
    """The assignment of a value to what `assigned_target` gave, with the value as its own. CS0200."""
    value = implicit(scope, value, target.type)
    if not isinstance(target, bound.Invoked):
        return bound.assigned(target, value)
    getter = method_of(scope.env, target.method)
    name = getter.name.replace("get_", "set_", 1)
    wanted = [*(argument.type for argument in target.arguments), target.type]
    for candidate in candidates(scope.universe, target.method.owner):
        if candidate.method.name != name or candidate.parameter_types(scope.universe) != wanted:
            continue
        if not initialises and _is_init_only(candidate.method.signature.return_type):
            raise Diagnostic("CS8852", getter.name.removeprefix("get_"))
        kept = scope.declare(target.type)
        stored = bound.Invoked(types.VOID, candidate.exact, target.target, (*target.arguments, kept), target.is_virtual)
        return bound.Steps(target.type, (), (bound.assigned(kept, value), stored, kept))
    indices = ", ".join(argument.type.name for argument in target.arguments)
    shown = f"{target.method.owner.name}.this[{indices}]" if indices else getter.name.removeprefix("get_")
    raise Diagnostic("CS0200", shown)


def _is_init_only(returned: object) -> bool:
    """Whether a setter is `init`: its result is modified."""
    from portablepdb.signatures import ModifiedType

    return isinstance(returned, ModifiedType)


_Place = Union["Code", syntax.Declaration, None, "list[_Place]"]
_Kept = Union["Code", "list[_Kept]"]


def bind_deconstruction(scope: Scope, target: syntax.Tuple, value: syntax.Node | Code) -> Code:
    """`(a, (b, var c)) = value`: all values are had before the first assignment."""
    before: list[Code] = []
    stores: list[Code] = []
    kept = taken(scope, _places(scope, target, before), value, before, stores)
    if not scope.in_lambda:
        made = _whole_tuple(scope, kept)
        return bound.Steps(made.type, (), (*before, *stores, made))
    return bound.block(*before, *stores)


def _places(scope: Scope, target: syntax.Tuple, before: list[Code]) -> list[_Place]:
    """What is assigned to: a variable or a property, what declares one, what is taken apart again; None: nothing."""
    found = list[_Place]()
    for item in target.items:
        if isinstance(item, syntax.Tuple):
            found.append(_places(scope, item, before))
        elif isinstance(item, syntax.Declaration):
            found.append(item)
        else:
            is_discard = isinstance(item, syntax.Name) and item.name == "_" and members.variable(scope, "_") is None
            found.append(None if is_discard else assigned_target(scope, item, before))
    return found


def taken(
    scope: Scope, places: Sequence[_Place], value: syntax.Node | Code, before: list[Code], stores: list[Code]
) -> list[_Kept]:
    """The values in variables of their own; `before` gets what evaluates them, `stores` the assignments."""
    found: list[syntax.Node | Code]
    if isinstance(value, syntax.Tuple) and len(value.items) == len(places):
        found = list[syntax.Node | Code](value.items)
    else:
        found = [*parts(scope, value, len(places), before)]
    made = list[_Kept]()
    for place, part in zip(places, found, strict=True):
        if isinstance(place, list):
            made.append(taken(scope, place, part, before, stores))
            continue
        kind: Type | None = None
        if isinstance(place, Code):
            kind = place.type
        elif isinstance(place, syntax.Declaration) and place.type is not None:
            kind = scope.binder.type(place.type)
        code = part if isinstance(part, Code) else typed(scope, part, kind) if kind else scope.code(part)
        name, written = (place.name, place.type) if isinstance(place, syntax.Declaration) else ("", None)
        if name != "_" and name in scope.variables:
            raise Diagnostic("CS0136", name)
        kept = scope.declare(kind or code.type, "" if name == "_" else name, written, code)
        before.append(bound.assigned(kept, implicit(scope, code, kept.type)))
        if isinstance(place, Code):
            stores.append(store(scope, place, kept))
        made.append(kept)
    return made


def _whole_tuple(scope: Scope, kept: _Kept) -> Code:
    """The tuple that a deconstruction gives."""
    if isinstance(kept, Code):
        return kept
    items = tuple(_whole_tuple(scope, one) for one in kept)
    return tuple_of(scope, tuple_type(scope, [one.type for one in items]), items)


def parts(scope: Scope, value: syntax.Node | Code, count: int, before: list[Code]) -> list[Code]:
    """What a value consists of: a tuple, or what has a method Deconstruct. CS8129, CS8132."""
    if isinstance(value, syntax.Tuple) and len(value.items) == count:
        return [scope.code(item) for item in value.items]
    whole = value if isinstance(value, Code) else scope.code(value)
    kept = scope.kept_value(whole, before)
    if is_tuple(kept.type):
        if tuple_length(kept.type) != count:
            raise Diagnostic("CS8132", tuple_length(kept.type), count)
        found = [members.member(scope, kept, f"Item{number}") for number in range(1, count + 1)]
        return [one for one in found if one is not None]
    offered = extensions(scope.env, scope.binder.lookup, "Deconstruct")
    may_be_taken = any(may_receive(scope.universe, one, kept.type) for one in offered)
    if not may_be_taken and not methods_named(scope.universe, kept.type, "Deconstruct"):
        with passing(scope.places.get(whole, NOWHERE)):
            raise Diagnostic("CS8129", kept.type.name, count)
    names = [f"<part{number}>" for number in range(count)]
    given = [syntax.Argument(syntax.Declaration(None, name), None, "out") for name in names]
    call = on_value(scope, kept, "Deconstruct", Arguments(scope, given, ()))
    if isinstance(call, bound.Late):
        raise Diagnostic("CS8129", kept.type.name, count)
    before.append(call)
    return [scope.variables.pop(name) for name in names]


def expando_element(scope: Scope, code: bound.DynamicMember) -> Code:
    """A member of an ExpandoObject by the interface that changes it."""
    kind = scope.universe.named("System.Collections.Generic.IDictionary`2", (types.STRING, types.OBJECT))
    if kind is None or code.target.type.full_name != EXPANDO:
        raise Diagnostic("CS0131")
    return call(scope, implicit(scope, code.target, kind), "get_Item", bound.characters(code.name))
