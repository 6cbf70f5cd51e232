"""A syntax tree at a site as a closure: bound by its static types, before anything of it runs."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.scope import constant_of
from dap_dotnet.evaluation.binding.whole import bound_whole
from dap_dotnet.evaluation.bound_tree import Code, Steps, Stored, is_late, parts_of
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.running.closures import Run
from dap_dotnet.evaluation.running.run import closure
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import TypeId
from dap_dotnet.values.generic_frames import instantiation


class Compiled(Struct, frozen=True):
    """What evaluates an expression in any environment at its site."""

    run: Run
    type: Type | None
    """The static type; None where only the value shows it."""
    constant: Operand | None = None
    """The value of a constant expression."""
    code: Code | None = None
    """The bound tree."""

    @property
    def lasts(self) -> bool:
        """Whether it may be evaluated again: no variable in it may have another type by then."""
        return not any(isinstance(part, Stored) and part.is_typed_by_value for part in parts_of(self.code))


class SiteExpression:
    """An expression for many evaluations at one site. Bound at the first one at which that succeeds: else it is tried
    again, for the module of a type may have come. Session thread only.
    """

    __slots__ = ("_compiled", "_tree")

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._compiled: dict[tuple[TypeId, ...], Compiled] = {}
        """By what the code is instantiated over: names and types mean other things in each."""

    def compiled(self, env: Environment) -> Compiled:
        """The expression in a frame at its site. Raises as `compiled`."""
        over = instantiation(env.context)
        known = self._compiled.get(over)
        if known is None:
            env.reads = None  # to bind takes other reads than to evaluate: a plan is not to learn them
            known = compiled(NameBinder(env), self._tree)
            if known.lasts:
                self._compiled[over] = known
        return known


def compiled(binder: NameBinder, tree: Node, target: Type | None = None) -> Compiled:
    """An expression at the binder's site, as a value of the `target` type where that is given.

    Raises `EvaluationError` in the compiler's words, before anything of it has run. Session thread.
    """
    code, names = bound_whole(binder, tree, target)
    run = closure(binder.universe, code)
    last = code.steps[-1] if isinstance(code, Steps) else code
    kind = code.type if not is_late(last) else None
    if code.type.is_value_type and not any(names):
        return Compiled(run, kind, constant_of(code), code)

    def given(env: Environment) -> Operand:
        operand = run(env)
        if any(names):
            operand = Operand(operand.type, operand.data, operand.value, names, operand.place)
        return operand if operand.type.kind is not Kind.LAMBDA else passed(env, operand)

    return Compiled(given, kind, constant_of(code), code)
