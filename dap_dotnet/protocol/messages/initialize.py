"""`initialize`: what the client is and what the adapter can do."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel


class InitializeRequestArguments(WireModel):
    """What the client says about itself. `adapter_id` is required by the schema, but some clients leave it out."""

    client_id: str | None = None
    client_name: str | None = None
    adapter_id: str | None = None
    locale: str | None = None
    lines_start_at1: Annotated[bool | None, NEEDED] = None
    """None means true."""
    columns_start_at1: Annotated[bool | None, NEEDED] = None
    """None means true."""
    path_format: Annotated[Literal["path", "uri"] | None, NEEDED] = None
    """None means ``path``. Others are refused, as Microsoft's suite for adapters expects."""
    supports_variable_type: bool | None = None
    supports_variable_paging: bool | None = None
    supports_run_in_terminal_request: bool | None = None
    supports_memory_references: bool | None = None
    supports_progress_reporting: bool | None = None
    supports_invalidated_event: bool | None = None
    supports_memory_event: bool | None = None
    supports_args_can_be_interpreted_by_shell: bool | None = None
    supports_start_debugging_request: bool | None = None
    supports_ansi_styling: bool | None = None


class ExceptionBreakpointsFilter(WireModel):
    """An exception filter that the client offers to its user."""

    filter: str
    label: str
    description: str | None = None
    default: bool | None = None
    supports_condition: bool | None = None
    condition_description: str | None = None


class Capabilities(WireModel):
    """What the adapter can do. A flag that is None is left out, which clients read as false."""

    supports_configuration_done_request: bool | None = None
    supports_function_breakpoints: bool | None = None
    supports_conditional_breakpoints: bool | None = None
    supports_hit_conditional_breakpoints: bool | None = None
    supports_evaluate_for_hovers: bool | None = None
    exception_breakpoint_filters: list[ExceptionBreakpointsFilter] | None = None
    supports_set_variable: bool | None = None
    supports_restart_frame: bool | None = None
    supports_goto_targets_request: bool | None = None
    supports_step_in_targets_request: bool | None = None
    supports_completions_request: bool | None = None
    completion_trigger_characters: list[str] | None = None
    supports_modules_request: bool | None = None
    supports_restart_request: bool | None = None
    supports_exception_options: bool | None = None
    supports_value_formatting_options: bool | None = None
    supports_exception_info_request: bool | None = None
    support_terminate_debuggee: bool | None = None
    supports_step_back: bool | None = None
    supports_delayed_stack_trace_loading: bool | None = None
    supports_loaded_sources_request: bool | None = None
    supports_log_points: bool | None = None
    supports_set_expression: bool | None = None
    supports_terminate_request: bool | None = None
    supports_data_breakpoints: bool | None = None
    supports_read_memory_request: bool | None = None
    supports_write_memory_request: bool | None = None
    supports_disassemble_request: bool | None = None
    supports_cancel_request: bool | None = None
    supports_breakpoint_locations_request: bool | None = None
    supports_clipboard_context: bool | None = None
    supports_stepping_granularity: bool | None = None
    supports_instruction_breakpoints: bool | None = None
    supports_exception_filter_options: bool | None = None
    supports_single_thread_execution_requests: bool | None = None


class CapabilitiesEventBody(WireModel):
    """What is possible besides, or no longer, now that there is a program."""

    capabilities: Capabilities


CAPABILITY_OF_COMMAND = {
    "breakpointLocations": "supports_breakpoint_locations_request",
    "cancel": "supports_cancel_request",
    "completions": "supports_completions_request",
    "configurationDone": "supports_configuration_done_request",
    "disassemble": "supports_disassemble_request",
    "exceptionInfo": "supports_exception_info_request",
    "gotoTargets": "supports_goto_targets_request",
    "loadedSources": "supports_loaded_sources_request",
    "modules": "supports_modules_request",
    "readMemory": "supports_read_memory_request",
    "restart": "supports_restart_request",
    "restartFrame": "supports_restart_frame",
    "setDataBreakpoints": "supports_data_breakpoints",
    "setExpression": "supports_set_expression",
    "setFunctionBreakpoints": "supports_function_breakpoints",
    "setInstructionBreakpoints": "supports_instruction_breakpoints",
    "setVariable": "supports_set_variable",
    "stepInTargets": "supports_step_in_targets_request",
    "terminate": "supports_terminate_request",
    "writeMemory": "supports_write_memory_request",
}
"""Command -> the member of `Capabilities` that says no more than that the request is answered."""
