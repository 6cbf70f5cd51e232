"""Sessions by tools, with the SDK's client, over fake debuggees."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp")

import anyio
from mcp.shared.exceptions import MCPError

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.tools.memory import MemoryAnswer
from dap_dotnet.runtime.events import ExceptionPhase
from tests.session.harness import endless
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, line_of
from tests.unit.mcp_server.harness import PROGRAM, run_agent


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_program_is_debugged_from_launch_to_exit(mode):
    async def body(agent):
        begun = await agent.call(
            "debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line_of("call")}]
        )
        assert begun["session"] == "s1"
        assert begun["breakpoints"][0]["verified"]
        stop = begun["stop"]
        assert (stop["reason"], stop["place"]["line"], stop["thread_id"]) == (
            "breakpoint",
            line_of("call"),
            MAIN_THREAD,
        )
        assert stop["breakpoints"] == [{"id": begun["breakpoints"][0]["id"], "hit_count": 1}]
        assert {one["name"]: one["value"] for one in stop["locals"]}["total"] == "0"
        step = await agent.call("execution_step")
        assert step["stop"]["reason"] == "step"
        again = await agent.call("execution_continue")
        assert again["stop"]["breakpoints"][0]["hit_count"] == 2
        assert again["stop"]["number"] == 3
        values = await agent.call("evaluate", expressions=["i", "total + 1", "nothing"])
        assert [one.get("value") for one in values["results"]] == ["1", "2", None]
        assert values["results"][2]["code"] == "EVAL_FAILED"
        await agent.call("breakpoint_remove", ids=[begun["breakpoints"][0]["id"]])
        assert (await agent.call("breakpoint_list"))["breakpoints"] == []
        end = await agent.call("execution_continue", wait_s=20)
        assert (end["state"], end["exit_code"], end["output"]) == ("ended", 6, "6\n")
        assert (await agent.call("output_read"))["text"] == "6\n"
        kinds = [one["kind"] for one in (await agent.call("timeline_get"))["entries"]]
        assert kinds.count("stop") == 3
        assert kinds[-1] == "end"
        assert await agent.refused("execution_continue") == "SESSION_ENDED"
        await agent.call("debug_disconnect")
        assert await agent.refused("stack_get") == "NO_SESSION"

    run_agent(body, mode=mode)


def test_a_stopped_program_is_looked_at():
    async def body(agent):
        line = line_of("added")
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line}])
        (stack,) = (await agent.call("stack_get"))["threads"]
        assert [frame["index"] for frame in stack["frames"]] == [0, 1]
        main = await agent.call("variables_get", frame=1, depth=2)
        values = {one["name"]: one for one in main["variables"]}
        assert [child["value"] for child in values["numbers"]["children"]] == ["1", "2", "3"]
        collection = await agent.call("collection_analyze", expression="numbers", frame=1)
        assert (collection["count"], collection["min"], collection["max"]) == (3, "1", "3")
        page = await agent.call("variables_get", frame=1, expression="numbers", start=1, count=1)
        assert [one["value"] for one in page["variables"]] == ["2"]
        assert "start: 2" in page["left_out"]
        point = await agent.call("object_inspect", expression="point", frame=1)
        assert {one["name"]: one["value"] for one in point["members"]}["X"] == "4"
        await agent.call("snapshot_create", name="before", frame=1)
        await agent.call("execution_continue")
        await agent.call("snapshot_create", name="after", frame=1)
        changes = (await agent.call("snapshot_diff", before="before", after="after"))["changes"]
        assert {one["name"] for one in changes} == {"total", "i"}
        stored = await agent.call("variable_set", expression="total", value="40 + 2", frame=1)
        assert stored["value"] == "42"
        assert await agent.refused("variable_set", expression="nothing", value="1") == "EVAL_FAILED"
        assert await agent.refused("snapshot_diff", before="before", after="none") == "NOT_FOUND"
        assert (await agent.call("snapshot_remove", name="before"))["left"] == ["after"]
        assert await agent.refused("snapshot_remove", name="before") == "NOT_FOUND"
        assert await agent.refused("snapshot_diff", before="before", after="after") == "NOT_FOUND"
        assert await agent.refused("variables_get", frame=50) == "NOT_FOUND"
        layout = await agent.call("layout_get", type="point", frame=1)
        assert (layout["fields"][0]["name"], layout["fields"][0]["offset"]) == ("X", 8)
        assert layout["fields"][1]["padding"] == 4
        assert await agent.refused("layout_get", type="nothing") == "EVAL_FAILED"
        modules = await agent.call("modules_get", pattern="Sample*")
        assert [one["name"] for one in modules["modules"]] == ["Sample.dll"]
        (thread,) = (await agent.call("threads_get"))["threads"]
        assert thread["at"]["line"] == line
        explained = await agent.call("breakpoint_explain", file=DOCUMENT, line=line)
        assert explained["state"] == "bound"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_types_and_members_come_from_metadata():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        found = await agent.call("types_find", pattern="*.Program", module="Sample*")
        assert [one["name"] for one in found["types"]] == ["Sample.Program"]
        members = await agent.call("members_get", type="Sample.Program", pattern="Add*")
        assert {one["kind"] for one in members["members"]} == {"method"}
        assert await agent.refused("members_get", type="No.Such") == "NOT_FOUND"
        made = await agent.call("members_get", type="Sample.Trouble", kinds=["constructor"], inherited=True)
        assert {one["kind"] for one in made["members"]} == {"constructor"}
        assert made["missing_base"] == "System.Exception"  # the fake program loads no framework
        public = await agent.call("members_get", type="Sample.Point", visibility=["public"])
        private = await agent.call("members_get", type="Sample.Point", visibility=["private"])
        assert {one["visibility"] for one in public["members"]} == {"public"}
        every = await agent.call("members_get", type="Sample.Point")
        assert every["total"] == public["total"] + private["total"] > public["total"] >= 1
        assert "missing_base" not in every
        assert await agent.refused("members_get", type="Sample.Point", kinds=["label"]) == "INVALID_ARGUMENTS"
        usages = await agent.call("usages_find", member="Program.Add")
        assert [(one["kind"], one["line"]) for one in usages["usages"]] == [("call", line_of("call"))]
        assert (await agent.call("usages_find", member="Add", kinds=["write"]))["usages"] == []
        assert (await agent.call("usages_find", member="No*Such"))["total"] == 0
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_program_that_never_stops_is_waited_for_paused_and_ended():
    async def body(agent):
        begun = await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False, wait_s=0)
        assert begun["state"] == "running"
        waited = await agent.call("breakpoint_wait", wait_s=0.1)
        assert (waited["timeout"], waited["state"]) == (True, "running")
        assert await agent.refused("stack_get") == "NOT_STOPPED"
        paused = await agent.call("execution_pause")
        assert paused["stop"]["reason"] == "pause"
        await agent.call("debug_disconnect")

    run_agent(body, endless)


def test_a_long_wait_sends_progress_and_can_be_cancelled():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False, wait_s=0)
        told = anyio.Event()

        async def on_progress(progress, total, message):
            assert total == 3000
            assert "waits" in message
            told.set()

        async with anyio.create_task_group() as tasks:
            scope = anyio.CancelScope()

            async def wait():
                with scope:
                    await agent.client.call_tool("breakpoint_wait", {"wait_s": 3000}, progress_callback=on_progress)

            tasks.start_soon(wait)
            await told.wait()
            scope.cancel()
        assert (await agent.call("execution_pause"))["state"] == "stopped"
        await agent.call("debug_disconnect")

    run_agent(body, endless)


def test_several_sessions_are_debugged_at_once_and_one_that_dies_takes_nothing_along():
    async def body(agent):
        begun = [await agent.call("debug_launch", program=PROGRAM) for _ in range(2)]
        assert [one["session"] for one in begun] == ["s1", "s2"]
        assert await agent.refused("stack_get") == "NO_SESSION"
        assert (await agent.call("stack_get", session="s2"))["threads"]
        await agent.call("debug_disconnect", session="s1")
        assert (await agent.call("stack_get"))["threads"]
        status = await agent.call("debug_status")
        assert [(one["session"], one["state"]) for one in status["sessions"]] == [("s2", "stopped")]
        await agent.call("debug_disconnect")

    run_agent(body)


def test_wrong_arguments_have_clear_errors():
    async def body(agent):
        assert await agent.refused("no_such_tool") == "UNKNOWN_TOOL"
        assert await agent.refused("debug_launch") == "INVALID_ARGUMENTS"
        assert await agent.refused("debug_launch", program=PROGRAM, surprise=1) == "INVALID_ARGUMENTS"
        assert await agent.refused("stack_get", session="s9") == "NO_SESSION"
        assert await agent.refused("breakpoint_set", file="a.cs") == "INVALID_ARGUMENTS"
        for wrong in ([], {}, None, "soon", "x" * 1_000_000):
            assert await agent.refused("breakpoint_wait", wait_s=wrong) == "INVALID_ARGUMENTS"
        await agent.call("debug_launch", program=PROGRAM)
        (result,) = (await agent.call("evaluate", expressions=["+" * 100_000]))["results"] or [{"code": "too long"}]
        assert result["code"]
        await agent.call("debug_disconnect")

    run_agent(body)


def test_side_effects_and_attach_can_be_switched_off():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        assert await agent.refused("evaluate", expressions=["1"], side_effects=True) == "NOT_ALLOWED"
        (result,) = (await agent.call("evaluate", expressions=["total = 5"]))["results"]
        assert result["code"] == "SIDE_EFFECTS"
        assert await agent.refused("debug_attach", process_id=1) == "UNKNOWN_TOOL"
        assert await agent.refused("debug_launch", program="/elsewhere/a.dll") == "NOT_ALLOWED"
        await agent.call("debug_disconnect")

    run_agent(body, options=ServerOptions(read_only=True, no_attach=True, folders=("/app",)))


def test_a_stop_is_a_notification_and_resources_are_read():
    told = anyio.Event()

    async def on_log(message):
        if message.data == {"event": "ended", "session": "s1", "exit_code": 6}:
            told.set()

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        await agent.call("execution_continue")
        await told.wait()
        names = [str(one.uri) for one in (await agent.client.list_resources()).resources]
        assert names == ["debug://s1/output", "debug://s1/timeline"]
        (output,) = (await agent.client.read_resource("debug://s1/output")).contents
        assert output.text == "6\n"
        with pytest.raises(MCPError):
            await agent.client.read_resource("debug://s7/output")
        await agent.call("debug_disconnect")

    run_agent(body, mode="legacy", logging_callback=on_log)


def test_prompts_are_filled_in():
    async def body(agent):
        names = [one.name for one in (await agent.client.list_prompts()).prompts]
        assert names == ["find_why_test_fails", "find_who_changes_field"]
        prompt = await agent.client.get_prompt("find_who_changes_field", {"program": "a.dll", "field": "A.b"})
        assert "A.b of a.dll" in prompt.messages[0].content.text
        with pytest.raises(MCPError):
            await agent.client.get_prompt("find_who_changes_field", {})

    run_agent(body)


def test_a_restarted_program_has_its_breakpoints_again():
    async def body(agent):
        line = line_of("print")
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line}])
        disabled = await agent.call("breakpoint_set", file=DOCUMENT, line=line_of("call"))
        await agent.call("breakpoint_enable", ids=[disabled["id"]], enabled=False)
        before = [one["id"] for one in (await agent.call("breakpoint_list"))["breakpoints"]]
        again = await agent.call("debug_restart")
        assert again["session"] == "s1"
        assert [one["id"] for one in again["breakpoints"]] == before
        assert [one["verified"] for one in again["breakpoints"]] == [True, False]
        assert (await agent.call("breakpoint_list"))["breakpoints"][0]["hit_count"] == 1
        assert again["stop"]["place"]["line"] == line
        listed = (await agent.call("breakpoint_list"))["breakpoints"]
        assert {one["state"] for one in listed if one["id"] != again["stop"]["breakpoints"][0]["id"]} == {"disabled"}
        await agent.call("debug_disconnect")

    run_agent(body)


def test_an_ended_program_is_started_again_with_its_breakpoints():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=False)
        assert (await agent.call("breakpoint_wait"))["state"] == "ended"
        assert (await agent.call("debug_restart"))["state"] == "ended"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_restart_that_is_refused_changes_nothing():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, stop_at_entry=True)
        session = agent.server.sessions.get("s1")
        process_id = session.process_id
        usual = session.client.request
        error = {"error": {"format": "Wait.", "variables": {"code": "STILL_STARTING"}}}

        def refuse(command, arguments=None, **options):
            if command == "restart":
                raise DapRequestError(command, {"body": error})
            return usual(command, arguments, **options)

        session.client.request = refuse
        assert await agent.refused("debug_restart") == "STILL_STARTING"
        assert session.process_id == process_id
        (status,) = (await agent.call("debug_status"))["sessions"]
        assert (status["state"], status["stop_reason"]) == ("stopped", "entry")
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_project_of_tests_that_is_not_there_is_refused(tmp_path):
    async def body(agent):
        for project in (tmp_path, tmp_path / "None.csproj"):
            assert await agent.refused("debug_launch_test", project=str(project), filter="Name~A") == "LAUNCH_FAILED"
        assert (await agent.call("debug_status"))["sessions"] == []

    run_agent(body)


def test_memory_and_references_are_read():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line_of("print")}])
        found = await agent.call("references_get", expression="point", retained_size=True)
        assert found["total"] == len(found["references"])
        assert found["retained_objects"] >= 1
        for wrong in ("total", "null", "nothing"):
            assert await agent.refused("references_get", expression=wrong) in ("EVAL_FAILED", "RUNTIME_CALL")
        assert await agent.refused("memory_read") == "INVALID_ARGUMENTS"
        assert await agent.refused("memory_read", expression="point", address="0x10") == "INVALID_ARGUMENTS"
        assert await agent.refused("memory_read", address="16 bytes") == "INVALID_ARGUMENTS"
        assert await agent.refused("memory_read", expression="1 + 1") == "NOT_FOUND"
        assert await agent.refused("execution_step", target="Nothing") == "NOT_FOUND"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_bytes_are_shown_sixteen_a_line():
    text = MemoryAnswer(address="0x0000000000001000", count=18, bytes=b"0123456789abcdef\x00z".hex()).to_text()
    assert text.splitlines()[1] == f"0000000000001010  {'00 7a':47}  .z"


def test_a_program_is_given_input_until_it_ends():
    async def body(agent):
        begun = await agent.call("debug_launch", program=PROGRAM)
        assert (await agent.call("input_write", text="42\n", wait_s=0))["stop"]["number"] == begun["stop"]["number"]
        assert await agent.refused("input_write") == "INVALID_ARGUMENTS"
        assert (await agent.call("input_write", end=True, wait_s=0))["state"] == "stopped"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_run_to_stops_at_the_line_and_leaves_no_breakpoint():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        arrived = await agent.call("execution_run_to", file=DOCUMENT, line=line_of("print"))
        assert arrived["stop"]["place"]["line"] == line_of("print")
        assert (await agent.call("breakpoint_list"))["breakpoints"] == []
        await agent.call("debug_disconnect")

    run_agent(body)


def test_the_next_statement_is_set():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line_of("add")}])
        moved = await agent.call("execution_goto", file=DOCUMENT, line=line_of("added"))
        assert moved["stop"]["reason"] == "goto"
        assert moved["stop"]["place"]["line"] == line_of("added")
        assert await agent.refused("execution_goto", file=DOCUMENT, line=line_of("print")) == "GOTO_REFUSED"
        assert (await agent.call("debug_status"))["sessions"][0]["state"] == "stopped"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_two_calls_at_once_are_each_answered():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line_of("add")}])
        found = []

        async def let_run():
            found.append(await agent.client.call_tool("execution_continue", {"wait_s": 20}))

        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(let_run)
        # The second came while the program ran, or at the next stop.
        assert any(not one.is_error for one in found)
        assert {one.structured_content["error"]["code"] for one in found if one.is_error} <= {"NOT_STOPPED"}
        assert (await agent.call("debug_status"))["sessions"][0]["state"] == "stopped"
        await agent.call("debug_disconnect")

    run_agent(body)


def throws(machine):
    """Throws once."""
    with machine.call("Main", args=["a"]):
        machine.at("begin")
        machine.throw(ExceptionPhase.FIRST_CHANCE)
    return 0


def test_a_stop_for_an_exception_says_which_and_at_what_chance():
    async def body(agent):
        begun = await agent.call(
            "debug_launch",
            program=PROGRAM,
            stop_at_entry=False,
            just_my_code=False,
            exceptions=[{"filter": "all", "types": "Sample.Trouble"}],
        )
        exception = begun["stop"]["exception"]
        assert (exception["type"], exception["isFirstChance"], exception["break_mode"]) == (
            "Sample.Trouble",
            True,
            "always",
        )
        assert exception["stack"]
        assert await agent.refused("breakpoint_set_exception", exceptions=[{"filter": "all", "types": "1 2"}])
        (chosen,) = (await agent.call("breakpoint_list"))["breakpoints"]
        assert await agent.refused("breakpoint_enable", ids=[chosen["id"]], enabled=False) == "INVALID_REQUEST"
        await agent.call("breakpoint_set_exception", exceptions=[])
        await agent.call("debug_disconnect")
        wrong = [{"filter": "all", "types": "1 2"}]
        assert await agent.refused("debug_launch", program=PROGRAM, exceptions=wrong) == "INVALID_CONDITION"
        assert (await agent.call("debug_status"))["sessions"] == []

    run_agent(body, throws)
