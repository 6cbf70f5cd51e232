"""Results View: enumerated when it is opened, once, and bounded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.live_values import LiveValue, OpenedResults
from dap_dotnet.values.results_view import ResultsContainer
from tests.unit.evaluation.fakes import World


class Enumerated:
    """An object that enumerates so many numbers; `asked` counts the enumerations."""

    def __init__(self, count: int, *, may_run: bool = True) -> None:
        self.asked = 0
        self._count = count
        self._world = world = World()
        world.local("it", world.new(world.type("App.It")))
        expressions: Any = SimpleNamespace(first_items=self._first_items)
        context = world.context
        program = structs.replace(
            context.program, expressions=expressions, keeper=OpenedResults(), display=DisplayOptions(may_run=may_run)
        )
        source = LiveValue(program, world.debuggee.locals(7, 0)[0], None)  # type: ignore[arg-type]
        self.container = ResultsContainer(structs.replace(context, program=program), source, "it")

    def _first_items(self, program: Any, target: Value, most: int, *, call_timeout_s: float) -> Value:
        self.asked += 1
        items = [self._world.scalar("int", number) for number in range(min(self._count, most))]
        return self._world.debuggee.heap.value(self._world.array("int", items))


def test_items_are_enumerated_once_when_they_are_asked_for() -> None:
    enumerated = Enumerated(3)
    container = enumerated.container
    assert (container.named, container.indexed, enumerated.asked) == (0, 0, 0)
    children = container.read_all(0, 10_000)
    assert [(child.name, child.evaluate_name) for child in children] == [
        (f"[{number}]", f"System.Linq.Enumerable.ElementAt(it, {number})") for number in range(3)
    ]
    assert [child.name for child in container.read_all(1, 1)] == ["[1]"]
    assert container.read_all(3, 5) == []
    assert enumerated.asked == 1


def test_what_has_no_end_is_cut_and_says_so() -> None:
    container = Enumerated(1 << 30).container
    children = container.read_all(0, 10_000)
    assert len(children) == 1001
    last = children[-1].value
    assert last is not None
    assert "only the first 1000" in str(last.error)
    assert [child.name for child in container.read_all(998, 2)] == ["[998]", "[999]"]
    assert [child.name for child in container.read_all(998, 3)] == ["[998]", "[999]", "…"]


def test_nothing_is_enumerated_where_nothing_may_run() -> None:
    enumerated = Enumerated(3, may_run=False)
    (failed,) = enumerated.container.read_all(0, 10)
    assert failed.value is not None
    assert "switched off" in str(failed.value.error)
    assert enumerated.asked == 0


def test_what_the_enumerator_threw_is_an_item() -> None:
    def throws(*_: Any, **__: Any) -> Value:
        raise EvaluationError("The called code threw System.Exception: no")

    enumerated = Enumerated(3)
    enumerated.container.context.program.expressions.first_items = throws  # type: ignore[union-attr,method-assign]
    (failed,) = enumerated.container.read_all(0, 10)
    assert (failed.name, failed.value and failed.value.error) == ("Error", "The called code threw System.Exception: no")
    assert enumerated.container.read_all(1, 10) == []
