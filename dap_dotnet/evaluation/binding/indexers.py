"""Binding of indexers, and of ranges in them."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers.numeric import BITS
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import read_by_names, read_index
from dap_dotnet.evaluation.operations.pointers import pointed
from dap_dotnet.evaluation.operations.ranges import read_at, read_range
from dap_dotnet.evaluation.operations.shaping import look_up
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type


def bind_index(binder: NameBinder, node: syntax.Index) -> Bound:
    """`target[…]`."""
    if isinstance(node.target, syntax.Base):
        raise EvaluationError("Indexers of base cannot be called here: use this[…], or a field that they read")
    indexed = binder.expression(node.target)
    only = node.arguments[0].value if len(node.arguments) == 1 else None
    if isinstance(only, syntax.Range):
        return Bound(_range(binder, indexed, only))
    target, indices = indexed.run, bind_indices(binder, node)
    names = names_of_indices(node)

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            env.live.append(target(env))
            for index, _ in indices:
                env.live.append(index(env))
            operand, *values = env.live[before:]
            if names and any(from_end for _, from_end in indices):
                raise Diagnostic("CS8428")
            if names:
                return read_by_names(env, operand, index_values(values, indices), names)
            if operand.type.kind is Kind.SEQUENCE and len(values) == 1:
                return look_up(env, operand, values[0])
            if operand.type.kind is Kind.POINTER and len(values) == 1:
                return pointed(env, operand, values[0]).read(env)
            found = read_at(env, operand, values[0]) if len(values) == 1 else None
            if found is not None:
                return found
            return read_index(env, operand, index_values(values, indices))
        except EvaluationError as error:
            is_of_argument = error.compiler_code in ("CS0029", "CS0037", "CS0266")
            if is_of_argument and not error.trail and error.argument is None:
                passed = env.live[before + 1 :]
                error.argument = next((one for one, value in enumerate(passed) if value.type.code not in BITS), 0)
            raise
        finally:
            del env.live[before:]

    return Bound(run, _element_of(indexed.type))


def _element_of(kind: Type | None) -> Type | None:
    """The type of the elements; None where the indexer says it."""
    if kind is not None and kind.kind is Kind.ARRAY:
        return kind.element
    return kind.arguments[0] if kind is not None and kind.full_name in SPANS else None


def bind_indices(binder: NameBinder, node: syntax.Index) -> list[tuple[Run, bool]]:
    """Of each index what evaluates it, and whether it counts from the end of the sequence."""
    indices = []
    for argument in node.arguments:
        if argument.modifier:
            raise EvaluationError("Arguments by reference are not supported in an indexer")
        indices.append(_position(binder, argument.value))
    return indices


def names_of_indices(node: syntax.Index) -> tuple[str | None, ...]:
    """The names of parameters that the indices are written with; () where none is."""
    names = tuple(argument.name for argument in node.arguments)
    return names if any(names) else ()


def index_values(values: Sequence[Operand], indices: Sequence[tuple[Run, bool]]) -> list[IndexValue]:
    """The values of indices, each with whether it counts from the end."""
    return [IndexValue(value, from_end) for value, (_, from_end) in zip(values, indices, strict=True)]


def _position(binder: NameBinder, node: syntax.Node) -> tuple[Run, bool]:
    if isinstance(node, syntax.Unary) and node.operator == "^":
        return binder.expression(node.operand).run, True
    return binder.expression(node).run, False


def _range(binder: NameBinder, indexed: Bound, node: syntax.Range) -> Run:
    """`target[start..end]`."""
    target = indexed.run
    ends = [_position(binder, end) if end is not None else None for end in (node.start, node.end)]

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            env.live.append(target(env))
            values = [IndexValue(end[0](env), end[1]) if end is not None else None for end in ends]
            return read_range(env, env.live[before], *values)
        finally:
            del env.live[before:]

    return run
