"""Values that only running the program gives: they are asked for when they are opened, each time."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.tuple_names import Names
from dap_dotnet.values.ways import CALLED

OPENED_TIMEOUT_S = 5.0
"""How long a call may take for what the client opens by itself."""


class LazyContainer(Container):
    """The value of a member, such as a property whose getter must run in the program."""

    def __init__(
        self,
        context: FrameContext,
        name: str,
        path: str | None,
        read: Callable[[float], Value],
        names_of: Callable[[Value], Names],
    ) -> None:
        """`read` takes how many seconds each call may take and raises `EvaluationError`; `names_of` gives those of the
        elements of a tuple.
        """
        super().__init__(context)
        self._name = name
        self._path = path
        self._value = read
        self._names_of = names_of

    @property
    @override
    def named(self) -> int:
        return 1

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        if start or count < 1:
            return []
        try:
            value = self._value(OPENED_TIMEOUT_S)
        except EvaluationError as error:
            value = Value(None, None, ElementType.END, error=error.message)
        names = self._names_of(value)
        return [Child(self._name, value, self._path, kind="property", names=names, keeps_name=True, way=CALLED)]
