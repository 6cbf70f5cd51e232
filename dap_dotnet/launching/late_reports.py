"""Whether a thread may have stopped a program after its debugger had left, as far as that shows from outside.

A thread that has something to report in the moment of the detach stops the others and waits for an answer that never
comes (docs/decisions/0016-shim-letting-go.md). It needs a processor for that, and then waits without an end; so a
program whose threads have all either done nothing since before the detach, or wait for something else, has not been
stopped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping

from msgspec import Struct

from dap_dotnet.launching import procfs

_LOOKS = 100
"""On a busy machine the runtime's threads may wait long for a processor before they are done with the debugger."""
_INTERVAL_S = 0.01
_WORK_NS = 200_000
"""Of a program that is at work, in the interval: the launcher sees it run without coming as a debugger."""
_FUTEX_CALLS = {"x86_64": 202, "aarch64": 98}
"""By processor, the number of the system call futex(2)."""
_TIMEOUT = 4
"""The place of its timeout among number and arguments; 0 there stands for none."""
_DEBUGGER_THREADS = ".NET Debug"
"""What the names of the runtime's threads for debuggers begin with, from .NET 5 on."""


class _Thread(Struct, frozen=True):
    time_ns: int
    runs: bool
    waits_for_ever: bool
    is_debuggers: bool


class LateReports:
    """Of one process that is detached from."""

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._managed: Collection[int] = ()
        self._before: Mapping[int, _Thread] = {}

    def note(self, managed: Collection[int]) -> None:
        """What the threads have done so far, before the detach; `managed` are those of the program."""
        self._managed = managed
        self._before = self._threads()

    def are_ruled_out(self) -> bool:
        """After the detach: whether no thread can have stopped the others, nor will. Takes some 10 ms, at most 1 s.

        False where that cannot be told: a thread is at work, or the system does not say what threads do.
        """
        earlier: Mapping[int, _Thread] = {}
        for _ in range(_LOOKS if self._before else 0):
            now = self._threads()
            if self._are_at_rest(earlier, now):
                return all(map(self._is_harmless, now.items()))
            if not now or _are_at_work(earlier, now):
                return False
            earlier = now
            time.sleep(_INTERVAL_S)
        return False

    def _are_at_rest(self, earlier: Mapping[int, _Thread], now: Mapping[int, _Thread]) -> bool:
        """Nobody is about to do anything, and the runtime has nothing left to do for the debugger that was there."""
        return bool(now) and all(
            not thread.runs
            and (not thread.is_debuggers or (number in earlier and earlier[number].time_ns == thread.time_ns))
            for number, thread in now.items()
        )

    def _is_harmless(self, item: tuple[int, _Thread]) -> bool:
        number, thread = item
        before = self._before.get(number)
        has_rested = before is not None and before.time_ns == thread.time_ns
        return has_rested or not thread.waits_for_ever or thread.is_debuggers

    def _threads(self) -> Mapping[int, _Thread]:
        """Empty where the system does not tell."""
        found = dict[int, _Thread]()
        futex = _FUTEX_CALLS.get(os.uname().machine)
        try:
            names = {
                number: procfs.thread_name(self._process_id, number) for number in procfs.thread_ids(self._process_id)
            }
            has_names = any(name.startswith(_DEBUGGER_THREADS) for name in names.values())
            for number, name in names.items():
                call = procfs.system_call_of(self._process_id, number)
                found[number] = _Thread(
                    time_ns=procfs.processor_time_of(self._process_id, number),
                    runs=not call,
                    waits_for_ever=bool(call) and call[0] == futex and not call[_TIMEOUT],
                    is_debuggers=name.startswith(_DEBUGGER_THREADS)
                    or (not has_names and number not in self._managed and number in self._before),
                )
        except (OSError, ValueError, IndexError):
            return {}
        return found if futex is not None else {}


def _are_at_work(earlier: Mapping[int, _Thread], now: Mapping[int, _Thread]) -> bool:
    program = (number for number, thread in now.items() if number in earlier and not thread.is_debuggers)
    return sum(now[number].time_ns - earlier[number].time_ns for number in program) > _WORK_NS
