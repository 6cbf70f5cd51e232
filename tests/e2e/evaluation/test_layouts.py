"""Layouts of types whose layout a runtime's library cannot tell: it would crash, and the adapter with it."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

SIZES = {"nested": 24, "optional": 32, "holder.Pair": 32}
"""Bytes of a boxed value, by the expression."""


@pytest.mark.e2e
def test_layout_of_a_structure_of_generic_structures(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Layouts", runtime), "here")
    knows = float(runtime.major) >= 9
    for expression, size in SIZES.items():
        if knows:
            assert session.request("dap-dotnet/typeLayout", {"expression": expression})["objectSize"] == size
        else:
            with pytest.raises(DapRequestError, match=r"up to \.NET 8"):
                session.request("dap-dotnet/typeLayout", {"expression": expression})
    holder = session.request("dap-dotnet/typeLayout", {"expression": "holder"})
    assert {field["name"]: field.get("size") for field in holder["fields"]} == {
        "Pair": 16 if knows else None,
        "Last": 4,
    }
    assert session.request("dap-dotnet/typeLayout", {"expression": "list"})["objectSize"] > 0
    assert session.values()["nested"]


@pytest.mark.e2e
def test_structures_of_a_generic_structure_are_read_and_changed_behind_a_span(
    runtime: Runtime, session: Session
) -> None:
    session.stop_in(programs.build("Layouts", runtime), "here")
    expected = {
        "around[1].Inner.Value + around[1].Number": "15",
        "(around[0].Number = 3) + around[0].Number": "6",
        "around[1].Count() + around[1].Number": "18",
    }
    assert {expression: session.evaluate(expression).result for expression in expected} == expected


@pytest.mark.e2e
def test_statics_that_are_structures_of_generic_structures(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Layouts", runtime), "here")
    expected = {
        "Holder.Shared": '("k", 3, (true, 5))',
        "Holder.Shared.More.Most": "5",
        "Holder.Shared.More.Ok = false": "false",
        'Holder.Shared = ("q", 2, (true, null))': '("q", 2, (true, null))',
        "Holder.Shared is { Key.Length: 1, More: (true, null) }": "true",
    }
    assert {expression: session.evaluate(expression).result for expression in expected} == expected
