"""Values that an evaluation still has when the program runs."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import StaleHandleError
from dap_dotnet.evaluation.reads import Roots
from dap_dotnet.runtime.model import ElementType, Value
from tests.unit.evaluation.fakes import World


@pytest.fixture
def world() -> World:
    world = World()
    point = world.type("App.Point", "System.ValueType")
    world.field(point, "X", "int")
    world.field(point, "Y", "int")
    return world


def _run(world: World, roots: Roots) -> None:
    roots.before_run()
    world.debuggee.heap.new_generation()
    roots.after_run()


def test_object_that_is_still_referred_to_gets_a_handle_of_the_new_generation(world: World) -> None:
    heap, roots = world.debuggee.heap, Roots(world.context.program)
    kept, lost = heap.value(world.text("kept")), heap.value(world.text("lost"))
    old = kept.handle
    roots.note(kept)
    _run(world, roots)
    assert kept.handle is not None
    assert kept.handle != old
    assert world.debuggee.string(kept.handle, 0, 4) == "kept"
    assert lost.handle is not None
    with pytest.raises(StaleHandleError):
        world.debuggee.string(lost.handle, 0, 4)
    world.debuggee.violations.clear()
    roots.release()
    assert heap.pins == {}


def test_object_that_nobody_has_any_more_is_let_go_of_at_the_next_run(world: World) -> None:
    heap, roots = world.debuggee.heap, Roots(world.context.program)
    values = [heap.value(world.text(str(number))) for number in range(3)]
    for value in values:
        roots.note(value)
    _run(world, roots)
    assert len(heap.pins) == 3
    del values[1:], value
    _run(world, roots)
    assert len(heap.pins) == 1
    roots.release(values[0])
    assert len(heap.pins) == 1, "the result's object stays remembered"


def test_structure_in_a_variable_goes_on_as_its_parts(world: World) -> None:
    heap, roots = world.debuggee.heap, Roots(world.context.program)
    point = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Point")
    place = world.new(point, X=world.scalar("int", 6), Y=world.scalar("int", 7))
    value = heap.value(place)
    roots.note(value)
    roots.before_run()
    place.fields["X"] = world.scalar("int", 99)  # the program changes its variable
    heap.new_generation()
    roots.after_run()
    assert value.handle is None
    assert value.parts is not None
    assert [part.raw for part in value.parts.values()] == [b"\6\0\0\0", b"\7\0\0\0"]


def test_number_goes_on_as_its_bytes(world: World) -> None:
    heap, roots = world.debuggee.heap, Roots(world.context.program)
    number = heap.value(world.scalar("int", 5))
    roots.note(number)
    _run(world, roots)
    assert (number.handle, number.raw, number.error) == (None, b"\5\0\0\0", None)


def test_what_no_object_can_hold_is_read_again(world: World) -> None:
    roots = Roots(world.context.program)
    span = Value(None, None, ElementType.VALUETYPE, address=8)
    roots.note_place(span, lambda: Value(None, None, ElementType.VALUETYPE, address=16))
    _run(world, roots)
    assert span.address == 16
