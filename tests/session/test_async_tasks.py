"""`dap-dotnet/asyncTasks` over the whole server; what it finds in real programs is tested with those."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import line_of


def test_program_without_async_methods_has_none(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    body = session.client.async_tasks()
    assert (body.tasks, body.total, body.hidden, body.is_complete) == ([], 0, 0, True)
    assert body.text == "No async method is suspended."
    assert session.client.async_tasks(start=-5, count=-1).tasks == []
    assert session.client.async_tasks(start=10**9, count=10**9).tasks == []


def test_running_program_has_to_stop_first(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    session.client.continue_()
    with pytest.raises(DapRequestError):
        session.client.async_tasks()
