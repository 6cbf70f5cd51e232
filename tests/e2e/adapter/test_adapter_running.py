"""Pause and resume, requests while the program runs, cancel."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime, version_key
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]

FIRST_THAT_STOPS_TIGHT_LOOPS = (9,)


def test_pause_and_resume_many_times(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", runtime)
    stop_file = place.folder / "stop"
    session.launch_program(program, str(stop_file))
    session.wait_for_output("READY")
    for _ in range(20):
        stop = session.pause()
        assert stop.reason == "pause"
        assert any("Spin.Program.Main" in frame.name for frame in session.stack(stop.thread_id))
        session.continue_()
    stop_file.touch()
    assert session.wait_for_exit() == 0


def test_pause_shows_the_user_s_code(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", runtime)
    session.launch_program(program, str(place.folder / "stop"))
    session.wait_for_output("READY")
    stop = session.pause()
    frames = session.stack(stop.thread_id)
    main = next(frame for frame in frames if "Spin.Program" in frame.name)
    assert main.line > 0


def test_pause_shows_the_thread_on_which_an_async_main_goes_on(
    runtime: Runtime, session: Session, place: Place
) -> None:
    program = programs.build("AsyncMain", runtime)
    end = place.folder / "end"
    session.launch_program(program, str(end))
    session.wait_for_output("READY")
    main = session.debuggee()
    session.request("pause", {"threadId": main})  # as an editor does, which has seen no stop yet
    stop = session.wait_for_stop()
    assert stop.thread_id != main
    assert session.stack(main)[0].name == "[External Code]"
    assert [frame.name for frame in session.stack(stop.thread_id) if "Hold" in frame.name]
    (idle,) = [thread.id for thread in session.threads() if thread.name == "idle"]
    session.continue_()
    session.request("pause", {"threadId": idle})
    assert session.wait_for_stop().thread_id == idle
    end.touch()
    session.continue_()
    assert session.wait_for_exit() == 0


def test_pause_of_a_paused_program_is_harmless(newest_runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    session.launch_program(program, str(place.folder / "stop"))
    session.wait_for_output("READY")
    session.pause()
    session.request("pause", {"threadId": 0})
    session.continue_()
    # The stop of the second request would be seen now.
    assert session.pause().reason == "pause"
    assert len(session.events("stopped")) == 2


def test_pause_twice_without_waiting_is_one_stop(newest_runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    session.launch_program(program, str(place.folder / "stop"))
    session.wait_for_output("READY")
    for pending in [session.send("pause", {"threadId": 0}) for _ in range(3)]:
        pending.result()
    session.wait_for_stop()
    session.continue_()
    (made,) = session.set_breakpoints(str(program.source), [program.line("round")])
    assert session.wait_for_stop().breakpoint_ids == (made.id,)
    assert len(session.events("stopped")) == 2


def test_continue_and_pause_at_once(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", runtime)
    session.launch_program(program, str(place.folder / "stop"))
    session.wait_for_output("READY")
    session.pause()
    thread = session.last_stop.thread_id
    for _ in range(10):
        first, second = session.send("continue", {"threadId": thread}), session.send("pause", {"threadId": thread})
        first.result()
        second.result()
        assert session.wait_for_stop().reason == "pause"


def test_step_and_pause_at_once(newest_runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    thread = session.stop_in(program, "sleep", str(place.folder / "stop"))
    session.set_breakpoints(str(program.source), [])
    for _ in range(10):
        first, second = session.send("next", {"threadId": thread}), session.send("pause", {"threadId": thread})
        first.result()
        second.result()
        # One of them, or the one and then the other: never none.
        session.wait_for_stop()
    session.disconnect()


def test_pause_of_a_tight_loop_stops_or_says_why_not(runtime: Runtime, session: Session) -> None:
    program = programs.build("Threads", runtime)
    session.launch_program(program, "tight", "2000")
    session.wait_for_output("spinning")
    session.request("pause", {"threadId": 0})
    if version_key(runtime.version) >= FIRST_THAT_STOPS_TIGHT_LOOPS:
        assert session.wait_for_stop().reason == "pause"
        session.continue_()
        assert session.wait_for_exit(timeout_s=30) == 0
    else:
        # The other threads stand and wait for this one, so the program does not end either: it can be ended.
        session.wait_for_output("could not be stopped", "important")
        session.disconnect()


def test_cancel_of_a_request_that_is_answered_is_harmless(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "loop")
    threads = session.send("threads")
    threads.result()
    assert session.request("cancel", {"requestId": threads.seq}) == {}
    assert session.request("cancel", {"requestId": 999_999}) == {}
    assert session.request("cancel", {}) == {}


def test_cancel_of_a_request_that_waits(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Deep", newest_runtime)
    thread = session.stop_in(program, "bottom", "3000")
    # The first keeps the session busy while the others wait for their turn.
    requests = [session.send("stackTrace", {"threadId": thread}) for _ in range(6)]
    session.send("cancel", {"requestId": requests[-1].seq}).result()
    with pytest.raises(DapRequestError) as refused:
        requests[-1].result()
    assert refused.value.message == "cancelled"
    for request in requests[:-1]:
        assert len(request.result()["stackFrames"]) > 3000


def test_requests_sent_in_one_go_are_answered_in_order(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    thread = session.stop_in(program, "loop")
    requests = [
        session.send(command, arguments)
        for _ in range(50)
        for command, arguments in (
            ("threads", {}),
            ("stackTrace", {"threadId": thread}),
            ("modules", {}),
            ("exceptionInfo", {"threadId": thread}),
        )
    ]
    session.wait_until(lambda: all(request.is_answered for request in requests), "all responses")
    first = requests[0].seq
    answered = [recorded.message.get("request_seq", 0) for recorded in session.messages]
    assert [seq for seq in answered if seq >= first] == [request.seq for request in requests]
    session.disconnect()


def test_threads_of_a_running_program_are_known(runtime: Runtime, session: Session) -> None:
    program = programs.build("Threads", runtime)
    session.set_early(program.source, {"line": program.line("all-run"), "logMessage": "all run"})
    session.launch_program(program, "", "60000")
    session.wait_for_output("all run", "console")
    running = {thread.id: thread.name for thread in session.threads()}
    assert running[session.debuggee()] == "Main Thread"
    started = {body["threadId"] for body in session.events("thread") if body["reason"] == "started"}
    assert set(running) == started
    session.pause()
    stopped = {thread.id: thread.name for thread in session.threads()}
    assert set(running) <= set(stopped)
    assert {"waiter", "locker", "sleeper", "spinner"} <= set(stopped.values())
    # The names stay known when the program goes on.
    session.continue_()
    assert {thread.id: thread.name for thread in session.threads()} == stopped
    session.disconnect()
