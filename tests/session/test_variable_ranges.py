"""Where scopes and the names of variables stand in the source, with a fake debuggee."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.session.harness import SessionUnderTest, add_up
from tests.support.fake_debuggee.sample import MAIN_THREAD, line_of

ADD_LINES, MAIN_LINES = (21, 24), (27, 38)
"""From brace to brace: the source is not here, so that the headers are not known."""


def frames(session):
    return session.client.request("stackTrace", {"threadId": MAIN_THREAD})["stackFrames"]


def ranges(session, frame):
    body = session.client.request("dap-dotnet/variableRanges", {"frameId": frame["id"]})
    return {
        variable["name"]: [(one["line"], one["endLine"]) for one in variable["ranges"]]
        for variable in body["variables"]
    }


def test_scope_of_each_frame_is_its_method():
    with SessionUnderTest(add_up) as session:
        session.launch(line_of("added"))
        session.client.wait_for_stop()
        add, main = frames(session)
        for frame, (line, end_line) in ((add, ADD_LINES), (main, MAIN_LINES)):
            (scope,) = session.client.scopes(frame["id"])
            assert (scope.line, scope.column, scope.end_line, scope.end_column) == (line, 9, end_line, 10)
        session.client.disconnect()


def test_locals_stand_in_their_blocks_and_parameters_in_the_method():
    with SessionUnderTest(add_up) as session:
        session.launch(line_of("added"))
        session.client.wait_for_stop()
        add, main = frames(session)
        assert ranges(session, add) == {name: [ADD_LINES] for name in ("left", "right", "sum")}
        found = ranges(session, main)
        assert found.pop("i") == [(line_of("loop"), line_of("call") + 1)]
        assert found == {name: [MAIN_LINES] for name in ("args", "total", "numbers", "point")}
        session.client.disconnect()


def test_ranges_are_counted_as_the_client_counts():
    with SessionUnderTest(add_up) as session:
        session.client.initialize(linesStartAt1=False, columnsStartAt1=False)
        session.launch(line_of("added") - 1)
        session.client.wait_for_stop()
        frame = frames(session)[0]
        body = session.client.request("dap-dotnet/variableRanges", {"frameId": frame["id"]})
        assert body["variables"][0]["ranges"] == [{"line": 20, "column": 8, "endLine": 23, "endColumn": 9}]
        (scope,) = session.client.scopes(frame["id"])
        assert (scope.line, scope.column, scope.end_line, scope.end_column) == (20, 8, 23, 9)
        session.client.disconnect()


def test_frames_of_an_earlier_stop_have_no_ranges():
    with SessionUnderTest(add_up) as session:
        session.launch(line_of("added"))
        session.client.wait_for_stop()
        frame = frames(session)[0]
        session.client.request("continue", {"threadId": MAIN_THREAD})
        session.client.wait_for_stop()
        with pytest.raises(DapRequestError) as refused:
            ranges(session, frame)
        assert refused.value.code == "STALE_HANDLE"
        session.client.disconnect()
