"""Taking values apart in code (C# specification 12.7)."""

from __future__ import annotations

from typing import Union

from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.assignments import assigned_target, store
from dap_dotnet.evaluation.binding.calls import on_value
from dap_dotnet.evaluation.binding.conversions import implicit, tuple_of, tuple_type, typed
from dap_dotnet.evaluation.binding.element_names import declared
from dap_dotnet.evaluation.binding.evaluated_once import kept_value
from dap_dotnet.evaluation.binding.extensions import extensions, may_receive
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.names import variable
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code, Late, Steps, assigned, block
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import NOWHERE, passing
from dap_dotnet.evaluation.types.csharp_types import Type, is_tuple, tuple_length
from dap_dotnet.evaluation.types.declarations import methods_named

_Place = Union["Code", syntax.Declaration, None, "list[_Place]"]
_Kept = Union["Code", "list[_Kept]"]


def bind_deconstruction(scope: Scope, target: syntax.Tuple, value: syntax.Node) -> Code:
    """`(a, (b, var c)) = value`: all values are had before the first assignment."""
    before: list[Code] = []
    stores: list[Code] = []
    kept = _taken(scope, _places(scope, target, before), value, before, stores)
    if not scope.in_lambda:
        made = _whole(scope, kept)
        return Steps(made.type, (), (*before, *stores, made))
    return block(*before, *stores)


def _places(scope: Scope, target: syntax.Tuple, before: list[Code]) -> list[_Place]:
    """What is assigned to: a variable or a property, what declares one, what is taken apart again; None: nothing."""
    found = list[_Place]()
    for item in target.items:
        if isinstance(item, syntax.Tuple):
            found.append(_places(scope, item, before))
        elif isinstance(item, syntax.Declaration):
            found.append(item)
        else:
            found.append(None if _is_discard(scope, item) else assigned_target(scope, item, before))
    return found


def _taken(
    scope: Scope, places: list[_Place], value: syntax.Node | Code, before: list[Code], stores: list[Code]
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
            made.append(_taken(scope, place, part, before, stores))
            continue
        kind: Type | None = None
        if isinstance(place, Code):
            kind = place.type
        elif isinstance(place, syntax.Declaration) and place.type is not None:
            kind = scope.binder.type(place.type)
        code = part if isinstance(part, Code) else typed(scope, part, kind) if kind else scope.code(part)
        name, written = (place.name, place.type) if isinstance(place, syntax.Declaration) else ("", None)
        kept = declared(scope, scope.declare(kind or code.type, "" if name == "_" else name), written, code)
        before.append(assigned(kept, implicit(scope, code, kept.type)))
        if isinstance(place, Code):
            stores.append(store(scope, place, kept))
        made.append(kept)
    return made


def _whole(scope: Scope, kept: _Kept) -> Code:
    """The tuple that a deconstruction gives."""
    if isinstance(kept, Code):
        return kept
    items = tuple(_whole(scope, one) for one in kept)
    return tuple_of(scope, tuple_type(scope, [one.type for one in items]), items)


def _is_discard(scope: Scope, node: syntax.Node) -> bool:
    return isinstance(node, syntax.Name) and node.name == "_" and variable(scope, "_") is None


def parts(scope: Scope, value: syntax.Node | Code, count: int, before: list[Code]) -> list[Code]:
    """What a value consists of: a tuple, or what has a method Deconstruct. CS8129, CS8132."""
    if isinstance(value, syntax.Tuple) and len(value.items) == count:
        return [scope.code(item) for item in value.items]
    whole = value if isinstance(value, Code) else scope.code(value)
    kept = kept_value(scope, whole, before)
    if is_tuple(kept.type):
        if tuple_length(kept.type) != count:
            raise Diagnostic("CS8132", tuple_length(kept.type), count)
        found = [member(scope, kept, f"Item{number}") for number in range(1, count + 1)]
        return [one for one in found if one is not None]
    offered = extensions(scope.env, scope.binder.lookup, "Deconstruct")
    may_be_taken = any(may_receive(scope.universe, one, kept.type) for one in offered)
    if not may_be_taken and not methods_named(scope.universe, kept.type, "Deconstruct"):
        with passing(scope.places.get(whole, NOWHERE)):
            raise Diagnostic("CS8129", kept.type.name, count)
    names = [f"<part{number}>" for number in range(count)]
    given = [syntax.Argument(syntax.Declaration(None, name), None, "out") for name in names]
    call = on_value(scope, kept, "Deconstruct", Arguments(scope, given, ()))
    if isinstance(call, Late):
        raise Diagnostic("CS8129", kept.type.name, count)
    before.append(call)
    return [scope.variables.pop(name) for name in names]
