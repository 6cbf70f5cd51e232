"""The threads that the client hears of, with their names: at any time what is known of them. Session thread only."""

from __future__ import annotations

import time

from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.values.context import Program
from dap_dotnet.values.threads import MAIN_THREAD, NEW_THREAD, given_name, role_name


class ThreadNames:
    """Names are read where the program stands: at each stop, and of new threads when the client asks while it runs.

    A name that the program gave is kept until the runtime says that it has changed: reading those of 500 threads takes
    the runtime 40 ms, and clients ask at every stop. A thread without one is asked again each time.
    """

    def __init__(self) -> None:
        self._names: dict[ThreadId, str] = {}
        self._given: dict[ThreadId, str] = {}
        self._new: set[ThreadId] = set()
        """Threads whose names were not read yet."""
        self._next_read = 0.0

    def started(self, thread: ThreadId, *, is_main: bool) -> None:
        """The program has a thread more."""
        if thread not in self._names and not is_main:
            self._new.add(thread)
        self._names.setdefault(thread, MAIN_THREAD if is_main else NEW_THREAD)

    def exited(self, thread: ThreadId) -> None:
        """A thread is gone."""
        self._names.pop(thread, None)
        self._given.pop(thread, None)
        self._new.discard(thread)

    def renamed(self, thread: ThreadId) -> None:
        """The program gave a thread another name."""
        self._given.pop(thread, None)
        if thread in self._names:
            self._new.add(thread)

    def read(self, program: Program) -> None:
        """Ask the stopped program for its threads and their names."""
        main = program.debuggee.process_id  # first: some clients take the first thread for the program's
        found = sorted(program.debuggee.threads(), key=lambda info: info.thread != main)
        self._names = {info.thread: self._name(program, info.thread, info.user_state) for info in found}
        self._new.clear()

    @property
    def has_new(self) -> bool:
        """Whether there are threads whose names were not read yet."""
        return bool(self._new)

    def delay_s(self, pause_s: float) -> float:
        """In how many seconds the running program may be stopped for them, if only once in each pause."""
        now = time.monotonic()
        wait = max(0.0, self._next_read - now)
        if not wait:
            self._next_read = now + pause_s
        return wait

    def read_new(self, program: Program) -> None:
        """Ask the program, which is held for a moment, for the names of those."""
        for info in program.debuggee.threads():
            if info.thread in self._new:
                self._names[info.thread] = self._name(program, info.thread, info.user_state)
        self._new.clear()

    def _name(self, program: Program, thread: ThreadId, user_state: int | None) -> str:
        """A thread's name in the stopped program: the one that it was given, else what it is."""
        given = self._given.get(thread) or given_name(program, thread)
        if given is None:
            return role_name(program, thread, user_state)
        self._given[thread] = given
        return given

    def known(self) -> dict[ThreadId, str]:
        """All managed threads with their names, the main thread first."""
        return dict(self._names)
