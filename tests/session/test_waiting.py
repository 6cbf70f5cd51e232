"""What threads wait for."""

from __future__ import annotations

from dap_dotnet.runtime.model import ThreadId
from tests.support.fake_debuggee.sample import MAIN_THREAD, line_of
from tests.support.fake_debuggee.values import Object

OTHER, THIRD = ThreadId(7001), ThreadId(7002)


def waiting(session):
    return session.client.request("dap-dotnet/waiting")


def test_nobody_waits(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    assert waiting(session) == {"waiting": [], "cycles": [], "text": "No thread waits."}


def test_ring_of_waiting_threads_is_found(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    debuggee = session.debuggee
    debuggee.other_threads |= {OTHER, THIRD}
    point, trouble = Object("Sample.Point", {"X": 4}), Object("Sample.Trouble")
    debuggee.waiting_for = {MAIN_THREAD: (point, OTHER), OTHER: (trouble, MAIN_THREAD), THIRD: (point, OTHER)}
    answer = waiting(session)
    assert [(one["threadId"], one["ownerId"], one["kind"]) for one in answer["waiting"]] == [
        (MAIN_THREAD, OTHER, "enter"),
        (OTHER, MAIN_THREAD, "enter"),
        (THIRD, OTHER, "enter"),
    ]
    assert answer["cycles"] == [[MAIN_THREAD, OTHER]]  # the third one waits for them, and is not of the ring
    assert answer["waiting"][0]["type"] == "Point"
    assert "Sample.cs:" in answer["waiting"][0]["place"]
    assert "Deadlock: Main Thread → Worker Thread → Main Thread" in answer["text"]


def test_lock_that_nobody_has(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    session.debuggee.waiting_for = {MAIN_THREAD: (Object("Sample.Point"), None)}
    answer = waiting(session)
    assert "ownerId" not in answer["waiting"][0]
    assert answer["cycles"] == []
