"""Variables of the debug console: what they keep, and how they are assigned."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, where_kept
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.kept_objects import KeptVariable


def read_kept(env: Environment, name: str) -> Operand:
    """The value of a variable. CS0103."""
    variable = env.program.kept.variable(name) if env.program.kept is not None else None
    if variable is None:
        raise Diagnostic("CS0103", name)
    if variable.pin is None:
        return Operand(variable.type, variable.data, None, variable.names)
    value = env.debuggee.pinned(variable.pin)
    operand = env.operand(value, variable.type)
    operand.names = variable.names
    return operand


def keep(env: Environment, name: str, operand: Operand, *, is_constant: bool = False) -> KeptVariable:
    """Give a variable, new or not, a value of its type, for the whole session. Raises `EvaluationError`."""
    assert env.program.kept is not None
    variable = _kept(env, operand, is_constant=is_constant)
    env.program.kept.keep(env.debuggee, name, variable)
    return variable


def _kept(env: Environment, operand: Operand, *, is_constant: bool) -> KeptVariable:
    """A value to be kept: numbers and null as they are, objects by a pin, structures in a box of the program."""
    if operand.data is None or not isinstance(operand.data, Value | str):
        return KeptVariable(None, operand.type, operand.data, operand.names, is_constant)
    kind, names = operand.type, operand.names
    if isinstance(operand.data, Value) and operand.data.parts is not None:
        raise EvaluationError(f"A value of type '{kind.name}' cannot be kept here: it has no place in the program")
    if isinstance(operand.data, Value) and (kind.is_value_type or operand.data.handle is None):
        operand = boxed(env, operand)
    if isinstance(operand.data, str) and (operand.value is None or operand.value.handle is None):
        return KeptVariable(None, kind, operand.data, (), is_constant)
    env.runner.put_on_heap(env, operand)
    held = operand.program_value
    if held is None or held.handle is None:
        raise EvaluationError(f"A value of type '{kind.name}' cannot be kept here")
    return KeptVariable(env.debuggee.pin(held.handle), kind, None, names, is_constant)


def kept_place(env: Environment, name: str) -> Assignable:
    """A variable left of an assignment: a structure is changed where it is, in a box of its own."""
    operand = read_kept(env, name)
    if operand.type.kind is not Kind.STRUCT or not isinstance(operand.data, Value):
        return KeptPlace(name, operand.type, operand.names)
    return where_kept(lambda env: read_kept(env, name), operand)


class KeptPlace(Assignable):
    """A variable of the debug console left of an assignment."""

    def __init__(self, name: str, declared: Type, names: tuple[str | None, ...]) -> None:
        super().__init__(declared)
        self._name = name
        self._names = names

    @override
    def read(self, env: Environment) -> Operand:
        return read_kept(env, self._name)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        assert self.type is not None
        keep(env, self._name, Operand(self.type, operand.data, operand.value, self._names))
