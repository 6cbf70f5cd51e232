"""Announced means works, works means announced: each capability is driven over the whole server."""

from __future__ import annotations

import importlib
import inspect
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.handlers import EXCEPTION_FILTERS, HANDLERS
from dap_dotnet.protocol.messages.initialize import CAPABILITY_OF_COMMAND
from dap_dotnet.runtime.events import ExceptionPhase
from tests.session.harness import SessionUnderTest, add_up, spinning_until
from tests.support.fake_debuggee.machine import Machine, Program
from tests.support.fake_debuggee.memory import MEMORY_START
from tests.support.fake_debuggee.sample import DOCUMENT, line_of

Check = Callable[[SessionUnderTest], None]


def stop_at(session: SessionUnderTest, *wanted: Any) -> None:
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: list(wanted)})
    session.client.wait_for_stop()


def stops(session: SessionUnderTest, **settings: Any) -> int:
    """How often a breakpoint in Add stops, of three times."""
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [{"line": line_of("add"), **settings}]})
    count = 0
    while True:
        event = session.client.next_event()
        if event.event == "stopped":
            count += 1
            session.client.request("continue", {"threadId": event.body["threadId"]})
        elif event.event == "terminated":
            return count


def configuration_done(session: SessionUnderTest) -> None:
    session.client.start("launch", {"program": "/app/Sample.dll"}).result()
    session.client.wait_for("module", where=lambda body: body["module"]["name"] == "Sample.dll")
    assert not session.client.events("exited")
    session.client.configuration_done()
    assert session.client.wait_for_exit() == 6


def function_breakpoints(session: SessionUnderTest) -> None:
    starting = session.client.start("launch", {"program": "/app/Sample.dll"})
    session.client.request("setFunctionBreakpoints", {"breakpoints": [{"name": "Program.Add"}]})
    session.client.configuration_done()
    starting.result()
    assert session.client.wait_for_stop().reason == "function breakpoint"


def conditional_breakpoints(session: SessionUnderTest) -> None:
    assert stops(session, condition="right == 2") == 1


def hit_conditional_breakpoints(session: SessionUnderTest) -> None:
    assert stops(session, hitCondition=">= 2") == 2


def log_points(session: SessionUnderTest) -> None:
    assert stops(session, logMessage="right {right}") == 0
    written = "".join(body["output"] for body in session.client.events("output"))
    assert "right 1\nright 2\nright 3\n" in written


def evaluate_for_hovers(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    frame = session.client.stack()[0].id
    answer = session.client.request("evaluate", {"expression": "left + 1", "frameId": frame, "context": "hover"})
    assert answer["result"] == "1"


def clipboard_context(session: SessionUnderTest) -> None:
    stop_at(session, line_of("call"))
    frame = session.client.stack()[0].id
    answer = session.client.request("evaluate", {"expression": "point.Name", "frameId": frame, "context": "clipboard"})
    assert answer["result"] == "four"


def value_formatting(session: SessionUnderTest) -> None:
    stop_at(session, line_of("call"))
    frame = session.client.stack()[0].id
    answer = session.client.request("evaluate", {"expression": "10 + 1", "frameId": frame, "format": {"hex": True}})
    assert answer["result"].lower().endswith("0xb") or answer["result"].lower().endswith("0000000b")


def set_variable(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    (scope,) = session.client.scopes(session.client.stack()[0].id)
    reference = scope.variables_reference
    answer = session.client.request(
        "setVariable", {"variablesReference": reference, "name": "right", "value": "40 + 2"}
    )
    assert (answer["value"], session.client.evaluate("right").result) == ("42", "42")


def read_memory(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    session.debuggee.memory = bytearray(b"abcd")
    assert session.client.read_memory(hex(MEMORY_START), 2, 1) == b"bc"


def write_memory(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    session.debuggee.memory = bytearray(b"abcd")
    session.client.write_memory(hex(MEMORY_START), b"XY", 1)
    assert session.debuggee.memory == b"aXYd"


def set_expression(session: SessionUnderTest) -> None:
    stop_at(session, line_of("call"))
    answer = session.client.request("setExpression", {"expression": "numbers[1]", "value": "7"})
    assert (answer["value"], session.client.evaluate("numbers[1]").result) == ("7", "7")


def completions(session: SessionUnderTest) -> None:
    stop_at(session, line_of("call"))
    frame = session.client.stack()[0].id
    wanted = {"text": "1 + point.N", "column": 12, "frameId": frame}
    found = session.client.request("completions", wanted)["targets"]
    assert [(one["label"], one["type"], one["start"], one["length"]) for one in found] == [
        ("Name", "field", 11, 1),
        ("Next", "field", 11, 1),
    ]


def completion_triggers(session: SessionUnderTest) -> None:
    assert session.client.initialize().completion_trigger_characters == ["."]
    completions(session)


def exception_filters(session: SessionUnderTest) -> None:
    announced = session.client.initialize().exception_breakpoint_filters or []
    assert [one.filter for one in announced] == [one["filter"] for one in EXCEPTION_FILTERS]
    starting = session.client.start("launch", {"program": "/app/Sample.dll", "justMyCode": False})
    session.client.set_exception_breakpoints(["all"])
    session.client.configuration_done()
    starting.result()
    assert session.client.wait_for_stop().reason == "exception"


def exception_filter_options(session: SessionUnderTest) -> None:
    starting = session.client.start("launch", {"program": "/app/Sample.dll", "justMyCode": False})
    options = [{"filterId": "all", "condition": "Sample.Trouble"}]
    session.client.request("setExceptionBreakpoints", {"filters": [], "filterOptions": options})
    session.client.configuration_done()
    starting.result()
    assert session.client.wait_for_stop().reason == "exception"


def exception_options(session: SessionUnderTest) -> None:
    starting = session.client.start("launch", {"program": "/app/Sample.dll", "justMyCode": False})
    options = [{"path": [{"names": ["CLR"]}, {"names": ["Sample.Trouble"]}], "breakMode": "always"}]
    session.client.request("setExceptionBreakpoints", {"filters": [], "exceptionOptions": options})
    session.client.configuration_done()
    starting.result()
    assert session.client.wait_for_stop().reason == "exception"


def exception_info(session: SessionUnderTest) -> None:
    exception_filters(session)
    assert session.client.exception_info().break_mode == "always"


def terminate_debuggee(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    session.client.disconnect(terminate_debuggee=False)
    assert session.debuggee.process.is_detached


def terminate(session: SessionUnderTest) -> None:
    session.launch()
    session.wait_until_spinning()
    session.client.request("terminate")
    session.client.wait_for("terminated")


def delayed_stack_trace(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    thread = session.client.threads()[0].id
    page = session.client.request("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 1})
    assert (len(page["stackFrames"]), page["totalFrames"]) == (1, 2)


def modules(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    assert session.client.request("modules", {})["totalModules"] == 2


def loaded_sources(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    assert DOCUMENT in {source["path"] for source in session.client.request("loadedSources", {})["sources"]}


def breakpoint_locations(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    found = session.client.request("breakpointLocations", {"source": {"path": DOCUMENT}, "line": line_of("loop")})
    assert len(found["breakpoints"]) == 3


def data_breakpoints(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    info = session.client.request("dataBreakpointInfo", {"name": "Sample.Point.X"})
    made = session.client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"]}]})
    assert made["breakpoints"][0]["verified"]


def goto_targets(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    place = {"source": {"path": DOCUMENT}, "line": line_of("added")}
    (target,) = session.client.request("gotoTargets", place)["targets"]
    assert session.client.last_stop is not None
    arguments = {"threadId": session.client.last_stop.thread_id, "targetId": target["id"]}
    session.client.request("goto", arguments)
    assert session.client.wait_for_stop().reason == "goto"
    assert session.client.stack()[0].line == target["line"] == line_of("added")


def restart_frame(session: SessionUnderTest) -> None:
    stop_at(session, line_of("added"))
    assert session.client.last_stop is not None
    thread = session.client.last_stop.thread_id
    top, *others = session.client.request("stackTrace", {"threadId": thread})["stackFrames"]
    assert "canRestart" not in top
    assert all(frame["canRestart"] is False for frame in others)
    session.client.request("restartFrame", {"frameId": top["id"]})
    assert session.client.wait_for_stop().reason == "restart"
    assert session.client.stack()[0].line == line_of("add") - 1


def step_in_targets(session: SessionUnderTest) -> None:
    stop_at(session, line_of("call"))
    frame = session.client.stack()[0]
    (target,) = session.client.request("stepInTargets", {"frameId": frame.id})["targets"]
    assert session.client.last_stop is not None
    arguments = {"threadId": session.client.last_stop.thread_id, "targetId": target["id"]}
    session.client.request("stepIn", arguments)
    assert session.client.wait_for_stop().reason == "step"
    assert "Add" in session.client.stack()[0].name


def stepping_granularity(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"))
    assert session.client.last_stop is not None
    thread = session.client.last_stop.thread_id
    session.client.request("next", {"threadId": thread, "granularity": "statement"})
    session.client.wait_for_stop()
    assert session.client.stack()[0].line == line_of("loop")
    session.client.request("next", {"threadId": thread, "granularity": "line"})  # over `int i = 0` and `i < 3`
    session.client.wait_for_stop()
    assert session.client.stack()[0].line == line_of("call")
    session.client.request("stepIn", {"threadId": thread, "granularity": "instruction"})
    session.client.wait_for_stop()
    assert list(session.debuggee.steps[-1].ranges) == []


def single_thread(session: SessionUnderTest) -> None:
    stop_at(session, line_of("begin"), line_of("add"))
    assert session.client.last_stop is not None
    arguments = {"threadId": session.client.last_stop.thread_id, "singleThread": True}
    assert not session.client.request("continue", arguments)["allThreadsContinued"]
    session.client.wait_for_stop()
    session.client.request("next", arguments)
    assert session.client.wait_for_stop().reason == "step"


def disassemble(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    reference = session.client.stack()[0].instruction_pointer_reference
    found = session.client.request("disassemble", {"memoryReference": reference, "instructionCount": 2})
    assert "ldarg.0" in found["instructions"][0]["instruction"]


def instruction_breakpoints(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    reference = session.client.stack()[0].instruction_pointer_reference
    wanted = {"breakpoints": [{"instructionReference": reference, "offset": 4}]}
    session.client.request("setInstructionBreakpoints", wanted)
    session.client.continue_()
    assert session.client.wait_for_stop().reason == "instruction breakpoint"


def cancel(session: SessionUnderTest) -> None:
    session.client.initialize()
    assert session.client.request("cancel", {"requestId": 77}) in (None, {})


def restart(session: SessionUnderTest) -> None:
    stop_at(session, line_of("add"))
    session.client.request("restart")
    assert session.client.wait_for_stop().reason == "breakpoint"
    assert len(session.client.events("process")) == 2
    assert not session.client.events("terminated")


CHECKS: dict[str, Check] = {
    "supports_restart_request": restart,
    "supports_configuration_done_request": configuration_done,
    "supports_function_breakpoints": function_breakpoints,
    "supports_conditional_breakpoints": conditional_breakpoints,
    "supports_hit_conditional_breakpoints": hit_conditional_breakpoints,
    "supports_log_points": log_points,
    "supports_evaluate_for_hovers": evaluate_for_hovers,
    "supports_clipboard_context": clipboard_context,
    "supports_value_formatting_options": value_formatting,
    "supports_completions_request": completions,
    "completion_trigger_characters": completion_triggers,
    "supports_set_variable": set_variable,
    "supports_read_memory_request": read_memory,
    "supports_write_memory_request": write_memory,
    "supports_set_expression": set_expression,
    "exception_breakpoint_filters": exception_filters,
    "supports_exception_filter_options": exception_filter_options,
    "supports_exception_options": exception_options,
    "supports_exception_info_request": exception_info,
    "support_terminate_debuggee": terminate_debuggee,
    "supports_terminate_request": terminate,
    "supports_delayed_stack_trace_loading": delayed_stack_trace,
    "supports_modules_request": modules,
    "supports_loaded_sources_request": loaded_sources,
    "supports_breakpoint_locations_request": breakpoint_locations,
    "supports_data_breakpoints": data_breakpoints,
    "supports_goto_targets_request": goto_targets,
    "supports_restart_frame": restart_frame,
    "supports_step_in_targets_request": step_in_targets,
    "supports_stepping_granularity": stepping_granularity,
    "supports_single_thread_execution_requests": single_thread,
    "supports_disassemble_request": disassemble,
    "supports_instruction_breakpoints": instruction_breakpoints,
    "supports_cancel_request": cancel,
}


def throws(machine: Machine) -> int:
    with machine.call("Main", args=[]):
        machine.at("begin")
        machine.throw(ExceptionPhase.FIRST_CHANCE)
    return 0


PROGRAMS: dict[Check, Program] = {
    exception_filters: throws,
    exception_filter_options: throws,
    exception_options: throws,
    exception_info: throws,
    terminate: spinning_until(threading.Event()),
    terminate_debuggee: spinning_until(threading.Event()),
}


@pytest.mark.parametrize("capability", CHECKS)
def test_announced_capability_works(session_of, capability):
    check = CHECKS[capability]
    with session_of(PROGRAMS.get(check, add_up)) as session:
        check(session)


def test_each_announced_capability_is_driven_here(session):
    announced = session.client.initialize().model_dump(exclude_none=True)
    assert set(announced) == set(CHECKS)


def test_each_request_with_a_handler_is_announced():
    announced = {name for spec in HANDLERS.values() for name in spec.capabilities}
    announced |= {CAPABILITY_OF_COMMAND[command] for command in HANDLERS if command in CAPABILITY_OF_COMMAND}
    assert announced | {"supports_cancel_request"} == set(CHECKS)


MEMBERS = {
    ("condition", "breakpoints"): "supports_conditional_breakpoints",
    ("hit_condition", "breakpoints"): "supports_hit_conditional_breakpoints",
    ("log_message", "breakpoints"): "supports_log_points",
    ("filter_options", "exceptions"): "supports_exception_filter_options",
    ("exception_options", "exceptions"): "supports_exception_options",
    ("terminate_debuggee", "lifecycle"): "support_terminate_debuggee",
    ("suspend_debuggee", "lifecycle"): "support_suspend_debuggee",
    ("format", "variables"): "supports_value_formatting_options",
    ("granularity", "execution"): "supports_stepping_granularity",
    ("single_thread", "execution"): "supports_single_thread_execution_requests",
}
"""Members of arguments, with the module of their handler, and the capability that announces them."""


@pytest.mark.parametrize(("member", "module", "capability"), [(*key, value) for key, value in MEMBERS.items()])
def test_member_of_arguments_is_read_where_its_capability_is_announced_and_only_there(member, module, capability):
    source = inspect.getsource(importlib.import_module(f"dap_dotnet.handlers.{module}"))
    assert bool(re.search(rf"\.{member}\b", source)) == (capability in CHECKS)
