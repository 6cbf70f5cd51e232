"""Notes for the user on a configuration's attributes: those that nobody knows, and those that have no effect yet.

Neither is a reason to refuse a launch: people bring configurations along that were written for other debuggers.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from dap_dotnet.launching.arguments import AttachArguments, CommonArguments, LaunchArguments
from dap_dotnet.launching.symbol_paths import is_server, local_folder

_OF_EDITORS = frozenset(
    {
        *("type", "request", "name", "preLaunchTask", "postDebugTask", "internalConsoleOptions", "presentation"),
        *("debugServer", "serverReadyAction", "suppressMultipleSessionWarning", "windows", "osx", "linux"),
        *("cascadeTerminateToConfigurations", "restart", "trace", "timeout", "mode"),
        # what dap-mode's providers and templates put into a configuration
        *("dap-server-path", "dap-compilation", "dap-compilation-dir", "program-to-start", "wait-for-port"),
        *("host", "hostName", "debugPort", "environment-variables", "cleanup-function", "skip-debug-session"),
        "startFunction",
    }
)
"""Attributes that editors evaluate themselves and send along."""
_OF_OLD = frozenset({"allowFastEvaluate", "launchBrowser.webRoot", "logging.browserStdOut", "logging.trace"})
"""What configurations of years ago still have, and nobody misses: it changed how, not what the debugger shows."""
_OF_LAUNCH = frozenset({"cwd"})
"""What Helix and dap-mode send with an attach, too."""


def notes(arguments: LaunchArguments | AttachArguments, sent: Any) -> list[str]:
    """Sentences for the user. `sent` is the request's `arguments` as it came; `arguments` is what was made of it."""
    if not isinstance(sent, Mapping):
        return []
    command = "attach" if isinstance(arguments, AttachArguments) else "launch"
    found = [_unknown(path, names, command) for path, names in _unknown_names(type(arguments), sent, "")]
    found += [_unreplaced(name, value) for name, value in sent.items() if _has_variable(name, value)]
    without_effect = [name for name, matters in WITHOUT_EFFECT.items() if _is_sent(name, sent) and matters(arguments)]
    if without_effect:
        verb = "has" if len(without_effect) == 1 else "have"
        found.append(f"{_listing(without_effect)} {verb} no effect yet in dap-dotnet.")
    symbols = arguments.symbol_options
    elsewhere = [path for path in symbols.search_paths if local_folder(path) is None and not is_server(path)]
    if elsewhere:
        found.append(
            "symbolOptions.searchPaths: only absolute folders and the addresses of symbol servers count, not "
            f"{_listing(elsewhere)}."
        )
    if symbols.cache_path and local_folder(symbols.cache_path) is None:
        found.append(f"symbolOptions.cachePath: an absolute folder is needed, not {symbols.cache_path}.")
    if arguments.pipe_transport is not None:
        found.append(
            "pipeTransport: this editor has started dap-dotnet itself. Let it start the command that reaches the other "
            "machine or the container, with dap-dotnet at its end."
        )
    if _wants_children_ended_in_terminal(arguments):
        found.append(
            "terminateChildProcesses has no effect in a terminal, because closing the terminal ends everything in it."
        )
    return found


def _is_of_editor(name: Any) -> bool:
    return name in _OF_EDITORS or str(name).startswith(("_", "$"))


def _has_variable(name: Any, value: Any) -> bool:
    # ${auto-detect-url} of the one, ${debuggerCommand} of the other are replaced later
    if name in ("launchBrowser", "pipeTransport") or _is_of_editor(name):
        return False
    return "${" in str(value)


def _unreplaced(name: str, value: Any) -> str:
    variable = re.search(r"\$\{[^}]*\}?", str(value))
    return f"'{name}' contains {variable.group() if variable else '${'}, which your editor has not replaced."


def _unknown(path: str, names: list[str], command: str) -> str:
    name = path.rpartition(".")[2]
    by_lower = {known.lower(): known for known in names}
    import difflib

    close = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.7)
    hint = f" Did you mean '{by_lower[close[0]]}'?" if close else ""
    return f"'{path}' is not an attribute of '{command}' and is ignored.{hint}"


def _unknown_names(model: type[BaseModel], sent: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, list[str]]]:
    """Path of each unknown name, and the names that are known in its place."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for name, value in sent.items():
        if name in fields:
            inner = _group_of(fields[name].annotation)
            if inner is not None and isinstance(value, Mapping):
                yield from _unknown_names(inner, value, f"{prefix}{name}.")
        elif f"{prefix}{name}" in (*_OF_OLD, *_OF_LAUNCH) or (not prefix and _is_of_editor(name)):
            continue
        else:
            yield f"{prefix}{name}", [known for known in fields if not known.startswith("_")]


def _group_of(annotation: Any) -> type[BaseModel] | None:
    """The model of an attribute that is an object with fixed names; None for others."""
    for kind in (annotation, *typing.get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind if typing.get_origin(annotation) is not dict else None
    return None


def _listing(names: list[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def _symbol_option(member: str) -> Callable[[CommonArguments], bool]:
    return lambda arguments: bool(getattr(arguments.symbol_options, member))


def _is_diagnosed(member: str) -> Callable[[CommonArguments], bool]:
    return lambda arguments: getattr(arguments.logging.diagnostics_log, member) not in (False, "", "none")


def _is_sent(path: str, sent: Any) -> bool:
    group, _, inner = path.partition(".")
    return isinstance(sent, Mapping) and group in sent and (not inner or _is_sent(inner, sent[group]))


def _wants_children_ended_in_terminal(arguments: CommonArguments) -> bool:
    """There others share the program's process group."""
    if not isinstance(arguments, LaunchArguments) or not arguments.terminate_child_processes:
        return False
    return arguments.chosen_console != "internalConsole"


WITHOUT_EFFECT: dict[str, Callable[[CommonArguments], bool]] = {
    "logging.diagnosticsLog.dispatcherMessages": _is_diagnosed("dispatcher_messages"),
    "logging.diagnosticsLog.debugEngineAPITracing": _is_diagnosed("debug_engine_api_tracing"),
    "logging.diagnosticsLog.expressionEvaluationTracing": _is_diagnosed("expression_evaluation_tracing"),
    "logging.diagnosticsLog.startDebuggingTracing": _is_diagnosed("start_debugging_tracing"),
    "symbolOptions.searchNuGetOrgSymbolServer": _symbol_option("search_nuget_org_symbol_server"),
    "symbolOptions.moduleFilter.includeSymbolsOnDemand": lambda arguments: False,  # what is not loaded is not asked for
}
"""Attribute -> whether what it asks for differs from what happens. Take out of it what is built."""
