"""`launch`, `attach`, `configurationDone`, `terminate` and `disconnect`.

What a program is started without is imported where it is needed: the client waits for its first stop.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from dap_dotnet.launching.arguments import AttachArguments, CommonArguments, Console, LaunchArguments
from dap_dotnet.launching.attribute_notes import notes
from dap_dotnet.launching.foreign_paths import local_path
from dap_dotnet.launching.plans import LaunchPlan, plan_launch, tests_wanted
from dap_dotnet.launching.symbol_paths import symbol_search
from dap_dotnet.protocol.messages.lifecycle import ConfigurationDoneArguments, DisconnectArguments, TerminateArguments
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.model import LaunchSpec, TerminalOpener
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest
from dap_dotnet.session.phase import HistoryLimits, Reports, SessionOptions
from dap_dotnet.session.session import Session
from dap_dotnet.values.display_options import DisplayOptions

if TYPE_CHECKING:
    from dap_dotnet.launching.browser import BrowserOpener
    from dap_dotnet.session.child_sessions import ChildSessions
    from dap_dotnet.session.project_build import ProjectBuild

START_TIMEOUT_MS = 60_000
"""How long a program may take until its runtime is up."""
END_TIMEOUT_S = 5.0
"""How long the end of a program, or a detach, may take before the client is answered anyway."""


def launch(session: Session, arguments: LaunchArguments) -> Deferred:
    """Start a program, built first if it is a project, and hold it before Main.

    Answered when the runtime is under control, or cannot be. A program that is not to be built is refused at once.
    """
    session.need_idle()
    report_notes(session, arguments, session.server.current_request.arguments)
    begin_launch(session, arguments, session.server.current_request)
    return DEFERRED


def begin_launch(session: Session, arguments: LaunchArguments, request: PendingRequest) -> None:
    """`launch`, for a request that is answered when it is done. Raises `LaunchError` for what is refused at once."""
    _begin_trace(session, arguments, request)
    options = _common_options(session, arguments)
    if arguments.core_dump_path:
        from dap_dotnet.handlers.core_dumps import open_core_dump  # few launches open one

        open_core_dump(session, arguments, options, request)
        return
    plan = _plan(_with_paths(session, arguments))
    for remark in plan.remarks:
        session.client_events.warning(remark)
    resolved = _resolved(session, plan, Path(plan.program)) if plan.project is None else None
    if resolved is not None and not resolved.assembly and plan.tests is None:
        session.client_events.warning(
            f"{plan.program} is a native program: it can be debugged once it has loaded a .NET runtime, for which it "
            f"has {START_TIMEOUT_MS // 1000} s."
        )
    terminal = _terminal(session, plan, arguments.chosen_console) if plan.tests is None else None
    options = msgspec.structs.replace(
        options,
        stop_at_entry=arguments.stops_at_entry,
        never_stops=bool(arguments.no_debug),
        runs_tests=plan.tests is not None,
        shows_output=terminal is None and plan.tests is None and arguments.logging.program_output,
        browser=_browser(session, arguments, plan.launch_url)
        if arguments.launch_browser and plan.tests is None
        else None,
    )
    building = _building(session, request) if plan.project is not None else None
    wants_children = arguments.auto_attach_child_processes and not arguments.no_debug
    children = _children(session, plan, arguments, request) if wants_children else None
    sink: EventSink = session.event_queue.put
    if arguments.target_output_log_path:
        from dap_dotnet.launching.output_copy import OutputCopy

        copy = session.view.path_from_client(arguments.target_output_log_path)
        sink = OutputCopy(copy, sink, lambda text: session.server.notify(text, category="important"))

    name = plan.program

    def start() -> Debuggee:
        nonlocal name
        spec = resolved
        if plan.project is not None and building is not None:
            made = building.run(plan.project, plan.build, plan.environment).made
            spec = _resolved(session, plan, made)
            name = str(made)
        assert spec is not None
        has_console = plan.tests is None and arguments.console_input != "none"
        if has_console and arguments.console_input == "terminal":
            spec = _in_pseudo_terminal(spec, arguments)
        spec = msgspec.structs.replace(
            spec,
            terminal=terminal,
            takes_input=has_console,
            ends_children=spec.ends_children or arguments.terminate_child_processes,
            is_unwanted=lambda: session.is_start_unwanted,
        )
        if children is not None:
            spec = children.prepare(spec)
        return session.backend.launch(spec, sink, timeout_ms=START_TIMEOUT_MS)

    then = children.program_started if children is not None else None
    _start(session, arguments, options, start, name=lambda: name, request=request, then=then)
    if resolved is not None:
        session.server.post(lambda: _warm_up(session, resolved.assembly))


def _in_pseudo_terminal(spec: LaunchSpec, arguments: LaunchArguments) -> LaunchSpec:
    from dap_dotnet.launching.pseudo_terminal import with_terminal_type
    from dap_dotnet.runtime.model import WindowSize

    window = WindowSize(arguments.console_size.columns, arguments.console_size.rows)
    is_named = "TERM" in arguments.env
    environment = spec.environment if is_named else with_terminal_type(spec.environment)
    return msgspec.structs.replace(spec, window=window, environment=environment)


def check_launch(session: Session, arguments: LaunchArguments) -> None:
    """Raises `LaunchError` for what `begin_launch` would refuse at once."""
    plan = _plan(_with_paths(session, arguments))
    if plan.project is None:
        _resolved(session, plan, Path(plan.program))


def _warm_up(session: Session, assembly: str) -> None:
    """Import what a session needs once its program runs, while the runtime starts."""
    from dap_dotnet.session import runtime_events  # noqa: F401
    from dap_dotnet.session.warm_up import in_turns, warm_up, warm_up_requests

    in_turns(chain(warm_up(assembly), session.make_parts(), warm_up_requests()), session.server.post)


def _building(session: Session, request: PendingRequest) -> ProjectBuild:
    from dap_dotnet.session.project_build import ProjectBuild  # a launch without a build goes without its imports

    return ProjectBuild(session, request)


def _children(
    session: Session, plan: LaunchPlan, arguments: LaunchArguments, request: PendingRequest
) -> ChildSessions | None:
    if not session.view.supports_start_debugging:
        session.client_events.warning(
            "This editor cannot start further sessions (startDebugging), so autoAttachChildProcesses has no effect: "
            "the processes that the program starts run free."
        )
        return None
    from dap_dotnet.session.child_sessions import ChildSessions

    sent = request.arguments if isinstance(request.arguments, dict) else {}
    configuration = {**arguments.model_dump(by_alias=True, exclude_unset=True, mode="json"), "type": sent.get("type")}
    children = ChildSessions(session.server, session.client_events.console, configuration, _is_child(session, plan))
    session.at_close(children.close)
    return children


def _is_child(session: Session, plan: LaunchPlan) -> Callable[[int], bool]:
    """Which of the processes that have inherited the variables are to be debugged: of a run of tests not its tools."""
    if plan.tests is None:
        return lambda process_id: True

    def is_of_tests(process_id: int) -> bool:
        from dap_dotnet.launching.child_processes import descends_from

        return session.debuggee is not None and descends_from(process_id, session.debuggee.process_id)

    return is_of_tests


def _with_paths(session: Session, arguments: LaunchArguments) -> LaunchArguments:
    """With the paths that may have come as URIs, or from Windows."""
    from_client = session.view.path_from_client
    cwd = local_path(from_client(arguments.cwd)) if arguments.cwd else arguments.cwd
    paths = {"program": arguments.program, "test_project": arguments.test_project}
    files = {"env_file": arguments.env_file, "launch_settings_file_path": arguments.launch_settings_file_path}
    local = {name: local_path(from_client(path), cwd) for name, path in paths.items() if path}
    local |= {name: local_path(path, cwd) for name, path in files.items() if path}
    return arguments.model_copy(update={**local, "cwd": cwd})


def _plan(arguments: LaunchArguments) -> LaunchPlan:
    tests = tests_wanted(arguments)
    if tests is None:
        return plan_launch(arguments)
    from dap_dotnet.launching.dotnet_test_plans import plan_tests  # most launches run no tests

    return plan_tests(arguments, tests)


def _resolved(session: Session, plan: LaunchPlan, program: Path) -> LaunchSpec:
    def resolve(of: LaunchPlan, program: Path) -> LaunchSpec:
        return session.backend.resolve(str(program), of.arguments, of.working_directory, of.environment)

    if plan.tests is None:
        return resolve(plan, program)
    from dap_dotnet.launching.dotnet_test_plans import remark_on_filter, tests_to_start

    if remark := remark_on_filter(program, plan.tests):
        session.server.notify(remark, category="important")
    return tests_to_start(plan, program, resolve)


def _source_file_map(session: Session, arguments: CommonArguments) -> dict[str, str]:
    """Compile-time path -> local path, which may have come as a URI."""
    from_client = session.view.path_from_client
    return {compiled: from_client(local) for compiled, local in arguments.source_file_map.items()}


def attach(session: Session, arguments: AttachArguments) -> Deferred:
    """Attach to a running process. Answered when that has succeeded or failed."""
    session.need_idle()
    report_notes(session, arguments, session.server.current_request.arguments)
    begin_attach(session, arguments, session.server.current_request)
    return DEFERRED


def begin_attach(session: Session, arguments: AttachArguments, request: PendingRequest) -> None:
    """`attach`, for a request that is answered when it is done. Raises `LaunchError` for what is refused at once."""
    from dap_dotnet.launching.chosen_process import chosen_process

    _begin_trace(session, arguments, request)
    process_id = chosen_process(arguments)
    options = _common_options(session, arguments)
    if arguments.mode == "peek":
        from dap_dotnet.handlers.frozen_sessions import peek  # few sessions are one

        peek(session, process_id, arguments, options, request)
        return
    options = msgspec.structs.replace(
        options,
        is_attach=True,
        stop_on_attach=arguments.stop_on_attach,
        is_held_at_start=bool(arguments.diagnostic_port),
    )

    def start() -> Debuggee:
        port, sink = arguments.diagnostic_port, session.event_queue.put
        if port:
            return session.backend.attach_at_start(process_id, port, sink, timeout_ms=START_TIMEOUT_MS)
        return session.backend.attach(process_id, sink, timeout_ms=START_TIMEOUT_MS)

    _start(session, arguments, options, start, name=lambda: f"process {process_id}", request=request)


def _common_options(session: Session, arguments: LaunchArguments | AttachArguments) -> SessionOptions:
    """What is decided in the same way, whatever is debugged."""
    return SessionOptions(
        just_my_code=arguments.just_my_code,
        disable_optimizations=arguments.suppress_jit_optimizations,
        source_file_map=_source_file_map(session, arguments),
        require_exact_source=arguments.require_exact_source,
        symbol_search=symbol_search(arguments),
        source_link_rules={name: rule.enabled for name, rule in arguments.source_link_options.items()},
        step_filtering=arguments.enable_step_filtering,
        reports=_reports(arguments),
        history=_history_limits(arguments),
        display=_display_options(arguments),
    )


def _history_limits(arguments: CommonArguments) -> HistoryLimits | None:
    asked = arguments.history
    if not asked:
        return None
    return HistoryLimits() if asked is True else HistoryLimits(asked.copies, asked.memory_share, asked.slowest_ms)


def _display_options(arguments: CommonArguments) -> DisplayOptions:
    asked = arguments.expression_evaluation_options
    return DisplayOptions(
        asked.allow_implicit_func_eval,
        asked.allow_to_string,
        asked.show_raw_values,
        hover_timeout_s=asked.hover_timeout / 1000,
    )


def _browser(session: Session, arguments: LaunchArguments, page: str) -> BrowserOpener | None:
    from dap_dotnet.launching.browser import opener_of  # most launches open none

    def report(text: str) -> None:
        session.server.post(lambda: session.client_events.console(text))

    return opener_of(arguments, report, page)


def _terminal(session: Session, plan: LaunchPlan, console: Console) -> TerminalOpener | None:
    if console == "internalConsole":
        return None
    if not session.view.supports_run_in_terminal:
        session.client_events.warning(f"This editor opens no terminals (console '{console}'): look for output here.")
        return None
    from dap_dotnet.session.client_terminal import ClientTerminal

    kind: Literal["integrated", "external"] = "integrated" if console == "integratedTerminal" else "external"
    return ClientTerminal(session.server, session.client_events, kind, f".NET: {os.path.basename(plan.program)}")


def report_notes(session: Session, arguments: LaunchArguments | AttachArguments, sent: Any) -> None:
    """Tell the user what has no effect, or another than one may think. `sent`: the arguments as they came."""
    for text in notes(arguments, sent):
        session.client_events.warning(text)


def _begin_trace(session: Session, arguments: CommonArguments, request: PendingRequest) -> None:
    asked = arguments.logging
    messages = asked.engine_logging or asked.diagnostics_log.protocol_messages
    session.server.trace(request, messages=messages, times=asked.elapsed_timing)


def _reports(arguments: LaunchArguments | AttachArguments) -> Reports:
    logging = arguments.logging
    return Reports(
        exceptions=logging.exceptions,
        module_load=logging.module_load,
        process_exit=logging.process_exit,
        thread_exit=logging.thread_exit,
        program_output=logging.program_output,
        runtime_events=logging.diagnostics_log.debug_runtime_event_tracing,
    )


def configuration_done(session: Session, arguments: ConfigurationDoneArguments) -> None:
    """The client has sent its breakpoints: let the program start."""
    session.server.after_response(session.configured)


def _start(
    session: Session,
    arguments: LaunchArguments | AttachArguments,
    options: SessionOptions,
    start: Callable[[], Debuggee],
    *,
    name: Callable[[], str],
    request: PendingRequest,
    then: Callable[[int], None] | None = None,
) -> None:
    """Run `start` on a thread of its own; `request` is answered when it ends.

    `name` is asked afterwards what the program is called; `then` is called with the program's process id.
    """

    def succeed(debuggee: Debuggee) -> None:
        request.respond()
        session.client_events.process(name(), debuggee.process_id, is_attach=options.is_attach)
        if then is not None:
            then(debuggee.process_id)

    session.begin(arguments, options, start, on_success=succeed, on_failure=request.fail)


def disconnect(session: Session, arguments: DisconnectArguments) -> Deferred | None:
    """End the session: kill the program or leave it running. Only the resulting events follow the response."""
    session.server.after_response(session.server.end)
    session.replacement.cancel()
    debuggee = session.debuggee
    if debuggee is None or session.is_over:
        session.close()
        return None
    kill = arguments.terminate_debuggee
    if kill is None or debuggee.is_frozen:
        kill = not session.options.is_attach
    _answer_at_end(session, session.server.current_request)
    if kill:
        debuggee.terminate()
    else:
        session.detach()
    return DEFERRED


def _answer_at_end(session: Session, request: PendingRequest) -> None:
    def answer() -> None:
        if not request.is_answered:
            request.respond()

    def give_up() -> None:
        if not request.is_answered:
            session.client_events.important("The program did not end in time; its launcher will end it.")
            answer()

    session.at_end(answer)
    session.server.call_later(END_TIMEOUT_S, give_up)


def terminate(session: Session, arguments: TerminateArguments) -> None:
    """Ask the program to end by itself, as SIGTERM does: its exit handlers run. `disconnect` kills.

    A build before the launch is cancelled.
    """
    if session.replacement.cancel() or session.cancel_start():
        return
    debuggee = session.need_debuggee()
    if debuggee.is_frozen:
        session.detach()
        return
    session.run_to_end()
    debuggee.ask_to_end()
