"""The errors of dap-dotnet.

Every error that a user can meet derives from `DapDotnetError`, says what to do about it, and shows whose fault it is::

    DapDotnetError
    ├── UserError                 the request, the arguments or the expression; nothing is broken
    │   ├── ProtocolError         the client's message breaks the Debug Adapter Protocol
    │   ├── NoSessionError        nothing is being debugged, or not any more
    │   ├── NotStoppedError       the request needs a stopped program
    │   ├── StaleHandleError      a handle of an earlier stop
    │   ├── LaunchError           the program cannot be started or attached to as asked
    │   └── EvaluationError       an expression cannot be parsed, bound or evaluated
    ├── DebuggeeError             the program or its runtime did something that ends or hinders debugging
    │   ├── RuntimeCallError      ICorDebug refused a call (carries the HRESULT)
    │   └── DebuggeeGoneError     the process ended while it was being asked
    └── InternalError             a defect of dap-dotnet; details are in the log

`code` is a stable identifier for machines: the command line prints it, and a DAP error response has it in
``error.variables.code``. A breakpoint that cannot be bound is not an error of the request that set it: DAP has no place
for its code, and the request ``dap-dotnet/breakpoints`` reports it. The codes of breakpoints and evaluation are

==================== ===========================================================================================
NO_SESSION           nothing is being debugged
INVALID_FILE         the source is not a file: it has no path, is a folder, unknown to this machine and to every module
                     that is loaded, ambiguous, or not the file that the program was built from
INVALID_LINE         the line is not valid (below 1), or is outside any method
INVALID_COLUMN       the column is not valid, or no statement is there; the message lists those of the line
INVALID_FIELD        what is to be watched is not the name of a field
INVALID_INSTRUCTION  no instruction begins at the address
INVALID_CONDITION    a condition, hit condition, log message or list of types cannot be understood
BREAKPOINT_NOT_FOUND no breakpoint has the id
BREAKPOINT_EXISTS    the command line names a place twice (in DAP the same place twice is one breakpoint)
EVAL_FAILED          an expression, or a condition when it is tested, has no value
MODULE_NOT_LOADED    no module that is loaded has the file, function or type; the breakpoint waits for one
TIMEOUT              something took longer than allowed: a call that an expression makes, a headless run
==================== ===========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class DapDotnetError(Exception):
    """Root of the tree. `message` is a full sentence for the user, without internals."""

    code = "ERROR"
    show_user = True
    """Whether a client should show it to the user in a window; a failed hover, say, is shown where it was asked for."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code

    @property
    def told(self) -> str:
        """The message as a user is to read it."""
        return self.message


class UserError(DapDotnetError):
    """The user or the client can fix this by asking differently."""

    code = "INVALID_REQUEST"


class ProtocolError(UserError):
    """The client's message is not valid DAP: malformed, wrong type, wrong moment, unknown command."""

    code = "PROTOCOL"


class NoSessionError(UserError):
    """Nothing is being debugged: not yet launched or attached, or already ended."""

    code = "NO_SESSION"


class NotStoppedError(UserError):
    """The request needs a stopped program and it is running."""

    code = "NOT_STOPPED"
    show_user = False


class StaleHandleError(UserError):
    """A frame, variable or value handle of an earlier stop was used."""

    code = "STALE_HANDLE"
    show_user = False


class LaunchError(UserError):
    """The program cannot be started, or the process cannot be attached to; the message says what to do."""

    code = "LAUNCH_FAILED"


class FrozenError(UserError):
    """What is debugged stands still, as a core dump does: it can be read, but nothing in it runs or changes."""

    code = "FROZEN"


class EvaluationError(UserError):
    """An expression cannot be parsed, bound to the program's names and types, or evaluated."""

    code = "EVAL_FAILED"
    show_user = False
    is_thrown = False
    """Whether it is what the program would throw: a method's exception, a member of null."""
    forbids_calls = False
    """Whether it needs code of the program to run, which is not allowed where it was evaluated; it may be elsewhere."""

    def __init__(self, message: str, *, code: str | None = None, compiler_code: str = "") -> None:
        super().__init__(message, code=code)
        self.compiler_code = compiler_code
        """The C# compiler's code for it, as `CS0103`; empty for what the compiler has no code for."""
        self.trail: list[object] = []
        """The places of the expressions that it came through, innermost first: `evaluation.syntax.tree.Place`."""
        self.argument: int | None = None
        """Which argument of the innermost call it is about, counted from 0; None where it is about the whole."""
        self.line: int | None = None
        """Where in the user's text it arose, both 1-based, in UTF-16 units; None where that is not known."""
        self.column: int | None = None

    @classmethod
    def of(cls, error: EvaluationError) -> Self:
        """An error of this class that says the same of the same place."""
        made = cls(error.message)
        vars(made).update(vars(error), trail=list(error.trail), is_thrown=error.is_thrown)
        return made

    @property
    def told(self) -> str:
        """The message, and of an error in the compiler's words its position where that is not the text's beginning."""
        if self.line is None or (self.line, self.column) == (1, 1) or not self.compiler_code:
            return self.message
        return f"{self.message} (line {self.line}, column {self.column})"


class Thrown(EvaluationError):
    """What the program would throw: the full name of the exception's type, and its message."""

    is_thrown = True

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(f"{type_name}: {message}")
        self.type_name = type_name


class DebuggeeError(DapDotnetError):
    """The program or its runtime, not the user and not dap-dotnet, is the cause."""

    code = "DEBUGGEE"


class RuntimeCallError(DebuggeeError):
    """An ICorDebug call failed.

    `hresult` is the unsigned 32-bit HRESULT, `hresult_name` its name in corerror.xml or its hexadecimal digits.
    """

    code = "RUNTIME_CALL"

    def __init__(self, message: str, *, hresult: int, hresult_name: str, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.hresult = hresult
        self.hresult_name = hresult_name


class DebuggeeGoneError(DebuggeeError):
    """The process ended, or was detached from, while it was being asked."""

    code = "DEBUGGEE_GONE"


class DeadlineError(DapDotnetError):
    """Something did not finish in the time it was given; the message says what still runs."""

    code = "TIMEOUT"


class InternalError(DapDotnetError):
    """A defect of dap-dotnet. The message is short; the log has the details."""

    code = "INTERNAL"
