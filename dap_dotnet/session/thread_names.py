"""The threads that the client hears of, with their names: at any time what is known of them. Session thread only."""

from __future__ import annotations

from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.values.context import Program
from dap_dotnet.values.threads import MAIN_THREAD, NEW_THREAD, given_name, role_name


class ThreadNames:
    """Names are read where the program stands; a thread that has come since has its own at the next stop.

    A name that the program gave is kept until the runtime says that it has changed: reading those of 500 threads takes
    the runtime 40 ms, and clients ask at every stop. A thread without one is asked again each time.
    """

    def __init__(self) -> None:
        self._names: dict[ThreadId, str] = {}
        self._given: dict[ThreadId, str] = {}

    def started(self, thread: ThreadId, *, is_main: bool) -> None:
        """The program has a thread more."""
        self._names.setdefault(thread, MAIN_THREAD if is_main else NEW_THREAD)

    def exited(self, thread: ThreadId) -> None:
        """A thread is gone."""
        self._names.pop(thread, None)
        self._given.pop(thread, None)

    def renamed(self, thread: ThreadId) -> None:
        """The program gave a thread another name."""
        self._given.pop(thread, None)

    def read(self, program: Program) -> None:
        """Ask the stopped program for its threads and their names."""
        main = program.debuggee.process_id  # first: some clients take the first thread for the program's
        found = sorted(program.debuggee.threads(), key=lambda info: info.thread != main)
        self._names = {info.thread: self._name(program, info.thread, info.user_state) for info in found}

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
