"""Threads as the user sees them: their names."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

_BACKGROUND = 0x4
_THREAD_POOL = 0x100
_OWN_THREADS = {".NET Finalizer": ".NET Finalizer", ".NET Tiered Com": ".NET Tiered Compilation Worker"}
"""By the names that runtimes since .NET 6 give them, of which the system keeps 15 characters."""
MAIN_THREAD = "Main Thread"
NEW_THREAD = "Thread"
"""What a thread is called before the program has stopped with it."""


def thread_name(program: Program, thread: ThreadId, user_state: int | None) -> str:
    """The name that the thread was given, else what the thread is."""
    return given_name(program, thread) or role_name(program, thread, user_state)


def given_name(program: Program, thread: ThreadId) -> str | None:
    """The name that the program, or the runtime for its pool, gave the thread; None for none, or where it is not known.

    The runtime takes some 70 µs for it. `ThreadRenamed` tells of a change.
    """
    try:
        named = read_field(program, program.debuggee.thread_object(thread), "_name")
    except DapDotnetError:
        return None
    return named.text or None if named is not None else None


def role_name(program: Program, thread: ThreadId, user_state: int | None) -> str:
    """What a thread that nobody gave a name is."""
    if thread == program.debuggee.process_id:
        return MAIN_THREAD
    if user_state is not None and user_state & _THREAD_POOL:
        return ".NET Thread Pool Worker"
    if user_state is not None and user_state & _BACKGROUND:
        own = (
            None
            if program.debuggee.is_frozen and program.debuggee.pause_ms is None
            else _name_of_runtimes_own(program.debuggee.process_id, thread)
        )
        return own or "Background Thread"
    return "Worker Thread"


def _name_of_runtimes_own(process_id: int, thread: ThreadId) -> str | None:
    """What a thread of the runtime's own is, by the name that it has in the system; None for others."""
    try:
        with open(f"/proc/{process_id}/task/{thread}/comm", encoding="utf-8", errors="replace") as file:
            return _OWN_THREADS.get(file.read().strip())
    except OSError:
        return None
