"""Awaits in places that cannot be left in the middle, and lambdas in loops with awaits, in code that does the same.

No jump enters a catch or finally clause, so such a clause with an await runs behind its `try`, as the compiler's does.
Variables outlive a run of the body: one that a lambda in a loop captures is kept in a box, a new one in each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from msgspec.structs import replace

from dap_dotnet.evaluation.binding.scope import framework_method, framework_type, unsupported
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Code,
    FieldOf,
    Function,
    Handler,
    Hole,
    Invoked,
    Jump,
    Landing,
    Loop,
    Made,
    Operation,
    Protected,
    Steps,
    Target,
    Variable,
    Zero,
    assigned,
    block,
    integer,
    parts_of,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.declarations import declared_members
from dap_dotnet.evaluation.types.universe import Universe

_EXCEPTION = "System.Exception"
_DISPATCH = "System.Runtime.ExceptionServices.ExceptionDispatchInfo"
_BOX = "System.Runtime.CompilerServices.StrongBox`1"
_DECLARING = frozenset({"variables", "parameters", "variable"})
"""Fields of nodes that say which variables there are, and use none."""
Change = Callable[[Code], Code | None]
_T = TypeVar("_T")


def contains(tree: object, kind: type) -> bool:
    """Whether a tree of code has a node of a kind; the bodies of lambdas inside do not count."""
    return any(isinstance(part, kind) for part in parts_of(tree, into_functions=False))


def _rewritten(tree: _T, change: Change) -> _T:
    """A tree with what `change` gives in place of a node; None: the node, with its parts rewritten."""
    if isinstance(tree, Code):
        changed = change(tree)
        if changed is not None:
            return changed  # type: ignore[return-value]
    if isinstance(tree, tuple):
        parts = tuple(_rewritten(part, change) for part in tree)
        is_same = all(one is other for one, other in zip(parts, tree, strict=True))
        return tree if is_same else parts  # type: ignore[return-value]
    if not isinstance(tree, Code | Handler | Hole):
        return tree
    made: dict[str, object] = {}
    for name in tree.__struct_fields__:
        if name not in _DECLARING:
            before = getattr(tree, name)
            after = _rewritten(before, change)
            if after is not before:
                made[name] = after
    return replace(tree, **made) if made else tree


# catch and finally


def moved_out(universe: Universe, code: Protected) -> Code:
    """A `try` whose clauses with awaits run behind it. CS7094."""
    if code.final is not None and contains(code.final, Awaited):
        return _with_final(universe, code)
    if code.final is not None:
        inner = moved_out(universe, Protected(types.VOID, code.body, code.handlers, None))
        return Protected(types.VOID, inner, (), code.final)
    return _with_handlers(universe, code)


def _with_handlers(universe: Universe, code: Protected) -> Code:
    pending, kept, behind, handlers = Variable(types.I4, ""), list[Variable](), list[Code](), list[Handler]()
    for place, one in enumerate(code.handlers, 1):
        if one.guard is not None and contains(one.guard, Awaited):
            raise Diagnostic("CS7094")
        if not contains(one.body, Awaited):
            handlers.append(one)
            continue
        error = Variable(one.variable.type, one.variable.name)
        kept.append(error)
        seen = block(assigned(error, one.variable), assigned(pending, integer(place)))
        handlers.append(Handler(one.variable, seen, one.guard))
        body = _rethrowing(universe, _replacing(one.body, {one.variable: error}), error)
        behind.append(Operation(types.VOID, "IfThen", (_equals(pending, place), body)))
    first = assigned(pending, integer(0))
    inner = Protected(types.VOID, code.body, tuple(handlers), None)
    return Steps(types.VOID, (pending, *kept), (first, inner, *behind, Zero(types.VOID)))


def _rethrowing(universe: Universe, body: Code, error: Variable) -> Code:
    """The body of a clause with `throw;` as a throw of what was caught; those of clauses inside are others'."""

    def change(node: Code) -> Code | None:
        if isinstance(node, Operation) and node.name == "Rethrow":
            return _thrown(universe, error)
        if isinstance(node, Function):
            return node
        if isinstance(node, Protected):
            return Protected(node.type, _rewritten(node.body, change), node.handlers, node.final)
        return None

    return _rewritten(body, change)


def _with_final(universe: Universe, code: Protected) -> Code:
    """What leaves the `try`, an exception or a jump, goes on when the clause has run."""
    assert code.final is not None
    kind = framework_type(universe, _EXCEPTION)
    error, caught, jump, ended = Variable(kind, ""), Variable(kind, ""), Variable(types.I4, ""), Target(types.VOID)
    inner = Protected(types.VOID, code.body, code.handlers, None) if code.handlers else code.body
    targets: list[Target] = []
    own = _targets(inner)

    def change(node: Code) -> Code | None:
        if isinstance(node, Function):
            return node
        if not isinstance(node, Jump) or node.target in own:
            return None
        if node.value is not None:
            raise unsupported("'await' in this finally")
        if node.target not in targets:
            targets.append(node.target)
        return block(assigned(jump, integer(targets.index(node.target) + 1)), Jump(types.VOID, ended))

    inner = _rewritten(inner, change)
    handler = Handler(caught, block(assigned(error, caught)), None)
    is_thrown = Operation(types.BOOL, "ReferenceNotEqual", (error, Zero(kind)))
    steps = (
        assigned(error, Zero(kind)),
        assigned(jump, integer(0)),
        Protected(types.VOID, inner, (handler,), None),
        Landing(types.VOID, ended),
        code.final,
        Operation(types.VOID, "IfThen", (is_thrown, _thrown(universe, error))),
        *(
            Operation(types.VOID, "IfThen", (_equals(jump, place), Jump(types.VOID, target)))
            for place, target in enumerate(targets, 1)
        ),
    )
    return Steps(types.VOID, (error, jump), (*steps, Zero(types.VOID)))


def _targets(tree: Code) -> set[Target]:
    """Where jumps inside of a tree may arrive."""
    found = set[Target]()
    for part in parts_of(tree, into_functions=False):
        if isinstance(part, Landing):
            found.add(part.target)
        if isinstance(part, Loop):
            found.add(part.ends)
    return found


def _equals(variable: Variable, value: int) -> Code:
    return Operation(types.BOOL, "Equal", (variable, integer(value)))


def _thrown(universe: Universe, error: Variable) -> Code:
    """A throw that keeps the exception's stack trace."""
    owner, kind = framework_type(universe, _DISPATCH), framework_type(universe, _EXCEPTION)
    return Invoked(types.VOID, framework_method(universe, owner, "Throw", kind), None, (error,))


# variables of loops


def with_boxes(universe: Universe, code: Steps) -> Steps:
    """A block in a loop: each of its variables that a lambda captures is the field of a box that the turn makes."""
    captured = [one for one in code.variables if any(_uses(function, one) for function in _functions(code.steps))]
    if not captured:
        return code
    boxes = {one: Variable(framework_type(universe, _BOX, (one.type,)), one.name) for one in captured}
    fields = {one: _field(universe, one, box) for one, box in boxes.items()}

    def change(node: Code) -> Code | None:
        if isinstance(node, Function):
            return _holding(universe, node, boxes)
        return fields.get(node) if isinstance(node, Variable) else None

    made = [assigned(box, Made(box.type, framework_method(universe, box.type, ".ctor"), ())) for box in boxes.values()]
    others = tuple(one for one in code.variables if one not in boxes)
    return Steps(code.type, (*others, *boxes.values()), (*made, *_rewritten(code.steps, change)))


def _holding(universe: Universe, function: Function, boxes: Mapping[Variable, Variable]) -> Code:
    """A lambda with the boxes as they are when it is made."""
    used = [one for one in boxes if _uses(function, one)]
    if not used:
        return function
    copies = {one: Variable(boxes[one].type, one.name) for one in used}
    made = _replacing(function, {one: _field(universe, one, copy) for one, copy in copies.items()})
    given = [assigned(copy, boxes[one]) for one, copy in copies.items()]
    return Steps(function.type, tuple(copies.values()), (*given, made))


def _replacing(tree: _T, values: Mapping[Variable, Code]) -> _T:
    return _rewritten(tree, lambda node: values.get(node) if isinstance(node, Variable) else None)


def _functions(tree: object) -> list[Function]:
    """The outermost lambdas of a tree."""
    return [part for part in parts_of(tree, into_functions=False) if isinstance(part, Function)]


def _uses(function: Function, variable: Variable) -> bool:
    return any(part is variable for part in parts_of(function.body))


def _field(universe: Universe, variable: Variable, box: Variable) -> FieldOf:
    field = declared_members(universe, box.type).field("Value")
    assert field is not None
    return FieldOf(variable.type, box.type, field.token, box)
