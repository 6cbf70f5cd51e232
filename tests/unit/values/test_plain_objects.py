"""Objects of which only their type says how they are shown: that is found out once for each type."""

from __future__ import annotations

from msgspec import structs

from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.rendering import Rendered, render
from tests.unit.evaluation.fakes import THREAD, World
from tests.unit.evaluation.il import Il

VIRTUAL = 0x46


def shown(world: World, *, raw: bool = False) -> list[Rendered]:
    program = structs.replace(world.context.program, display=DisplayOptions(raw=raw))
    return [render(program, value) for value in world.debuggee.locals(THREAD, 0)]


def test_plain_objects_share_what_is_shown_of_their_type() -> None:
    world = World()
    plain, other = world.type("App.Plain"), world.type("App.Other")
    for name, kind in (("a", plain), ("b", plain), ("c", other)):
        world.local(name, world.new(kind))
    first, second, third = shown(world)
    assert first.is_plain
    assert first is second
    assert (first.text, third.text) == ("{Plain}", "{Other}")
    assert not any(one.is_plain for one in shown(world, raw=True))


def test_objects_with_a_text_of_their_own_are_not_plain() -> None:
    world = World()
    speaker = world.type("App.Speaker")
    world.method(speaker, "ToString", "string", il=Il().op("newobj", b"\0\0\0\0").ret(), flags=VIRTUAL)
    world.method(world.metadata.types[world.token("System.Object")], "ToString", "string", flags=VIRTUAL | 0x100)
    for name in ("a", "b"):
        world.local(name, world.new(speaker))
    assert [(one.text, one.is_plain, one.needs_call) for one in shown(world)] == [("{Speaker}", False, True)] * 2
