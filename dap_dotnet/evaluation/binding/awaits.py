"""Async lambdas in code (C# specification 12.21, 15.15): the method that goes on where an await has left off.

As the compiler does it: the body becomes a delegate that jumps to the place behind the await that it is called for.
Where what is awaited has not completed, it hands itself over to the awaiter and returns; a builder of the framework
makes the task. An await leaves nothing on the stack, so what has been computed before it is kept in variables.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.await_lowering import contains, moved_out, with_boxes
from dap_dotnet.evaluation.binding.scope import unsupported
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Captured,
    Code,
    FieldOf,
    Invoked,
    Items,
    Jump,
    Landing,
    Loop,
    Made,
    Operation,
    Protected,
    Steps,
    Target,
    TypedOperation,
    Variable,
    Zero,
    assigned,
    block,
    integer,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod
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
