"""Set next statement: where a thread can go, and what is refused."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import DOCUMENT, line_of


def targets(session, marker, **more):
    place = {"source": {"path": DOCUMENT}, "line": line_of(marker), **more}
    return session.client.request("gotoTargets", place)["targets"]


def test_target_is_of_its_stop_only(session):
    session.launch(line_of("add"))
    stop = session.client.wait_for_stop()
    (target,) = targets(session, "added")
    assert (target["line"], target["label"]) == (line_of("added"), f"Line {line_of('added')}, column 13")
    session.client.continue_()
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError, match="earlier stop"):
        session.client.request("goto", {"threadId": stop.thread_id, "targetId": target["id"]})


def test_frames_of_the_stop_are_stale_after_goto(session):
    session.launch(line_of("add"))
    stop = session.client.wait_for_stop()
    frame = session.client.stack()[0]
    (target,) = targets(session, "added")
    session.client.request("goto", {"threadId": stop.thread_id, "targetId": target["id"]})
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError, match="earlier stop"):
        session.client.scopes(frame.id)


def test_other_methods_and_places_without_statements_are_refused(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError, match=r"The thread is in .*Add.*the next statement must be in that method"):
        targets(session, "print")
    with pytest.raises(DapRequestError, match="line 9999"):
        session.client.request("gotoTargets", {"source": {"path": DOCUMENT}, "line": 9999})


def test_running_program_has_no_targets(session):
    session.client.start("launch", {"program": "/app/Sample.dll"})
    with pytest.raises(DapRequestError):
        targets(session, "add")
    session.client.configuration_done()
    session.client.wait_for_exit()
