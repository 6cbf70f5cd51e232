"""Fields of enums that the runtime has not loaded: read from memory where all is known, and else said in words."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.evaluation.object_expressions import field_type
from dap_dotnet.runtime.model import NOT_LOADED, ElementType, FieldLayout, FieldToken, TypeLayout, Value, ValueHandle
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field
from dap_dotnet.values.rendering import render
from tests.unit.evaluation.fakes import World

AT, OFFSET = 0x1000, 0x18


class _Debuggee:
    """The fake one, but that it has no value for the fields of objects."""

    def __init__(self, world: World, field: int, memory: dict[int, bytes]) -> None:
        self._world, self._memory, self._field = world, memory, FieldToken(field)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.debuggee, name)

    def fields(self, *_: Any, **__: Any) -> list[Value]:
        return [Value(None, None, ElementType.END, error=NOT_LOADED)]

    def type_layout(self, _: Any) -> TypeLayout:
        return TypeLayout(32, (FieldLayout(self._field, OFFSET, ElementType.U1),))

    def read_memory(self, address: int, size: int) -> bytes:
        if address not in self._memory:
            raise RuntimeCallError("not mapped", hresult=0, hresult_name="E_FAIL")
        return self._memory[address][:size]


def _shown(of: str, address: int = AT, *, boxed: bool = False, memory: dict[int, bytes] | None = None) -> str:
    world = World()
    world.enum("App.Shade", "byte", Red=0, Green=2)
    owner = world.type("App.Owner")
    field = world.field(owner, "Shade", of)
    given = {AT + OFFSET: b"\2\xff\xff\xff\xff\xff\xff\xff"} if memory is None else memory
    debuggee: Any = _Debuggee(world, field.token, given)
    program: Program = structs.replace(world.context.program, debuggee=debuggee, field_type=field_type)
    kind: Any = world.type_id(owner)
    value = Value(ValueHandle(1), kind, ElementType.CLASS, is_boxed=boxed, address=address)
    read = read_field(program, value, "Shade")
    assert read is not None
    return render(program, read).text


def test_an_enum_is_read_where_the_layout_has_it() -> None:
    assert _shown("App.Shade") == "Green"
    assert _shown("App.Shade", AT - 8, boxed=True) == "Green"


@pytest.mark.parametrize(
    "shown",
    [
        lambda: _shown("App.Shade", 0),
        lambda: _shown("App.Shade", memory={}),
        lambda: _shown("App.Owner"),
    ],
    ids=["without a place", "in memory that cannot be read", "of another type"],
)
def test_what_is_not_known_is_said(shown: Any) -> None:
    assert shown() == f"<{NOT_LOADED}>"
