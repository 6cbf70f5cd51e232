"""What binding makes of a node: a closure, and what is known about its value beforehand."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Place
from dap_dotnet.evaluation.types.csharp_types import InternedText, Operand, Type

Run = Callable[[Environment], Operand]


class Bound(Struct, frozen=True):
    """A bound expression. `type` is its static type, None when only a value can show it."""

    run: Run
    type: Type | None = None
    constant: Operand | None = None
    """The value of a constant expression; constants convert more freely."""
    is_dynamic: bool = False
    """Whether the source declares it as `dynamic`."""
    at: Place = NOWHERE
    """The place of its node."""


def constant(operand: Operand) -> Bound:
    """A constant."""
    if type(operand.data) is str:
        operand = Operand(operand.type, InternedText(operand.data), operand.value)
    return Bound(lambda env: operand, operand.type, operand)


class Namespace(Struct, frozen=True):
    """A namespace, where a name has turned out to be one."""

    name: str
