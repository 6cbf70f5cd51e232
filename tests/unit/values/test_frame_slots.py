"""What the runtime tells of a frame's slots in optimised code, and what may not be believed of it."""

from __future__ import annotations

from dap_dotnet.runtime.model import ElementType
from dap_dotnet.values.frame_slots import frame_locals
from portablepdb import signatures as sig
from tests.unit.evaluation.fakes import World


def _world() -> World:
    world = World()
    base, other = world.type("App.Base"), world.type("App.Other")
    derived, shown = world.type("App.Derived", "App.Base"), world.type("App.IShown", None, interface=True)
    slots = [
        (sig.NamedType(world.token("App.Base"), False), world.new(base)),
        (sig.NamedType(world.token("App.Base"), False), world.new(derived)),
        (sig.NamedType(world.token("App.Base"), False), world.new(other)),
        (sig.NamedType(world.token("App.Derived"), False), world.new(base)),
        (sig.NamedType(world.token(shown.full_name), False), world.new(other)),
        (sig.NamedType(world.token("System.Object"), False), world.new(other)),
        (sig.PrimitiveType(ElementType.OBJECT), world.text("t")),
        (sig.PrimitiveType(ElementType.STRING), world.text("t")),
        (sig.PrimitiveType(ElementType.STRING), world.new(other)),
        (sig.SzArrayType(sig.PrimitiveType(ElementType.I4)), world.new(other)),
        (sig.PrimitiveType(ElementType.I4), world.scalar("int", 5)),
        (sig.NamedType(world.token("App.Other"), False), None),
    ]
    for number, (_, value) in enumerate(slots):
        world.local(f"v{number}", value)
    world.metadata.method(world.method_token).local_types = tuple(kind for kind, _ in slots)
    return world


def test_an_object_that_a_slot_cannot_have_is_not_shown_for_it_in_optimised_code() -> None:
    world = _world()
    world.module.__dict__["is_optimized"] = True
    lost = [slot for slot, value in enumerate(frame_locals(world.context)) if value.error is not None]
    assert lost == [2, 3, 8, 9]
    assert "optimized away" in str(frame_locals(world.context)[2].error)


def test_other_code_is_believed() -> None:
    world = _world()
    world.module.__dict__["is_optimized"] = False
    assert all(value.error is None for value in frame_locals(world.context))
