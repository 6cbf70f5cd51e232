"""Variables of the code that runs here, left of an assignment."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Variable
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.assignables import Assignable
from dap_dotnet.evaluation.types.csharp_types import Operand


def check_changes(cell: Cell, variable: Variable) -> None:
    """Raises `EvaluationError` where a delegate of the program would keep the old value of a variable that changes."""
    if cell.is_copied and variable.name:
        raise EvaluationError(
            f"'{variable.name}' changes after the program has got a delegate that uses it, and keeps the old value: "
            "give the delegate a variable of its own"
        )


class CellPlace(Assignable):
    """A variable of the code."""

    def __init__(self, variable: Variable) -> None:
        super().__init__(variable.type)
        self._variable = variable

    @override
    def read(self, env: Environment) -> Operand:
        kept = env.cells[self._variable].operand
        return Operand(kept.type, kept.data, kept.value, kept.names, kept.place)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        check_changes(env.cells[self._variable], self._variable)
        env.cells[self._variable].operand = Operand(
            operand.type, operand.data, operand.value, operand.names, operand.place
        )
