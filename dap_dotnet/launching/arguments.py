"""The attributes of `launch` and `attach` configurations (launch.json), validated.

Names and defaults are those that users of the C# extension have, so that a configuration works unchanged but for its
`type`. Attributes that are not known are ignored; `attribute_notes` names them to the user, and those that have no
effect yet. Those that decide how the program starts and stops are `NEEDED`, for a program that starts in another way
than its user wrote is the wrong program. `protocol.reading.read` reads them; VS Code's schema and the table in the docs
are made from these models (scripts/launch_schema.py).
"""

import functools
import logging
import shlex
import typing
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from typing_extensions import Self

from dap_dotnet.launching.option_groups import (
    CheckForDevCert,
    ConsoleSize,
    ExpressionEvaluationOptions,
    HistoryOptions,
    LaunchBrowser,
    LoggingOptions,
    PipeTransport,
    SourceLinkOption,
    SymbolOptions,
)
from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.lifecycle import AttachRequestArguments, LaunchRequestArguments

_log = logging.getLogger(__name__)
DEFAULT_PROFILE = "(the first)"
"""Stands for a profile that is not named."""
Console = Literal["internalConsole", "integratedTerminal", "externalTerminal"]


@functools.cache
def _never_false(model: type[WireModel]) -> frozenset[str]:
    """The attributes, by their names on the wire, that are neither true nor false."""
    found = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    return frozenset(name for name, kind in found.items() if not {bool, Any} & {kind, *typing.get_args(kind)})


class CommonArguments(WireModel):
    """What `launch` and `attach` have in common."""

    just_my_code: Annotated[bool, NEEDED] = True
    """Step over optimised code and code without symbols."""
    source_file_map: Annotated[dict[str, str], NEEDED] = Field(default_factory=dict)
    """Compile-time path -> local path; files or folders. The longest match wins; an entry with null counts for
    nothing."""
    require_exact_source: Annotated[bool, NEEDED] = True
    """Bind breakpoints only if the local file has the checksum recorded in the PDB."""
    enable_step_filtering: bool = True
    """Step over properties and operators instead of into them."""
    suppress_jit_optimizations: Annotated[bool, NEEDED] = False
    """Have the runtime compile modules with symbols without optimisations, even in a Release build."""
    symbol_options: SymbolOptions = Field(default_factory=SymbolOptions)
    """Where to search for PDBs, and for which modules."""
    source_link_options: dict[str, SourceLinkOption] = Field(default_factory=dict)
    """Pattern of addresses, with `*` for any text -> whether sources that are no files here, but have an address in
    their PDB (Source Link), are downloaded from there; the longest pattern that fits decides, and without one they are.
    """
    expression_evaluation_options: ExpressionEvaluationOptions = Field(default_factory=ExpressionEvaluationOptions)
    """What the debugger may do to show a value."""
    logging: LoggingOptions = Field(default_factory=LoggingOptions)
    """What the debug console reports."""
    pipe_transport: PipeTransport | None = None
    """How to start the debugger on another machine or in a container, in VS Code; other editors start it themselves."""
    history: HistoryOptions | bool = False
    """Remember each stop, so that you can step back to it: a copy of the program is made whenever it goes on."""
    target_architecture: str = ""
    """The architecture of the program; detected by default."""
    server_token: str = ""
    """The token of a dap-dotnet that listens on an address (`--listen`), where it was started with DAP_DOTNET_TOKEN."""

    @model_validator(mode="before")
    @classmethod
    def _without_nil(cls, value: Any) -> Any:
        """Emacs Lisp has one value for false, for nothing and for the empty list, which its clients send as false."""
        if not isinstance(value, dict) or not any(given is False for given in value.values()):
            return value
        return {name: given for name, given in value.items() if given is not False or name not in _never_false(cls)}

    @field_validator("source_file_map", mode="before")
    @classmethod
    def _entries(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for compiled in [compiled for compiled, local in value.items() if local is None]:
                _log.info("sourceFileMap: its entry %r maps to null, and is ignored", compiled)
            value = {compiled: local for compiled, local in value.items() if local is not None}
            for compiled, local in value.items():
                if not str(compiled).strip() or not isinstance(local, str) or not local.strip():
                    raise ValueError(
                        f"its entry {compiled!r} must map a compile-time path to a local path, both strings."
                    )
        return value


class LaunchArguments(LaunchRequestArguments, CommonArguments):
    """`launch`."""

    core_dump_path: Annotated[str, NEEDED] = ""
    """Instead of `program`: a core dump to look into. Nothing in it runs; everything can be read."""
    core_dump_folders: Annotated[dict[str, str], NEEDED] = Field(default_factory=dict)
    """With `coreDumpPath`: folders of the machine that the dump is from -> where they are here; for the runtime."""
    test_project: Annotated[str, NEEDED] = ""
    """Instead of `program`: the test project to build and debug, a folder or solution with one, or its .dll."""
    project_path: Annotated[str, NEEDED] = ""
    """The same as `program`, in configurations of the type `dotnet`."""
    program: Annotated[str, NEEDED] = Field(default="", validate_default=True)
    """The program to debug: a .dll or the executable beside it; a project, a folder or solution with one, or a C# file,
    which are built first; or `dotnet`, with `run`, `watch`, `exec` or `test` in `args`; or a native program that loads
    a runtime, such as a game engine."""
    launch_configuration_id: Annotated[str, NEEDED] = ""
    """Beside `projectPath`: `TargetFramework=NAME;PROFILE`, for `targetFramework` and `launchSettingsProfile`."""
    test_filter: Annotated[str, NEEDED] = ""
    """Which tests to run, as `dotnet test --filter` takes it, such as FullyQualifiedName~Orders; by default all."""
    args: Annotated[list[str], NEEDED] = Field(default_factory=list)
    """Arguments of the program: a list, or a string that is split as a POSIX shell would. With
    `testProject`, more options of `dotnet test`, or of the tests if they are an executable."""
    cwd: Annotated[str | None, NEEDED] = None
    """The working directory of the program; by default the workspace that contains it, otherwise its own folder; for a
    project the project's folder."""
    env: Annotated[dict[str, str | None], NEEDED] = Field(default_factory=dict)
    """Variables to add to the adapter's environment for the program; null removes one."""
    env_file: Annotated[str, NEEDED] = ""
    """A file of NAME=VALUE lines to add to the environment; `env` takes precedence."""
    stop_at_entry: Annotated[bool, NEEDED] = False
    """Stop at the first line of Main."""
    stop_on_entry: Annotated[bool, NEEDED] = False
    """The same as `stopAtEntry`."""
    console: Annotated[Console, NEEDED] = "internalConsole"
    """Where the program reads and writes: the debug console, the editor's terminal, or an external one."""
    console_input: Annotated[Literal["pipe", "none", "terminal"], NEEDED] = "pipe"
    """What the program reads in the debug console: lines that you type there while it waits for one, or after a `>`;
    or nothing. With `terminal` its input and output are a pseudo-terminal: it writes in colours, and reads keys."""
    console_size: ConsoleSize = Field(default_factory=ConsoleSize)
    """The size of that pseudo-terminal."""
    external_console: Annotated[bool, NEEDED] = False
    """Old spelling of `"console": "externalTerminal"`."""
    target_framework: Annotated[str, NEEDED] = ""
    """For a project with several target frameworks: the one to build and start, such as net8.0."""
    build_configuration: Annotated[str, NEEDED] = ""
    """For a project: the configuration to build; by default the project's own, which is Debug."""
    launch_settings_file_path: Annotated[str, NEEDED] = ""
    """The launchSettings.json file; by default Properties/launchSettings.json in the project's folder, or in cwd."""
    launch_settings_profile: Annotated[str | None, NEEDED] = DEFAULT_PROFILE
    """The profile of launchSettings.json to take arguments, variables and addresses from; by default the first that
    starts a project. null or an empty string: none."""
    launch_browser: LaunchBrowser | bool | None = None
    """Open a browser once a web application listens: `true`, or how. Ignored with a `serverReadyAction`, which makes
    the editor do it."""
    server_ready_action: Any = None
    """The editor's own; beside it `launch_browser` has no effect."""
    check_for_dev_cert: CheckForDevCert | bool = True
    """Check for a development certificate; no effect on Linux."""
    target_output_log_path: Annotated[str, NEEDED] = ""
    """A file that receives a copy of the program's output."""
    terminate_child_processes: bool = False
    """Also end the processes that the program has started when it or the session ends; not in a terminal."""
    auto_attach_child_processes: Annotated[bool, NEEDED] = False
    """Debug every .NET process that the program starts, from its first instruction, in a session of its own (.NET 6 and
    later, in editors that can begin further sessions)."""

    @property
    def stops_at_entry(self) -> bool:
        """`stopAtEntry`, by either name."""
        return self.stop_at_entry or self.stop_on_entry

    @property
    def chosen_console(self) -> Console:
        """`console`, by either spelling."""
        is_old = self.external_console and self.console == "internalConsole"
        return "externalTerminal" if is_old else self.console

    @field_validator("console", mode="before")
    @classmethod
    def _console(cls, value: Any) -> Any:
        return value or "internalConsole"

    @field_validator("program", mode="after")
    @classmethod
    def _program_is_named(cls, value: str, others: ValidationInfo) -> str:
        value = value if value.strip() else str(others.data.get("project_path", ""))
        others_named = (others.data.get(name, "").strip() for name in ("test_project", "core_dump_path"))
        if not value.strip() and not any(others_named):
            raise ValueError("name the .dll, executable or project to debug as program, or tests as testProject.")
        return value

    @model_validator(mode="after")
    def _take_chosen(self) -> Self:
        framework, mark, profile = self.launch_configuration_id.removeprefix("TargetFramework=").partition(";")
        if mark:
            self.target_framework = self.target_framework or framework
            if self.launch_settings_profile == DEFAULT_PROFILE and profile:
                self.launch_settings_profile = profile
        return self

    @field_validator("args", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return shlex.split(value)
            except ValueError as error:
                raise ValueError(f"it cannot be split as a shell would: {error}. Use a list instead.") from error
        return value


class AttachArguments(AttachRequestArguments, CommonArguments):
    """`attach`."""

    process_id: Annotated[int | None, NEEDED] = None
    """The process to attach to; `dap-dotnet ps` lists those that can be debugged."""
    process_name: Annotated[str, NEEDED] = ""
    """Instead of `processId`: the name of the program, with or without .dll."""
    mode: Annotated[Literal["debug", "peek"], NEEDED] = "debug"
    """`peek`: look at a copy of the process, which is held for some milliseconds and goes on. Everything can be read;
    nothing runs."""
    stop_on_attach: Annotated[bool, NEEDED] = False
    """Stop the program once the debugger is attached and the editor has set its breakpoints."""
    diagnostic_port: Annotated[str, NEEDED] = ""
    """Where a process waits at its start for the debugger. Set by dap-dotnet itself for `autoAttachChildProcesses`."""

    @field_validator("process_id", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if value == "":
            return None
        if isinstance(value, str):
            if not value.strip().isdigit():
                raise ValueError(f"it must be a process id, not {value!r}. `dap-dotnet ps` lists them.")
            return int(value)
        return value
