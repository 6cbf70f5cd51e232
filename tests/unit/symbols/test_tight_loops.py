"""Which methods have loops that no runtime could stop."""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.tight_loops import has_tight_loop
from tests.unit.evaluation.fakes import World
from tests.unit.evaluation.il import Il

ENDLESS = b"\x2b\xfe"
"""br.s to itself."""
LOOP = b"\x2b\xf8"
"""br.s to the beginning, behind a call and ret."""


def test_a_loop_without_a_call_is_found_in_a_method_and_in_what_it_calls() -> None:
    world = World()
    owner = world.type("App.Loops")
    plain = world.method(owner, "Plain", "void", il=Il().ret())
    world.method(owner, "Calling", "void", il=Il().token("call", plain).ret() + LOOP)
    endless = world.method(owner, "Endless", "void", il=ENDLESS)
    world.method(owner, "Outer", "void", il=Il().token("call", endless).ret())
    itself = world.method(owner, "Itself", "void")
    itself.body = world.method(owner, "Other", "void", il=Il().token("call", itself).ret()).body
    found = {one.name: has_tight_loop(world.module, MethodToken(one.token)) for one in owner.methods}
    assert found == {
        "Plain": False, "Calling": False, "Endless": True, "Outer": True, "Itself": False, "Other": False,
    }  # fmt: skip
