"""The fake debuggee keeps the seam's rules, as the real one does (tests/e2e/runtime/test_seam_rules.py)."""

from __future__ import annotations

import inspect
import queue
import threading
import time

import pytest

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime import api
from dap_dotnet.runtime.events import (
    BreakpointHit,
    EvalCompleted,
    ModuleLoaded,
    ProcessExited,
    ProcessReaped,
    RuntimeEvent,
    StopCompleted,
)
from dap_dotnet.runtime.model import BreakpointLocation, LaunchSpec, MethodToken
from tests.support.fake_debuggee.backend import FakeBackend
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.evaluations import VOID, ThrownError
from tests.support.fake_debuggee.machine import Machine
from tests.support.fake_debuggee.sample import SAMPLE, SAMPLE_MODULE
from tests.support.fake_debuggee.standing import running_debuggee, standing_debuggee
from tests.support.fake_debuggee.values import Object
from tests.support.seam_rules import check_rules, outcome

DEADLINE_S = 10.0


def add_for_ever(machine: Machine) -> int:
    with machine.call("Main", args=["a"]):
        machine.at("begin")
        while True:
            machine.at("call")
            with machine.call("Add", left=1, right=2):
                machine.at("add")


class Started:
    """A debuggee whose program is played, and its events."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[RuntimeEvent] = queue.SimpleQueue()
        self.backend = FakeBackend(add_for_ever)
        self.debuggee = self.backend.launch(LaunchSpec((), "/", {}), self.events.put, timeout_ms=0)

    def wait(self, kind, only=lambda event: True):
        """The next event of a kind; the others are released."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            event = self.events.get(timeout=max(0.001, deadline - time.monotonic()))
            if isinstance(event, kind) and only(event):
                return event
            self.debuggee.resume(event)

    def run_to_add(self) -> BreakpointHit:
        loaded = self.wait(ModuleLoaded, only=lambda event: event.module.path == str(SAMPLE))
        add = BreakpointLocation(SAMPLE_MODULE, self.method("Add"), 0)
        self.debuggee.create_breakpoints([add])
        self.debuggee.resume(loaded)
        return self.wait(BreakpointHit)

    def method(self, name: str) -> MethodToken:
        metadata = self.debuggee.types.metadata
        methods = metadata.methods_of(metadata.find_type("Sample.Program"))
        return next(MethodToken(method.token) for method in methods if method.name == name)


@pytest.fixture
def started():
    started = Started()
    yield started
    started.debuggee.close()
    started.debuggee.violations.clear()  # they are what these tests are about
    started.backend.join()


@pytest.mark.parametrize(("protocol", "fake"), [(api.Debuggee, FakeDebuggee), (api.Backend, FakeBackend)])
def test_fake_has_every_method_of_the_seam_with_its_parameters(protocol, fake):
    methods = {name: method for name, method in vars(protocol).items() if inspect.isfunction(method)}
    assert len(methods) > 3
    for name, method in methods.items():
        if not name.startswith("_"):
            ours, wanted = inspect.signature(getattr(fake, name)), inspect.signature(method)
            assert ours.parameters == wanted.parameters, name


def test_fake_keeps_the_rules_of_the_seam(started):
    check_rules(started, started.run_to_add())


def test_what_breaks_a_rule_is_noted(started):
    hit = started.run_to_add()
    assert started.debuggee.violations == []
    (left, _) = started.debuggee.arguments(hit.thread, 0)
    started.debuggee.remove_breakpoints([hit.bound])
    started.debuggee.resume(hit)
    assert outcome(lambda: started.debuggee.resume(hit)) == "StaleHandleError"
    assert outcome(started.debuggee.threads).startswith("RuntimeCallError")
    started.debuggee.request_stop(0)
    started.wait(StopCompleted)
    assert outcome(lambda: started.debuggee.elements(left.handle, 0, 1)) == "StaleHandleError"
    assert started.debuggee.violations == [
        "BreakpointHit was released twice",
        "threads while the process runs",
        "a handle of an earlier generation was used",
    ]


def test_module_flags_are_set_at_the_load_only():
    debuggee = standing_debuggee()
    debuggee.set_module_flags(SAMPLE_MODULE, just_my_code=True, disable_optimizations=False)
    assert debuggee.violations == ["set_module_flags after the module's load"]


def test_launched_program_is_reaped_after_its_end(started):
    started.run_to_add()
    started.debuggee.terminate()
    started.wait(ProcessExited)
    reaped = started.wait(ProcessReaped)
    assert (reaped.exit_code, reaped.signal) == (137, 9)


def test_pin_of_what_is_not_on_the_heap_is_refused(started):
    hit = started.run_to_add()
    (left, _) = started.debuggee.arguments(hit.thread, 0)
    with pytest.raises(RuntimeCallError):
        started.debuggee.pin(left.handle)


@pytest.mark.parametrize(
    ("callee", "threw", "shown"),
    [
        (lambda left, right: left.value + right.value, False, 3),
        (lambda left, right: VOID, False, None),
        (lambda left, right: (_ for _ in ()).throw(ThrownError(Object("Sample.Trouble"))), True, "Sample.Trouble"),
    ],
    ids=["result", "void", "throws"],
)
def test_evaluation_runs_when_the_last_hold_is_released(started, callee, threw, shown):
    debuggee, hit = started.debuggee, started.run_to_add()
    debuggee.evaluations.callees["Add"] = callee
    arguments = [value.handle for value in debuggee.arguments(hit.thread, 0)]
    evaluation = debuggee.call(hit.thread, SAMPLE_MODULE, started.method("Add"), (), arguments)
    assert outcome(lambda: debuggee.eval_result(evaluation)).startswith("RuntimeCallError")
    debuggee.resume(hit)
    completed = started.wait(EvalCompleted)
    assert (completed.evaluation, completed.threw) == (evaluation, threw)
    assert completed.generation > hit.generation
    result = debuggee.eval_result(evaluation)
    if shown is None:
        assert result is None
    elif threw:
        token = debuggee.type_info(result.type).token
        assert debuggee.types.metadata.type_name(token) == shown
    else:
        assert int.from_bytes(result.raw, "little") == shown
    with pytest.raises(RuntimeCallError):
        debuggee.eval_result(evaluation)
    debuggee.resume(completed)
    assert started.wait(BreakpointHit).bound == hit.bound, "the program goes on"


def test_string_is_made_by_an_evaluation(started):
    debuggee, hit = started.debuggee, started.run_to_add()
    evaluation = debuggee.new_string(hit.thread, "made")
    debuggee.resume(hit)
    started.wait(EvalCompleted)
    made = debuggee.eval_result(evaluation)
    assert (made.text, made.length) == ("made", 4)


def test_thread_that_is_no_session_thread_is_noted():
    debuggee = running_debuggee()
    debuggee.process.check("first", held=False)
    other = queue.SimpleQueue()
    thread = threading.Thread(target=lambda: other.put(outcome(lambda: debuggee.request_stop(0))))
    thread.start()
    assert other.get(timeout=DEADLINE_S) == "done"
    thread.join()
    assert debuggee.violations == ["request_stop on a second thread"]
