""" "Results View": what an object enumerates that is no known collection. The program's code runs when it is opened."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.live_values import LiveValue, Reread
from dap_dotnet.values.typenames import shown_type_name
from dap_dotnet.values.ways import CALLED

RESULTS_VIEW = "Results View"
HINT = "Expanding it enumerates the object"
_MOST_ITEMS = 1000
_CALL_TIMEOUT_S = 5.0


class ResultsContainer(Container):
    """The first items, enumerated once, when the first of them is asked for."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None) -> None:
        """`path` is the C# expression for the object, None when there is none."""
        super().__init__(context)
        self._source = source
        self._path = path
        self._enumerated = path
        self._array: Reread | None = None

    @override
    def read_all(self, start: int, count: int) -> list[Child]:
        try:
            array = self._items()
        except EvaluationError as error:  # of the program's enumerator: the other members are there all the same
            failed = Value(None, None, ElementType.END, error=error.message)
            return [Child("Error", failed, None, lambda: failed, kind="virtual")][start : start + count]
        children = [self._child(number, value) for number, value in enumerate(self._page(array, start, count), start)]
        if array.length > _MOST_ITEMS and start <= _MOST_ITEMS < start + count:
            more = Value(None, None, ElementType.END, error=f"only the first {_MOST_ITEMS} items are shown")
            children.append(Child("…", more, None, lambda: more, kind="virtual"))
        return children

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        return self.read_all(start, count)

    @override
    def read_indexed(self, start: int, count: int) -> list[Child]:
        return self.read_all(start, count)

    def _items(self) -> Value:
        program = self.context.program
        if self._array is None:
            if program.expressions is None or program.keeper is None or not program.display.may_run:
                raise EvaluationError("Enumerating it would run the program's code, which is switched off")
            made = program.expressions.first_items(
                program, self._source.get(), _MOST_ITEMS + 1, call_timeout_s=_CALL_TIMEOUT_S
            )
            if shown_type_name(program, made.type) == "object[]":  # of what has the interface without a type argument
                self._enumerated = f"System.Linq.Enumerable.Cast<object>({self._path})"
            self._array = program.keeper.keep_value(program, made)
        array = self._array()
        assert array is not None
        return array

    def _page(self, array: Value, start: int, count: int) -> list[Value]:
        count = min(count, min(array.length, _MOST_ITEMS) - start)
        if array.handle is None or count <= 0:
            return []
        return self.context.program.debuggee.elements(array.handle, start, count)

    def _child(self, number: int, value: Value) -> Child:
        path = f"System.Linq.Enumerable.ElementAt({self._enumerated}, {number})" if self._path is not None else None
        return Child(
            f"[{number}]",
            value,
            path,
            lambda: next(iter(self._page(self._items(), number, 1)), None),
            way=CALLED,
        )
