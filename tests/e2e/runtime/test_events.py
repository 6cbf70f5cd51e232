"""What the runtime reports: modules, threads, breakpoints, exceptions, messages, the end."""

from __future__ import annotations

import pytest

from dap_dotnet.runtime.events import (
    BreakpointHit,
    DebuggerBreak,
    ExceptionPhase,
    ExceptionRaised,
    MessageLogged,
    ModuleLoaded,
    ProcessCreated,
    ProcessExited,
    RuntimeEvent,
    ThreadStarted,
)
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId, RuntimeCallErrorInfo
from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def test_launched_process_reports_itself_and_its_modules(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        first = session.wait(RuntimeEvent)
        assert isinstance(first, ProcessCreated)
        assert session.debuggee.runtime_version == runtime.version
        loaded = session.wait_for_module()
        assert loaded.holds
        assert loaded.module.path == str(session.program.dll)
        assert (loaded.module.is_dynamic, loaded.module.is_in_memory) == (False, False)
        assert loaded.module.size > 0
        # An image starts as every executable of Windows does.
        assert session.debuggee.read_memory(loaded.module.base_address, 2) == b"MZ"
        core = next(event for event in session.seen if isinstance(event, ModuleLoaded))
        assert core.module.module == 1
        assert core.module.path.endswith("System.Private.CoreLib.dll")
        assert session.run_to_end(loaded) == 7


def test_breakpoints_name_the_bound_one(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        loaded = session.wait_for_module()
        inner, mark = session.break_at("Program.Inner"), session.break_at("Program.Mark")
        session.debuggee.resume(loaded)
        hits = [session.wait(BreakpointHit)]
        for _ in range(2):
            session.debuggee.resume(hits[-1])
            hits.append(session.wait(BreakpointHit))
        assert [hit.bound for hit in hits] == [inner, mark, mark]
        assert hits[0].thread == session.process.pid
        assert session.run_to_end(hits[-1]) == 7


def test_removed_and_inactive_breakpoints_are_not_hit(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "loop", "3") as session:
        hit = session.run_to("Program.Mark")
        session.debuggee.set_breakpoint_active(hit.bound, False)
        session.debuggee.set_breakpoint_active(hit.bound, True)
        session.debuggee.resume(hit)
        hit = session.wait(BreakpointHit)
        session.debuggee.remove_breakpoints([hit.bound, hit.bound])
        assert session.run_to_end(hit) == 7
        assert sum(isinstance(event, BreakpointHit) for event in session.seen) == 2


def test_breakpoints_that_cannot_bind_have_an_error_each(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        session.wait_for_module()
        assert session.module is not None
        good = MethodToken(session.tokens["Program.Mark"])
        places = [
            BreakpointLocation(session.module, MethodToken(0x0600FFFF), 0),
            BreakpointLocation(session.module, good, 0),
            BreakpointLocation(ModuleId(9999), good, 0),
            BreakpointLocation(session.module, good, 100_000),
        ]
        results = session.debuggee.create_breakpoints(places)
        assert [isinstance(result, RuntimeCallErrorInfo) for result in results] == [True, False, True, True]
        named = [result for result in results if isinstance(result, RuntimeCallErrorInfo)]
        assert all(result.hresult_name and result.hresult > 0x80000000 for result in named)


@pytest.mark.parametrize("phases", [list(ExceptionPhase), [ExceptionPhase.FIRST_CHANCE], []], ids=len)
def test_caught_exception_is_reported_in_the_wanted_phases(runtime: Runtime, phases: list[ExceptionPhase]) -> None:
    with Session.launch(build(runtime), "throw") as session:
        session.debuggee.set_exception_interest(phases)
        event: RuntimeEvent = session.wait_for_module()
        places = []
        while not isinstance(event, ProcessExited):
            if isinstance(event, ExceptionRaised):
                thrown = session.debuggee.current_exception(event.thread)
                assert thrown is not None
                places.append((event.phase, event.module, event.method))
            session.debuggee.resume(event)
            event = session.wait(RuntimeEvent)
        thrower, catcher = session.tokens["Animal.Fail"], session.tokens["Program.Throwing"]
        expected = [
            (ExceptionPhase.FIRST_CHANCE, session.module, thrower),
            (ExceptionPhase.USER_FIRST_CHANCE, session.module, thrower),
            (ExceptionPhase.CATCH_HANDLER_FOUND, session.module, catcher),
        ]
        assert places == [place for place in expected if place[0] in phases]


def test_unhandled_exception_holds_by_default(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "unhandled") as session:
        session.debuggee.resume(session.wait_for_module())
        raised = session.wait(ExceptionRaised)
        assert raised.phase is ExceptionPhase.UNHANDLED
        assert session.debuggee.current_exception(raised.thread) is not None
        methods = [frame.method for frame in session.debuggee.stack(raised.thread, 0, 50).frames]
        assert session.tokens["Program.Main"] in methods
        assert session.run_to_end(raised) == 134


def test_debugger_break_and_log_are_reported(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "break") as session:
        session.debuggee.resume(session.wait_for_module())
        event = session.wait(DebuggerBreak)
        assert event.thread == session.process.pid
        assert session.run_to_end(event) == 7


def test_log_messages_are_reported_and_do_not_hold(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "log") as session:
        session.debuggee.resume(session.wait_for_module())
        logged = session.wait(MessageLogged)
        assert (logged.level, logged.category, logged.message) == (3, "category", "logged message")
        assert not logged.holds
        assert session.run_to_end(logged) == 7


def test_threads_are_listed_with_their_objects(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "threads") as session:
        hit = session.run_to("Program.Mark")
        threads = {info.thread for info in session.debuggee.threads()}
        started = {event.thread for event in session.seen if isinstance(event, ThreadStarted)}
        # The runtime's own threads (finaliser, tiered compilation) are listed without having been announced.
        assert started | {hit.thread} <= threads
        assert len(threads) >= 4
        objects = [session.debuggee.thread_object(thread) for thread in threads]
        assert sum(not value.is_null for value in objects) >= 3
