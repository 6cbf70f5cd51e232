"""Simple names in code: variables of the body, of the frame and of the debugger, and what needs no target."""

from __future__ import annotations

import re
from collections.abc import Callable

from dap_dotnet.evaluation.binding.extensions import has_extension_property
from dap_dotnet.evaluation.binding.local_functions import is_local_function
from dap_dotnet.evaluation.binding.members import member, static_member
from dap_dotnet.evaluation.binding.scope import Entity, Scope, dynamic, named
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.binding.variables import captured_value
from dap_dotnet.evaluation.bound_tree import BASE, Captured, Code, Stored, TypedOperation, Variable, characters, is_late
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, kept_place, read_kept
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declarations import bases_of

_RETURN_VALUE = re.compile(r"\$[rR]eturnValue(\d{0,4})")
Read = Callable[[Environment], Operand]


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
        return _of_debugger(scope, name, _special(name), None)
    return _of_frame(scope, name) or _implicit_member(scope, name) or _kept(scope, name)


def _of_frame(scope: Scope, name: str) -> Code | None:
    variables, env = scope.binder.variables, scope.env
    found = variables.bind(env, name) if variables is not None else None
    if variables is None or not isinstance(found, Stored):
        return found
    if found.type is types.OBJECT and not found.is_typed_by_value and variables.is_dynamic(env, name):
        return dynamic(scope, found)
    return named(scope, found, variables.element_names(env, name))


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
    above = bases_of(scope.universe, own.type)
    kind = above[1] if len(above) > 1 else types.OBJECT
    return TypedOperation(kind, BASE, own, kind)


# what the debugger has


def _known(scope: Scope, operand: Operand) -> Code:
    """A value as it is now."""
    if operand.type is types.TYPE:
        return type_constant(scope, operand)
    return named(scope, captured_value(operand), operand.names)


def type_constant(scope: Scope, operand: Operand) -> Code:
    """What `typeof` gives."""
    of_system = scope.universe.named("System.Type")
    if of_system is None:
        raise Diagnostic("CS0518", "System.Type")
    return Captured(of_system, operand)


def _of_debugger(scope: Scope, name: str, read: Read, place: Callable[[Environment], Assignable] | None) -> Code:
    """A variable that the debugger has, not the frame: only its value shows its type."""
    now = read(scope.env)
    known = _known(scope, now)
    made = Stored(known.type, name, read, place, lambda env: known, is_typed_by_value=True)
    return named(scope, made, now.names)


def _kept(scope: Scope, name: str) -> Code | None:
    """A variable of the debug console."""
    kept = scope.env.program.kept
    known = kept.variable(name) if kept is not None else None
    if known is None:
        return None
    place = None if known.is_constant else lambda env: kept_place(env, name)
    return _of_debugger(scope, name, lambda env: read_kept(env, name), place)


def _special(name: str) -> Read:
    """`$exception`, `$returnValue`, `$returnValue1`, `$tid`, `$pid` and the object ids `$1`. CS0103 for others."""
    if name[1:].isdecimal():
        number = int(name[1:])
        return lambda env: _object(env, number)
    returned = _RETURN_VALUE.fullmatch(name)
    if returned is not None:
        return lambda env: _returned(env, name, returned[1])
    read = _SPECIAL.get(name)
    if read is None:
        raise Diagnostic("CS0103", name)
    return read


def _exception(env: Environment) -> Operand:
    raised = env.debuggee.current_exception(env.context.thread)
    if raised is None:
        raise Diagnostic("CS0103 exception")
    return env.operand(raised)


def _returned(env: Environment, name: str, number: str) -> Operand:
    """What a call of the statement that was stepped over has returned; the last one without a number."""
    program, thread = env.program, env.context.thread
    count = len(program.returned.names(thread)) if program.returned is not None else 0
    which = (int(number) if number else count) - 1
    value = program.returned.value(program, thread, which) if program.returned is not None else None
    if value is None:
        reason = f"only {count} calls returned a known value" if count else "no step has returned a value here"
        raise Diagnostic("CS0103 special", name, reason)
    return env.operand(value)


def _object(env: Environment, number: int) -> Operand:
    kept = env.program.kept
    if kept is None:
        raise Diagnostic("CS0103", f"${number}")
    return env.operand(kept.object(env.debuggee, number))


_SPECIAL: dict[str, Read] = {
    "$exception": _exception,
    "$tid": lambda env: Operand(types.I4, int(env.context.thread)),
    "$pid": lambda env: Operand(types.I4, int(env.debuggee.process_id)),
}


# nameof (C# specification 12.8.23)


def bind_name_of(scope: Scope, node: syntax.Node) -> Code:
    """The name as a constant. CS8081, CS8082, and for what is not there as for its value."""
    with passing(node.at):
        if not isinstance(node, syntax.Name | syntax.Member):
            raise Diagnostic("CS8081")
        _meant(scope, node)
    return characters(node.name)


def _meant(scope: Scope, node: syntax.Node) -> Entity | None:
    """What a name means; None for methods, and for members that have no value here."""
    with passing(node.at):
        if isinstance(node, syntax.Name):
            return _meant_by_name(scope, node)
        if isinstance(node, syntax.Member):
            return _meant_by_member(scope, node)
        if isinstance(node, syntax.This | syntax.Base | syntax.KeywordType):
            return scope.entity(node)
        raise Diagnostic("CS8082")


def _meant_by_name(scope: Scope, node: syntax.Name) -> Entity | None:
    binder = scope.binder
    if node.unbound:
        return binder.lookup.simple(scope.env, node.name, arity=node.unbound)
    meant = variable(scope, node.name) or binder.type_or_namespace(node)
    if meant is not None:
        return meant
    if is_local_function(scope, node.name) or any(_declares(scope, one, node.name) for one in binder.owners()):
        return None
    raise binder.lookup.unknown(node.name, len(node.type_arguments))


def _meant_by_member(scope: Scope, node: syntax.Member) -> Entity | None:
    owner = _meant(scope, node.target)
    if owner is None:
        return None
    if isinstance(owner, Namespace):
        return scope.binder.in_namespace(owner, node)
    kind = owner if isinstance(owner, Type) else owner.type
    value = member(scope, owner if isinstance(owner, Code) else Variable(owner, ""), node.name)
    if value is not None or _declares(scope, kind, node.name):
        return value
    if isinstance(owner, Type):
        nested = scope.binder.lookup.nested(owner, node.name, scope.binder.type_arguments(node.type_arguments))
        if nested is None:
            raise Diagnostic("CS0117", owner.name, node.name)
        return nested
    if is_late(owner) or has_extension_property(scope, node.name):
        return None
    raise Diagnostic("CS1061", kind.name, node.name)


def _declares(scope: Scope, kind: Type, name: str) -> bool:
    """Whether a type or one of its bases has a field, property, method or event of a name."""
    for owner in bases_of(scope.universe, kind):
        definition, module = scope.universe.definition_of(owner), scope.universe.module_of(owner)
        metadata = module.metadata if module is not None else None
        if definition is None or metadata is None:
            continue
        token = definition[1]
        fields, properties = metadata.fields_of(token), metadata.properties_of(token)
        methods, events = metadata.methods_of(token), metadata.type_def(token).events
        if any(one.name == name for one in (*fields, *properties, *methods, *events)):
            return True
    return False
