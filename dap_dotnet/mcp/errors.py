"""What a tool answers instead of a result: a code, what is wrong, and what to do about it."""

from __future__ import annotations

from dap_dotnet.client import AdapterGoneError, ClientError, DapRequestError, DapTimeoutError, ProgramEndedError

REMEDIES = {
    "INVALID_ARGUMENTS": "Correct the arguments; the tool's input schema has a description and an example of each.",
    "UNKNOWN_TOOL": "Ask for the list of tools.",
    "NO_SESSION": "Call debug_status for a list of sessions, or start one with debug_launch.",
    "SESSION_ENDED": "Start again with debug_restart or debug_launch; output_read and timeline_get still answer.",
    "NOT_STOPPED": "Wait with breakpoint_wait, or stop the program with execution_pause.",
    "NOT_RUNNING": "Call execution_continue first.",
    "NOT_ALLOWED": "The server was started with this switched off; do without it, or ask the user to enable it.",
    "TOO_MANY_SESSIONS": "End one with debug_disconnect.",
    "NO_STEP": "Make a step first: execution_step.",
    "NO_MANAGED_CODE": "Step a thread that has frames, or let the program run.",
    "THREAD_FROZEN": "Let it run again with thread_freeze and frozen: false, or step another thread.",
    "NO_HISTORY": "Launch with history: true, and stop more than once.",
    "NO_PAST": "Go forward: this is the first stop that is remembered.",
    "STALE_HANDLE": "References die when the program runs: ask for the variables again.",
    "STILL_STARTING": "Call breakpoint_wait, then try again.",
    "INVALID_REQUEST": "The message says what is wrong; change the call.",
    "INVALID_FUNCTION": "Give [Module!]Namespace.Type.Method; members_get shows the methods of a type.",
    "BUILD_FAILED": "Correct the build errors in the message; output_read has nothing more about them.",
    "TESTS_NOT_STARTED": "The message has the output of dotnet test: correct the project, the filter or the arguments.",
    "NO_INPUT": "Only a program launched without a terminal takes input, and only until its input is closed.",
    "NO_TOKEN": "The adapter requires a token: start the server without DAP_DOTNET_REQUIRED_TOKEN.",
    "WRONG_TOKEN": "The adapter requires a token: start the server without DAP_DOTNET_REQUIRED_TOKEN.",
    "EXEC_FAILED": "Make the file executable, or launch the .dll beside it.",
    "NO_RUNTIME": "Install the .NET runtime that the program asks for, or build it for an installed one.",
    "NOT_DOTNET": "Choose a program built for .NET (Core); Mono and native programs cannot be debugged.",
    "SINGLE_FILE": "Publish the program without PublishSingleFile, or launch the .dll of the build.",
    "NO_PROCESS": "The process has ended or never existed; look up its id again.",
    "NO_PERMISSION": "The process belongs to another user, or the system forbids it: the message says how to allow it.",
    "ALREADY_DEBUGGED": "Another debugger has the process; end that session first.",
    "DIAGNOSTICS_DISABLED": "Start the program without DOTNET_EnableDiagnostics=0.",
    "NO_TEMPORARY_FOLDER": "Set TMPDIR to a writable folder, the same for the program and this server.",
    "NO_ANSWER": "The runtime may be stopped or starved of processor time: try again, then restart the program.",
    "SUSPENDED": "The process waits for another diagnostic tool: start that, or the process without waiting.",
    "NO_RUNTIME_DEBUGGER": "Install the .NET runtime of the version and build that the message names.",
    "NO_SDK": "Install the .NET SDK, or set DOTNET_ROOT to where it is.",
    "NO_MODULE": "Ask for the modules again: the one that you name is not loaded.",
    "NO_SYMBOLS": "No server has the symbols: put the PDB beside the module, or in a folder of symbolOptions.",
    "NO_SYMBOL_SERVER": "Name a server in symbolOptions, and a folder for what it sends.",
    "FROZEN": "What stands still is only read: go forward to the present, or start the program, to change something.",
    "BAD_CORE_DUMP": "Name a core dump of a .NET process on Linux for x86-64, whole, and not compressed.",
    "OTHER_NAMESPACE": "The process is in a container: run this server there.",
    "RUNTIME_REPLACED": "The runtime's files were replaced while the process was running: restart it.",
    "UNTRUSTED_RUNTIME": "Other users can write the runtime's files: the message says how to change that or allow it.",
    "CANCELLED": "The call was cancelled: repeat it if you still need the answer.",
    "DEBUGGEE": "The program or its runtime failed: see the message.",
    "DEBUGGEE_GONE": "The program has ended; output_read and timeline_get still answer.",
    "RUNTIME_CALL": "The runtime refused: step or continue to another place, or ask for another value.",
    "UNKNOWN_REQUEST": "The adapter and this server have different versions: reinstall both.",
    "SOURCE_UNAVAILABLE": "Read the source elsewhere: the message says why the debugger cannot get it.",
    "PROTOCOL": "The adapter refused the arguments: the message says which.",
    "ERROR": "The message says what is wrong; change the call.",
    "LAUNCH_FAILED": "Check the path of the program (a built .dll or its executable) and its arguments.",
    "EVAL_FAILED": "Correct the expression, or choose another frame; variables_get shows what is in scope.",
    "SIDE_EFFECTS": "Ask again with side_effects: true if the program may be changed.",
    "INVALID_FILE": "Give the path that the program was built from; breakpoint_explain says what was compared.",
    "INVALID_LINE": "Choose a line with a statement; source_get shows where breakpoints can be set.",
    "GOTO_REFUSED": "Choose a statement of the same method, or step to the next statement first.",
    "INVALID_COLUMN": "Choose a column where a statement starts; source_get shows them.",
    "INVALID_FIELD": "Give Namespace.Type.Field, or while stopped an expression such as cart.total.",
    "INVALID_CONDITION": "Correct the condition: C# for breakpoints, names of types for exceptions.",
    "BREAKPOINT_NOT_FOUND": "Call breakpoint_list for a list of breakpoints.",
    "MODULE_NOT_LOADED": "It binds when the module is loaded; continue, or correct the name.",
    "FILE_NOT_FOUND": "The source is not on this machine; ask for another frame or file.",
    "NOT_FOUND": "Ask for the list again, or choose another name.",
    "TIMEOUT": "Ask for a longer time, or stop the program with execution_pause.",
    "ADAPTER_GONE": "The session's adapter has ended; start again with debug_launch or debug_restart.",
    "INTERNAL": "This is a defect of dap-dotnet; start it with --log FILE and report it.",
}
"""What to do about an error, by its code, where the error itself does not say more."""
_LONGEST_MESSAGE = 4_000
"""A message may quote what was asked for; that of a build has its errors."""


class ToolError(Exception):
    """A tool cannot do what it was asked for."""

    def __init__(self, code: str, message: str, remedy: str | None = None) -> None:
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[:_LONGEST_MESSAGE]}… ({len(message) - _LONGEST_MESSAGE:,} more characters)"
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy or REMEDIES.get(code) or REMEDIES["ERROR"]


def tool_error(error: Exception) -> ToolError:
    """What went wrong with the adapter, as a tool says it."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, DapRequestError):
        return ToolError(error.code, error.text)
    if isinstance(error, ProgramEndedError):
        return ToolError("SESSION_ENDED", str(error))
    # The rest of their texts is a trace of messages, which is for logs.
    text = str(error).partition("\n")[0]
    if isinstance(error, DapTimeoutError):
        return ToolError("TIMEOUT", text)
    if isinstance(error, AdapterGoneError):
        return ToolError("ADAPTER_GONE", text)
    if isinstance(error, (ClientError, OSError)):
        return ToolError("ADAPTER_GONE", text or type(error).__name__)
    return ToolError("INTERNAL", f"{type(error).__name__}: {text}")
