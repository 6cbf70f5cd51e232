"""What a host is told without asking: stops, ends, resources that change, and how far a launch is."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("mcp")

import anyio
import mcp_types as types

from dap_dotnet.mcp.caller import Caller
from dap_dotnet.mcp.history import History
from dap_dotnet.mcp.sessions import _progress_of
from tests.unit.mcp_server.harness import PROGRAM, run_agent

TIMELINE = "debug://s1/timeline"


class Told:
    """Takes what a server sends unasked, and waits for some of it."""

    def __init__(self):
        self.messages = []
        self._changed = anyio.Event()

    async def __call__(self, message):
        self.messages.append(message)
        self._changed.set()
        self._changed = anyio.Event()

    def those(self, kind):
        return [message for message in self.messages if isinstance(message, kind)]

    async def wait_for(self, condition):
        while not condition():
            await self._changed.wait()


def test_stops_and_the_end_are_messages_of_their_session():
    told = Told()

    def data():
        return [message.params.data for message in told.those(types.LoggingMessageNotification)]

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        await agent.call("execution_step")
        await told.wait_for(lambda: any(one.get("reason") == "step" for one in data()))
        await agent.call("execution_continue", wait_s=20)
        await told.wait_for(lambda: any(one["event"] == "ended" for one in data()))
        assert {one["session"] for one in data()} == {"s1"}
        assert data()[-1]["exit_code"] == 6
        await agent.call("debug_disconnect")

    run_agent(body, mode="legacy", message_handler=told)


def test_a_resource_that_was_subscribed_to_is_told_of_until_it_is_not_any_more():
    told = Told()

    def uris():
        return [str(message.params.uri) for message in told.those(types.ResourceUpdatedNotification)]

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        await agent.client.session.send_request(
            types.SubscribeRequest(params=types.SubscribeRequestParams(uri=TIMELINE)), types.EmptyResult
        )
        await agent.call("execution_step")
        await told.wait_for(uris)
        (timeline,) = (await agent.client.read_resource(TIMELINE)).contents
        assert "step" in timeline.text
        await agent.client.session.send_request(
            types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=TIMELINE)), types.EmptyResult
        )
        assert agent.server._subscribed == {}
        assert set(uris()) == {TIMELINE}
        await agent.call("debug_disconnect")

    run_agent(body, mode="legacy", message_handler=told)


def test_hosts_of_the_newest_protocol_listen_for_stops_and_sessions():
    async def body(agent):
        async with agent.client.listen(resource_subscriptions=[TIMELINE], resources_list_changed=True) as subscription:
            await agent.call("debug_launch", program=PROGRAM)
            seen = set()
            async for event in subscription:
                seen.add(type(event).__name__)
                if len(seen) == 2:
                    break
        assert seen == {"ResourceUpdated", "ResourcesListChanged"}
        await agent.call("debug_disconnect")

    run_agent(body)


@pytest.mark.parametrize("said", ["Building Shop.csproj", None])
def test_a_launch_that_takes_long_tells_what_it_does(monkeypatch, said):
    monkeypatch.setattr("dap_dotnet.mcp.sessions._PROGRESS_S", 0.001)
    told, texts = threading.Event(), []

    class Session:
        id = "s1"
        history = History()

    if said is not None:
        Session.history.add("log", said)

    def report(done, total, text):
        assert total is None
        texts.append(text)
        told.set()

    with _progress_of(Caller(report), Session()):
        assert told.wait(20)
    assert texts[0] == (said or "session s1 begins")


def test_nobody_is_told_of_a_launch_that_was_cancelled(monkeypatch):
    monkeypatch.setattr("dap_dotnet.mcp.sessions._PROGRESS_S", 0.001)
    call = Caller(lambda *_: pytest.fail("told"))
    call.cancel()

    class Session:
        id = "s1"
        history = History()

    with _progress_of(call, Session()):
        pass
