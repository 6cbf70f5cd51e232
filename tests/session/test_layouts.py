"""`dap-dotnet/typeLayout` over the whole server, with a fake debuggee."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.session.harness import SessionUnderTest, add_up
from tests.support.fake_debuggee.sample import line_of


def layout_of(client, expression):
    return client.request("dap-dotnet/typeLayout", {"expression": expression})


def test_the_layout_of_a_type_and_of_a_value_is_the_same():
    with SessionUnderTest(add_up) as session:
        client = session.client
        session.launch(line_of("print"))
        client.wait_for_stop()
        by_value = layout_of(client, "point")
        assert by_value == layout_of(client, "Sample.Point")
        assert by_value["type"] == "Point"
        first = by_value["fields"][0]
        assert (first["name"], first["offset"], first["size"]) == ("X", 8, 4)
        assert {field["type"] for field in by_value["fields"]} >= {"int", "string"}
        array = layout_of(client, "numbers")
        assert (array["type"], array["firstElementOffset"], array["elementSize"]) == ("int[]", 16, 8)
        for wrong in ("nothing", "1 +", "Sample.None"):
            with pytest.raises(DapRequestError) as refused:
                layout_of(client, wrong)
            assert refused.value.code == "EVAL_FAILED"
        client.disconnect()


def test_a_layout_needs_a_stopped_program():
    with SessionUnderTest(add_up) as session:
        session.client.initialize()
        with pytest.raises(DapRequestError) as refused:
            layout_of(session.client, "Sample.Point")
    assert refused.value.code == "NO_SESSION"
