"""Step-in targets: which calls are listed, and what is refused. Steps into them are tested with real programs."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import line_of


def targets(session, depth=0):
    frame = session.client.stack()[depth]
    return session.client.request("stepInTargets", {"frameId": frame.id})["targets"]


def test_calls_of_the_statement_are_listed(session):
    session.launch(line_of("call"), line_of("add"))
    session.client.wait_for_stop()
    assert [one["label"] for one in targets(session)] == ["Program.Add(int left, int right)"]
    session.client.continue_()
    session.client.wait_for_stop()
    assert targets(session) == []  # a sum
    assert targets(session, depth=1) == []  # not the top frame


def test_step_into_target(session):
    session.launch(line_of("call"))
    stop = session.client.wait_for_stop()
    (target,) = targets(session)
    session.client.request("stepIn", {"threadId": stop.thread_id, "targetId": target["id"]})
    session.client.wait_for_stop()
    assert session.client.stack()[0].name.startswith("Sample.Program.Add")
    with pytest.raises(DapRequestError, match="earlier stop"):
        session.client.request("stepIn", {"threadId": stop.thread_id, "targetId": target["id"]})


def test_unknown_targets_are_refused(session):
    session.launch(line_of("call"))
    stop = session.client.wait_for_stop()
    (target,) = targets(session)
    with pytest.raises(DapRequestError):
        session.client.request("stepIn", {"threadId": stop.thread_id, "targetId": target["id"] + 99})
    with pytest.raises(DapRequestError, match="does not belong to thread"):
        session.client.request("stepIn", {"threadId": stop.thread_id + 1, "targetId": target["id"]})
    assert session.client.stack()[0].line == line_of("call")
