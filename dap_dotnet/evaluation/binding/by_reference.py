"""Arguments with `ref` and `out`: where what the method gives back goes."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.assignment_targets import bind_target
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, Slot, Stored
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type


class ByReference:
    """One argument. `type` is what the source says of it, None where only the method does."""

    def __init__(self, binder: NameBinder, argument: syntax.Argument) -> None:
        self.is_out = argument.modifier == "out"
        self.type: Type | None = None
        self.renaming: Callable[[Operand], Operand] = lambda operand: operand
        """Gives what the method returns the names that a declaration has for tuples' elements."""
        self._find: Callable[[Environment], Assignable] | None = None
        node = argument.value
        if isinstance(node, syntax.Declaration):
            if not self.is_out:
                raise Diagnostic("CS1525 out")
            self.type = binder.type(node.type) if node.type is not None else None
            self.renaming = binder.renaming(node.type, self.type)
            self._declare(binder, node.name)
        elif self.is_out and isinstance(node, syntax.Name) and node.name == "_" and binder.variable("_") is None:
            pass  # a discard
        else:
            self._find = bind_target(binder, node, refusal="CS1510")

    def _declare(self, binder: NameBinder, name: str) -> None:
        if name == "_":
            return
        binder.declared.add(name)
        self._find = lambda env: Slot(name)

    def begin(self, env: Environment) -> tuple[Operand, Assignable | None]:
        """(what the method is given, where its result goes); what the place consists of stays in flight."""
        place = self._find(env) if self._find is not None else None
        if isinstance(place, Stored) and not env.may_store:
            raise EvaluationError("Calls that assign are not allowed here: call it in a watch or the debug console")
        if self.is_out or place is None:
            kind = self.type or (place.type if place is not None else None)
            return Operand(kind or types.NULL, None), place
        return place.read(env), place


def give_back(env: Environment, place: Assignable | None, operand: Operand) -> None:
    """Store what the method gave; a discard takes it too."""
    if place is None:
        return
    kept = Operand(operand.type, operand.data, operand.value, operand.names)
    env.kept.append(kept)
    env.runner.put_on_heap(env, kept)
    place.write(env, kept)
