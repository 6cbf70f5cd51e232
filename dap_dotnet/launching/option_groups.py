"""The attributes of launch.json that are objects, such as logging. Defaults as in the C# extension."""

from typing import Any, Literal

from pydantic import Field

from dap_dotnet.protocol.messages.base import WireModel


class DiagnosticsLog(WireModel):
    """`logging.diagnosticsLog`."""

    protocol_messages: bool = False
    """Report every protocol message, as `engineLogging` does."""
    debug_runtime_event_tracing: bool = False
    """Report every event that the debugger gets from the .NET runtime, such as the loading of a module."""
    dispatcher_messages: str = "none"
    """About the internals of the C# extension's debugger; no effect here."""
    debug_engine_api_tracing: str = Field(default="none", alias="debugEngineAPITracing")
    """About the internals of the C# extension's debugger; no effect here."""
    expression_evaluation_tracing: bool = False
    """About the internals of the C# extension's debugger; no effect here."""
    start_debugging_tracing: bool = False
    """About the internals of the C# extension's debugger; no effect here."""


class LoggingOptions(WireModel):
    """`logging`."""

    exceptions: bool = False
    """Report each exception that is thrown, including caught ones; the C# extension does so by default."""
    module_load: bool = True
    """Report each module that is loaded, and whether its symbols were."""
    program_output: bool = True
    """Show the program's output."""
    process_exit: bool = True
    """Report the exit code."""
    thread_exit: bool = False
    """Report each thread that ends."""
    elapsed_timing: bool = False
    """Report how long each request took, in milliseconds."""
    engine_logging: bool = False
    """Report every protocol message; `--log FILE` writes them to a file, from the very first."""
    diagnostics_log: DiagnosticsLog = Field(default_factory=DiagnosticsLog)
    """Diagnostics of the debugger itself."""
    console_usage_message: bool = True
    """Explain the debug console at the start of a session."""


class HistoryOptions(WireModel):
    """`history`."""

    copies: int = Field(default=50, ge=1)
    """The most stops to remember; of more, every other one of the older half is forgotten."""
    memory_share: float = Field(default=0.25, gt=0, le=1)
    """The most memory that the copies may take, as a share of what was free at the beginning."""
    slowest_ms: float = Field(default=20, gt=0)
    """Remember no more stops once a copy takes longer than so many milliseconds, as of a program of many gigabytes."""


class ModuleFilter(WireModel):
    """`symbolOptions.moduleFilter`."""

    mode: Literal["loadAllButExcluded", "loadOnlyIncluded"] = "loadAllButExcluded"
    """Load symbols for every module except the excluded ones, or only for the included ones."""
    excluded_modules: list[str] = Field(default_factory=list)
    """File names of modules, with `*` for any text."""
    included_modules: list[str] = Field(default_factory=list)
    """File names of modules, with `*` for any text."""
    include_symbols_next_to_modules: bool = True
    """Load a PDB next to its module even if the module is not included."""
    include_symbols_on_demand: bool = True
    """Load a module's symbols on demand."""


class SymbolOptions(WireModel):
    """`symbolOptions`."""

    search_paths: list[str] = Field(default_factory=list)
    """Where to search for PDBs that are neither in nor next to their module: folders (absolute, `~` too), also in the
    layout of symbol stores, and addresses of symbol servers. The program does not wait for a server."""
    search_microsoft_symbol_server: bool = False
    """Search Microsoft's symbol server."""
    search_nuget_org_symbol_server: bool = Field(default=False, alias="searchNuGetOrgSymbolServer")
    """Has no effect: put the address of NuGet's symbol server into `symbolOptions.searchPaths`."""
    cache_path: str = ""
    """The folder (absolute, `~` too) for downloaded symbols; by default ~/.dotnet/symbolcache."""
    module_filter: ModuleFilter = Field(default_factory=ModuleFilter)
    """Which modules' symbols are loaded."""


class ExpressionEvaluationOptions(WireModel):
    """`expressionEvaluationOptions`."""

    allow_implicit_func_eval: bool = True
    """Run the program's code to show properties."""
    allow_to_string: bool = True
    """Run ToString to show values."""
    allow_fast_evaluate: bool = True
    """Read simple properties without running code."""
    show_raw_values: bool = False
    """Show raw members, without proxies."""
    hover_timeout: int = Field(default=300, ge=0, le=10_000)
    """How many milliseconds code of the program may run for a hover: getters and ToString. 0: none runs."""


class SourceLinkOption(WireModel):
    """A pattern's entry in `sourceLinkOptions`."""

    enabled: bool = True
    """Download sources whose address matches the pattern."""


class PipeOfSystem(WireModel):
    """What `pipeTransport` is on one operating system; each member instead of the one of `pipeTransport` itself."""

    pipe_program: str = ""
    """The program that reaches the other machine."""
    pipe_args: list[str] | str = Field(default_factory=list)
    """Its arguments."""
    pipe_cwd: str = ""
    """Its working directory."""
    pipe_env: dict[str, Any] = Field(default_factory=dict)
    """Variables for the program."""
    quote_args: bool = True
    """Quote the debugger's command for a shell."""


class PipeTransport(WireModel):
    """`pipeTransport`."""

    pipe_program: str = ""
    """The program that reaches the other machine, such as ssh or docker."""
    pipe_args: list[str] | str = Field(default_factory=list)
    """Its arguments. The debugger's command is appended, or replaces `${debuggerCommand}`."""
    pipe_cwd: str = ""
    """Its working directory."""
    debugger_path: str = ""
    """The debugger on the other machine. The path of another debugger means the dap-dotnet on PATH there."""
    pipe_env: dict[str, Any] = Field(default_factory=dict)
    """Variables for the program."""
    quote_args: bool = True
    """Quote the debugger's command for a shell where it replaces `${debuggerCommand}`."""
    windows: PipeOfSystem = Field(default_factory=PipeOfSystem)
    """What differs on Windows."""
    osx: PipeOfSystem = Field(default_factory=PipeOfSystem)
    """What differs on macOS."""
    linux: PipeOfSystem = Field(default_factory=PipeOfSystem)
    """What differs on Linux."""


class ConsoleSize(WireModel):
    """`consoleSize`."""

    columns: int = Field(default=120, ge=1, le=10_000)
    """Characters of a line."""
    rows: int = Field(default=30, ge=1, le=10_000)
    """Lines."""


class BrowserCommand(WireModel):
    """What opens the browser on one operating system."""

    command: str = ""
    """The program to start, without a shell; by default the system's own opener, on Linux xdg-open."""
    args: list[str] | str = Field(default_factory=list)
    """Its arguments, instead of those of `launchBrowser` itself."""


class LaunchBrowser(WireModel):
    """`launchBrowser`."""

    enabled: bool = True
    """Open a browser once the program listens."""
    args: list[str] | str = Field(default_factory=list)
    """Arguments for the program that opens the browser; `${auto-detect-url}` is the first address that the program
    prints after `Now listening on:`. By default the profile's `launchUrl` there."""
    windows: BrowserCommand = Field(default_factory=BrowserCommand)
    """What to start on Windows."""
    osx: BrowserCommand = Field(default_factory=BrowserCommand)
    """What to start on macOS."""
    linux: BrowserCommand = Field(default_factory=BrowserCommand)
    """What to start on Linux."""


class CheckForDevCert(WireModel):
    """`checkForDevCert` as an object."""

    enabled: bool = True
    """Whether to check."""
