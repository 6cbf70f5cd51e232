"""Running methods: what only reads is interpreted, the rest is called in the program."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.calling.program_calls import call, caller_of, load_image, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import (
    dispatch,
    is_by_reference,
    method_of,
    shown_name,
)
from dap_dotnet.evaluation.operations.operand_values import NotPassedError
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_method
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.modules import CacheSlot


class ProgramMethodRunner:
    """Implements `environment.MethodRunner`. Has no state: one serves all evaluations (`METHOD_RUNNER`)."""

    def run(
        self,
        env: Environment,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
        *,
        is_virtual: bool = True,
    ) -> Operand:
        """See `environment.MethodRunner`: by interpretation, else by a call, which `env.caller` must allow.

        A method that could not be interpreted time after time is called at once.
        """
        # Many expressions name no method: the interpreter is loaded with the first one that does.
        from dap_dotnet.evaluation.interpreter.code import NotInterpretable
        from dap_dotnet.evaluation.interpreter.interpretation import interpret_call

        reached = dispatch(env, method, target) if target is not None else method
        if is_virtual:
            method = reached
        attempts = _attempts(env, method) if env.caller is not None and method == reached else None
        if attempts is None or attempts.is_worth_while():
            try:
                result = interpret_call(env, method, target, arguments)
            except NotInterpretable:
                if attempts is not None:
                    attempts.failed += 1
            else:
                if attempts is not None:
                    attempts.failed = 0
                return result
        if method != reached:
            name = method_of(env, method).name.removeprefix("get_")
            raise EvaluationError(
                f"base.{name} is overridden, and does more than can be followed here; the runtime calls only the "
                "override"
            )
        return _called(env, method, target, arguments)

    def reference(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> tuple[Value, bool]:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.interpreter.interpretation import only_reads

        reached = dispatch(env, method, target) if target is not None else method
        return _value(env, reached, target, arguments)[0], only_reads(env, reached, target, arguments)

    def construct(
        self, env: Environment, kind: Type, constructor: ExactMethod | None, arguments: Sequence[Operand]
    ) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import construct

        try:
            return construct(env, kind, constructor, arguments)
        except NotPassedError:
            from dap_dotnet.evaluation.operations.reflected_calls import construct_reflected

            assert constructor is not None
            return construct_reflected(env, kind, constructor, arguments)

    def new_array(self, env: Environment, element: Type, *lengths: int) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import new_array

        return new_array(env, element, *lengths)

    def delegate(self, env: Environment, kind: Type, method: ExactMethod, target: Operand) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import group_delegate

        return group_delegate(env, kind, method, target)

    def put_on_heap(self, env: Environment, operand: Operand) -> None:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import put_on_heap

        put_on_heap(env, operand)

    def make_anonymous_type(self, env: Environment, names: Sequence[str]) -> None:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.anonymous_image import anonymous_image

        caller_of(env, "A type for the anonymous object")
        load_image(env, anonymous_image(names))


METHOD_RUNNER = ProgramMethodRunner()


class _Attempts:
    """Of interpreting one method that may as well be called: where that fails time after time, it is seldom tried."""

    __slots__ = ("failed", "passed_over")

    def __init__(self) -> None:
        self.failed = 0
        """In a row."""
        self.passed_over = 0

    def is_worth_while(self) -> bool:
        """Whether to try: as long as it has not failed often, then once in a while."""
        if self.failed < _FAILURES_IN_A_ROW or self.passed_over >= _PASSED_OVER:
            self.passed_over = 0
            return True
        self.passed_over += 1
        return False


_FAILURES_IN_A_ROW = 3
_PASSED_OVER = 30
"""Calls without an attempt between two."""
_ATTEMPTS: CacheSlot[dict[ExactMethod, _Attempts]] = CacheSlot("attempts to interpret methods", lambda _: {})


def _attempts(env: Environment, method: ExactMethod) -> _Attempts | None:
    module = env.universe.module_of(method.owner)
    return module.cached(_ATTEMPTS).setdefault(method, _Attempts()) if module is not None else None


def _called(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> Operand:
    try:
        return result_operand(env, *_value(env, method, target, arguments))
    except NotPassedError:
        from dap_dotnet.evaluation.operations.reflected_calls import run_reflected

        if target is not None and dispatch(env, method, target) != method:
            raise  # a call through `base`: reflection would call the override
        if target is not None and target.type.is_value_type:
            raise  # reflection would call it on a copy
        return run_reflected(env, method, target, arguments)[0]


def _value(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> tuple[Value, Type | None]:
    """What a method gives, and the type that it is declared to give."""
    from dap_dotnet.evaluation.calling.endless_calls import is_endless

    own = method_of(env, method)
    name = shown_name(method.owner, own.name)
    caller_of(env, name)
    if is_endless(env, method, target, arguments):
        raise EvaluationError(f"{name} calls itself endlessly: a stack overflow would end the program")
    passed = arguments if target is None else [target, *arguments]
    value = call(env, method, passed, name, has_this=target is not None)
    kind = declared_method(env.universe, method).return_type(env.universe, method.type_arguments)
    if value.is_null and kind is not None and kind.is_value_type and is_by_reference(own.signature.return_type):
        raise Thrown("System.NullReferenceException", f"the reference that {name} gives is null")
    return value, kind
