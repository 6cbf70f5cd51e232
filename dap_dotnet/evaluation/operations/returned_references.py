"""What properties, indexers and methods return by reference (`ref`), as variables (C# specification 15.7.2)."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.dispatch import method_of, shown_name
from dap_dotnet.evaluation.operations.read_only import ReadOnlyElementError
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.runtime.model import Value


class Returned(Stored):
    """What a method returns by reference: it runs when the variable is first read or written."""

    def __init__(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> None:
        """`target` None: a static method. Raises `EvaluationError`, CS8331 (`ref readonly`)."""
        if target is not None and target.type.is_value_type:
            raise EvaluationError("The reference that a member of a structure gives cannot be followed here")
        from portablepdb.signatures import ByRefType, ModifiedType

        own = method_of(env, method)
        name, signature = shown_name(method.owner, own.name), own.signature.return_type
        if isinstance(signature, ModifiedType):
            raise ReadOnlyElementError(f"property '{name}'" if own.name.startswith("get_") else f"method '{name}'")
        module = env.universe.module_of(method.owner)
        declared = None
        if isinstance(signature, ByRefType) and module is not None:
            declared = env.universe.of_signature(
                module, signature.element, method.owner.arguments, method.type_arguments
            )
        if declared is None:
            raise EvaluationError(f"The type of what {name} gives is not known, so that nothing can be stored in it")
        super().__init__(declared, self._located)
        self._call = method, target, arguments
        self._name = name
        self._found: tuple[Value, int] | None = None
        """The variable, and the number of calls after which it was."""
        self._only_reads = False
        self._written: Operand | None = None

    @override
    def read(self, env: Environment) -> Operand:
        return self._written or super().read(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        super().write(env, operand)
        self._written = operand  # what was read of the variable before is old, and a second run may do more than read

    def _located(self, env: Environment) -> Value:
        value, calls = self._found or (None, 0)
        if value is None or (self._only_reads and calls != env.calls):
            value, self._only_reads = env.runner.reference(env, *self._call)
            self._found = value, env.calls
            env.roots.note_changed_in_place(value)
        elif calls != env.calls:
            raise EvaluationError(
                f"The program has run since {self._name} gave its reference, which may be of something else now: "
                "compute the value first, in a variable of the console"
            )
        return value
