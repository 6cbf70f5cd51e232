"""`^1` and `1..3` where no brackets take them: values of System.Index and System.Range, made in the program."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.creation import create
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, boolean


def bind_from_end(binder: NameBinder, node: syntax.Unary) -> Bound:
    """`^operand`."""
    kind = _named(binder, "System.Index")
    return Bound(_position(kind, binder.expression(node.operand).run, from_end=True), kind)


def bind_range(binder: NameBinder, node: syntax.Range) -> Bound:
    """`start..end`; what is missing is the sequence's own start or end."""
    kind, index = _named(binder, "System.Range"), _named(binder, "System.Index")
    zero: Run = lambda env: Operand(types.I4, 0)  # noqa: E731 - what stands for an end that is missing
    start = _position(index, binder.expression(node.start).run if node.start is not None else zero, from_end=False)
    last = binder.expression(node.end).run if node.end is not None else None
    end = _position(index, last or zero, from_end=last is None)

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            env.live.append(start(env))
            env.live.append(end(env))
            return create(env, kind, Given(env.live[before:]))
        finally:
            del env.live[before:]

    return Bound(run, kind)


def _position(kind: Type, run: Run, *, from_end: bool) -> Run:
    """A System.Index of a number; of a System.Index itself."""

    def position(env: Environment) -> Operand:
        operand = run(env)
        if operand.type is kind and not from_end:
            return operand
        number = convert_implicitly(env, operand, types.I4)
        if number.data < 0:
            raise EvaluationError(
                "System.ArgumentOutOfRangeException: Non-negative number required. (Parameter 'value')"
            )
        return create(env, kind, Given([number, boolean(from_end)]))

    return position


def _named(binder: NameBinder, name: str) -> Type:
    kind = binder.universe.named(name)
    if kind is None:
        raise EvaluationError(f"error CS0518: Predefined type '{name}' is not defined or imported")
    return kind
