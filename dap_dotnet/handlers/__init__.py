"""The requests of the Debug Adapter Protocol, one module for each family.

A handler takes the session and its typed arguments, and returns a body or raises an error of `dap_dotnet.errors`. The
modules are imported when their first request arrives; those of `USUAL` earlier, while nothing else is to be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_dotnet.server import HandlerSpec

_CONDITION = (
    "Names of exception types, separated by commas: System.ArgumentException, MyError. A*: A and its subtypes. "
    "!A, B: all but these."
)
EXCEPTION_FILTERS = [
    {
        "filter": "all",
        "label": "All Exceptions",
        "description": "Stop where any exception is thrown (with Just My Code: where it reaches your code).",
        "default": False,
        "supports_condition": True,
        "condition_description": _CONDITION,
    },
    {
        "filter": "user-unhandled",
        "label": "User-Unhandled Exceptions",
        "description": "Stop where an exception leaves your code and only code that is not yours catches it.",
        "default": True,
        "supports_condition": True,
        "condition_description": _CONDITION,
    },
    {
        "filter": "unhandled",
        "label": "Unhandled Exceptions",
        "description": "Stop where an exception is thrown that nothing catches.",
        "default": True,
        "supports_condition": True,
        "condition_description": _CONDITION,
    },
]
"""What clients offer to their users."""

_FILTERS = {
    "exception_breakpoint_filters": EXCEPTION_FILTERS,
    "supports_exception_filter_options": True,
    "supports_exception_options": True,
}
_BREAKPOINTS = {
    "supports_conditional_breakpoints": True,
    "supports_hit_conditional_breakpoints": True,
    "supports_log_points": True,
}
_EVALUATE = {"supports_evaluate_for_hovers": True, "supports_clipboard_context": True}
_COMPLETIONS = {"completion_trigger_characters": ["."]}
_FORMATS = {"supports_value_formatting_options": True}
_STEPS = {"supports_stepping_granularity": True, "supports_single_thread_execution_requests": True}
_STACK = {"supports_delayed_stack_trace_loading": True, **_FORMATS}


def _reading(target: str, capabilities: Mapping[str, Any] | None = None) -> HandlerSpec:
    """Of a handler that reads what the client is shown."""
    return HandlerSpec(target, capabilities or {}, only_reads=True)


HANDLERS: dict[str, HandlerSpec] = {
    "launch": HandlerSpec("dap_dotnet.handlers.lifecycle:launch"),
    "attach": HandlerSpec("dap_dotnet.handlers.lifecycle:attach"),
    "configurationDone": HandlerSpec("dap_dotnet.handlers.lifecycle:configuration_done"),
    "disconnect": HandlerSpec("dap_dotnet.handlers.lifecycle:disconnect", {"support_terminate_debuggee": True}),
    "terminate": HandlerSpec("dap_dotnet.handlers.lifecycle:terminate"),
    "restart": HandlerSpec("dap_dotnet.handlers.restarting:restart"),
    "setBreakpoints": HandlerSpec("dap_dotnet.handlers.breakpoints:set_breakpoints", _BREAKPOINTS),
    "setFunctionBreakpoints": HandlerSpec("dap_dotnet.handlers.breakpoints:set_function_breakpoints"),
    "dataBreakpointInfo": _reading("dap_dotnet.handlers.data_breakpoints:data_breakpoint_info"),
    "setDataBreakpoints": HandlerSpec("dap_dotnet.handlers.data_breakpoints:set_data_breakpoints"),
    "setInstructionBreakpoints": HandlerSpec("dap_dotnet.handlers.disassembling:set_instruction_breakpoints"),
    "dap-dotnet/explainBreakpoint": HandlerSpec("dap_dotnet.handlers.explaining:explain_breakpoint"),
    "dap-dotnet/explainStep": HandlerSpec("dap_dotnet.handlers.explaining_steps:explain_step"),
    "breakpointLocations": HandlerSpec("dap_dotnet.handlers.breakpoints:breakpoint_locations"),
    "setExceptionBreakpoints": HandlerSpec("dap_dotnet.handlers.exceptions:set_exception_breakpoints", _FILTERS),
    "dap-dotnet/breakpoints": HandlerSpec("dap_dotnet.handlers.breakpoint_list:list_breakpoints"),
    "dap-dotnet/enableBreakpoints": HandlerSpec("dap_dotnet.handlers.breakpoint_list:enable_breakpoints"),
    "exceptionInfo": _reading("dap_dotnet.handlers.exception_info:exception_info"),
    "continue": HandlerSpec("dap_dotnet.handlers.execution:continue_"),
    "next": HandlerSpec("dap_dotnet.handlers.execution:next_", _STEPS),
    "stepIn": HandlerSpec("dap_dotnet.handlers.execution:step_in"),
    "stepInTargets": _reading("dap_dotnet.handlers.execution:list_step_in_targets"),
    "stepOut": HandlerSpec("dap_dotnet.handlers.execution:step_out"),
    "stepBack": HandlerSpec("dap_dotnet.handlers.going_back:step_back"),
    "reverseContinue": HandlerSpec("dap_dotnet.handlers.going_back:reverse_continue"),
    "gotoTargets": HandlerSpec("dap_dotnet.handlers.jumping:goto_targets"),
    "goto": HandlerSpec("dap_dotnet.handlers.jumping:goto"),
    "restartFrame": HandlerSpec("dap_dotnet.handlers.jumping:restart_frame"),
    "pause": HandlerSpec("dap_dotnet.handlers.execution:pause"),
    "dap-dotnet/freezeThread": HandlerSpec("dap_dotnet.handlers.execution:freeze_thread"),
    "dap-dotnet/thawThread": HandlerSpec("dap_dotnet.handlers.execution:thaw_thread"),
    "dap-dotnet/waiting": _reading("dap_dotnet.handlers.waiting:waiting"),
    "dap-dotnet/asyncTasks": _reading("dap_dotnet.handlers.async_tasks:async_tasks"),
    "threads": _reading("dap_dotnet.handlers.program:threads"),
    "stackTrace": _reading("dap_dotnet.handlers.stack:stack_trace", _STACK),
    "scopes": _reading("dap_dotnet.handlers.stack:scopes"),
    "dap-dotnet/variableRanges": _reading("dap_dotnet.handlers.variable_ranges:variable_ranges"),
    "variables": _reading("dap_dotnet.handlers.variables:variables", _FORMATS),
    "locations": _reading("dap_dotnet.handlers.locating:locations"),
    "completions": _reading("dap_dotnet.handlers.completing:completions", _COMPLETIONS),
    "setVariable": _reading("dap_dotnet.handlers.assigning:set_variable"),
    "setExpression": _reading("dap_dotnet.handlers.assigning:set_expression"),
    "evaluate": _reading(
        "dap_dotnet.handlers.evaluating:evaluate",
        _EVALUATE,
    ),
    "dap-dotnet/typeLayout": _reading("dap_dotnet.handlers.layouts:type_layout"),
    "readMemory": _reading("dap_dotnet.handlers.memory:read_memory"),
    "writeMemory": _reading("dap_dotnet.handlers.memory:write_memory"),
    "disassemble": _reading("dap_dotnet.handlers.disassembling:disassemble"),
    "dap-dotnet/nativeCode": _reading("dap_dotnet.handlers.native_code:native_code"),
    "dap-dotnet/references": _reading("dap_dotnet.handlers.heap:references"),
    "dap-dotnet/retainedSize": _reading("dap_dotnet.handlers.heap:retained_size"),
    "dap-dotnet/heapTypes": _reading("dap_dotnet.handlers.heap:heap_types"),
    "dap-dotnet/holders": _reading("dap_dotnet.handlers.heap:holders"),
    "dap-dotnet/input": HandlerSpec("dap_dotnet.handlers.console_input:input_"),
    "dap-dotnet/build": HandlerSpec("dap_dotnet.handlers.building:build_project"),
    "modules": HandlerSpec("dap_dotnet.handlers.program:modules"),
    "dap-dotnet/loadSymbols": HandlerSpec("dap_dotnet.handlers.loading_symbols:load_symbols"),
    "source": HandlerSpec("dap_dotnet.handlers.sources:source"),
    "loadedSources": HandlerSpec("dap_dotnet.handlers.program:loaded_sources"),
}
"""Command -> handler. What is here decides the capabilities in the response to `initialize`; that it can go back, a
session says when it remembers its stops."""

USUAL = (
    *("launch", "configurationDone", "disconnect", "setBreakpoints", "setFunctionBreakpoints"),
    *("setExceptionBreakpoints", "exceptionInfo", "continue", "next", "stepIn", "stepOut", "pause"),
    *("threads", "stackTrace", "scopes", "variables", "evaluate"),
)
"""What nearly every session asks for, in this order. The others take their memory and time when they are asked for."""
