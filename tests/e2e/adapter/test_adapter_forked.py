"""A forked adapter is to its client what one is that was started."""

from __future__ import annotations

import signal

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.forked_adapters import CAN_FORK
from tests.support.session import Place, Session

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not CAN_FORK, reason="this system or this Python cannot wait for another's process"),
]


def test_forked_adapter_serves_and_ends_as_a_started_one() -> None:
    for forked in (False, True):
        with Place() as place, Session.open(place, forked=forked) as session:
            assert session.initialize().supports_conditional_breakpoints
            session.disconnect()
            assert session.process is not None
            assert session.process.wait(10) == 0


def test_forked_adapters_are_processes_of_their_own() -> None:
    with Place() as place, Session.open(place, forked=True) as one, Session.open(place, forked=True) as other:
        one.initialize()
        other.initialize()
        assert one.process is not None
        assert other.process is not None
        assert one.process.wait(0) is None
        one.checks_conversation = False
        one.process.kill()
        assert one.process.wait(10) == -signal.SIGKILL
        assert other.request("threads")["threads"] == []


def test_forked_adapter_has_the_environment_that_it_is_given() -> None:
    with Place() as place, Session.open(place, forked=True, env={"DAP_DOTNET_REQUIRED_TOKEN": "secret"}) as session:
        session.checks_conversation = False  # it ends once it has refused
        session.initialize()
        with pytest.raises(DapRequestError, match=r"[Tt]oken"):
            session.request("launch", {"program": "/none.dll"})
