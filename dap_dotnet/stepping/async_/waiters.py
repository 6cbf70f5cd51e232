"""Whoever waits for the result of an async method, or of a task: the methods that await it, and whoever takes it later.

A method that has resumed once is called by the framework, on any thread: where its caller goes on is not on the
stack. So a step out of it, and one over its end, sets breakpoints at the places where its awaiters resume, and is
over when one of them is hit for the very state machine that awaits. Where nobody awaits it, `ResultNotice` tells
who takes its result.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from dap_dotnet.async_tasks.awaiters import Awaiter, find_awaiters, find_awaiters_of_task
from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    Frame,
    MethodToken,
    RuntimeCallErrorInfo,
    ThreadId,
    Value,
)
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.stepping.async_.result_notice import ResultNotice
from dap_dotnet.stepping.async_.running_tasks import (
    continues_in_delegate,
    outcome_of,
    promise_taking,
    resumed_method_calling,
    task_run_by,
)
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)


class Waiters:
    """The temporary breakpoints for them, of one step. Session thread only."""

    def __init__(self, *, just_my_code: bool) -> None:
        self._just_my_code = just_my_code
        self._awaiters: dict[BoundId, RememberedMachine] = {}
        """By the breakpoints where they resume."""
        self._notice = ResultNotice()

    def __bool__(self) -> bool:
        return bool(self._awaiters or self._notice)

    @property
    def are_known(self) -> bool:
        """Whether it is known who awaits."""
        return bool(self._awaiters)

    def find(
        self,
        program: Program,
        thread: ThreadId,
        frame: Frame,
        machine: Value | None,
        is_users: Callable[[LoadedModule], bool],
    ) -> None:
        """Wait for whoever awaits the async method of a frame of a thread, or of a task that runs it.

        `machine` None: it could not be read.
        """
        if machine is None:
            return
        self.wait_for_machine(program, machine)
        if self:
            return
        task = task_run_by(program, thread, frame)  # it has not suspended yet, and may not do so at all
        if task is not None:
            self.wait_for_task(program, task)
            return
        caller = resumed_method_calling(program, thread, frame, is_users)
        called_by = state_machine(program.debuggee, thread, caller.index) if caller is not None else None
        if called_by is not None:
            self.wait_for_machine(program, called_by)

    def wait_for_machine(self, program: Program, machine: Value) -> None:
        """Wait for whoever awaits an async method, now or later.

        Before it comes to those, a library's method that takes an iterator's element may call code of the user's.
        """
        awaiters = find_awaiters(program, machine, just_my_code=self._just_my_code)
        self._wait_at(program, awaiters)
        if not self._notice and (not self._awaiters or any(one.is_behind_other for one in awaiters)):
            self._notice.arm(program, machine, only_iterators=bool(self._awaiters))

    def wait_for_taker(self, program: Program, machine: Value) -> None:
        """Wait for whoever takes the result of a state machine, alone."""
        self._notice.arm(program, machine)

    def wait_for_taker_of_task(self, program: Program, find: Callable[[], Value | None]) -> bool:
        """Wait for whoever takes a result: that of the task that `find` gives, if it is of none yet.

        False where no task is found either.
        """
        task = find() if not self._notice else None
        if task is not None:
            self._notice.arm_for_task(program, task)
        return bool(self._notice)

    def wait_for_task(self, program: Program, task: Value | None) -> bool:
        """Wait for whoever awaits a task, now or later; False where that cannot be had, and without a task.

        Before it comes to those that await a delegate's (ContinueWith), that delegate is called with the task.
        """
        if task is None:
            return False
        if not (self._just_my_code and continues_in_delegate(program, outcome_of(program, task))):
            self._wait_at(program, find_awaiters_of_task(program, task, just_my_code=self._just_my_code))
        if not self._awaiters and not self._notice:
            self._notice.arm_for_task(program, outcome_of(program, task))
        return bool(self)

    def _wait_at(self, program: Program, awaiters: Iterable[Awaiter]) -> None:
        """Set the breakpoints at all places where awaiters can resume; those that were set before are gone."""
        debuggee = program.debuggee
        self._forget_awaiters(debuggee)
        for awaiter in awaiters:
            info = async_info(awaiter.module, awaiter.move_next)
            if info is None:
                continue
            machine = RememberedMachine(program, awaiter.machine)
            places = dict.fromkeys((MethodToken(one.resume_method), one.resume_offset) for one in info.awaits)
            locations = [BreakpointLocation(awaiter.module.id, method, offset) for method, offset in places]
            for bound in debuggee.create_breakpoints(locations):
                if isinstance(bound, RuntimeCallErrorInfo):
                    _log.warning("a step out to this await does not stop: %s", bound.hresult_name)
                else:
                    self._awaiters[bound] = machine

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of the breakpoints."""
        return event.bound in self._awaiters or self._notice.is_mine(event)

    def is_awaiter(self, program: Program, event: BreakpointHit) -> bool:
        """Whether one that awaits resumes there, for the very state machine that does."""
        return event.bound in self._awaiters and self._awaiters[event.bound].is_running_on(program, event.thread)

    def is_taken(self, program: Program, event: BreakpointHit) -> tuple[bool, bool]:
        """Whether the result is taken there by a method that the thread's stack has below; whether it is an element.

        A promise that stands for it takes it, too, even while the method that makes that promise has not returned: then
        whoever takes the promise's result is waited for.
        """
        gives_elements = self._notice.is_of_iterator
        if not self._notice.is_mine(event) or not self._notice.is_taken(program, event):
            return False, gives_elements
        promise = promise_taking(program, event.thread)
        if promise is not None:
            self._notice.arm_for_task(program, promise)
        return promise is None or not self._notice, gives_elements

    def clear(self, debuggee: Debuggee) -> None:
        """Take all of them out of the runtime."""
        self._forget_awaiters(debuggee)
        self._notice.clear(debuggee)

    def _forget_awaiters(self, debuggee: Debuggee) -> None:
        if self._awaiters:
            debuggee.remove_breakpoints(list(self._awaiters))
        for machine in self._awaiters.values():
            machine.forget(debuggee)
        self._awaiters = {}
