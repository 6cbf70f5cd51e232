"""Async lambdas in code (C# specification 12.21, 15.15): the method that goes on where an await has left off.

As the compiler does it: the body becomes a delegate that jumps to the place behind the await that it is called for.
Where what is awaited has not completed, it hands itself over to the awaiter and returns; a builder of the framework
makes the task. An await leaves nothing on the stack, so what has been computed before it is kept in variables.
No jump enters a catch or finally clause, so such a clause with an await runs behind its `try`, as the compiler's does.
Variables outlive a run of the body: one that a lambda in a loop captures is kept in a box, a new one in each turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.member_access import is_by_reference, method_of
from dap_dotnet.evaluation.rules.variables import CHOSEN, INLINE_ELEMENT
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.declarations import declared_members

_RUNS = -1
_BRANCHES = frozenset({"IfThen", "IfThenElse"})
_OF_VARIABLES = frozenset({"Alias", CHOSEN, INLINE_ELEMENT})
"""Operations on variables themselves, which no other variable stands for."""


_IN_ORDER = (
    bound.Items, bound.FieldOf, bound.Made, bound.Invoked, bound.Operation, bound.TypedOperation, bound.Text,
)  # fmt: skip
"""Nodes that evaluate all of their parts in order."""


class Resumable:
    """A body without its awaits: `steps`, which jump to `leaves` where one is waited for."""

    def __init__(self, scope: Scope, body: Code, state: bound.Variable, current: bound.Variable) -> None:
        """`state` outlives a run of the body, `current` belongs to one; both are -1 where the body runs.

        Raises `EvaluationError` for awaits in places that cannot be left in the middle.
        """
        self._scope = scope
        self._state = state
        self._current = current
        self._resumed: list[list[tuple[int, bound.Target]]] = [[]]
        self._count = 0
        self._is_in_loop = False
        self.kept: list[bound.Variable] = []
        """Variables that outlive a run."""
        self.leaves = bound.Target()
        inner = self._effect(body)
        self.steps: tuple[Code, ...] = (*self._dispatch(self._resumed[0]), *inner)

    def _dispatch(self, resumed: Sequence[tuple[int, bound.Target]]) -> list[Code]:
        return [bound.if_then(_equals(self._current, place), bound.Jump(types.VOID, label)) for place, label in resumed]

    def _keep(self, value: Code) -> tuple[Code, bound.Variable]:
        """The value in a variable."""
        made = bound.Variable(value.type, "")
        self.kept.append(made)
        return bound.assigned(made, value), made

    def _now(self, place: int) -> list[Code]:
        return [bound.assigned(one, bound.integer(place)) for one in (self._current, self._state)]

    def _suspension(self, node: bound.Awaited) -> list[Code]:
        """Up to where the result can be asked for."""
        start = self._effect(node.started)
        place, label = self._count, bound.Target()
        self._count += 1
        self._resumed[-1].append((place, label))
        leaving = bound.block(*self._now(place), node.continued, bound.Jump(types.VOID, self.leaves))
        is_pending = bound.negated(node.is_completed)
        return [
            *start,
            bound.if_then(is_pending, leaving),
            bound.Landing(types.VOID, label),
            *self._now(_RUNS),
        ]

    # statements

    def _effect(self, code: Code) -> list[Code]:
        """Steps that do what the code does, without its value."""
        if not bound.contains(code, bound.Awaited):
            return [code]
        if isinstance(code, bound.Steps):
            return [step for one in self._opened(code).steps for step in self._effect(one)]
        if isinstance(code, bound.Operation) and code.name in _BRANCHES:
            before, test = self._value(code.operands[0])
            branches = tuple(bound.block(*self._effect(one)) for one in code.operands[1:])
            return [*before, bound.Operation(types.VOID, code.name, (test, *branches))]
        if isinstance(code, bound.Loop):
            outer, self._is_in_loop = self._is_in_loop, True
            body = bound.block(*self._effect(code.body))
            self._is_in_loop = outer
            return [bound.Loop(types.VOID, body, code.ends)]
        if isinstance(code, bound.Protected):
            return self._protected(code)
        before, value = self._value(code)
        return [*before, value] if isinstance(value, bound.Operation | bound.Invoked | bound.Made) else before

    def _opened(self, code: bound.Steps) -> bound.Steps:
        """A block, whose variables outlive a run."""
        opened = with_boxes(self._scope, code) if self._is_in_loop else code
        self.kept.extend(opened.variables)
        return opened

    def _protected(self, code: bound.Protected) -> list[Code]:
        """No jump from outside enters `try`: the way back goes by its beginning. `finally` waits for the real end."""
        if bound.contains(code.handlers, bound.Awaited) or (
            code.final is not None and bound.contains(code.final, bound.Awaited)
        ):
            return self._effect(moved_out(self._scope, code))
        entry = bound.Target()
        self._resumed.append([])
        inner = self._effect(code.body)
        resumed = self._resumed.pop()
        self._resumed[-1].extend((place, entry) for place, _ in resumed)
        final = None
        if code.final is not None:
            final = bound.if_then(_equals(self._current, _RUNS), code.final)
        body = bound.block(*self._dispatch(resumed), *inner)
        return [bound.Landing(types.VOID, entry), bound.Protected(types.VOID, body, code.handlers, final)]

    # values

    def _value(self, code: Code) -> tuple[list[Code], Code]:
        """Steps with the awaits, and then a value without any."""
        if not bound.contains(code, bound.Awaited):
            return [], code
        if isinstance(code, bound.Awaited):
            before = self._suspension(code)
            if code.type is types.VOID:
                return [*before, code.result], bound.Zero(types.VOID)
            given, kept = self._keep(code.result)
            return [*before, given], kept
        if code.type is types.VOID and isinstance(code, bound.Steps | bound.Loop | bound.Protected):
            return self._effect(code), bound.Zero(types.VOID)
        if isinstance(code, bound.Steps):
            code = self._opened(code)
            steps = [step for one in code.steps[:-1] for step in self._effect(one)]
            before, value = self._value(code.steps[-1])
            return [*steps, *before], value
        if isinstance(code, bound.Operation):
            return self._operation(code)
        if not isinstance(code, _IN_ORDER):
            raise unsupported("'await' in this place")
        return self._in_order(code)

    def _in_order(self, code: Code) -> tuple[list[Code], Code]:
        """What evaluates all of its parts in order."""
        parts = bound.children(code)
        if isinstance(code, bound.Invoked | bound.Made):
            method = code.method if isinstance(code, bound.Invoked) else code.constructor
            if any(map(is_by_reference, method_of(self._scope.env, method).signature.parameters)):
                raise unsupported("'await' in the arguments of a method that takes one by reference")
        target = code.target if isinstance(code, bound.Invoked) else None
        if target is not None and target.type.is_value_type and bound.contains(parts[1:], bound.Awaited):
            if not isinstance(target, bound.Variable | bound.Captured):
                raise unsupported("'await' in an argument of a structure's method")
            parts.remove(target)
        before, values = self._values(parts)
        made = dict(zip(parts, values, strict=True))
        return before, bound.rewritten(code, lambda part: made.get(part) if isinstance(part, Code) else None)

    def _values(self, codes: Sequence[Code]) -> tuple[list[Code], list[Code]]:
        """Of several: what comes before an await is kept over it."""
        last = max((place for place, one in enumerate(codes) if bound.contains(one, bound.Awaited)), default=-1)
        steps, values = list[Code](), list[Code]()
        for place, one in enumerate(codes):
            before, value = self._value(one)
            steps += before
            if place < last and not isinstance(value, bound.Captured | bound.Zero):
                given, value = self._keep(value)
                steps.append(given)
            values.append(value)
        return steps, values

    def _operation(self, code: bound.Operation) -> tuple[list[Code], Code]:
        operands, name = code.operands, code.name
        if name == "Assign":
            if bound.contains(operands[0], bound.Awaited):
                raise unsupported("'await' left of an assignment")
            before, value = self._value(operands[1])
            return before, bound.Operation(code.type, name, (operands[0], value))
        if name in ("AndAlso", "OrElse"):
            first, second = operands
            branches = (second, bound.boolean(False)) if name == "AndAlso" else (bound.boolean(True), second)
            return self._operation(bound.Operation(code.type, "Condition", (first, *branches)))
        if name == "Coalesce":
            return self._coalesced(code)
        if name == "Condition":
            before, test = self._value(operands[0])
            return self._branches(before, test, operands[1:], code)
        if name in _BRANCHES:
            return self._effect(code), bound.Zero(types.VOID)
        if name in _OF_VARIABLES:
            raise unsupported("'await' in this place")
        return self._in_order(code)

    def _coalesced(self, code: bound.Operation) -> tuple[list[Code], Code]:
        before, first = self._value(code.operands[0])
        given, kept = self._keep(first)
        there: Code = kept
        if kept.type is not code.type:
            there = bound.converted(kept, code.type)
        equal = "ReferenceEqual" if kept.type.is_reference else "Equal"
        is_null = bound.Operation(types.BOOL, equal, (kept, bound.Zero(kept.type)))
        return self._branches([*before, given], is_null, (code.operands[1], there), code)

    def _branches(self, before: list[Code], test: Code, values: Sequence[Code], code: Code) -> tuple[list[Code], Code]:
        """The one value or the other."""
        kept = bound.Variable(code.type, "")
        self.kept.append(kept)
        branches = []
        for one in values:
            more, value = self._value(one)
            branches.append(bound.block(*more, bound.assigned(kept, value)))
        return [*before, bound.Operation(types.VOID, "IfThenElse", (test, *branches))], kept


_EXCEPTION = "System.Exception"
_DISPATCH = "System.Runtime.ExceptionServices.ExceptionDispatchInfo"
_BOX = "System.Runtime.CompilerServices.StrongBox`1"
_DECLARING = frozenset({"variables", "parameters", "variable"})
"""Fields of nodes that say which variables there are, and use none."""


# catch and finally


def moved_out(scope: Scope, code: bound.Protected) -> Code:
    """A `try` whose clauses with awaits run behind it. CS7094."""
    if code.final is not None and bound.contains(code.final, bound.Awaited):
        return _with_final(scope, code)
    if code.final is not None:
        inner = moved_out(scope, bound.Protected(types.VOID, code.body, code.handlers, None))
        return bound.Protected(types.VOID, inner, (), code.final)
    return _with_handlers(scope, code)


def _with_handlers(scope: Scope, code: bound.Protected) -> Code:
    pending, kept = bound.Variable(types.I4, ""), list[bound.Variable]()
    behind, handlers = list[Code](), list[bound.Handler]()
    for place, one in enumerate(code.handlers, 1):
        if one.guard is not None and bound.contains(one.guard, bound.Awaited):
            raise Diagnostic("CS7094")
        if not bound.contains(one.body, bound.Awaited):
            handlers.append(one)
            continue
        error = bound.Variable(one.variable.type, one.variable.name)
        kept.append(error)
        seen = bound.block(bound.assigned(error, one.variable), bound.assigned(pending, bound.integer(place)))
        handlers.append(bound.Handler(one.variable, seen, one.guard))
        body = _rethrowing(scope, _replacing(one.body, {one.variable: error}), error)
        behind.append(bound.if_then(_equals(pending, place), body))
    first = bound.assigned(pending, bound.integer(0))
    inner = bound.Protected(types.VOID, code.body, tuple(handlers), None)
    return bound.Steps(types.VOID, (pending, *kept), (first, inner, *behind, bound.Zero(types.VOID)))


def _rethrowing(scope: Scope, body: Code, error: bound.Variable) -> Code:
    """The body of a clause with `throw;` as a throw of what was caught; those of clauses inside are others'."""

    def change(node: Code) -> Code | None:
        if isinstance(node, bound.Operation) and node.name == "Rethrow":
            return _thrown(scope, error)
        if isinstance(node, bound.Function):
            return node
        if isinstance(node, bound.Protected):
            return bound.Protected(node.type, bound.rewritten(node.body, change, _DECLARING), node.handlers, node.final)
        return None

    return bound.rewritten(body, change, _DECLARING)


def _with_final(scope: Scope, code: bound.Protected) -> Code:
    """What leaves the `try`, an exception or a jump, goes on when the clause has run."""
    assert code.final is not None
    kind = scope.framework_type(_EXCEPTION)
    error, caught, jump = bound.Variable(kind, ""), bound.Variable(kind, ""), bound.Variable(types.I4, "")
    ended = bound.Target()
    inner = bound.Protected(types.VOID, code.body, code.handlers, None) if code.handlers else code.body
    targets: list[bound.Target] = []
    own = _targets(inner)

    def change(node: Code) -> Code | None:
        if isinstance(node, bound.Function):
            return node
        if not isinstance(node, bound.Jump) or node.target in own:
            return None
        if node.target not in targets:
            targets.append(node.target)
        return bound.block(
            bound.assigned(jump, bound.integer(targets.index(node.target) + 1)), bound.Jump(types.VOID, ended)
        )

    inner = bound.rewritten(inner, change, _DECLARING)
    handler = bound.Handler(caught, bound.block(bound.assigned(error, caught)), None)
    is_thrown = bound.Operation(types.BOOL, "ReferenceNotEqual", (error, bound.Zero(kind)))
    steps = (
        bound.assigned(error, bound.Zero(kind)),
        bound.assigned(jump, bound.integer(0)),
        bound.Protected(types.VOID, inner, (handler,), None),
        bound.Landing(types.VOID, ended),
        code.final,
        bound.if_then(is_thrown, _thrown(scope, error)),
        *(
            bound.if_then(_equals(jump, place), bound.Jump(types.VOID, target))
            for place, target in enumerate(targets, 1)
        ),
    )
    return bound.Steps(types.VOID, (error, jump), (*steps, bound.Zero(types.VOID)))


def _targets(tree: Code) -> set[bound.Target]:
    """Where jumps inside of a tree may arrive."""
    found = set[bound.Target]()
    for part in bound.parts_of(tree, into_functions=False):
        if isinstance(part, bound.Landing):
            found.add(part.target)
        if isinstance(part, bound.Loop):
            found.add(part.ends)
    return found


def _equals(variable: bound.Variable, value: int) -> Code:
    return bound.Operation(types.BOOL, "Equal", (variable, bound.integer(value)))


def _thrown(scope: Scope, error: bound.Variable) -> Code:
    """A throw that keeps the exception's stack trace."""
    owner, kind = scope.framework_type(_DISPATCH), scope.framework_type(_EXCEPTION)
    return bound.Invoked(types.VOID, scope.framework_method(owner, "Throw", kind), None, (error,))


# variables of loops


def with_boxes(scope: Scope, code: bound.Steps) -> bound.Steps:
    """A block in a loop: each of its variables that a lambda captures is the field of a box that the turn makes."""
    functions = [one for one in bound.parts_of(code.steps, into_functions=False) if isinstance(one, bound.Function)]
    captured = [one for one in code.variables if any(_uses(function, one) for function in functions)]
    if not captured:
        return code
    boxes = {one: bound.Variable(scope.framework_type(_BOX, (one.type,)), one.name) for one in captured}
    fields = {one: _field(scope, one, box) for one, box in boxes.items()}

    def change(node: Code) -> Code | None:
        if isinstance(node, bound.Function):
            return _holding(scope, node, boxes)
        return fields.get(node) if isinstance(node, bound.Variable) else None

    made = [
        bound.assigned(box, bound.Made(box.type, scope.framework_method(box.type, ".ctor"), ()))
        for box in boxes.values()
    ]
    others = tuple(one for one in code.variables if one not in boxes)
    return bound.Steps(code.type, (*others, *boxes.values()), (*made, *bound.rewritten(code.steps, change, _DECLARING)))


def _holding(scope: Scope, function: bound.Function, boxes: Mapping[bound.Variable, bound.Variable]) -> Code:
    """A lambda with the boxes as they are when it is made."""
    used = [one for one in boxes if _uses(function, one)]
    if not used:
        return function
    copies = {one: bound.Variable(boxes[one].type, one.name) for one in used}
    made = _replacing(function, {one: _field(scope, one, copy) for one, copy in copies.items()})
    given = [bound.assigned(copy, boxes[one]) for one, copy in copies.items()]
    return bound.Steps(function.type, tuple(copies.values()), (*given, made))


def _replacing(tree: bound.T, values: Mapping[bound.Variable, Code]) -> bound.T:
    return bound.rewritten(
        tree, lambda node: values.get(node) if isinstance(node, bound.Variable) else None, _DECLARING
    )


def _uses(function: bound.Function, variable: bound.Variable) -> bool:
    return any(part is variable for part in bound.parts_of(function.body))


def _field(scope: Scope, variable: bound.Variable, box: bound.Variable) -> bound.FieldOf:
    field = declared_members(scope.universe, box.type).field("Value")
    assert field is not None
    return bound.FieldOf(variable.type, box.type, field.token, box)
