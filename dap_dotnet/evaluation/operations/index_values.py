"""Indices of an expression, and values of System.Index and System.Range (C# specification 12.8.11.4.2)."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, boolean

INDEX, RANGE = "System.Index", "System.Range"


class IndexValue(Struct, frozen=True):
    """An index of the expression: a value, counted from the end for `^`."""

    operand: Operand
    from_end: bool = False

    @property
    def is_index(self) -> bool:
        """Whether the value is a System.Index itself."""
        return not self.from_end and self.operand.type.full_name == INDEX


def opened(env: Environment, index: IndexValue) -> IndexValue:
    """An index that is a value of System.Index, by its number: one from the end keeps the complement."""
    if not index.is_index or index.operand.data is None:
        return index
    number = int(MemberReader("_value").read(env, index.operand).data)
    return IndexValue(Operand(types.I4, ~number if number < 0 else number), number < 0)


def made_index(env: Environment, kind: Type, index: IndexValue) -> Operand:
    """A value of System.Index, `kind`. CS0029, ArgumentOutOfRangeException."""
    if index.operand.type is kind and not index.from_end:
        return index.operand
    number = convert_implicitly(env, index.operand, types.I4)
    if number.data < 0:
        raise Thrown("System.ArgumentOutOfRangeException", "Non-negative number required. (Parameter 'value')")
    return create(env, kind, Given([number, boolean(index.from_end)]))
