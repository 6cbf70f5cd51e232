"""From launch to exit: order of messages, breakpoints, steps, pause."""

from __future__ import annotations

import os
import threading

import pytest

from dap_dotnet.client import DapRequestError, ProgramEndedError
from dap_dotnet.protocol.transport import MessageWriter
from dap_dotnet.runtime.events import DebuggerBreak, ExceptionPhase
from dap_dotnet.session.client_events import ClientEvents
from dap_dotnet.session.session import Session
from dap_dotnet.session.session_parts import SessionParts
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, PROCESS_ID, SAMPLE_MODULE, line_of


def test_launch_runs_a_program_to_its_end_in_the_order_of_the_protocol(session):
    session.launch()
    assert session.client.wait_for_exit() == 6
    names = session.names()
    assert names[:2] == ["initialize", "initialized"]
    assert names.index("launch") < names.index("process")
    assert names[-3:] == ["output", "exited", "terminated"]
    (process,) = session.client.events("process")
    assert process == {
        "name": "/app/Sample.dll",
        "systemProcessId": PROCESS_ID,
        "isLocalProcess": True,
        "startMethod": "launch",
        "pointerSize": 64,
    }
    assert [(body["reason"], body["module"]["name"]) for body in session.client.events("module")] == [
        ("new", "System.Private.CoreLib.dll"),
        ("new", "Sample.dll"),
    ]
    assert session.client.events("thread")[0] == {"reason": "started", "threadId": MAIN_THREAD}
    assert {"category": "stdout", "output": "6\n"} in session.client.events("output")


def test_launch_hands_over_arguments_folder_and_environment(session):
    session.client.launch("/app/Sample.dll", ["x y"], cwd="/work", env={"ADDED": 5, "PATH": None})
    spec = session.backend.spec
    assert spec.command == ("dotnet", "/app/Sample.dll", "x y")
    assert spec.working_directory == "/work"
    assert spec.environment["ADDED"] == "5"
    assert "PATH" not in spec.environment
    session.client.wait_for_exit()


def test_program_waits_before_main_until_the_client_has_configured(session):
    client = session.client
    starting = client.start("launch", {"program": "/app/Sample.dll"})
    starting.result()
    client.wait_for("module", where=lambda body: body["module"]["name"] == "Sample.dll")
    (late,) = client.set_breakpoints(DOCUMENT, [line_of("begin")])
    assert late.verified
    assert session.debuggee.process.resumed[-1] == "ModuleLoaded"  # of the core library; the program itself is held
    client.configuration_done()
    assert client.wait_for_stop().breakpoint_ids == (late.id,)


@pytest.mark.parametrize(
    ("is_there", "functions", "attributes", "goes_on"),
    [
        (True, [], {}, True),
        (False, [], {}, False),
        (True, ["Sample.Main"], {}, False),
        (True, [], {"symbolOptions": {"searchPaths": ["/symbols"]}}, False),
        (True, [], {"stopAtEntry": True}, False),
    ],
)
def test_core_library_is_described_while_the_program_goes_on_where_nothing_can_be_in_it(
    session, monkeypatch, *, is_there, functions, attributes, goes_on
):
    described = {}
    usual = ClientEvents.module

    def module(events, reason, loaded):
        described[loaded.name] = "ModuleLoaded" in session.debuggee.process.resumed
        usual(events, reason, loaded)

    monkeypatch.setattr(ClientEvents, "module", module)
    is_file = os.path.isfile
    monkeypatch.setattr(os.path, "isfile", lambda path: is_there if "CoreLib" in str(path) else is_file(path))
    client = session.client
    client.initialize()
    client.request("setFunctionBreakpoints", {"breakpoints": [{"name": name} for name in functions]})
    client.set_breakpoints(DOCUMENT, [line_of("begin")])
    client.start("launch", {"program": "/app/Sample.dll", **attributes})
    client.configuration_done()
    client.wait_for_stop()
    assert described == {"System.Private.CoreLib.dll": goes_on, "Sample.dll": True}


@pytest.mark.parametrize("order", ["launch first", "breakpoints first"])
def test_breakpoints_are_taken_before_and_after_launch(session, order):
    client = session.client
    client.initialize()
    starting = None
    if order == "launch first":
        starting = client.send("launch", {"program": "/app/Sample.dll"})
    (found,) = client.set_breakpoints(DOCUMENT, [line_of("call")])
    assert found.id == 1
    if starting is None:
        assert not found.verified
        starting = client.send("launch", {"program": "/app/Sample.dll"})
    client.configuration_done()
    starting.result()
    assert client.wait_for_stop().breakpoint_ids == (1,)


def test_breakpoint_binds_when_its_module_loads_and_tells_where(session):
    (found,) = session.launch(line_of("call"))
    stop = session.client.wait_for_stop()
    assert (stop.reason, stop.breakpoint_ids, stop.thread_id) == ("breakpoint", (found.id,), MAIN_THREAD)
    if not found.verified:
        changed = session.client.events("breakpoint")[-1]
        assert changed["reason"] == "changed"
        assert changed["breakpoint"]["verified"]
    top = session.client.stack()[0]
    assert (top.name, top.source.path, top.line) == (
        "Sample.Program.Main(string[] args)",
        DOCUMENT,
        line_of("call"),
    )
    assert (top.column, top.end_line, top.end_column) == (17, line_of("call"), 48)


def test_breakpoint_in_a_loop_stops_each_time_and_not_after_it_was_removed(session):
    session.launch(line_of("call"))
    client = session.client
    for expected in ("0", "1"):
        client.wait_for_stop()
        assert client.locals()["i"].value == expected
        client.continue_()
    client.wait_for_stop()
    client.set_breakpoints(DOCUMENT, [])
    client.continue_()
    assert client.wait_for_exit() == 6
    assert session.debuggee.breakpoints == {}


def test_breakpoint_ids_stay_with_their_breakpoints(session):
    first, second = session.launch(line_of("begin"), line_of("add"))
    client = session.client
    client.wait_for_stop()
    again = client.set_breakpoints(DOCUMENT, [line_of("add"), line_of("end"), line_of("add")])
    assert [entry.id for entry in again] == [second.id, 3, second.id]
    assert (first.id, second.id) == (1, 2)
    client.continue_()
    assert client.wait_for_stop().breakpoint_ids == (2,)


@pytest.mark.parametrize(
    ("path", "line", "words"),
    [("/elsewhere/Other.cs", 1, ""), (DOCUMENT, 1, "No code at line 1")],
)
def test_breakpoint_that_cannot_bind_says_why(session, path, line, words):
    client = session.client
    client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [line_of("begin")]})
    client.wait_for_stop()
    (found,) = client.set_breakpoints(path, [line])
    assert not found.verified
    assert found.message
    assert words in found.message


def test_breakpoint_can_be_set_while_the_program_runs_without_a_stop_in_between(session_of):
    go = threading.Event()

    def wait_first(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.spin(go)
            machine.at("end")
        return 0

    with session_of(wait_first) as session:
        session.launch()
        session.wait_until_spinning()
        (found,) = session.client.set_breakpoints(DOCUMENT, [line_of("end")])
        assert found.verified
        assert session.client.events("stopped") == []
        go.set()
        assert session.client.wait_for_stop().breakpoint_ids == (found.id,)


def test_stop_at_entry_stops_at_the_first_line_of_main(session):
    session.launch(stopAtEntry=True)
    stop = session.client.wait_for_stop()
    assert stop.reason == "entry"
    assert session.client.stack()[0].line == line_of("begin") - 1  # the brace
    session.client.continue_()
    assert session.client.wait_for_exit() == 6


def test_steps_go_over_into_and_out(session):
    session.launch(line_of("call"))
    client = session.client
    client.wait_for_stop()
    client.set_breakpoints(DOCUMENT, [])
    assert client.step_over().reason == "step"
    assert (client.stack()[0].line, client.stack()[0].column) == (line_of("loop"), 36)  # i++
    client.step_over()
    assert (client.stack()[0].line, client.stack()[0].column) == (line_of("loop"), 29)  # i < 3
    client.step_over()
    assert client.stack()[0].line == line_of("call")
    assert client.locals()["i"].value == "1"
    client.step_in()
    assert [frame.line for frame in client.stack()] == [line_of("add") - 1, line_of("call")]  # the brace
    client.step_over()
    client.step_over()
    assert client.stack()[0].line == line_of("added")
    client.step_out()
    assert len(client.stack()) == 1
    assert client.stack()[0].line == line_of("call")
    client.continue_()
    assert client.wait_for_exit() == 6


def test_step_that_meets_a_breakpoint_stops_there_once(session):
    session.launch(line_of("call"), line_of("add"))
    client = session.client
    client.wait_for_stop()
    stop = client.step_over()
    assert stop.reason == "breakpoint"
    assert client.stack()[0].line == line_of("add")
    client.continue_()
    assert client.wait_for_stop().reason == "breakpoint"
    assert client.stack()[0].line == line_of("call")


def test_a_step_that_ends_at_a_breakpoint_is_a_step_that_tells_of_it(session):
    session.launch(line_of("call"), line_of("add"))
    client = session.client
    client.wait_for_stop()
    client.step_in()
    seen = len(client.events("stopped"))
    stop = client.step_over()
    assert client.stack()[0].line == line_of("add")
    assert (stop.reason, client.events("stopped")[-1]["hitBreakpointIds"]) == ("step", [2])
    assert len(client.events("stopped")) == seen + 1
    client.step_over()
    assert client.stack()[0].line == line_of("added")
    client.set_breakpoints(DOCUMENT, [])
    client.continue_()
    assert client.wait_for_exit() == 6


def test_step_off_the_end_runs_the_program_out(session):
    session.launch(line_of("end"))
    session.client.wait_for_stop()
    with pytest.raises(ProgramEndedError):
        session.client.step_over()


def test_pause_stops_a_running_program_and_continue_goes_on(session_of):
    go = threading.Event()

    def run_long(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.spin(go)
        return 0

    with session_of(run_long) as session:
        session.launch()
        session.wait_until_spinning()
        stop = session.client.pause()
        assert (stop.reason, stop.thread_id) == ("pause", MAIN_THREAD)
        assert session.client.stack()[0].line == line_of("begin")
        go.set()
        session.client.continue_()
        assert session.client.wait_for_exit() == 0


def test_pause_of_a_stopped_program_changes_nothing(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    session.client.request("pause", {"threadId": MAIN_THREAD})
    assert session.client.stack()
    session.client.continue_()
    assert session.client.wait_for_exit() == 6
    assert len(session.client.events("stopped")) == 1


def test_pause_that_the_runtime_cannot_obey_is_reported(session_of):
    go = threading.Event()

    def run_deaf(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.spin(go)
        return 0

    with session_of(run_deaf) as session:
        session.launch()
        session.wait_until_spinning()
        session.debuggee.process.is_deaf = True
        session.client.request("pause", {"threadId": MAIN_THREAD})
        notice = session.client.wait_for("output", where=lambda body: body["category"] == "important")
        assert "could not be stopped" in notice.body["output"]
        go.set()
        assert session.client.wait_for_exit() == 0


@pytest.mark.parametrize(
    ("phase", "filters", "stops"),
    [
        (ExceptionPhase.UNHANDLED, [], True),
        (ExceptionPhase.FIRST_CHANCE, [], False),
        (ExceptionPhase.FIRST_CHANCE, ["all"], True),
    ],
)
def test_exceptions_stop_as_the_filters_say(session_of, phase, filters, stops):
    def throw(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.throw(phase)
        return 134

    with session_of(throw) as session:
        session.launch(exception_filters=filters, justMyCode=False)
        if stops:
            stop = session.client.wait_for_stop()
            assert stop.reason == "exception"
            assert "Sample.Trouble" in stop.text
            info = session.client.exception_info()
            assert info.exception_id == "CLR/Sample.Trouble"
            assert info.break_mode == ("unhandled" if phase is ExceptionPhase.UNHANDLED else "always")
            session.client.continue_()
        assert session.client.wait_for_exit() == 134


@pytest.mark.parametrize("just_my_code", [False, True])
def test_thrown_exceptions_are_reported_where_that_is_wanted(session_of, just_my_code):
    def throw(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            for _ in range(2):
                machine.throw(ExceptionPhase.FIRST_CHANCE)
        return 0

    for logging in ({"exceptions": True}, {"exceptions": False}, {}):
        with session_of(throw) as session:
            session.launch(exception_filters=[], justMyCode=just_my_code, logging=logging)
            assert session.client.wait_for_exit() == 0
            said = [body for body in session.client.events("output") if "thrown" in body["output"]]
            text = "Exception thrown: 'Sample.Trouble' in Sample.dll\n" * (2 if logging.get("exceptions") else 0)
            assert "".join(body["output"] for body in said) == text
            assert all(body["line"] == line_of("begin") for body in said)


def test_modules_are_marked_as_the_users_code_when_they_are(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    assert session.debuggee.module_flags == {SAMPLE_MODULE: (True, False)}
    body = session.client.request("modules", {})
    assert [(entry["name"], entry["isUserCode"]) for entry in body["modules"]] == [
        ("System.Private.CoreLib.dll", False),
        ("Sample.dll", True),
    ]
    assert session.client.request("modules", {"startModule": 1, "moduleCount": 1})["modules"][0]["id"] == SAMPLE_MODULE
    sources = session.client.request("loadedSources")["sources"]
    assert sources == [{"name": "Sample.cs", "path": DOCUMENT}]


def test_breakpoint_locations_are_the_statements_of_the_lines(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    wanted = {"source": {"path": DOCUMENT}, "line": line_of("add"), "endLine": line_of("added")}
    found = session.client.request("breakpointLocations", wanted)["breakpoints"]
    assert [(entry["line"], entry["column"]) for entry in found] == [(line_of("add"), 13), (line_of("added"), 13)]
    assert session.client.request("breakpointLocations", {"source": {"path": DOCUMENT}, "line": 1}) == {
        "breakpoints": []
    }


def test_requests_for_a_thread_that_is_gone_are_refused(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    for command in ("stackTrace", "next", "exceptionInfo"):
        with pytest.raises(DapRequestError):
            session.client.request(command, {"threadId": 999})
    assert session.client.stack()


def test_breakpoints_on_a_function_and_on_its_first_line_are_one_stop(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    brace = line_of("add") - 1
    lines = session.client.set_breakpoints(DOCUMENT, [brace])
    named = {"breakpoints": [{"name": "Sample.Program.Add"}]}
    functions = session.client.request("setFunctionBreakpoints", named)["breakpoints"]
    for _ in range(3):  # the program calls it so often
        session.client.continue_()
        stop = session.client.wait_for_stop()
        assert session.client.stack()[0].line == brace
        assert set(stop.breakpoint_ids) == {lines[0].id, functions[0]["id"]}
    session.client.continue_()
    session.client.wait_for_exit()


def test_stop_before_the_first_step_does_without_what_steps_need(session, monkeypatch):
    asked = []
    monkeypatch.setattr(SessionParts, "stepping", property(asked.append))
    session.launch(line_of("print"))
    session.client.wait_for_stop()
    frame = session.client.stack()[0]
    assert frame.line == line_of("print")
    session.client.request("scopes", {"frameId": frame.id})
    session.client.continue_()
    assert session.client.wait_for_exit() == 6
    assert not asked


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_program_runs_before_the_response_is_written(session, monkeypatch, command):
    session.launch(line_of("begin"))
    stop = session.client.wait_for_stop()
    at_writing = []
    usual = MessageWriter.send

    def send(writer, message):
        if message.get("command") == command and message["type"] == "response":
            at_writing.append(session.debuggee.process.resumed[-1])
        return usual(writer, message)

    monkeypatch.setattr(MessageWriter, "send", send)
    session.client.request(command, {"threadId": stop.thread_id})
    assert at_writing == ["BreakpointHit"]


def test_stop_made_of_a_deferred_event_follows_the_response(session, monkeypatch):
    usual = Session.prepare_step

    def prepare_step(served, thread, *args, **options):
        usual(served, thread, *args, **options)
        served.event_queue.deferred.add(session.debuggee, DebuggerBreak(thread=thread))

    monkeypatch.setattr(Session, "prepare_step", prepare_step)
    session.launch(line_of("begin"))
    stop = session.client.wait_for_stop()
    resumed = list(session.debuggee.process.resumed)
    session.client.request("next", {"threadId": stop.thread_id})
    assert session.client.wait_for_stop().reason == "pause"
    assert session.debuggee.process.resumed == resumed
    assert session.names()[-2:] == ["next", "stopped"]
