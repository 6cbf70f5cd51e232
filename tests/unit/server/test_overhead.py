from __future__ import annotations

import threading

from dap_dotnet.protocol.codec import encode_message
from tests.support.work import Work
from tests.unit.server.peer import Peer

REQUESTS = 200
MOST_CALLS = 400


def test_server_overhead_of_a_request_stays_below_its_limit():
    """The calls of framing, validation, dispatch and answer, in all of the server's threads."""
    work = Work()
    threading.setprofile(work.count)
    try:
        with Peer() as peer:
            peer.initialize()
            request = {
                "type": "request",
                "command": "setBreakpoints",
                "arguments": {"source": {"path": "/a.cs"}, "breakpoints": [{"line": n} for n in range(1, 6)]},
            }
            first = peer._seq + 1
            peer._seq += REQUESTS
            before = work.calls
            peer.send_bytes(b"".join(encode_message({**request, "seq": first + n}) for n in range(REQUESTS)))
            peer.response(first + REQUESTS - 1)
    finally:
        threading.setprofile(None)
    calls = (work.calls - before) / REQUESTS
    assert 10 < calls < MOST_CALLS
