"""Saving core dumps over the whole server: as a request, and for exceptions by their types and stages."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime.events import ExceptionPhase
from tests.support.fake_debuggee.sample import PROCESS_ID, line_of

THROWN = (ExceptionPhase.USER_FIRST_CHANCE, ExceptionPhase.CATCH_HANDLER_FOUND)
LOST = (ExceptionPhase.USER_FIRST_CHANCE, ExceptionPhase.UNHANDLED)


def throws(*throws_of):
    def play(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            for phases in throws_of:
                for phase in phases:
                    machine.throw(phase)
            return 0

    return play


def run(session, condition, **dumps):
    """To the end of the program, with a filter for dumps and none for stops but the unhandled one's."""
    client = session.client
    client.initialize()
    starting = client.start("launch", {"program": "/app/Sample.dll", **({"dumps": dumps} if dumps else {})})
    option = {"filterId": "dump"} | ({"condition": condition} if condition else {})
    client.request("setExceptionBreakpoints", {"filters": [], "filterOptions": [option]})
    client.configuration_done()
    starting.result()
    while (event := client.wait_for({"stopped", "terminated"})).event == "stopped":
        client.request("continue", {"threadId": event.body["threadId"]})
    return [body["exception"] for body in client.events("dap-dotnet/dumpSaved")]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("Sample.Trouble", 2), ("Trouble", 2), ("Other", 0), ("!Trouble", 0), (None, 1)],
)
def test_types_are_dumped_where_they_are_thrown_and_others_when_nobody_catches_them(session_of, condition, expected):
    with session_of(throws(THROWN, LOST)) as session:
        saved = run(session, condition, folder="/tmp", dumpType="mini")
        assert len(saved) == expected
        assert session.backend.dumps == [(PROCESS_ID, "/tmp", "mini")] * expected
        session.client.disconnect()


def test_filter_for_dumps_stops_nothing_and_the_default_stays(session_of):
    with session_of(throws(THROWN, LOST)) as session:
        run(session, "Trouble", folder="/tmp")
        assert [body["reason"] for body in session.client.events("stopped")] == ["exception"]
        session.client.disconnect()


def test_so_many_are_saved_and_the_user_is_told_once(session_of):
    with session_of(throws(*[THROWN] * 4)) as session:
        assert len(run(session, "Trouble", folder="/tmp", mostForExceptions=2)) == 2
        text = "".join(body["output"] for body in session.client.events("output"))
        assert text.count("mostForExceptions") == 1
        session.client.disconnect()


def test_request_says_what_was_saved_and_why_not(session):
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    body = session.client.request("dap-dotnet/saveDump", {"path": "/dumps", "dumpType": "full"})
    assert body == {"path": "/dumps/1.dmp", "dumpType": "full", "bytes": 7_000_000, "seconds": 0.25}
    session.backend.failure = LaunchError("The disk of /dumps is full.", code="DUMP_FAILED")
    with pytest.raises(DapRequestError, match="The disk of /dumps is full") as refused:
        session.client.request("dap-dotnet/saveDump", {"path": "/dumps"})
    assert refused.value.code == "DUMP_FAILED"
    with pytest.raises(DapRequestError, match="absolute"):
        session.client.request("dap-dotnet/saveDump", {"path": "here"})
    session.client.disconnect()


def test_dump_that_an_exception_cannot_save_is_told_and_the_program_goes_on(session_of):
    def fail(*_, **__):
        raise LaunchError("The disk is full.", code="DUMP_FAILED")

    with session_of(throws(THROWN)) as session:
        session.backend.save_dump = fail
        assert run(session, "Trouble", folder="/tmp") == []
        text = "".join(body["output"] for body in session.client.events("output"))
        assert "No core dump was saved for Sample.Trouble: The disk is full." in text
        session.client.disconnect()
