"""What each thread waits for, monitors and System.Threading.Lock, with the thread that has it; and who waits for whom.

Monitors are the runtime's own business, which it reports. A Lock is found by the frame of its method on the thread's
stack, where its `this` can be read. Session thread only.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import BlockingReason, Frame, ThreadId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, read_known

_LOOK_AT_FRAMES = 16
_LOCK = "System.Threading.Lock"


class WaitKind(enum.Enum):
    """What a thread waits for."""

    ENTER = "enter"
    """To enter a monitor (`lock`)."""
    PULSE = "pulse"
    """In Monitor.Wait."""
    LOCK = "lock"
    """To enter a System.Threading.Lock."""


class Wait(Struct, frozen=True):
    """What one thread waits for."""

    thread: ThreadId
    kind: WaitKind
    object: Value
    owner: ThreadId | None
    """The thread that has it; None for nobody, and where that is not known."""
    acquisitions: int = 0
    """How often the owner has entered it; 0 where that is not known."""


def waits(program: Program) -> list[Wait]:
    """What the threads of the stopped program wait for; those that run, sleep or wait for other things are left out."""
    threads = [info.thread for info in program.debuggee.threads()]
    found = (_wait_of(program, thread, threads) for thread in threads)
    return [wait for wait in found if wait is not None]


def cycles(found: Sequence[Wait]) -> list[list[ThreadId]]:
    """The threads that wait for each other in a ring, which none of them can leave; each from its lowest thread."""
    # Who waits for a pulse has left the monitor: its owner is not in its way.
    owners = {wait.thread: wait.owner for wait in found if wait.owner is not None and wait.kind is not WaitKind.PULSE}
    rings: list[list[ThreadId]] = []
    for start in sorted(owners):
        ring = _ring_from(start, owners)
        if ring and min(ring) == start:
            rings.append(ring)
    return rings


def _ring_from(start: ThreadId, owners: Mapping[ThreadId, ThreadId | None]) -> list[ThreadId]:
    """The ring that a thread is in; empty when it is in none."""
    ring: list[ThreadId] = []
    thread: ThreadId | None = start
    while thread is not None and thread not in ring:
        ring.append(thread)
        thread = owners.get(thread)
    return ring if thread == start else []


def _wait_of(program: Program, thread: ThreadId, threads: Sequence[ThreadId]) -> Wait | None:
    debuggee = program.debuggee
    try:
        blocking = debuggee.blocking(thread)
        if blocking:
            one = blocking[0]
            kind = WaitKind.ENTER if one.reason is BlockingReason.ENTER else WaitKind.PULSE
            return Wait(thread, kind, one.object, one.owner, one.acquisitions)
        for frame in debuggee.stack(thread, 0, _LOOK_AT_FRAMES).frames:
            module = program.modules.get(frame.module)
            if module is not None and module.is_user_code:
                break
            wait = _wait_in(program, thread, module, frame, threads)
            if wait is not None:
                return wait
    except DapDotnetError:
        pass
    return None


def _wait_in(
    program: Program, thread: ThreadId, module: LoadedModule | None, frame: Frame, threads: Sequence[ThreadId]
) -> Wait | None:
    """The lock that a method of System.Threading.Lock waits for."""
    if module is None or module.metadata is None or frame.method is None:
        return None
    if module.metadata.declaring_type(frame.method).full_name != _LOCK:
        return None
    arguments = program.debuggee.arguments(thread, frame.index, text_limit=0)
    this = arguments[0] if arguments else None
    if this is None or this.error is not None or this.is_null or this.handle is None:
        return None
    read = read_known(program, this, ["_owningThreadId", "_recursionCount"])
    if read is None:
        return None
    holder = integer(read[0])  # the operating system's number of the thread
    if holder is None or holder not in threads:
        return Wait(thread, WaitKind.LOCK, this, None)
    return Wait(thread, WaitKind.LOCK, this, ThreadId(holder), (integer(read[1]) or 0) + 1)
