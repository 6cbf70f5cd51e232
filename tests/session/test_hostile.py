"""Thousands of messages that no client should send: answered or reported, and the adapter lives, in bounded memory."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.client.adapter import adapter_command
from dap_dotnet.protocol.codec import MAX_VALUES
from dap_dotnet.protocol.framing import encode_frame
from tests.session.harness import endless
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.support.hostile import COMMANDS, FIRST_SEQ, LAUNCHING, flood, names_of, peak_mb, write

SEED = 20
DEADLINE_S = 20.0
MAX_GROWTH_MB = 100


def resident_mb(process_id: int | str) -> float:
    """Megabytes of memory that a process has now."""
    return int(Path("/proc", str(process_id), "statm").read_text().split()[1]) * 4096 / 1e6


@pytest.fixture(autouse=True)
def _no_log(caplog: pytest.LogCaptureFixture) -> None:
    """The log has lone surrogates, which pytest's workers cannot send."""
    caplog.set_level(logging.CRITICAL, "dap_dotnet")


def test_hostile_messages_do_not_end_a_session_that_debugs(session_of):
    with session_of(endless, schema=False) as session:
        session.launch(line_of("begin"))
        session.client.wait_for_stop()
        before = resident_mb("self")
        commands = [*COMMANDS, *sorted(LAUNCHING), "initialize"]
        flood(session.client, session.writer, commands, SEED, look=lambda: names_of(session.client, DOCUMENT))
        assert session.client.threads()
        assert resident_mb("self") < before + MAX_GROWTH_MB


@pytest.mark.parametrize("is_initialized", [False, True])
def test_hostile_messages_do_not_end_an_adapter_without_a_program(is_initialized):
    with DapClient.spawn(adapter_command(), timeout_s=DEADLINE_S) as client:
        process = client.process
        assert process is not None
        if is_initialized:
            client.initialize()
            client.wait_for("initialized")

        def look() -> dict[str, Any]:
            if is_initialized:
                return names_of(client, DOCUMENT)
            with pytest.raises(DapRequestError, match="Send 'initialize' first"):
                client.threads()
            return {}

        look()
        before = peak_mb(process.process_id)
        flood(client, process.writer, COMMANDS, SEED + 1 + is_initialized, look=look)
        assert peak_mb(process.process_id) < before + MAX_GROWTH_MB
        assert process.end() == 0


@pytest.mark.parametrize(
    "member",
    [
        b'"breakpoints":[%b]' % b",".join([b"5"] * 1_000_000),
        b'"breakpoints":[%b]' % b",".join([b"[]"] * 1_000_000),
        b'"source":{%b}' % b",".join(b'"%d":0' % number for number in range(500_000)),
    ],
)
def test_request_of_a_million_values_is_refused_in_bounded_memory(member):
    with DapClient.spawn(adapter_command(), timeout_s=DEADLINE_S) as client:
        process = client.process
        assert process is not None
        client.initialize()
        body = b'{"seq":%d,"type":"request","command":"setBreakpoints","arguments":{%b}}' % (FIRST_SEQ, member)
        write(process.writer, encode_frame(body))
        assert client.threads() == []
        (refused,) = [
            recorded.message
            for recorded in client.messages
            if recorded.sender == "adapter" and recorded.message.get("request_seq") == FIRST_SEQ
        ]
        assert f"more than {MAX_VALUES:,} values" in refused["message"]
        assert peak_mb(process.process_id) < 50 + 2 * MAX_GROWTH_MB
