"""`+=` and `++` by operators that change a variable itself, and by extension operators (C# 14)."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.extension_members import extension_assignments, extension_operators
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment, content_of
from dap_dotnet.evaluation.operations.assignables import Assignable, box_on_heap
from dap_dotnet.evaluation.operations.outside_operators import call_operator
from dap_dotnet.evaluation.operations.overloads import run_chosen
from dap_dotnet.evaluation.operations.user_defined import assigning_operator
from dap_dotnet.evaluation.rules.diagnostics import null_reference
from dap_dotnet.evaluation.types.csharp_types import Operand


class OperatorSteps:
    """The operators of one `x operator= y`, or `x++`, beside those that the types of the operands declare."""

    def __init__(self, binder: NameBinder, operator: str) -> None:
        is_unary = operator in ("++", "--")
        self.operator = operator
        self.checked = binder.checked
        self.outside = extension_operators(binder.env, binder.lookup, operator, is_unary=is_unary)
        """Extension operators that give a new value."""
        self._changing = extension_assignments(binder.env, binder.lookup, operator)

    def changes(
        self,
        env: Environment,
        left: Assignable,
        old: Operand,
        operands: list[Operand],
        constants: Sequence[Operand | None] = (),
    ) -> bool:
        """Let the type's own operator change the variable, which is `old` now; False: it has none such."""
        chosen = assigning_operator(env, self.operator, old.type, operands, constants, checked=self.checked)
        if chosen is None:
            return not operands and self.changes_outside(env, old)
        if old.data is None:
            raise null_reference("the left side")
        if not old.type.is_value_type:
            run_chosen(env, chosen, old)
        else:
            copy = box_on_heap(env, old)
            run_chosen(env, chosen, copy)
            held = content_of(copy.data)
            left.write(env, Operand(old.type, held, held))
        env.stored()
        return True

    def changes_outside(self, env: Environment, old: Operand, *operands: Operand) -> bool:
        """Let an extension operator change an object; False: there is none such."""
        if not self._changing or old.type.is_value_type:
            return False
        made = call_operator(env, self._changing, [old, *operands])
        if made is not None:
            env.stored()
        return made is not None
