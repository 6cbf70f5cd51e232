"""A member of an ExpandoObject left of an assignment, which makes it where it is new."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable
from dap_dotnet.evaluation.operations.dynamic_members import EXPANDO, expando_member
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.returned_references import indexed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand

_MEMBERS = "System.Collections.Generic.IDictionary`2"


class ExpandoMember(Assignable):
    """The object is in flight. It is changed by the program's code, which tells those that listen."""

    def __init__(self, target: Operand, name: str) -> None:
        super().__init__(None)
        self._target = target
        self._name = name

    @override
    def read(self, env: Environment) -> Operand:
        value = self._target.program_value
        found = expando_member(env, value, self._name) if value is not None else None
        if found is None:
            raise EvaluationError(f"'{EXPANDO}' does not contain a definition for '{self._name}'")
        return found

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        before = len(env.live)
        try:
            given = Operand(operand.type, operand.data, operand.value)
            env.live.append(given)
            env.runner.put_on_heap(env, given)
            kept = boxed(env, given) if given.type.is_value_type else Operand(types.OBJECT, given.data, given.value)
            env.live.append(kept)
            kind = env.universe.named(_MEMBERS, (types.STRING, types.OBJECT))
            if kind is None:
                raise EvaluationError(f"The members of the {EXPANDO} cannot be changed")
            owner = Operand(kind, self._target.data, self._target.value)
            env.live.append(owner)
            indexed(env, owner, [IndexValue(Operand(types.STRING, self._name))]).write(env, kept)
        finally:
            del env.live[before:]


def is_expando(env: Environment, target: Operand) -> bool:
    """Whether a value is an ExpandoObject."""
    return target.data is not None and env.own_type(target).full_name == EXPANDO
