"""The scope of what calls have returned."""

from __future__ import annotations

from functools import partial

from typing_extensions import override

from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext


class ReturnValuesContainer(Container):
    """A child for each call of the statement that has been stepped over, in the order in which they returned."""

    def __init__(self, context: FrameContext) -> None:
        super().__init__(context)
        returned = context.program.returned
        self._returned = returned
        self._names = returned.names(context.thread) if returned is not None else []

    @property
    @override
    def named(self) -> int:
        return len(self._names)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        program, thread, returned = self.context.program, self.context.thread, self._returned
        if returned is None:
            return []
        children = []
        for number, name in list(enumerate(self._names))[start : start + count]:
            reread = partial(returned.value, program, thread, number)
            value = reread()
            if value is not None:
                path = f"$returnValue{number + 1}"
                children.append(Child(f"{name} returned", value, path, reread, is_read_only=True, keeps_name=True))
        return children
