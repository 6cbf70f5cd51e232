"""Running methods: what only reads is interpreted, the rest is called in the program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.calling.endless_calls import is_endless
from dap_dotnet.evaluation.calling.program_calls import call, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import dispatch, is_by_reference, method_of, shown_name
from dap_dotnet.evaluation.operations.operand_values import NotPassedError
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.runtime.model import Value


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
        """The result of a method: by interpretation, else by a call, which `env.caller` must allow."""
        # Many expressions name no method: the interpreter is loaded with the first one that does.
        from dap_dotnet.evaluation.interpreter.interpretation import run_interpreted

        return run_interpreted(env, method, target, arguments, _called, is_virtual=is_virtual)

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
            return construct_reflected(env, kind, _chosen(env, constructor, arguments))

    def new_array(self, env: Environment, element: Type, *lengths: int) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import new_array

        return new_array(env, element, *lengths)

    def array_of(
        self, env: Environment, element: Type, items: Sequence[Operand], constants: Sequence[Operand | None] = ()
    ) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.operations.creation import create_array

        return create_array(env, element, items, constants)

    def delegate(self, env: Environment, kind: Type, method: ExactMethod, target: Operand) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.delegates import group_delegate

        return group_delegate(env, kind, method, target)

    def put_on_heap(self, env: Environment, operand: Operand) -> None:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.heap_values import put_on_heap

        put_on_heap(env, operand)

    def converted(self, env: Environment, operand: Operand, wanted: Type) -> Operand:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.operations.implicit import convert_implicitly

        return convert_implicitly(env, operand, wanted)

    def make_anonymous_type(self, env: Environment, names: Sequence[str]) -> None:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.calling.anonymous_image import anonymous_image
        from dap_dotnet.evaluation.calling.program_calls import load_image

        load_image(env, anonymous_image(names))


METHOD_RUNNER = ProgramMethodRunner()


def _called(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> Operand:
    try:
        return result_operand(env, *_value(env, method, target, arguments))
    except NotPassedError:
        from dap_dotnet.evaluation.operations.reflected_calls import run_reflected

        if target is not None and dispatch(env, method, target) != method:
            raise  # a call through `base`: reflection would call the override
        if target is not None and target.type.is_value_type:
            raise  # reflection would call it on a copy
        return run_reflected(env, _chosen(env, method, arguments), target)[0]


def _chosen(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> Chosen:
    module = env.universe.module_of(method.owner)
    candidate = Candidate(method.owner, method_of(env, method), module)
    return Chosen(candidate, list(arguments), method.type_arguments, {})


def _value(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> tuple[Value, Type | None]:
    """What a method gives, and the type that it is declared to give."""
    owner, own = method.owner, method_of(env, method)
    module = env.universe.module_of(owner)
    assert module is not None
    type_of = partial(env.universe.of_signature, module, types=owner.arguments, methods=method.type_arguments)
    name = shown_name(owner, own.name)
    if env.caller is not None and is_endless(env, method, target, arguments):
        raise EvaluationError(f"{name} calls itself endlessly: a stack overflow would end the program")
    passed = arguments if target is None else [target, *arguments]
    value, kind = call(env, method, passed, name, has_this=target is not None), type_of(own.signature.return_type)
    if value.is_null and kind is not None and kind.is_value_type and is_by_reference(own.signature.return_type):
        raise Thrown("System.NullReferenceException", f"the reference that {name} gives is null")
    return value, kind
