"""Taking values apart in code (C# specification 12.7)."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.assignments import assigned_target, kept_value, store
from dap_dotnet.evaluation.binding.program_code.calls import on_value
from dap_dotnet.evaluation.binding.program_code.conversions import implicit, tuple_of
from dap_dotnet.evaluation.binding.program_code.members import member, variable
from dap_dotnet.evaluation.binding.program_code.scope import Scope, unsupported
from dap_dotnet.evaluation.operations.program_code import Code, Operation, Steps, Zero
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.tuple_names import is_tuple


def bind_deconstruction(scope: Scope, target: syntax.Tuple, value: syntax.Node) -> Code:
    """`(a, b) = value`: all values are had before the first assignment.

    A declaration in place of a target gives the part its type; who asks for the whole declares the variable.
    """
    before: list[Code] = []
    targets = [None if _is_discard(scope, item) else assigned_target(scope, item, before) for item in target.items]
    steps = before
    kept = list[Code]()
    written = [_written_type(scope, item) for item in target.items]
    for part, place, declared in zip(parts(scope, value, len(targets), steps), targets, written, strict=True):
        kind = place.type if place is not None else declared or part.type
        kept.append(scope.declare(kind))
        steps.append(Operation(kind, "Assign", (kept[-1], implicit(scope, part, kind))))
    pairs = zip(targets, kept, strict=True)
    steps += [store(scope, place, one) for place, one in pairs if place is not None]
    if scope.is_live and not scope.in_lambda:
        whole = scope.universe.named(f"System.ValueTuple`{len(kept)}", tuple(one.type for one in kept))
        if whole is None:
            raise unsupported("A deconstruction whose value is a tuple of so many elements")
        return Steps(whole, (), (*steps, tuple_of(scope, whole, tuple(kept))))
    return Steps(types.VOID, (), (*steps, Zero(types.VOID)))


def _written_type(scope: Scope, node: syntax.Node) -> Type | None:
    written = node.type if isinstance(node, syntax.Declaration) else None
    return scope.binder.type(written) if written is not None else None


def _is_discard(scope: Scope, node: syntax.Node) -> bool:
    if isinstance(node, syntax.Declaration):
        return True
    return isinstance(node, syntax.Name) and node.name == "_" and variable(scope, "_") is None


def parts(scope: Scope, value: syntax.Node | Code, count: int, before: list[Code]) -> list[Code]:
    """What a value consists of: a tuple, or what has a method Deconstruct. CS8129, CS8132."""
    if isinstance(value, syntax.Tuple) and len(value.items) == count:
        return [scope.code(item) for item in value.items]
    whole = value if isinstance(value, Code) else scope.code(value)
    kept = kept_value(scope, whole, before)
    if is_tuple(kept.type):
        if len(kept.type.arguments) != count:
            raise Diagnostic("CS8132", len(kept.type.arguments), count)
        found = [member(scope, kept, f"Item{number}") for number in range(1, count + 1)]
        return [one for one in found if one is not None]
    names = [f"<part{number}>" for number in range(count)]
    given = [syntax.Argument(syntax.Declaration(None, name), None, "out") for name in names]
    before.append(on_value(scope, kept, "Deconstruct", Arguments(scope, given, ())))
    return [scope.variables.pop(name) for name in names]
