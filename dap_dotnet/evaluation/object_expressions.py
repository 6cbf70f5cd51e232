"""Expressions on an object, as DebuggerDisplay has them: names are members of the object, not of a frame."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import FieldToken, Frame, FrameKind, ThreadId, TypeId, Value
from dap_dotnet.symbols.reflection_names import ReflectionName
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.context import FrameContext, Program, WrappedObject

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.evaluation.environment import Environment
    from dap_dotnet.evaluation.evaluator import Evaluation
    from dap_dotnet.evaluation.running.steps import Run
    from dap_dotnet.evaluation.types.csharp_types import Operand

_NO_FRAME = Frame(0, FrameKind.NATIVE, None, None, None, 0, 0, 0)
"""Such expressions have no frame; static fields are read in the thread's top one."""


class EvaluatedObjectExpressions:
    """Implements `values.context.ObjectExpressions`, in one thread."""

    def __init__(
        self,
        thread: ThreadId,
        caller_for: Callable[[ThreadId, float], Caller],
        with_others_staying: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`caller_for` gives what runs the program's code, with how many seconds a call may take."""
        self._thread = thread
        self._caller_for = caller_for
        self.with_others_staying = with_others_staying
        """See `ObjectExpressions`."""

    def value(
        self,
        program: Program,
        target: Value,
        expression: str,
        *,
        scope: TypeId | None = None,
        place: Callable[[], Value] | None = None,
        call_timeout_s: float | None = None,
    ) -> Value:
        """See `ObjectExpressions`. An expression is bound once for each exact type."""

        def run(env: Environment) -> Operand:
            this = env.slots["this"] = env.operand(target)
            if place is not None:
                _note_place(env, this, target, place)
            key = ("member expression", target.type, scope, expression)
            return env.universe.derived(key, lambda: _bound(env, expression, scope))(env)

        return self._value(program, run, call_timeout_s)

    def _evaluation(self, program: Program, call_timeout_s: float | None = None) -> Evaluation:
        """With a time, the expression may run the program, for each call that long."""
        # Most stops show no such object: the engine is loaded with the first one.
        from dap_dotnet.evaluation.evaluator import Evaluation

        caller = self._caller_for(self._thread, call_timeout_s) if call_timeout_s is not None else None
        return Evaluation(FrameContext(program, self._thread, _NO_FRAME), caller, may_store=False)

    def _value(self, program: Program, run: Callable[[Environment], Operand], call_timeout_s: float | None) -> Value:
        with self._evaluation(program, call_timeout_s) as evaluation:
            evaluation.result = evaluation.env.to_value(run(evaluation.env))
        return evaluation.result

    def wrapped(
        self,
        program: Program,
        target: Value,
        wrapper: ReflectionName,
        arguments_of: TypeId,
        *,
        call_timeout_s: float,
    ) -> Value:
        """See `ObjectExpressions`."""
        from dap_dotnet.evaluation.operations.creation import wrapping_constructor

        def run(env: Environment) -> Operand:
            wrapped = env.slots["this"] = env.operand(target)
            kind, constructor = wrapping_constructor(env, wrapped, wrapper, arguments_of)
            return env.runner.construct(env, kind, constructor, [wrapped])

        return self._value(program, run, call_timeout_s)

    def wrapped_members(
        self, program: Program, target: Value, wrapper: ReflectionName, arguments_of: TypeId
    ) -> WrappedObject | None:
        """See `ObjectExpressions`."""
        from dap_dotnet.evaluation.interpreter.code import NotInterpretable
        from dap_dotnet.evaluation.interpreter.interpretation import wrapped_members
        from dap_dotnet.evaluation.operations.creation import wrapping_constructor

        env = self._evaluation(program).env
        wrapped = env.operand(target)
        kind, constructor = wrapping_constructor(env, wrapped, wrapper, arguments_of)
        try:
            return WrappedObject(kind.name, wrapped_members(env, kind, constructor, wrapped))
        except (NotInterpretable, EvaluationError):
            return None

    def static_member(
        self,
        program: Program,
        declaring: TypeId,
        member: FieldInfo | PropertyInfo,
        *,
        call_timeout_s: float | None = None,
    ) -> Value:
        """See `ObjectExpressions`."""
        from dap_dotnet.evaluation.operations.member_access import declared_access
        from dap_dotnet.evaluation.types.csharp_types import NULL_OPERAND

        return self._value(
            program, lambda env: declared_access(env, declaring, member)(env, NULL_OPERAND), call_timeout_s
        )

    def is_initialised(self, program: Program, declaring: TypeId) -> bool:
        """See `ObjectExpressions`."""
        from dap_dotnet.evaluation.operations.member_access import has_begun

        env = self._evaluation(program).env
        owner = env.type_of(declaring)
        return owner is not None and has_begun(env, owner, declaring)

    def first_items(self, program: Program, target: Value, most: int, *, call_timeout_s: float) -> Value:
        """See `ObjectExpressions`."""
        from dap_dotnet.evaluation.operations.linq.sequences import first_items

        return self._value(program, lambda env: first_items(env, env.operand(target), most), call_timeout_s)


def field_type(program: Program, declaring: TypeId, field: FieldToken) -> TypeId | None:
    """See `values.context.FieldType`."""
    from dap_dotnet.evaluation.types.universe import universe_of

    universe = universe_of(program)
    declared = universe.field_type(program, declaring, field)
    return universe.id_of(program, declared) if declared is not None else None


def _note_place(env: Environment, this: Operand, target: Value, place: Callable[[], Value]) -> None:
    """A `ref struct` is read again where it is kept when the program has run."""
    from dap_dotnet.evaluation.types.declarations import is_stack_only

    if is_stack_only(env.universe, this.type):
        this.place = lambda _: place()
        env.roots.note_place(target, place)


def _bound(env: Environment, expression: str, scope: TypeId | None) -> Run:
    from dap_dotnet.evaluation.binding.name_binder import ObjectBinder
    from dap_dotnet.evaluation.evaluator import compiled
    from dap_dotnet.evaluation.syntax.parser import parse

    return compiled(ObjectBinder(env, env.type_of(scope)), parse(expression), is_whole=True).run
