"""What each thread waits for, with the thread that has it or will end the wait; and who waits for whom.

Monitors are the runtime's own business, which it reports; the rest is found by the methods on the thread's stack.
Session thread only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from dap_dotnet.blocking.blocking_calls import BlockingCall, WaitKind, blocking_call
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import BlockingReason, ThreadId, Value
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, read_known

_LOOK_AT_FRAMES = 24
_LOOK_FOR_TASKS = 64
"""Frames of a thread among which a task is looked for that it runs."""
_TASK = "System.Threading.Tasks.Task"
_RUNS_TASK = ("InnerInvoke", "ExecuteEntryUnsafe", "ExecuteWithThreadLocal")


class Wait(Struct, frozen=True):
    """What one thread waits for."""

    thread: ThreadId
    kind: WaitKind
    object: Value | None
    """None where there is none, and where it is not known."""
    owner: ThreadId | None
    """The thread that has it, runs it, or is it; None for nobody, and where that is not known."""
    acquisitions: int = 0
    """How often the owner has entered it; 0 where that is not known."""


def waits(program: Program) -> list[Wait]:
    """What the threads of the stopped program are waiting for; running threads and the runtime's own are left out."""
    owners = _Owners(program)
    found = (_wait_of(program, thread, owners) for thread in owners.threads)
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


def _wait_of(program: Program, thread: ThreadId, owners: _Owners) -> Wait | None:
    debuggee = program.debuggee
    try:
        blocking = debuggee.blocking(thread)
        one = blocking[0] if blocking else None
        if one is not None and one.reason is BlockingReason.ENTER:
            return Wait(thread, WaitKind.ENTER, one.object, one.owner, one.acquisitions)
        page = debuggee.stack(thread, 0, _LOOK_AT_FRAMES)
        call = blocking_call(program, thread, page.frames, is_whole=not page.more)
    except DapDotnetError:
        return None
    if call is not None:
        owner, acquisitions = owners.of(call)
        return Wait(thread, call.kind, call.object, owner, acquisitions)
    # What the framework does on the thread ends with a pulse, too, where it is not known for what.
    return Wait(thread, WaitKind.PULSE, one.object, one.owner, one.acquisitions) if one is not None else None


class _Owners:
    """Who has what threads wait for, or will end the wait."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.threads = [info.thread for info in program.debuggee.threads()]
        self._objects: dict[ThreadId, Value] | None = None
        self._running: dict[int, ThreadId] | None = None

    def of(self, call: BlockingCall) -> tuple[ThreadId | None, int]:
        """The thread, and how often it has entered the lock (0: not known)."""
        value = call.object
        if value is None:
            return None, 0
        if call.kind is WaitKind.LOCK:
            return self._of_lock(value)
        if call.kind is WaitKind.JOIN:
            objects = self._thread_objects()
            return next((thread for thread, one in objects.items() if one.address == value.address), None), 0
        if call.kind is WaitKind.READER_WRITER_LOCK:
            return self._of_writer(value), 0
        if call.kind is WaitKind.TASK:
            return self._running_tasks().get(value.address), 0
        return None, 0

    def _of_lock(self, lock: Value) -> tuple[ThreadId | None, int]:
        read = read_known(self._program, lock, ["_owningThreadId", "_recursionCount"])
        holder = integer(read[0]) if read is not None else None  # the operating system's number of the thread
        if read is None or holder not in self.threads:
            return None, 0
        return ThreadId(holder or 0), (integer(read[1]) or 0) + 1

    def _of_writer(self, lock: Value) -> ThreadId | None:
        """Who has a ReaderWriterLockSlim for writing, by the number that the library gives its threads."""
        read = read_known(self._program, lock, ["_writeLockOwnerId"])
        number = integer(read[0]) if read is not None else None
        if number is None or number < 0:
            return None
        for thread, one in self._thread_objects().items():
            own = read_known(self._program, one, ["_managedThreadId"])
            if own is not None and integer(own[0]) == number:
                return thread
        return None

    def _thread_objects(self) -> dict[ThreadId, Value]:
        if self._objects is None:
            self._objects = {}
            for thread in self.threads:
                try:
                    self._objects[thread] = self._program.debuggee.thread_object(thread)
                except DapDotnetError:
                    continue
        return self._objects

    def _running_tasks(self) -> dict[int, ThreadId]:
        """The threads that run a task's code now, by the task's address."""
        if self._running is None:
            self._running = {}
            for thread in self.threads:
                try:
                    for address in self._tasks_on(thread):
                        self._running[address] = thread
                except DapDotnetError:
                    continue
        return self._running

    def _tasks_on(self, thread: ThreadId) -> list[int]:
        found = []
        for frame in self._program.debuggee.stack(thread, 0, _LOOK_FOR_TASKS).frames:
            owner, name = method_of(self._program.modules, frame) or ("", "")
            if name in _RUNS_TASK and owner.partition("`")[0] == _TASK:
                arguments = self._program.debuggee.arguments(thread, frame.index, text_limit=0)
                found += [one.address for one in arguments[:1] if one.error is None]
        return found
