"""Calls that are wrong, of every tool: each is answered with one of our codes and a remedy, and nothing is left."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import anyio
import jsonschema

import dap_dotnet
from dap_dotnet.mcp.errors import REMEDIES
from dap_dotnet.mcp.schemas import input_schema, output_schema
from dap_dotnet.mcp.tools import all_tools
from tests.session.harness import endless
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.unit.mcp_server.harness import PROGRAM, run_agent

TOOLS = {tool.name: tool for tool in all_tools()}
VALIDATORS = {name: jsonschema.Draft202012Validator(output_schema(tool)) for name, tool in TOOLS.items()}
OF_SESSIONS = [name for name, tool in TOOLS.items() if "session" in tool.arguments.model_fields]
WRONG = {
    "string": [7, True, 1.5, [], {}, ["a"]],
    "integer": ["soon", 1.5, [], {}, 2.0**80, "9" * 5000, 10**30, -(10**30)],
    "number": ["soon", [], {}, -1, 1e300],
    "boolean": ["maybe", 7, [], {}],
    "array": ["a", 7, True, {}, [[]], [None]],
    "object": ["a", 7, True, []],
}
"""Values that are not of a type of JSON schema, even for a reader who takes "5" for 5."""


def valid_arguments(name):
    """The least that a tool takes."""
    if name in ("breakpoint_set", "breakpoint_explain"):
        return {"file": DOCUMENT, "line": line_of("print")}
    fields = TOOLS[name].arguments.model_fields
    return {field: info.examples[0] for field, info in fields.items() if info.is_required()}


def allowed_types(schema):
    """The JSON types that an argument's schema allows."""
    choices = schema.get("anyOf", [schema])
    return {choice.get("type", "object" if "$ref" in choice else "string") for choice in choices}


def checked(result, name="debug_status"):
    """The code of a call that failed; None for one that did not."""
    if not result.is_error:
        VALIDATORS[name].validate(result.structured_content)
        return None
    error = result.structured_content["error"]
    VALIDATORS[name].validate(result.structured_content)  # hosts check errors as they do answers
    assert error["code"] in REMEDIES, error
    assert error["code"] != "INTERNAL", error
    assert error["message"]
    assert error["remedy"]
    assert len(result.content[0].text) < 6_000
    return error["code"]


def test_every_code_has_a_remedy():
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(dap_dotnet.__file__).parent.rglob("*.py"))
    codes = set(re.findall(r'\bcode(?:: str)? ?=+ ?"([A-Z_]+)"', sources))
    codes |= set(re.findall(r'ToolError\(\s*"([A-Z_]+)"', sources))
    assert len(codes) > 30
    assert codes - {"BREAKPOINT_EXISTS"} <= set(REMEDIES)


def test_arguments_of_wrong_types_are_refused():
    async def body(agent):
        tried = 0
        for name, tool in TOOLS.items():
            for argument, schema in input_schema(tool)["properties"].items():
                allowed = allowed_types(schema)
                for kind, values in WRONG.items():
                    if kind in allowed - {"null"}:
                        for value in values:
                            if isinstance(value, str) and "string" in allowed:
                                continue
                            result = await agent.client.call_tool(name, {**valid_arguments(name), argument: value})
                            assert checked(result, name) == "INVALID_ARGUMENTS", (name, argument, str(value)[:50])
                            assert argument in result.structured_content["error"]["message"]
                            tried += 1
            result = await agent.client.call_tool(name, {**valid_arguments(name), "surprise": 1})
            assert checked(result, name) == "INVALID_ARGUMENTS"
        assert tried > 500

    run_agent(body)


@pytest.mark.parametrize("session", ["s9", "", "s1/../s2", "\0", "s" * 100_000])
def test_a_session_that_is_not_there_is_named(session):
    async def body(agent):
        for name in OF_SESSIONS:
            if name == "debug_status":
                continue
            result = await agent.client.call_tool(name, {**valid_arguments(name), "session": session})
            assert checked(result, name) == "NO_SESSION", name

    run_agent(body)


def test_a_session_that_has_ended_is_told_of_or_still_answers():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False, wait_s=20)
        answered = set()
        for name in OF_SESSIONS:
            if name in ("debug_restart", "debug_disconnect"):
                continue
            code = checked(await agent.client.call_tool(name, valid_arguments(name)), name)
            assert code in (None, "SESSION_ENDED", "NOT_FOUND", "NO_SESSION"), name
            if code is None:
                answered.add(name)
        assert answered >= {"output_read", "timeline_get", "debug_status", "breakpoint_wait"}
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_program_that_runs_says_so():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False, wait_s=0)
        refused = set()
        for name in OF_SESSIONS:
            if name in ("debug_restart", "debug_disconnect", "execution_pause"):
                continue
            arguments = valid_arguments(name)
            if "wait_s" in TOOLS[name].arguments.model_fields:
                arguments["wait_s"] = 0
            code = checked(await agent.client.call_tool(name, arguments), name)
            if code == "NOT_STOPPED":
                refused.add(name)
            if name == "breakpoint_set":
                await agent.call("execution_pause")
                await agent.call("breakpoint_remove", ids=[1])
                await agent.call("execution_continue", wait_s=0)
        assert {"stack_get", "evaluate", "execution_step", "variables_get", "execution_continue"} <= refused
        await agent.call("debug_disconnect")

    run_agent(body, endless)


def test_arguments_of_a_megabyte_are_answered_shortly():
    huge = "x" * 1_000_000

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        for name, tool in TOOLS.items():
            if name in ("debug_launch", "debug_attach", "debug_restart", "debug_disconnect"):
                continue
            for argument, schema in input_schema(tool)["properties"].items():
                value = {"string": huge, "array": [huge]}.get(next(iter(allowed_types(schema) - {"null"})))
                if value is None:
                    continue
                arguments = {**valid_arguments(name), argument: value}
                if "wait_s" in tool.arguments.model_fields:
                    arguments["wait_s"] = 0
                result = await agent.client.call_tool(name, arguments)
                checked(result, name)
                assert len(result.content[0].text) < 50_000, (name, argument)
        assert checked(await agent.client.call_tool("debug_launch", {"program": huge}), "debug_launch") is not None
        await agent.call("debug_disconnect", session="s1")

    run_agent(body)


def test_calls_are_cancelled_at_any_moment():
    chance = random.Random(13)

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        names = [name for name in OF_SESSIONS if name not in ("debug_restart", "debug_disconnect")]
        for _ in range(60):
            name = chance.choice(names)
            arguments = {**valid_arguments(name), "session": "s1"}
            with anyio.move_on_after(chance.uniform(0.0, 0.02)):
                checked(await agent.client.call_tool(name, arguments), name)
        status = await agent.call("debug_status", session="s1")
        assert status["sessions"][0]["state"] in ("stopped", "running")
        assert (await agent.call("execution_pause", session="s1"))["state"] == "stopped"
        await agent.call("debug_disconnect", session="s1")

    run_agent(body, endless)


def test_a_host_that_goes_away_during_calls_leaves_no_session():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False, wait_s=0)
        begun = anyio.Event()

        async def wait(name):
            begun.set()
            await agent.client.call_tool(name, {"wait_s": 3000})

        async with anyio.create_task_group() as tasks:
            for name in ("breakpoint_wait", "breakpoint_wait"):
                tasks.start_soon(wait, name)
            await begun.wait()
            tasks.cancel_scope.cancel()

    run_agent(body, endless)  # ends without debug_disconnect, and looks for sessions
