"""Which of several methods is the better one, from the types of their parameters."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.operations.better_methods import best_common, compare_parameters
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand


class NoTypes:
    """A universe that need not be asked: all types here are the language's own."""

    def definition_of(self, kind):
        return None


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
