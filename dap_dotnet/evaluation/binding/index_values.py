"""`^1` and `1..3` where no brackets take them: values of System.Index and System.Range, made in the program."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.index_values import IndexValue, made_index, made_range
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand, Type


def bind_from_end(binder: NameBinder, node: syntax.Unary) -> Bound:
    """`^operand`."""
    kind = _named(binder, "System.Index")
    run = binder.expression(node.operand).run
    return Bound(lambda env: made_index(env, kind, IndexValue(run(env), from_end=True)), kind)


def bind_range(binder: NameBinder, node: syntax.Range) -> Bound:
    """`start..end`; what is missing is the sequence's own start or end."""
    kind, index = _named(binder, "System.Range"), _named(binder, "System.Index")
    start = binder.expression(node.start).run if node.start is not None else None
    end = binder.expression(node.end).run if node.end is not None else None

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            ends = []
            for one in (start, end):
                ends.append(IndexValue(one(env)) if one is not None else None)
                env.live.extend(value.operand for value in ends[-1:] if value is not None)
            return made_range(env, kind, index, *ends)
        finally:
            del env.live[before:]

    return Bound(run, kind)


def _named(binder: NameBinder, name: str) -> Type:
    kind = binder.universe.named(name)
    if kind is None:
        raise Diagnostic("CS0518", name)
    return kind
