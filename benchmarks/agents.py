"""How fast the server for agents is: `python -m benchmarks.agents`, best under `chrt -f 10`. Prints milliseconds.

The time from the start of the process to the list of tools; calls, beside the requests that they make of the adapter.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from typing import Any

from dap_dotnet.client import DapClient
from tests.support import dotnet, programs
from tests.support.programs import Program
from tests.support.session import adapter_program

STARTS, CALLS = 7, 150


class Host:
    """A server, asked by lines on pipes: no client's own work is measured."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [adapter_program(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._count = 0
        info = {"name": "benchmark", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._server.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """A request and its result."""
        assert self._server.stdout is not None
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(self._server.stdout.readline())
            if answer.get("id") == self._count:
                result: dict[str, Any] = answer["result"]
                assert not result.get("isError"), result
                return result

    def close(self) -> None:
        """End it."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def list_of_tools_ms() -> float:
    """From the start of a server to its list of tools."""
    began = time.monotonic()
    host = Host(dict(os.environ))
    host.ask("tools/list", {})
    passed = (time.monotonic() - began) * 1000
    host.close()
    return passed


def calls_ms(program: Program) -> dict[str, float]:
    """The medians of calls while a program is stopped."""
    host = Host({**os.environ, **program.environment()})
    stop = {"file": str(program.source), "line": program.line("after-nested")}
    launch = {"program": str(program.dll), "breakpoints": [stop], "wait_s": 60}
    host.ask("tools/call", {"name": "debug_launch", "arguments": launch})
    asked: dict[str, dict[str, Any]] = {"debug_status": {}, "evaluate": {"expressions": ["a + b"]}, "stack_get": {}}
    found = {}
    for tool, arguments in asked.items():
        times = []
        for _ in range(CALLS):
            began = time.perf_counter()
            host.ask("tools/call", {"name": tool, "arguments": arguments})
            times.append((time.perf_counter() - began) * 1000)
        found[tool] = statistics.median(times)
    host.close()
    return found


def requests_ms(program: Program) -> dict[str, float]:
    """The medians of the requests behind those calls, made directly."""
    environment = {**os.environ, **program.environment()}
    with DapClient.spawn([adapter_program()], env=environment) as client:
        client.launch(str(program.dll), breakpoints={str(program.source): [program.line("after-nested")]})
        client.wait_for_stop(timeout_s=60)
        frame = client.stack(count=1)[0].id
        asked: dict[str, Callable[[], object]] = {
            "evaluate": lambda: client.evaluate("a + b", frame, context="hover"),
            "threads and stackTrace": lambda: (client.threads(), client.stack(count=21)),
        }
        found = {}
        for name, ask in asked.items():
            times = []
            for _ in range(CALLS):
                began = time.perf_counter()
                ask()
                times.append((time.perf_counter() - began) * 1000)
            found[name] = statistics.median(times)
        client.disconnect(terminate_debuggee=True)
    return found


def main() -> None:
    """The command line."""
    program = programs.build("Steps", dotnet.find().runtimes[-1])
    print(f"tools/list after the start: {statistics.median(list_of_tools_ms() for _ in range(STARTS)):.0f}")
    for name, took in requests_ms(program).items():
        print(f"request {name}: {took:.2f}")
    for name, took in calls_ms(program).items():
        print(f"call {name}: {took:.2f}")


if __name__ == "__main__":
    main()
