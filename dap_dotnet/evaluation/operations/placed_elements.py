"""Elements of spans, inline arrays and fixed buffers as variables, which have an address and no handle."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import length_of_inline, out_of_range, position_of
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.placed import Placed
from dap_dotnet.evaluation.operations.read_only import ReadOnlyElementError
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.runtime.model import TypeId, Value
from dap_dotnet.values.collections.consecutive import first_of_repeated, span_memory
from dap_dotnet.values.placed_values import size_at

_READ_ONLY = "System.ReadOnlySpan`1"


def span_element(env: Environment, span: Operand, index: IndexValue) -> Stored:
    """An element of a span. Raises `EvaluationError`: out of range, CS8331 for a ReadOnlySpan."""
    if env.own_type(span).full_name == _READ_ONLY:
        raise ReadOnlyElementError("property 'this'")
    place, calls = span.place, env.calls

    def memory(env: Environment) -> tuple[int, int, TypeId]:
        if place is None and env.calls != calls:
            raise EvaluationError("The program has run since this span was made: keep it in a variable of the program")
        value = place(env) if place is not None else span.program_value
        found = span_memory(env.program, value) if value is not None else None
        if found is None:
            raise EvaluationError("The span cannot be read: it is no longer available")
        return found

    _, count, kind = memory(env)
    position = position_of(index, count)
    if not 0 <= position < count:
        raise out_of_range(position, count)
    declared, size = env.type_of(kind), size_at(env.program, kind)
    if declared is None or size is None:
        raise EvaluationError("The type of the span's elements is not known")

    def fill(env: Environment, operand: Operand) -> None:
        """`span.Slice(position, 1).Fill(operand)`: the garbage collector is told of what the program itself stores."""
        memory(env)
        one = [Operand(types.I4, position), Operand(types.I4, 1)]
        part = call_method(env, span, span.type, "Slice", Given(one))
        assert part is not None
        call_method(env, part, part.type, "Fill", Given([Operand(declared, operand.data, operand.value)]))

    return Placed(declared, kind, lambda env: memory(env)[0] + position * size, fill)


def inline_element(env: Environment, kept: Stored, own: Type, index: IndexValue) -> Stored:
    """An element of an inline array or a fixed buffer, which is kept in the program. Raises out of range."""
    length = length_of_inline(env, own)
    position = position_of(index, length)
    if not 0 <= position < length:
        raise out_of_range(position, length)

    def first(env: Environment) -> Value:
        found = first_of_repeated(env.program, kept.locate(env))
        if found is None or not found.address or found.type is None:
            raise EvaluationError("The element cannot be changed: where it is kept is not known")
        return found

    value = first(env)
    assert value.type is not None
    kind = value.type
    declared, size = env.type_of(kind), size_at(env.program, kind)
    if value.is_reference or declared is None or size is None:
        raise EvaluationError(
            "An element that is a reference cannot be stored in an inline array here: assign to the whole"
        )
    return Placed(declared, kind, lambda env: first(env).address + position * size)
