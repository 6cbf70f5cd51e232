"""Async lambdas in code (C# specification 12.21, 15.15): the method that goes on where an await has left off.

As the compiler does it: the body becomes a delegate that jumps to the place behind the await that it is called for.
Where what is awaited has not completed, it hands itself over to the awaiter and returns; a builder of the framework
makes the task. An await leaves nothing on the stack, so what has been computed before it is kept in variables.
No jump enters a catch or finally clause, so such a clause with an await runs behind its `try`, as the compiler's does.
Variables outlive a run of the body: one that a lambda in a loop captures is kept in a box, a new one in each turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dap_dotnet.evaluation.binding.scope import framework_method, framework_type, unsupported
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Captured,
    Code,
    FieldOf,
    Function,
    Handler,
    Invoked,
    Items,
    Jump,
    Landing,
    Loop,
    Made,
    Operation,
    Protected,
    Steps,
    T,
    Target,
    TypedOperation,
    Variable,
    Zero,
    assigned,
    block,
    contains,
    integer,
    parts_of,
    rewritten,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod
from dap_dotnet.evaluation.types.declarations import declared_members
from dap_dotnet.evaluation.types.universe import Universe

_RUNS = -1
_BRANCHES = frozenset({"IfThen", "IfThenElse"})
_STRICT = frozenset({
    "Add", "AddChecked", "Subtract", "SubtractChecked", "Multiply", "MultiplyChecked", "Divide", "Modulo", "And", "Or",
    "ExclusiveOr", "LeftShift", "RightShift", "Equal", "NotEqual", "LessThan", "LessThanOrEqual", "GreaterThan",
    "GreaterThanOrEqual", "ReferenceEqual", "ReferenceNotEqual", "Not", "OnesComplement", "Negate", "NegateChecked",
    "ArrayIndex", "ArrayAccess", "ArrayLength", "Throw",
})  # fmt: skip
"""Operations that evaluate all of their operands, in order."""


class Resumable:
    """A body without its awaits: `steps`, which jump to `leaves` where one is waited for."""

    def __init__(self, universe: Universe, body: Code, state: Variable, current: Variable) -> None:
        """`state` outlives a run of the body, `current` belongs to one; both are -1 where the body runs.

        Raises `EvaluationError` for awaits in places that cannot be left in the middle.
        """
        self._universe = universe
        self._state = state
        self._current = current
        self._resumed: list[list[tuple[int, Target]]] = [[]]
        self._count = 0
        self._is_in_loop = False
        self.kept: list[Variable] = []
        """Variables that outlive a run."""
        self.leaves = Target(types.VOID)
        inner = self._effect(body)
        self.steps: tuple[Code, ...] = (*self._dispatch(self._resumed[0]), *inner)

    def _dispatch(self, resumed: Sequence[tuple[int, Target]]) -> list[Code]:
        return [
            Operation(
                types.VOID,
                "IfThen",
                (Operation(types.BOOL, "Equal", (self._current, integer(place))), Jump(types.VOID, label)),
            )
            for place, label in resumed
        ]

    def _keep(self, value: Code) -> tuple[Code, Variable]:
        """The value in a variable."""
        made = Variable(value.type, "")
        self.kept.append(made)
        return assigned(made, value), made

    def _now(self, place: int) -> list[Code]:
        return [assigned(one, integer(place)) for one in (self._current, self._state)]

    def _suspension(self, node: Awaited) -> list[Code]:
        """Up to where the result can be asked for."""
        start = self._effect(node.started)
        place, label = self._count, Target(types.VOID)
        self._count += 1
        self._resumed[-1].append((place, label))
        leaving = block(*self._now(place), node.continued, Jump(types.VOID, self.leaves))
        is_pending = Operation(types.BOOL, "Not", (node.is_completed,))
        return [
            *start,
            Operation(types.VOID, "IfThen", (is_pending, leaving)),
            Landing(types.VOID, label),
            *self._now(_RUNS),
        ]

    # statements

    def _effect(self, code: Code) -> list[Code]:
        """Steps that do what the code does, without its value."""
        if not contains(code, Awaited):
            return [code]
        if isinstance(code, Steps):
            return [step for one in self._opened(code).steps for step in self._effect(one)]
        if isinstance(code, Operation) and code.name in _BRANCHES:
            before, test = self._value(code.operands[0])
            branches = tuple(block(*self._effect(one)) for one in code.operands[1:])
            return [*before, Operation(types.VOID, code.name, (test, *branches))]
        if isinstance(code, Loop):
            outer, self._is_in_loop = self._is_in_loop, True
            body = block(*self._effect(code.body))
            self._is_in_loop = outer
            return [Loop(types.VOID, body, code.ends)]
        if isinstance(code, Protected):
            return self._protected(code)
        before, value = self._value(code)
        return [*before, value] if isinstance(value, Operation | Invoked | Made | Jump) else before

    def _opened(self, code: Steps) -> Steps:
        """A block, whose variables outlive a run."""
        opened = with_boxes(self._universe, code) if self._is_in_loop else code
        self.kept.extend(opened.variables)
        return opened

    def _protected(self, code: Protected) -> list[Code]:
        """No jump from outside enters `try`: the way back goes by its beginning. `finally` waits for the real end."""
        if contains(code.handlers, Awaited) or (code.final is not None and contains(code.final, Awaited)):
            return self._effect(moved_out(self._universe, code))
        entry = Target(types.VOID)
        self._resumed.append([])
        inner = self._effect(code.body)
        resumed = self._resumed.pop()
        self._resumed[-1].extend((place, entry) for place, _ in resumed)
        final = None
        if code.final is not None:
            runs = Operation(types.BOOL, "Equal", (self._current, integer(_RUNS)))
            final = Operation(types.VOID, "IfThen", (runs, code.final))
        body = block(*self._dispatch(resumed), *inner)
        return [Landing(types.VOID, entry), Protected(types.VOID, body, code.handlers, final)]

    # values

    def _value(self, code: Code) -> tuple[list[Code], Code]:
        """Steps with the awaits, and then a value without any."""
        if not contains(code, Awaited):
            return [], code
        if isinstance(code, Awaited):
            before = self._suspension(code)
            if code.type is types.VOID:
                return [*before, code.result], Zero(types.VOID)
            given, kept = self._keep(code.result)
            return [*before, given], kept
        if code.type is types.VOID and isinstance(code, Steps | Loop | Protected):
            return self._effect(code), Zero(types.VOID)
        if isinstance(code, Steps):
            code = self._opened(code)
            steps = [step for one in code.steps[:-1] for step in self._effect(one)]
            before, value = self._value(code.steps[-1])
            return [*steps, *before], value
        if isinstance(code, Jump) and code.value is not None:
            before, value = self._value(code.value)
            return before, Jump(code.type, code.target, value)
        if isinstance(code, Operation):
            return self._operation(code)
        if isinstance(code, TypedOperation):
            before, value = self._value(code.operand)
            return before, TypedOperation(code.type, code.name, value, code.wanted)
        return self._parts(code)

    def _parts(self, code: Code) -> tuple[list[Code], Code]:
        """What evaluates all of its parts in order."""
        if isinstance(code, Items):
            before, values = self._values(code.items)
            return before, Items(code.type, tuple(values), code.has_lengths)
        if isinstance(code, FieldOf) and code.target is not None:
            before, target = self._value(code.target)
            return before, FieldOf(code.type, code.owner, code.token, target)
        if isinstance(code, Made):
            self._check_parameters(code.constructor)
            before, values = self._values(code.arguments)
            return before, Made(code.type, code.constructor, tuple(values))
        if not isinstance(code, Invoked):
            raise unsupported("'await' in this place")
        self._check_parameters(code.method)
        if code.target is None:
            before, values = self._values(code.arguments)
            return before, Invoked(code.type, code.method, None, tuple(values))
        if code.target.type.is_value_type and contains(code.arguments, Awaited):
            if not isinstance(code.target, Variable | Captured):
                raise unsupported("'await' in an argument of a structure's method")
            before, values = self._values(code.arguments)
            return before, Invoked(code.type, code.method, code.target, tuple(values))
        before, values = self._values((code.target, *code.arguments))
        return before, Invoked(code.type, code.method, values[0], tuple(values[1:]))

    def _check_parameters(self, method: ExactMethod) -> None:
        from portablepdb.signatures import ByRefType

        module = self._universe.module_of(method.owner)
        assert module is not None
        assert module.metadata is not None
        if any(isinstance(one, ByRefType) for one in module.metadata.method(method.token).signature.parameters):
            raise unsupported("'await' in the arguments of a method that takes one by reference")

    def _values(self, codes: Sequence[Code]) -> tuple[list[Code], list[Code]]:
        """Of several: what comes before an await is kept over it."""
        last = max((place for place, one in enumerate(codes) if contains(one, Awaited)), default=-1)
        steps, values = list[Code](), list[Code]()
        for place, one in enumerate(codes):
            before, value = self._value(one)
            steps += before
            if place < last and not isinstance(value, Captured | Zero):
                given, value = self._keep(value)
                steps.append(given)
            values.append(value)
        return steps, values

    def _operation(self, code: Operation) -> tuple[list[Code], Code]:
        operands, name = code.operands, code.name
        if name == "Assign":
            if contains(operands[0], Awaited):
                raise unsupported("'await' left of an assignment")
            before, value = self._value(operands[1])
            return before, Operation(code.type, name, (operands[0], value))
        if name in ("AndAlso", "OrElse"):
            return self._both(code)
        if name == "Coalesce":
            return self._coalesced(code)
        if name == "Condition":
            before, test = self._value(operands[0])
            return self._branches(before, test, operands[1:], code)
        if name in _BRANCHES:
            return self._effect(code), Zero(types.VOID)
        if name not in _STRICT:
            before, first = self._value(operands[0])
            if any(contains(one, Awaited) for one in operands[1:]):
                raise unsupported("'await' in this place")
            return before, Operation(code.type, name, (first, *operands[1:]))
        before, values = self._values(operands)
        return before, Operation(code.type, name, tuple(values))

    def _both(self, code: Operation) -> tuple[list[Code], Code]:
        """`&&` and `||`."""
        before, first = self._value(code.operands[0])
        given, kept = self._keep(first)
        test = kept if code.name == "AndAlso" else Operation(types.BOOL, "Not", (kept,))
        more, second = self._value(code.operands[1])
        then = block(*more, assigned(kept, second))
        return [*before, given, Operation(types.VOID, "IfThen", (test, then))], kept

    def _coalesced(self, code: Operation) -> tuple[list[Code], Code]:
        before, first = self._value(code.operands[0])
        given, kept = self._keep(first)
        there: Code = kept
        if kept.type is not code.type:
            there = TypedOperation(code.type, "Convert", kept, code.type)
        equal = "ReferenceEqual" if kept.type.is_reference else "Equal"
        is_null = Operation(types.BOOL, equal, (kept, Zero(kept.type)))
        return self._branches([*before, given], is_null, (code.operands[1], there), code)

    def _branches(self, before: list[Code], test: Code, values: Sequence[Code], code: Code) -> tuple[list[Code], Code]:
        """The one value or the other."""
        kept = Variable(code.type, "")
        self.kept.append(kept)
        branches = []
        for one in values:
            more, value = self._value(one)
            branches.append(block(*more, assigned(kept, value)))
        return [*before, Operation(types.VOID, "IfThenElse", (test, *branches))], kept


_EXCEPTION = "System.Exception"
_DISPATCH = "System.Runtime.ExceptionServices.ExceptionDispatchInfo"
_BOX = "System.Runtime.CompilerServices.StrongBox`1"
_DECLARING = frozenset({"variables", "parameters", "variable"})
"""Fields of nodes that say which variables there are, and use none."""


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
            return Protected(node.type, rewritten(node.body, change, _DECLARING), node.handlers, node.final)
        return None

    return rewritten(body, change, _DECLARING)


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

    inner = rewritten(inner, change, _DECLARING)
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
    return Steps(code.type, (*others, *boxes.values()), (*made, *rewritten(code.steps, change, _DECLARING)))


def _holding(universe: Universe, function: Function, boxes: Mapping[Variable, Variable]) -> Code:
    """A lambda with the boxes as they are when it is made."""
    used = [one for one in boxes if _uses(function, one)]
    if not used:
        return function
    copies = {one: Variable(boxes[one].type, one.name) for one in used}
    made = _replacing(function, {one: _field(universe, one, copy) for one, copy in copies.items()})
    given = [assigned(copy, boxes[one]) for one, copy in copies.items()]
    return Steps(function.type, tuple(copies.values()), (*given, made))


def _replacing(tree: T, values: Mapping[Variable, Code]) -> T:
    return rewritten(tree, lambda node: values.get(node) if isinstance(node, Variable) else None, _DECLARING)


def _functions(tree: object) -> list[Function]:
    """The outermost lambdas of a tree."""
    return [part for part in parts_of(tree, into_functions=False) if isinstance(part, Function)]


def _uses(function: Function, variable: Variable) -> bool:
    return any(part is variable for part in parts_of(function.body))


def _field(universe: Universe, variable: Variable, box: Variable) -> FieldOf:
    field = declared_members(universe, box.type).field("Value")
    assert field is not None
    return FieldOf(variable.type, box.type, field.token, box)
