"""`target[start..end]` (C# specification 12.8.11.4): arrays and strings, and what has Length or Count and Slice."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import MOST_TEXT, Environment, utf16_length
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.creation import check_range, create_array, string_part
from dap_dotnet.evaluation.operations.index_values import INDEX, RANGE, IndexValue, made_range, opened
from dap_dotnet.evaluation.operations.indexing import count_of, inline_elements, position_of
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.methods_by_name import call_indexer, call_method, has_indexer
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.runtime.model import ElementType, Value


def read_range(env: Environment, target: Operand, start: IndexValue | None, end: IndexValue | None) -> Operand:
    """The part of a sequence, None for its start or end; of an array a new one. `target` is in flight."""
    if target.data is None:
        raise null_reference("the indexed value")
    kind = target.type.kind
    start, end = (opened(env, one) if one is not None else None for one in (start, end))
    inline = inline_elements(env, target)
    if inline is not None:
        first = position_of(start, inline.count) if start is not None else 0
        last = position_of(end, inline.count) if end is not None else inline.count
        check_range(first, last, inline.count)
        found = inline.page(first, last - first)
        return span_of_inline(env, target, [env.operand(one.value) for one in found])
    taken = _by_indexer(env, target, start, end) if kind not in (Kind.ARRAY, Kind.STRING) else None
    if taken is not None:
        return taken
    length = _length(env, target)
    first = position_of(start, length) if start is not None else 0
    last = position_of(end, length) if end is not None else length
    check_range(first, last, length)
    if kind is Kind.STRING:
        return _string_part(env, target, first, last)
    if kind is Kind.ARRAY:
        handle = target.data.handle
        if handle is None or target.data.element_type is not ElementType.SZARRAY:
            raise EvaluationError("Ranges are for arrays of one dimension")
        element = target.type.element
        values = env.debuggee.elements(handle, first, last - first)
        return create_array(env, element, [env.operand(value, element) for value in values])
    given = Given([Operand(types.I4, first), Operand(types.I4, last - first)])
    outer = env.live
    if env.own_type(target).full_name in SPANS:  # nothing keeps one over a call, and nothing has to: it is `this`
        env.live = [one for one in outer if one is not target]
    try:
        made = call_method(env, target, target.type, "Slice", given)
    finally:
        env.live = outer
    if made is None:
        raise Diagnostic("CS1503 range", target.type.name)
    return made


def _by_indexer(env: Environment, target: Operand, start: IndexValue | None, end: IndexValue | None) -> Operand | None:
    """The part that an indexer gives which takes a System.Range; None where there is none."""
    kind, index = env.universe.named(RANGE), env.universe.named(INDEX)
    if kind is None or index is None or not has_indexer(env, target, [Operand(kind, None)]):
        return None
    return call_indexer(env, target, [made_range(env, kind, index, start, end)])


def span_of_inline(env: Environment, target: Operand, items: Sequence[Operand]) -> Operand:
    """A span of copies of elements of an inline array, which itself may have no place in the program's memory."""
    owner = env.own_type(target)
    definition, module = env.universe.definition_of(owner), env.universe.module_of(owner)
    fields = module.metadata.fields_of(definition[1]) if module and module.metadata and definition else ()
    kind = env.universe.of_signature(module, fields[0].signature, owner.arguments) if module and fields else None
    span = env.universe.named("System.Span`1", (kind,)) if kind is not None else None
    if kind is None or span is None:
        raise EvaluationError(f"The type of the elements of '{owner.name}' is not known")
    array = create_array(env, kind, list(items))
    converter = conversion_operator(env.universe, array.type, span)
    if converter is None:
        raise Diagnostic("CS0029", array.type.name, span.name)
    return env.runner.run(env, converter, None, [array])


def as_span(env: Environment, operand: Operand) -> Operand:
    """A span of an inline array; other values as they are."""
    return read_range(env, operand, None, None) if inline_elements(env, operand) is not None else operand


def read_at(env: Environment, target: Operand, index: Operand) -> Operand | None:
    """`target[index]` for a System.Range; None for other indices, and where an indexer takes it as it is."""
    if index.type.full_name != RANGE or index.data is None or target.data is None:
        return None
    if env.own_type(target).kind not in (Kind.ARRAY, Kind.STRING) and has_indexer(env, target, [index]):
        return None
    return read_range(env, target, *(IndexValue(MemberReader(name).read(env, index)) for name in ("Start", "End")))


def _string_part(env: Environment, target: Operand, first: int, last: int) -> Operand:
    data = target.data
    if isinstance(data, Value) and data.handle is not None:
        if last - first > MOST_TEXT:
            raise EvaluationError(f"More than {MOST_TEXT:,} characters are not read at once")
        return Operand(types.STRING, env.debuggee.string(data.handle, first, last - first))
    return string_part(env.text(target) or "", first, last)


def _length(env: Environment, target: Operand) -> int:
    if target.type.kind is Kind.STRING:
        return int(target.data.length) if isinstance(target.data, Value) else utf16_length(target.data)
    return int(target.data.length) if target.type.kind is Kind.ARRAY else count_of(env, target)
