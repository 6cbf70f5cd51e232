"""The part of a live method's IL that comes next, interpreted ahead of the program: which object it is about to use.

As in `machine`, nothing of the program is written: a part that would call what does more than read, or make an
object, is not interpretable. Session thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable, code_of
from dap_dotnet.evaluation.interpreter.defects import as_refusal
from dap_dotnet.evaluation.interpreter.instructions import INSTRUCTIONS
from dap_dotnet.evaluation.interpreter.interpretation import READING_RUNNER
from dap_dotnet.evaluation.interpreter.machine import Activation, Machine
from dap_dotnet.evaluation.interpreter.stack_values import Address, in_program
from dap_dotnet.evaluation.interpreter.tokens import Declared
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.runtime.model import TypeDefToken, Value
from dap_dotnet.values.context import FrameContext
from portablepdb import PortablePdbError


def value_on_top(context: FrameContext, start: int, targets: Collection[int]) -> Value | None:
    """What will be on top of the stack when the frame's method gets to one of the `targets`, IL offsets.

    `start` is an IL offset with an empty stack, where the frame is or that it has just passed without changing what the
    part reads. None when that cannot be determined.
    """
    env = reading_environment(context)
    try:
        method = method_of(env)
        if method is None:
            return None
        code = code_of(env, method)
        machine = Machine(env, INSTRUCTIONS)
        activation = Activation(machine, code, ())
        activation.arguments = _Slots(lambda index: _read(env, env.argument(index), code.parameters[index]))
        activation.locals = _Slots(lambda index: _read(env, env.local(index), code.locals[index]))
        if not code.index_of.keys() >= {start, *targets}:
            return None
        activation.jump(start)
        wanted = {code.index_of[target] for target in targets}
        while activation.next not in wanted:
            machine.steps -= 1
            number = activation.next
            instruction = INSTRUCTIONS.get(code.names[number])
            if instruction is None or machine.steps < 0 or activation.result is not None:
                return None
            activation.next = number + 1
            instruction(activation, code.operands[number])
        top = activation.pop()
    except (NotInterpretable, DapDotnetError, PortablePdbError):
        return None
    except Exception as defect:
        as_refusal(defect, f"the code from IL offset {start:#x} on")
        return None
    found = top.program_value
    return found if found is not None and found.handle is not None else None


def reading_environment(context: FrameContext) -> Environment:
    """An environment in which nothing of the program ever runs."""
    return Environment(context, None, READING_RUNNER)


class _Slots(list[Any]):
    """Arguments or locals of the frame, read when first used; what the part stores stays here."""

    def __init__(self, read: Callable[[int], Operand | Address]) -> None:
        super().__init__()
        self._own_read = read
        self._known: dict[int, Any] = {}

    def __getitem__(self, index: Any) -> Any:
        if index not in self._known:
            self._known[index] = self._own_read(index)
        return self._known[index]

    def __setitem__(self, index: Any, operand: Any) -> None:
        self._known[index] = operand


def _read(env: Environment, value: Value, declared: Declared) -> Operand | Address:
    operand = env.operand(value, declared.type)
    return in_program(operand) if declared.is_reference else operand


def method_of(env: Environment) -> ExactMethod | None:
    """The frame's method with its exact type arguments."""
    frame = env.context.frame
    module = env.program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    declaring = module.metadata.declaring_type(frame.method)
    given = env.debuggee.frame_type_arguments(env.context.thread, frame.index)
    arguments = [env.type_of(entry) for entry in given]
    known = tuple(entry for entry in arguments if entry is not None)
    if len(known) != len(arguments):
        return None
    count = len(module.metadata.generic_parameters_of(declaring))
    owner = env.universe.of_definition((module.id, TypeDefToken(declaring)), known[:count])
    return ExactMethod(owner, frame.method, known[count:]) if owner is not None else None
