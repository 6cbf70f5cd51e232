"""The part of a live method's IL that comes next, interpreted ahead of the program: which object it is about to use.

As in `interpreter`, nothing of the program is written: a part that would call what does more than read, or make an
object, is not interpretable. Session thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import Declared, ILScope, NotInterpretable, Refusals, code_of
from dap_dotnet.evaluation.interpreter.interpretation import INSTRUCTIONS
from dap_dotnet.evaluation.interpreter.machine import Activation, Machine
from dap_dotnet.evaluation.interpreter.stack_values import Address, in_program
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.runtime.model import FieldToken, TypeDefToken, TypeId, Value
from dap_dotnet.values.context import FrameContext


def value_on_top(context: FrameContext, start: int, targets: Collection[int]) -> Value | None:
    """What will be on top of the stack when the frame's method gets to one of the `targets`, IL offsets.

    `start` is an IL offset with an empty stack, where the frame is or that it has just passed without changing what the
    part reads. None when that cannot be determined.
    """
    env = Environment(context, None, METHOD_RUNNER)
    try:
        with Refusals(f"the code from IL offset {start:#x} on"):
            found = _top(env, start, targets).program_value
    except (NotInterpretable, DapDotnetError):
        return None
    return found if found is not None and found.handle is not None else None


def _top(env: Environment, start: int, targets: Collection[int]) -> Operand:
    """Raises `NotInterpretable`, and what reading does."""
    code = code_of(env, _method_of(env))
    if not code.index_of.keys() >= {start, *targets}:
        raise NotInterpretable("a place within an instruction")
    activation = Activation(Machine(env, INSTRUCTIONS), code, ())
    activation.arguments = _Slots(lambda index: _read(env, env.argument(index), code.parameters[index]))
    activation.locals = _Slots(lambda index: _read(env, env.local(index), code.locals[index]))
    activation.jump(start)
    activation.run_until(frozenset(code.index_of[target] for target in targets))
    if activation.result is not None:
        raise NotInterpretable("a path that ends before")
    return activation.pop()


def exact_owner(context: FrameContext, field: FieldToken) -> TypeId | None:
    """The instantiation whose field a token means in the code of the frame's method; None where that is not known."""
    env = Environment(context, None, METHOD_RUNNER)
    try:
        with Refusals("the frame's method"):
            method = _method_of(env)
            module = env.universe.module_of(method.owner)
            assert module is not None
            return env.universe.id_of(env.program, ILScope(env.universe, module, method).field(field).owner)
    except (NotInterpretable, DapDotnetError):
        return None


class _Slots(dict[int, Any]):
    """Arguments or locals of the frame, read when first used; what the part stores stays here."""

    def __init__(self, read: Callable[[int], Operand | Address]) -> None:
        super().__init__()
        self._own_read = read

    def __missing__(self, index: int) -> Any:
        self[index] = self._own_read(index)
        return self[index]


def _read(env: Environment, value: Value, declared: Declared) -> Operand | Address:
    operand = env.operand(value, declared.type)
    return in_program(operand) if declared.is_reference else operand


def _method_of(env: Environment) -> ExactMethod:
    """The frame's method with its exact type arguments. Raises `NotInterpretable` where that is not known."""
    frame = env.context.frame
    module = env.program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        raise NotInterpretable("no metadata")
    declaring = module.metadata.declaring_type(frame.method)
    given = env.debuggee.frame_type_arguments(env.context.thread, frame.index)
    known = tuple(kind for kind in map(env.type_of, given) if kind is not None)
    count = len(module.metadata.generic_parameters_of(declaring))
    owner = env.universe.of_definition((module.id, TypeDefToken(declaring)), known[:count])
    if owner is None or len(known) != len(given):
        raise NotInterpretable("a type that is not known")
    return ExactMethod(owner, frame.method, known[count:])
