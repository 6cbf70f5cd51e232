"""Calls that the framework makes, remembered while the program runs: an object tells each from others like it.

Session thread only.
"""

from __future__ import annotations

import logging

from dap_dotnet.async_tasks.awaiters import task_of
from dap_dotnet.async_tasks.state_machine import RUNNING, STATE_FIELDS, is_completed, state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ElementType, Frame, PinId, ThreadId, Value
from dap_dotnet.stepping.async_.running_tasks import task_run_by
from dap_dotnet.stepping.fsharp.dynamic_machines import machine_run_by
from dap_dotnet.symbols.async_methods import is_called_by
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

_log = logging.getLogger(__name__)

_LOOK_AT_FRAMES = 48


class _Pin:
    """A pin, and how many hold on to it."""

    def __init__(self, pin: PinId) -> None:
        self.id = pin
        self.holders = 1


class RememberedCall:
    """A call, by its object. `forget` it afterwards."""

    def __init__(self, program: Program, value: Value | None, known: RememberedCall | None = None) -> None:
        """`value` None: it is told by its frame alone, and every one is the same.

        `known` may be the same call, remembered before: either may then be forgotten first.
        """
        self._pin: _Pin | None = None
        self._remember(program, value, known)

    @property
    def is_known(self) -> bool:
        """Whether there is an object yet that tells it from others."""
        return self._pin is not None

    def _remember(self, program: Program, value: Value | None, known: RememberedCall | None = None) -> None:
        if value is None or value.handle is None:
            return
        try:
            shared = known._pin if known is not None else None
            if shared is not None and program.debuggee.pinned(shared.id).address == value.address:
                shared.holders += 1  # a pin costs a message to the runtime, and its answer
                self._pin = shared
            else:
                self._pin = _Pin(program.debuggee.pin(value.handle, weak=True))
        except DapDotnetError as error:
            _log.info("a call cannot be remembered: %s", error.message)

    def object(self, debuggee: Debuggee) -> Value | None:
        """The object that tells it from others; None where that is not known, or is gone. The process must be held."""
        try:
            value = debuggee.pinned(self._pin.id) if self._pin is not None else None
        except DapDotnetError:
            return None
        return value if value is not None and not value.is_null else None

    def is_running_on(self, program: Program, thread: ThreadId, frame: Frame | None = None) -> bool:
        """Whether a frame of a thread, one of its method, runs it; None: the top one. True where that is not known."""
        try:
            return self._pin is None or self._is_run_by(program, thread, frame, program.debuggee.pinned(self._pin.id))
        except DapDotnetError:
            return True

    def _is_run_by(self, program: Program, thread: ThreadId, frame: Frame | None, known: Value) -> bool:
        """As `is_running_on`, for its object. Raises `DapDotnetError`."""
        raise NotImplementedError

    def is_at_work(self, program: Program) -> bool:
        """Whether it has not given its result yet; False also where that is not known."""
        known = self.object(program.debuggee)
        return known is not None and is_completed(program, known) is False

    def forget(self, debuggee: Debuggee) -> None:
        """Let go of the object. Idempotent."""
        pin, self._pin = self._pin, None
        if pin is not None:
            pin.holders -= 1
            if not pin.holders:
                debuggee.unpin(pin.id)


class RememberedMachine(RememberedCall):
    """A call of an async method.

    In optimised code its state machine is a structure, which moves to the heap with the first suspension: from then on
    the method's task tells it from others. Before, it is known by its frame, and so is the task that it gets: `learn`
    it in time.
    """

    def __init__(self, program: Program, machine: Value | None, known: RememberedMachine | None = None) -> None:
        """`machine` None: it could not be read."""
        super().__init__(program, _identity(program, machine), known)

    def learn(self, program: Program, thread: ThreadId, module: LoadedModule, frame: Frame) -> bool:
        """Find the task that the method has got, whose code `frame` of a thread ran up to its first suspension.

        It is in the structure that the frame works on, which lies in the frame of the method that has started it. False
        when it has none yet, or neither frame is on the stack any more.
        """
        if self._pin is None and frame.method is not None:
            for one in program.debuggee.stack(thread, 0, _LOOK_AT_FRAMES).frames:
                if one.stack_address == frame.stack_address and one.method == frame.method:
                    self._remember(program, _identity(program, state_machine(program.debuggee, thread, one.index)))
                elif one.module == module.id and is_called_by(module, frame.method, one.method):
                    self._remember(program, _task_in_variables(program, thread, one))
                if self._pin is not None:
                    break
        return self._pin is not None

    def _is_run_by(self, program: Program, thread: ThreadId, frame: Frame | None, known: Value) -> bool:
        machine = state_machine(program.debuggee, thread, frame.index if frame is not None else 0)
        running = _object_of(program, machine)
        if running is None:  # one in its first run has no task yet
            return machine is None
        return running.address == known.address

    def is_at_work(self, program: Program) -> bool:
        """As ever; also whether an iterator has not given its element yet."""
        known = self.object(program.debuggee)
        if known is None or is_completed(program, known) is not None:
            return super().is_at_work(program)
        states = (read_field(program, known, name) for name in STATE_FIELDS)
        state = next((one for one in states if one is not None and one.error is None and one.raw), None)
        return state is not None and int.from_bytes(state.raw, "little", signed=True) >= RUNNING


class RememberedTask(RememberedCall):
    """A run of a task's delegate."""

    def _is_run_by(self, program: Program, thread: ThreadId, frame: Frame | None, known: Value) -> bool:
        running = task_run_by(program, thread, frame) if frame is not None else None
        return running is not None and running.address == known.address


class RememberedComputation(RememberedCall):
    """A task of F#'s without optimisation, whose frames are of the library's MoveNext."""

    def __init__(self, program: Program, machine: Value | None) -> None:
        """`machine` None, or without a task yet: it is told by its frame alone."""
        try:
            task = task_of(program, machine) if machine is not None else None
        except DapDotnetError as error:
            _log.info("the task of a computation cannot be read: %s", error.message)
            task = None
        super().__init__(program, task)

    def _is_run_by(self, program: Program, thread: ThreadId, frame: Frame | None, known: Value) -> bool:
        machine = machine_run_by(program, thread, frame) if frame is not None else None
        task = task_of(program, machine) if machine is not None else None
        return task is None or task.address == known.address


def _task_in_variables(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The task of the state machine that is one of a frame's variables."""
    try:
        values = program.debuggee.locals(thread, frame.index, text_limit=0)
    except DapDotnetError:
        return None
    structures = (value for value in values if value.error is None and value.element_type is ElementType.VALUETYPE)
    return next((task for task in (_identity(program, value) for value in structures) if task is not None), None)


def _object_of(program: Program, machine: Value | None) -> Value | None:
    """An object that belongs to one call alone; None where there is none. Raises `RuntimeCallError`."""
    if machine is None or machine.element_type is not ElementType.VALUETYPE:
        return machine
    return task_of(program, machine)


def _identity(program: Program, machine: Value | None) -> Value | None:
    """As `_object_of`; None also where it cannot be read."""
    try:
        return _object_of(program, machine)
    except DapDotnetError as error:
        _log.info("the task of a state machine cannot be read: %s", error.message)
        return None
