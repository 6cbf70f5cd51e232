"""Real programs started again in one adapter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Installation, Runtime
from tests.support.processes import spinning
from tests.support.session import Place, Session
from tests.support.terminal import Terminal

pytestmark = pytest.mark.e2e


def test_program_starts_again_while_it_stands_steps_and_runs(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    session.launch_program(program, "1000000000", stop_at=["call"], stopAtEntry=True)
    (known,) = session.request("dap-dotnet/breakpoints")["breakpoints"]
    only_it = {"breakpointIds": [known["id"]]}
    for what in ("stands", "steps", "runs", "ends"):
        while (stop := session.wait_for_stop()).reason == "step":
            pass  # the step ended before the program did
        assert stop.reason == "entry"
        session.request("dap-dotnet/enableBreakpoints", {**only_it, "enabled": True})
        session.continue_()
        assert session.wait_for_stop().breakpoint_ids == (known["id"],)
        assert session.values()["i"] == "0"
        if what == "steps":
            session.request("next", {"threadId": stop.thread_id})
        elif what == "runs":
            session.request("dap-dotnet/enableBreakpoints", {**only_it, "enabled": False})
            session.continue_()
        if what != "ends":
            session.request("restart")
    assert len({body["systemProcessId"] for body in session.events("process")}) == 4
    assert not session.events("exited")
    assert not session.events("terminated")
    session.disconnect()
    assert session.wait_for_exit() == 137


def test_attached_program_is_attached_to_again(session: Session, place: Place, runtime: Runtime) -> None:
    program = programs.build("Spin", runtime)
    with spinning(program, place.folder, place.environment) as spin:
        places = {str(program.source): [program.line("round")]}
        (found,) = session.attach(spin.process_id, breakpoints=places, exception_filters=[])
        assert session.wait_for_stop().breakpoint_ids == (found.id,)
        before = int(session.values()["round"])
        for _ in range(2):
            session.request("restart")
            assert session.wait_for_stop().breakpoint_ids == (found.id,)
            assert int(session.values()["round"]) > before
        session.disconnect()
        spin.stop()


def test_program_in_a_terminal_gets_another_terminal(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    program = programs.build("Stdin", newest_runtime)
    with Terminal(place.environment) as first, Terminal(place.environment) as second:
        terminals = iter((first, second))
        session = open_session(reverse_handlers={"runInTerminal": lambda arguments: next(terminals).run(arguments)})
        session.initialize(supportsRunInTerminalRequest=True)
        session.launch_program(program, console="integratedTerminal")
        first.type("one\n")
        first.wait_for("line: one")
        session.request("restart")
        second.type("two\n")
        second.wait_for("line: two")
        second.type("\x04")
        second.wait_for("end of input after 1 lines")
        assert session.wait_for_exit() == 1


def test_program_of_another_runtime_needs_a_new_session(installation: Installation, session: Session) -> None:
    if len(installation.runtimes) < 2:
        pytest.skip("there is one runtime only")
    first, last = (programs.build("Loop", runtime) for runtime in (installation.runtimes[0], installation.runtimes[-1]))
    session.sends_invalid = True  # by the schema the request is of launch and of attach at once, and must be of one
    session.stop_in(first, "call")
    with pytest.raises(DapRequestError, match="begin a new session"):
        session.request("restart", {"arguments": {"program": str(last.dll), "env": dict(last.env)}})
    session.wait_for("terminated")
