"""How sessions end: disconnect, terminate, detach, a client that is gone, a start that fails."""

from __future__ import annotations

import threading
import time

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import LaunchError
from dap_dotnet.evaluation.evaluator import SiteExpression
from tests.session.harness import add_up, spinning_until
from tests.support.fake_debuggee.sample import DOCUMENT, PROCESS_ID, line_of


@pytest.mark.parametrize("terminate", [None, True])
@pytest.mark.parametrize("stopped", [False, True])
def test_disconnect_ends_a_launched_program(endless, terminate, stopped):
    endless.launch(*([line_of("begin")] if stopped else []))
    endless.client.wait_for_stop() if stopped else endless.wait_until_spinning()
    endless.client.disconnect(terminate_debuggee=terminate)
    assert endless.names()[-3:] == ["exited", "terminated", "disconnect"]
    assert endless.client.wait_for_exit() == 137
    endless.wait_for_end()


@pytest.mark.parametrize("stopped", [False, True])
def test_disconnect_leaves_a_launched_program_running_when_asked(endless, stopped):
    endless.launch(line_of("begin"))
    endless.client.wait_for_stop()
    if not stopped:
        endless.client.continue_()
    endless.client.disconnect(terminate_debuggee=False)
    assert endless.debuggee.process.is_detached
    assert endless.debuggee.breakpoints == {} or not endless.debuggee.active
    assert "exited" not in endless.names()


@pytest.mark.parametrize("stopped", [False, True])
def test_attach_stops_at_breakpoints_and_leaves_nothing_behind(session_of, stopped):
    go = threading.Event()

    def wait_then_end(machine) -> int:
        with machine.call("Main", args=[]):
            machine.at("begin")
            machine.spin(go)
            machine.at("end")
            machine.spin(threading.Event())
        return 0

    with session_of(wait_then_end) as session:
        session.client.attach(PROCESS_ID)
        assert session.client.wait_for("process").body["startMethod"] == "attach"
        session.wait_until_spinning()
        (found,) = session.client.set_breakpoints("/sample/Sample.cs", [line_of("end")])
        assert found.verified
        go.set()
        session.client.wait_for_stop()
        if not stopped:
            session.client.continue_()
        session.client.disconnect()
        assert session.debuggee.process.is_detached
        assert not session.debuggee.active
        assert "exited" not in session.names()
        assert session.names()[-2:] == ["terminated", "disconnect"]


@pytest.mark.parametrize("is_configured_first", [False, True])
def test_attach_stops_where_that_is_wanted(session_of, is_configured_first):
    with session_of(spinning_until(threading.Event())) as session:
        starting = session.client.start("attach", {"processId": PROCESS_ID, "stopOnAttach": True})
        if not is_configured_first:
            starting.result()
            session.wait_until_spinning()
            session.client.request("threads")
            assert "stopped" not in session.names()
        session.client.configuration_done()
        assert session.client.wait_for_stop().reason == "pause"
        session.client.continue_()
        session.client.disconnect()
        assert session.names().count("stopped") == 1
        assert session.debuggee.process.is_detached


def test_program_that_cannot_be_let_go_of_is_left_to_its_guardian(session_of, caplog):
    with session_of(spinning_until(threading.Event())) as session:
        session.client.attach(PROCESS_ID)
        session.wait_until_spinning()
        session.debuggee.can_be_let_go = False
        session.hang_up()
        session.wait_for_end()
    (said,) = [record.message for record in caplog.records if record.name == "dap_dotnet.session.leaving"]
    assert said == f"process {PROCESS_ID} could not be let go of: its guardian does it once dap-dotnet has ended"


def test_attach_ends_when_the_process_ends(session_of):
    go = threading.Event()
    with session_of(spinning_until(go)) as session:
        session.client.attach(PROCESS_ID)
        go.set()
        assert session.client.wait_for_exit() is None
        session.client.disconnect()


def test_attach_says_why_it_failed(session):
    with pytest.raises(DapRequestError, match="There is no process 1") as refused:
        session.client.attach(1)
    assert refused.value.code == "NO_PROCESS"


def test_launch_says_why_it_failed_and_ends(session):
    session.backend.failure = LaunchError("The runtime 99.0 is not installed; install it.", code="NO_RUNTIME")
    with pytest.raises(DapRequestError, match=r"runtime 99\.0 is not installed; install it") as refused:
        session.launch()
    assert refused.value.code == "NO_RUNTIME"
    session.client.wait_for("terminated")


def test_program_that_cannot_be_started_is_refused_at_once_and_another_may_be_launched(session):
    session.client.initialize()
    session.backend.missing.add("/app/Wrong.dll")
    session.backend.may_start.clear()  # the answer does not wait for a start
    with pytest.raises(DapRequestError, match=r"no program /app/Wrong\.dll"):
        session.client.request("launch", {"program": "/app/Wrong.dll"})
    session.backend.may_start.set()
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    assert not session.client.events("terminated")


def test_second_launch_is_refused(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    for command, arguments in (("launch", {"program": "/x.dll"}), ("attach", {"processId": PROCESS_ID})):
        with pytest.raises(DapRequestError, match="each adapter process debugs one"):
            session.client.request(command, arguments)
    assert session.client.stack()


def test_client_that_vanishes_ends_the_launched_program(endless):
    endless.launch()
    endless.wait_until_spinning()
    endless.hang_up()
    endless.wait_for_end()
    assert endless.debuggee.is_closed


def test_client_that_vanishes_while_the_program_starts_ends_it(session_of):
    with session_of(spinning_until(threading.Event())) as session:
        session.backend.may_start.clear()
        session.client.start("launch", {"program": "/app/Sample.dll"})
        session.hang_up()
        session.backend.may_start.set()
        session.wait_for_end()
        assert session.backend.has_started.wait(10)


def test_disconnect_while_the_program_starts_is_answered(session_of):
    with session_of(spinning_until(threading.Event())) as session:
        session.backend.may_start.clear()
        starting = session.client.start("launch", {"program": "/app/Sample.dll"})
        disconnect = session.client.send("disconnect")
        disconnect.result()
        session.backend.may_start.set()
        with pytest.raises(DapRequestError):
            starting.result()
        session.wait_for_end()
        assert session.backend.has_started.wait(10)


def test_disconnect_without_a_program_is_answered(session):
    session.client.initialize()
    session.client.disconnect()
    session.wait_for_end()


def test_disconnect_after_the_program_has_ended_is_answered(session):
    session.launch()
    assert session.client.wait_for_exit() == 6
    session.client.disconnect()
    session.wait_for_end()


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut", "stackTrace", "pause", "exceptionInfo"])
def test_requests_without_a_program_and_after_its_end_are_refused(session, command):
    client = session.client
    client.initialize()
    with pytest.raises(DapRequestError) as refused:
        client.request(command, {"threadId": PROCESS_ID})
    assert refused.value.code == "NO_SESSION"
    session.launch()
    client.wait_for_exit()
    with pytest.raises(DapRequestError) as refused:
        client.request(command, {"threadId": PROCESS_ID})
    assert refused.value.code == "NO_SESSION"


@pytest.mark.parametrize("command", ["continue", "next", "stackTrace", "exceptionInfo"])
def test_requests_for_a_stop_are_refused_while_the_program_runs(endless, command):
    endless.launch()
    endless.wait_until_spinning()
    with pytest.raises(DapRequestError) as refused:
        endless.client.request(command, {"threadId": PROCESS_ID})
    assert refused.value.code == "NOT_STOPPED"
    assert refused.value.message == "notStopped"


def test_continue_sent_twice_resumes_once(endless):
    endless.launch(line_of("begin"))
    client = endless.client
    client.wait_for_stop()
    first, second = (client.send("continue", {"threadId": PROCESS_ID}) for _ in range(2))
    first.result()
    with pytest.raises(DapRequestError) as refused:
        second.result()
    assert refused.value.code == "NOT_STOPPED"


def test_many_requests_at_once_are_each_answered(session):
    session.launch(line_of("call"))
    client = session.client
    client.wait_for_stop()
    pending = [
        client.send(command, arguments)
        for _ in range(30)
        for command, arguments in (
            ("threads", None),
            ("stackTrace", {"threadId": PROCESS_ID}),
            ("setBreakpoints", {"source": {"path": "/sample/Sample.cs"}, "breakpoints": [{"line": line_of("add")}]}),
            ("cancel", {"requestId": 1}),
        )
    ]
    for request in pending:
        request.result()


def test_cancel_of_an_answered_request_changes_nothing(session):
    session.launch(line_of("call"))
    client = session.client
    client.wait_for_stop()
    answered = client.send("stackTrace", {"threadId": PROCESS_ID})
    answered.result()
    client.request("cancel", {"requestId": answered.seq})
    assert client.stack()


def test_evaluation_is_cancelled(session, monkeypatch):
    def goes_on(site, env):
        deadline = time.monotonic() + 30
        while not env.program.is_work_unwanted() and time.monotonic() < deadline:
            time.sleep(0.001)
        env.go_on()

    session.launch(line_of("call"))
    client = session.client
    client.wait_for_stop()
    with monkeypatch.context() as patched:
        patched.setattr(SiteExpression, "bound", goes_on)
        long = client.send("evaluate", {"expression": "1 + 1"})
        client.request("cancel", {"requestId": long.seq})
        with pytest.raises(DapRequestError, match="cancelled"):
            long.result()
    assert client.evaluate("1 + 1").result == "2"


def test_requests_with_wrong_arguments_say_what_is_wrong(session_of):
    with session_of(schema=False) as session:
        _send_wrong_arguments(session)


def _send_wrong_arguments(session) -> None:
    client = session.client
    session.launch(line_of("begin"))
    client.wait_for_stop()
    wrong = {
        "setBreakpoints": ({"source": {}}, "path"),
        "stackTrace": ({}, "'threadId' of 'stackTrace' is missing"),
        "variables": ({"variablesReference": "all"}, "must be an integer"),
        "scopes": ({"frameId": None}, "'frameId'"),
        "setExceptionBreakpoints": ({"filters": "all"}, "must be a list"),
        "attach": ({"processId": "me"}, "must be a process id"),
        "launch": ({"program": " "}, "name the .dll, executable or project"),
        "disconnect": ({"terminateDebuggee": "perhaps"}, "must be true or false"),
    }
    for command, (arguments, words) in wrong.items():
        with pytest.raises(DapRequestError, match=words):
            client.request(command, arguments)
    assert client.stack()


def test_breakpoints_set_after_the_end_are_answered_at_once(session_of):
    with session_of(add_up) as session:
        session.launch(line_of("begin"))
        session.client.wait_for_stop()
        session.client.continue_()
        assert session.client.wait_for_exit() is not None
        arguments = {"source": {"path": str(DOCUMENT)}, "breakpoints": []}
        # Well within the time after which an adapter that is asked nothing more ends, and refuses what waits.
        assert session.client.request("setBreakpoints", arguments, timeout_s=1.5) == {"breakpoints": []}
        session.client.disconnect()
