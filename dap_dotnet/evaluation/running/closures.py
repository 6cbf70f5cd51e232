"""A bound tree as one closure: `Closures.of` looks up what makes that of each kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.evaluation.types.universe import Universe

Run = Callable[[Environment], Operand]
Make = Callable[[Any, "Closures"], Run]


class Closures:
    """Makes closures of the nodes of one tree."""

    def __init__(self, universe: Universe, makers: Mapping[type, Make]) -> None:
        self.universe = universe
        self._makers = makers

    def of(self, code: Code) -> Run:
        """What evaluates a node in an environment at its site."""
        return self._makers[type(code)](code, self)
