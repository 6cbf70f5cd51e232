"""`dap-dotnet mcp` as a process, before real programs: an agent's session, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import random
import select
import subprocess

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters

from tests.support import programs
from tests.support.processes import spinning
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e
DEADLINE_S = 90.0


def test_an_agent_debugs_a_program(runtime):
    program = programs.build("Steps", runtime)
    source = str(program.source)

    async def main():
        with Place() as place:
            server = StdioServerParameters(
                command=adapter_program(), args=["mcp"], env={**place.environment, **program.environment()}
            )
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:

                    async def call(tool, **arguments):
                        result = await client.call_tool(tool, arguments)
                        assert not result.is_error, result.content
                        return result.structured_content

                    wanted = {"file": source, "line": program.line("calls-nested")}
                    begun = await call("debug_launch", program=str(program.dll), breakpoints=[wanted])
                    assert begun["stop"]["place"]["line"] == wanted["line"]
                    assert {one["name"]: one["value"] for one in begun["stop"]["locals"]}["a"] == "3"
                    step = await call("execution_step")
                    assert step["changes"] == [{"name": "b", "before": "0", "after": "8"}]
                    assert step["statement"].startswith("Console.WriteLine")
                    explained = await call("step_explain")
                    assert "the method goes on there" in explained["text"]
                    (value,) = (await call("evaluate", expressions=["a + b"]))["results"]
                    assert value["value"] == "11"
                    source_lines = (await call("source_get", around=1))["lines"]
                    assert all(line["columns"] for line in source_lines)
                    members = await call("members_get", type="Steps.Program", pattern="Twice")
                    assert "int Steps.Program.Twice(int" in members["members"][0]["declaration"]
                    # The metadata names System.Runtime, which forwards to the core library.
                    members = await call("members_get", type="Steps.Program", pattern="ToString", inherited=True)
                    assert [one["declared_by"] for one in members["members"]] == ["System.Object"]
                    column = program.source.read_text().splitlines()[wanted["line"] - 1].index("Twice") + 1
                    found = await call("definitions_find", **wanted, column=column)
                    assert [one["line"] for one in found["definitions"]] == [program.line("twice")]
                    assert found == await call("definitions_find", name="Twice")
                    found = await call(
                        "definitions_find", **(wanted | {"line": program.line("after-nested")}), column=21
                    )
                    assert {one["name"] for one in found["definitions"]} == {"System.Console.WriteLine"}
                    assert "no symbols" in found["definitions"][0]["note"]
                    found = await call("definitions_find", name="Asynchronously")
                    assert found["definitions"][0]["line"] == program.line("await-first") - 1
                    end = await call("execution_continue", wait_s=60)
                    assert end["state"] == "ended"
                    assert "sum 11" in (await call("output_read"))["text"]
                    await call("debug_disconnect")

    anyio.run(main)


def test_an_agent_attaches_and_leaves_the_program_running(newest_runtime):
    program = programs.build("Spin", newest_runtime)
    wanted = {"file": str(program.source), "line": program.line("work")}

    async def main():
        with Place() as place, spinning(program, place.folder, place.environment) as spin:
            server = StdioServerParameters(command=adapter_program(), args=["mcp"], env=place.environment)
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:
                    arguments = {"process_id": spin.process_id, "breakpoints": [wanted], "wait_s": 60}
                    begun = await client.call_tool("debug_attach", arguments)
                    assert begun.structured_content["stop"]["place"]["line"] == wanted["line"]
                    assert not (await client.call_tool("debug_disconnect", {})).is_error
            assert spin.is_running

    anyio.run(main)


def test_an_agent_peeks_at_a_running_program(newest_runtime):
    program = programs.build("Spin", newest_runtime)

    async def main():
        with Place() as place, spinning(program, place.folder, place.environment) as spin:
            server = StdioServerParameters(command=adapter_program(), args=["mcp"], env=place.environment)
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:
                    begun = await client.call_tool("debug_peek", {"process_id": spin.process_id})
                    assert not begun.is_error, begun
                    assert begun.structured_content["stop"]["reason"] == "pause"
                    threads = (await client.call_tool("threads_get", {})).structured_content["threads"]
                    assert "Main Thread" in [thread["name"] for thread in threads]
                    assert (await client.call_tool("execution_continue", {})).is_error
                    assert not (await client.call_tool("debug_disconnect", {})).is_error
            assert spin.is_running

    anyio.run(main)


def test_an_agent_saves_a_core_dump_and_opens_it(newest_runtime, tmp_path):
    program = programs.build("Crashing", newest_runtime)

    async def main():
        with Place() as place:
            server = StdioServerParameters(
                command=adapter_program(), args=["mcp"], env={**place.environment, **program.environment()}
            )
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:

                    async def call(tool, **arguments):
                        result = await client.call_tool(tool, arguments)
                        assert not result.is_error, result
                        return result.structured_content

                    begun = await call("debug_launch", program=str(program.dll), stop_at_entry=False, wait_s=60)
                    saved = await call("core_dump_save", path=str(tmp_path))
                    await call("debug_disconnect")
                    opened = await call("debug_open_core", file=saved["path"])
                    assert opened["state"] == "stopped"
                    assert opened["stop"]["place"] == begun["stop"]["place"]
                    (value,) = (await call("evaluate", expressions=['Orders["a"].Lines[1]']))["results"]
                    assert value["value"] == '"two"'
                    refused = await client.call_tool("execution_continue", {})
                    assert refused.is_error
                    assert "core dump" in refused.content[0].text

    anyio.run(main)


def test_an_agent_looks_at_what_is_on_no_stack(newest_runtime):
    program = programs.build("AsyncTasks", newest_runtime)
    ready = {"file": str(program.source), "line": program.line("ready")}

    async def main():
        with Place() as place:
            environment = {**place.environment, **program.environment()}
            server = StdioServerParameters(command=adapter_program(), args=["mcp"], env=environment)
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:

                    async def call(tool, **arguments):
                        result = await client.call_tool(tool, arguments)
                        assert not result.is_error, result.content
                        return result.structured_content

                    begun = await call(
                        "debug_launch", program=str(program.dll), args=["5"], breakpoints=[ready], wait_s=60
                    )
                    found = await call("tasks_get")
                    (parent,) = [one for one in found["tasks"] if one.get("line") == program.line("parent")]
                    assert (parent["waits_for"], len(parent["awaits"])) == ("Task.WhenAll", 2)
                    numbered = [one["id"] for one in found["tasks"] if one.get("line") == program.line("numbered")]
                    assert len(numbered) == 5
                    (fifth,) = (await call("tasks_get", id=numbered[4]))["tasks"]
                    assert "number" in {one["name"] for one in fifth["variables"]}
                    heap = await call("heap_get", type="AsyncTasks.Holder")
                    assert (heap["total_objects"], len(heap["objects"])) == (1, 1)
                    assert (await call("heap_get", count=3))["left_out"]
                    stopped = begun["stop"]["thread_id"]
                    threads = (await call("threads_get"))["threads"]
                    (main_thread,) = [one for one in threads if one["thread_id"] == begun["process_id"]]
                    assert "GetResult" in main_thread["waits_in"]
                    assert (await call("thread_freeze", thread_id=stopped))["frozen"] == [stopped]
                    assert (await call("thread_freeze", thread_id=stopped, frozen=False))["frozen"] == []
                    assert (await call("execution_continue", wait_s=60))["state"] == "ended"
                    await call("debug_disconnect")

    anyio.run(main)


@pytest.mark.parametrize("who", ["host", "server"])
def test_nothing_is_left_when_host_or_server_is_killed(newest_runtime, who):
    program = programs.build("Spin", newest_runtime)
    chance = random.Random(who)
    for _ in range(5):
        with Place() as place:
            environment = {**os.environ, **place.environment, **program.environment()}
            server = subprocess.Popen(
                [adapter_program(), "mcp"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                bufsize=0,
            )
            assert server.stdin is not None
            assert server.stdout is not None
            call = {
                "name": "debug_launch",
                "arguments": {"program": str(program.dll), "stop_at_entry": False, "wait_s": 0},
            }
            for number, (method, params) in enumerate(
                [
                    (
                        "initialize",
                        {
                            "protocolVersion": "2025-06-18",
                            "capabilities": {},
                            "clientInfo": {"name": "test", "version": "1"},
                        },
                    ),
                    ("notifications/initialized", None),
                    ("tools/call", call),
                ]
            ):
                message = {"jsonrpc": "2.0", "method": method}
                if params is not None:
                    message |= {"id": number, "params": params}
                server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdout.readline()
            # Anywhere between the launch's first message and its answer.
            select.select([server.stdout], [], [], chance.uniform(0.0, 1.0))
            if who == "server":
                server.kill()
            server.stdin.close()
            server.stdout.close()
            server.wait(60)
        # Place.close fails when a process that was started in it is left.
