"""Methods that only read, run without the program: the machine with its instructions, from the outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import DapDotnetError, EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable, code_of
from dap_dotnet.evaluation.interpreter.defects import as_refusal
from dap_dotnet.evaluation.interpreter.instructions import INSTRUCTIONS
from dap_dotnet.evaluation.interpreter.machine import Machine
from dap_dotnet.evaluation.interpreter.made_structs import as_made, as_value
from dap_dotnet.evaluation.interpreter.stack_values import Address, typed
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.operations.dispatch import (
    dispatch,
    method_of,
    parameter_types,
    shown_name,
)
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.values.made_values import MadeValue
from portablepdb import PortablePdbError


def interpret(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> Operand:
    """The result of a method that only reads; `this` is the first argument where there is one.

    Raises `NotInterpretable` for all others, and when something could not be read. Bounded in steps and depth. A
    structure that was made on the way is given only where the program must not run, as a value without a place.
    """
    machine, allowance = Machine(env, INSTRUCTIONS), env.program.allowance
    machine.steps = allowed = allowance.steps(machine.steps)
    try:
        result = machine.run(method, [as_made(argument) for argument in arguments])
        if isinstance(result, Address):
            result = _followed(env, method, result)
        found = as_value(env, result, may_call=not any(isinstance(one.program_value, MadeValue) for one in arguments))
    except (EvaluationError, RuntimeCallError) as error:
        raise NotInterpretable(error.message) from error
    except PortablePdbError as error:
        raise NotInterpretable(f"metadata that cannot be read: {error}") from error
    except (NotInterpretable, DapDotnetError, RecursionError):
        raise
    except Exception as defect:
        raise as_refusal(defect, f"method {method.token:#x} of {method.owner.name}") from defect
    finally:
        allowance.took(allowed - machine.steps)
    env.is_interpreted = True
    return found


def _followed(env: Environment, method: ExactMethod, place: Address) -> Operand:
    """The value of the variable that a method returns."""
    kind = code_of(env, method).result.type
    return typed(kind, place.target) if kind is not None else place.target


def interpret_call(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> Operand:
    """As `interpret`, with the arguments as an expression gives them; `target` None for a static method."""
    receiver = [target] if target is not None else []
    return interpret(env, method, [*receiver, *(_as_declared(env, method, arguments) if arguments else ())])


def _as_declared(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> list[Operand]:
    """Arguments as values of the parameters' types: a stack knows no others.

    Value types are boxed where the method takes objects: there they have their own type's methods.
    """
    return [
        argument if kind is None or kind is argument.type else _converted(env, argument, kind)
        for argument, kind in zip(arguments, parameter_types(env, method), strict=True)
    ]


def _converted(env: Environment, argument: Operand, kind: Type) -> Operand:
    if kind.is_reference and argument.type.is_value_type:
        return boxed(env, argument, kind)
    inner = kind.element if kind.kind is Kind.NULLABLE else kind
    if argument.type.kind is not Kind.NUMBER or inner.kind is not Kind.NUMBER:
        return argument
    data = argument.data
    return Operand(kind, data if inner is argument.type else numeric.convert(argument.type.code, inner.code)(data))


Otherwise = Callable[[Environment, ExactMethod, "Operand | None", Sequence[Operand]], Operand]
"""What gives the result of a method, already dispatched, that does more than read."""


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


def run_interpreted(
    env: Environment,
    method: ExactMethod,
    target: Operand | None,
    arguments: Sequence[Operand],
    otherwise: Otherwise,
    *,
    is_virtual: bool = True,
) -> Operand:
    """The result of a method that an expression names, after virtual dispatch: interpreted, or by `otherwise`.

    Where the program may run, a method that could not be interpreted time after time is called at once.
    """
    reached = dispatch(env, method, target) if target is not None else method
    if is_virtual:
        method = reached
    may_call = env.caller is not None and otherwise is not _forbidden and method == reached
    attempts = _attempts(env, method) if may_call else None
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
            f"base.{name} is overridden, and does more than can be followed here; the runtime calls only the override"
        )
    return otherwise(env, method, target, arguments)


def only_reads(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> bool:
    """Whether a method, already dispatched, can be interpreted: to run it again changes nothing."""
    try:
        interpret_call(env, method, target, arguments)
    except NotInterpretable:
        return False
    return True


class ReadingMethodRunner:
    """Implements `environment.MethodRunner` for what must never run the program. Has no state (`READING_RUNNER`)."""

    def run(
        self,
        env: Environment,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
        *,
        is_virtual: bool = True,
    ) -> Operand:
        """The result of a method that only reads. Raises `EvaluationError` for others."""
        return run_interpreted(env, method, target, arguments, _forbidden, is_virtual=is_virtual)

    def reference(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> tuple[Value, bool]:
        """Raises `EvaluationError`."""
        raise calls_forbidden(shown_name(method.owner, method_of(env, method).name))

    def construct(
        self, env: Environment, kind: Type, constructor: ExactMethod | None, arguments: Sequence[Operand]
    ) -> Operand:
        """Raises `EvaluationError`: nothing is made without the program."""
        raise calls_forbidden(f"new {kind.name}")

    def new_array(self, env: Environment, element: Type, *lengths: int) -> Operand:
        """Raises `EvaluationError`."""
        raise calls_forbidden(f"new {element.name}[]")

    def array_of(
        self, env: Environment, element: Type, items: Sequence[Operand], constants: Sequence[Operand | None] = ()
    ) -> Operand:
        """Raises `EvaluationError`."""
        raise calls_forbidden(f"new {element.name}[]")

    def delegate(self, env: Environment, kind: Type, method: ExactMethod, target: Operand) -> Operand:
        """Raises `EvaluationError`."""
        raise calls_forbidden(f"A new delegate of type '{kind.name}'")

    def converted(self, env: Environment, operand: Operand, wanted: Type) -> Operand:
        """Raises `EvaluationError`: what a call would take is not called."""
        raise calls_forbidden(f"A conversion to '{wanted.name}'")

    def make_anonymous_type(self, env: Environment, names: Sequence[str]) -> None:
        """See `environment.MethodRunner`."""
        raise calls_forbidden("A type for the anonymous object")

    def put_on_heap(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` for what is not an object already."""
        if operand.type.is_reference and operand.data is not None and operand.program_value is None:
            raise calls_forbidden(f"A new object of type '{operand.type.name}'")


READING_RUNNER = ReadingMethodRunner()


def _forbidden(env: Environment, method: ExactMethod, _target: Operand | None, _given: Sequence[Operand]) -> Operand:
    raise calls_forbidden(shown_name(method.owner, method_of(env, method).name))
