"""`dap-dotnet/breakpoints`, triggered breakpoints and the order of what log points write, over the whole server."""

from __future__ import annotations

from tests.support.fake_debuggee.sample import DOCUMENT, SAMPLE_MODULE, line_of


def listed(session, *ids: int) -> list[dict]:
    arguments = {"breakpointIds": list(ids)} if ids else None
    return session.client.request("dap-dotnet/breakpoints", arguments)["breakpoints"]


def test_list_is_empty_before_there_is_anything(session):
    session.client.initialize()
    assert listed(session) == []


def test_list_tells_everything_of_a_breakpoint(session):
    line = line_of("add")
    wanted = {"line": line, "column": 13, "condition": "left == left", "hitCondition": ">= 2", "logMessage": "sum"}
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [line_of("added"), wanted]})
    assert session.client.wait_for_stop().breakpoint_ids == (1,)
    plain, logging = listed(session)
    (location,) = logging.pop("locations")
    assert logging == {
        "id": 2,
        "kind": "source",
        "state": "bound",
        "source": {"name": "Sample.cs", "path": DOCUMENT},
        "line": line,
        "column": 13,
        "condition": "left == left",
        "hitCondition": ">= 2",
        "logMessage": "sum",
        "hitCount": 1,
    }
    assert location["methodToken"].startswith("0x06")
    assert location["ilOffset"] > 0  # after the nop of the opening brace
    assert (location["module"], location["moduleId"]) == ("Sample.dll", SAMPLE_MODULE)
    assert (location["line"], location["column"], location["endLine"], location["endColumn"]) == (line, 13, line, 36)
    assert (plain["hitCount"], plain["state"]) == (1, "bound")
    assert [entry["id"] for entry in listed(session, 2, 99)] == [2]


def test_list_says_why_a_breakpoint_is_not_bound_with_a_code(session):
    wanted = [
        {"line": line_of("begin")},
        {"line": 10_000},
        {"line": line_of("call"), "condition": "1 +"},
        {"line": line_of("add"), "condition": "missing == 1"},
        {"line": line_of("print"), "mode": "after:99"},
    ]
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: wanted, "/other/Missing.cs": [1]})
    session.client.wait_for_stop()
    session.client.set_breakpoints(DOCUMENT, wanted[1:])
    session.client.continue_()
    session.client.wait_for("terminated")
    codes = [(entry["state"], entry.get("code")) for entry in listed(session)]
    assert codes == [
        ("pending", "INVALID_LINE"),
        ("pending", "INVALID_CONDITION"),
        ("bound", "EVAL_FAILED"),
        ("pending", "BREAKPOINT_NOT_FOUND"),
        ("pending", "INVALID_FILE"),
    ]
    assert all(entry["message"] for entry in listed(session))


def test_list_has_functions_and_exceptions(session):
    client = session.client
    client.initialize()
    client.request("setFunctionBreakpoints", {"breakpoints": [{"name": "Sample.Program.Add", "condition": "left > 0"}]})
    options = [{"filterId": "all", "condition": "!Sample.Trouble"}]
    client.request("setExceptionBreakpoints", {"filters": ["unhandled"], "filterOptions": options})
    function, unhandled, thrown = listed(session)
    assert (function["kind"], function["function"], function["condition"]) == (
        "function",
        "Sample.Program.Add",
        "left > 0",
    )
    assert (unhandled["kind"], unhandled["filters"], unhandled["state"]) == ("exception", ["unhandled"], "bound")
    assert (thrown["filters"], thrown["condition"], thrown["state"]) == (["all"], "!Sample.Trouble", "pending")
    assert thrown["code"] == "MODULE_NOT_LOADED"


def test_triggered_breakpoint_stops_only_after_the_other_one(session):
    """`call` is passed three times, `add` within it; the trigger stops in the second round."""
    client = session.client
    client.initialize()
    (trigger,) = client.set_breakpoints(DOCUMENT, [{"line": line_of("call"), "hitCondition": "2"}])
    client.launch(
        "/app/Sample.dll",
        breakpoints={
            DOCUMENT: [
                {"line": line_of("call"), "hitCondition": "2"},
                {"line": line_of("add"), "mode": f"after:{trigger.id}"},
            ]
        },
    )
    stops = []
    for _ in range(3):
        stops.append(client.wait_for_stop().breakpoint_ids)
        _, waiting = listed(session)
        assert (waiting["after"], waiting["isArmed"]) == (trigger.id, True)
        client.continue_()
    assert stops == [(1,), (2,), (2,)]
    assert client.wait_for_exit() == 6
    assert [entry["hitCount"] for entry in listed(session)] == [3, 2]


def test_explanation_says_that_a_triggered_breakpoint_is_armed(session):
    client = session.client
    client.initialize()
    trigger = {"line": line_of("call")}
    client.set_breakpoints(DOCUMENT, [trigger])
    waiting = {"line": line_of("add"), "mode": "after:1"}
    client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [trigger, waiting]})
    client.wait_for_stop()
    text = client.request("dap-dotnet/explainBreakpoint", {"breakpointId": 2})["text"]
    assert "It is armed: breakpoint 1" in text


def test_explanation_says_that_the_trigger_is_gone(session):
    client = session.client
    client.initialize()
    trigger, waiting = {"line": line_of("call")}, {"line": line_of("begin"), "mode": "after:1"}
    client.set_breakpoints(DOCUMENT, [trigger])
    client.set_breakpoints(DOCUMENT, [trigger, waiting])
    text = client.request("dap-dotnet/explainBreakpoint", {"breakpointId": 2})["text"]
    assert "It waits for breakpoint 1" in text
    client.set_breakpoints(DOCUMENT, [waiting])
    text = client.request("dap-dotnet/explainBreakpoint", {"breakpointId": 2})["text"]
    assert "It can never be hit: breakpoint 1" in text


def test_log_messages_are_there_before_what_comes_later(session_of):
    def program(machine):
        with machine.call("Main", args=[]) as main:
            main.locals["total"] = 1
            machine.at("begin")
            machine.write("one\n")
            machine.at("begin")
            machine.at("call")
            machine.at("begin")
        return 0

    with session_of(program) as session:
        wanted = [{"line": line_of("begin"), "logMessage": "logged $HITCOUNT"}, {"line": line_of("call")}]
        session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: wanted})
        session.client.wait_for_stop()
        session.client.continue_()
        session.client.wait_for_exit()
        sent = [
            recorded.message["body"].get("output") or recorded.message["event"]
            for recorded in session.client.messages
            if recorded.message.get("event") in ("output", "stopped", "exited")
        ]
        assert sent == ["logged 1\n", "one\n", "logged 2\n", "stopped", "logged 3\n", "exited"]
        (first, *_) = [body for body in session.client.events("output") if body["output"] == "logged 1\n"]
        assert (first["source"]["path"], first["line"]) == (DOCUMENT, line_of("begin"))
