"""Which of several methods is the better one, from the types of their parameters."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.rules.inference import best_common
from dap_dotnet.evaluation.rules.overloads import compare_parameters
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType


class NoTypes:
    """A universe that need not be asked: all types here are the language's own."""

    def definition_of(self, kind):
        return None

    declaration = named = definition_of

    def derived(self, key, make):
        return make()


@pytest.mark.parametrize(
    ("given", "one", "other", "expected"),
    [
        ([types.I4], [types.I4], [types.I8], -1),
        ([types.I4], [types.R8], [types.I8], 1),
        ([types.I4], [types.I8], [types.U8], -1),
        ([types.U1], [types.I4], [types.I2], 1),
        ([types.I4], [types.R4], [types.DECIMAL], 0),
        ([types.I4, types.I4], [types.I4, types.I8], [types.I8, types.I4], 0),
        ([types.I4, types.I4], [types.I4, types.I8], [types.I4, types.I4], 1),
        ([], [], [], 0),
    ],
)
def test_methods_are_compared_argument_by_argument(given, one, other, expected):
    arguments = [Operand(kind, 1) for kind in given]
    assert compare_parameters(NoTypes(), arguments, one, other) == expected
    assert compare_parameters(NoTypes(), arguments, other, one) == -expected


def generic(full_name, argument, kind=Kind.STRUCT):
    return Type(kind, ElementType.VALUETYPE, full_name, arguments=(argument,), full_name=full_name)


ARRAY = generic("array", types.I4, Kind.ARRAY)
SPAN, READ_ONLY = generic("System.Span`1", types.I4), generic("System.ReadOnlySpan`1", types.I4)
TEXT = generic("System.ReadOnlySpan`1", types.CHAR)
SEQUENCE = generic("System.Collections.Generic.IEnumerable`1", types.I4, Kind.CLASS)


@pytest.mark.parametrize(
    ("given", "one", "other", "in_csharp_13", "in_csharp_14"),
    [
        (ARRAY, READ_ONLY, SEQUENCE, 0, -1),
        (ARRAY, SPAN, SEQUENCE, 0, -1),
        (ARRAY, READ_ONLY, SPAN, 0, -1),
        (ARRAY, ARRAY, READ_ONLY, -1, -1),
        (SPAN, READ_ONLY, SEQUENCE, 0, -1),
        (SPAN, SPAN, READ_ONLY, -1, -1),
        (types.STRING, TEXT, types.STRING, 1, 1),
    ],
)
def test_spans_are_better_since_csharp_14(given, one, other, in_csharp_13, in_csharp_14):
    arguments = [Operand(given, None)]
    for to_spans, expected in ((False, in_csharp_13), (True, in_csharp_14)):
        assert compare_parameters(NoTypes(), arguments, [one], [other], to_spans=to_spans) == expected
        assert compare_parameters(NoTypes(), arguments, [other], [one], to_spans=to_spans) == -expected


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([types.I4, types.R8], types.R8),
        ([types.I4], types.I4),
        ([types.I4, types.U4], None),
        ([types.I4, types.U4, types.I8], types.I8),
        ([types.I4, types.STRING], None),
        ([], None),
    ],
)
def test_best_common_type_takes_all_the_others(kinds, expected):
    assert best_common(NoTypes(), kinds) is expected
