"""F#'s `task { … }` without optimisation, as a call that the framework makes. Session thread only.

Its state machine is a structure of FSharp.Core's (`ResumableStateMachine`), whose MoveNext runs the pieces that the
compiler has made of the task. It has a builder like any other, and with its first suspension a box and a task.
"""

from __future__ import annotations

import logging

from dap_dotnet.async_tasks.fsharp_pieces import PIECE
from dap_dotnet.async_tasks.state_machine import FSHARP_AWAITER, FSHARP_MACHINE, FSHARP_RUNNER, MACHINE_FIELD
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId, Value
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.symbols.statements import first_visible
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import find_field, has_members, read_field

_log = logging.getLogger(__name__)

_MOVE_NEXT = "MoveNext"
_INVOKE = "Invoke"
_RUNS_AWAITERS = "RunContinuations"
"""Of Task: what awaits the one that has just ended runs above it."""
_TO_BOX = (FSHARP_AWAITER, "m_task", "m_continuationObject", "_target")
"""From what runs a task to its box: what it awaits, the task behind that, and what goes on at its end."""
_BUILDERS = "System.Runtime.CompilerServices.Async"
_STARTS = "Start"
_LOOK_AT_FRAMES = 64
_MOST_FRAMES = 1000
_NEAR = 8
"""Frames above that of MoveNext, among which one has the machine as an argument."""


def machine_frame(program: Program, thread: ThreadId, frame: Frame) -> Frame | None:
    """The frame of FSharp.Core's that runs the task whose code a frame, the thread's top one, is; None for others.

    Between the two are the library's methods and those that the compiler has put around the pieces: what a piece calls,
    such as a lambda, is not the task's code. What the library calls for the task is, such as `Dispose` at the end of a
    `use`. The runtime may have inlined the machine's own MoveNext, which only calls that of what runs the pieces: then
    the frame is of the latter.
    """
    if not program.modules.have_language_library:
        return None
    runs: Frame | None = None
    for one in program.debuggee.stack(thread, frame.index, _LOOK_AT_FRAMES).frames:
        known = method_of(program.modules, one)
        module = program.modules.get(one.module)
        if known is None or module is None or one.method is None or one.is_left:
            continue
        owner, name = known
        if owner == FSHARP_MACHINE and name.endswith(_MOVE_NEXT):
            return one
        if runs is not None:
            return runs
        if name == _MOVE_NEXT and module.is_language_library and _takes_machine(module, one):
            runs = one
        if name == _RUNS_AWAITERS:
            return None
        is_users = module.is_user_code and one.index > frame.index
        if is_users and (PIECE.match(owner) is None or first_visible(module, one.method)):
            return None
    return None


def comes_back(program: Program, thread: ThreadId, frame: Frame) -> bool:
    """Whether F#'s library goes on with a computation when a frame, the thread's top one, returns.

    It has called that for one: `Dispose` at the end of a `use`, what a `for` goes through. The code of the computation
    itself, its pieces, conditions and `finally` blocks, does not come back: what is behind it is whoever awaits it.
    """
    module, known = program.modules.get(frame.module), method_of(program.modules, frame)
    below = next((one for one in StackView(program.debuggee, thread).page(1, 1)[0] if one.kind is FrameKind.IL), None)
    caller = program.modules.get(below.module) if below is not None else None
    if module is None or known is None or not module.is_user_code or below is None or caller is None:
        return False
    if not caller.is_language_library:
        return False
    is_task = machine_frame(program, thread, frame) is not None
    if (
        PIECE.match(known[0]) is not None
        and known[1] == _INVOKE
        and not (is_task and not _takes_machine(caller, below))
    ):
        return False
    if is_task:
        return True
    frames = program.debuggee.stack(thread, below.index, _MOST_FRAMES).frames
    modules = (program.modules.get(one.module) for one in frames if one.kind is FrameKind.IL)
    return not any(one is not None and one.is_user_code for one in modules)


@if_damaged(False)
def _takes_machine(module: LoadedModule, frame: Frame) -> bool:
    """Whether the method of a frame has the state machine of a task as a parameter."""
    from portablepdb.type_display import type_signature_display

    if module.metadata is None or frame.method is None:
        return False
    wanted = FSHARP_MACHINE.partition("`")[0]
    parameters = module.metadata.method(frame.method).signature.parameters
    return any(wanted in type_signature_display(module.metadata, one, [], []) for one in parameters)


def machine_run_by(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The state machine that a frame of `machine_frame` runs; None where the stack does not have it any more.

    The library is optimised and keeps few arguments: the pieces above it, of the user's code, have it too.
    """
    first = max(frame.index - _NEAR, 0)
    for one in reversed(program.debuggee.stack(thread, first, frame.index - first + 1).frames):
        if one.kind is not FrameKind.IL:
            continue
        for argument in program.debuggee.arguments(thread, one.index, text_limit=0):
            is_read = argument.error is None and not argument.is_null and has_members(argument)
            if is_read and find_field(program, argument.type, FSHARP_RUNNER) is not None:
                return argument
    return None


def is_begun_on_stack(program: Program, thread: ThreadId, frame: Frame) -> bool:
    """Whether the user's code that has begun the task of a `machine_frame` is below it: it has not suspended yet."""
    return _builder_below(program, thread, frame)[1]


def is_run_on_stack(program: Program, thread: ThreadId, runner: Value) -> bool:
    """Whether a thread's top frame is of the task that a `ResumptionDynamicInfo` runs."""
    top = program.debuggee.top_frame(thread)
    own = machine_frame(program, thread, top) if top is not None else None
    machine = machine_run_by(program, thread, own) if own is not None else None
    running = read_field(program, machine, FSHARP_RUNNER) if machine is not None else None
    return running is not None and running.address == runner.address


def beginning_of(program: Program, thread: ThreadId, frame: Frame) -> Frame:
    """The last of the frames that begin the task of a `machine_frame`; that frame itself for one that has resumed."""
    return _builder_below(program, thread, frame)[0] or frame


def _builder_below(program: Program, thread: ThreadId, frame: Frame) -> tuple[Frame | None, bool]:
    """The frame of what begins the task, if it is there, and whether the user's code has called that."""
    begins: Frame | None = None
    for below in StackView(program.debuggee, thread).page(0, frame.index + _LOOK_AT_FRAMES)[0]:
        known = method_of(program.modules, below)
        module = program.modules.get(below.module)
        if below.index <= frame.index or known is None or module is None:
            continue
        if module.is_user_code:
            return begins, begins is not None
        if (known[0].startswith(_BUILDERS) and known[1] == _STARTS) or (
            begins is not None and module.is_language_library
        ):
            begins = below
        elif begins is None and not module.is_language_library:
            break
    return begins, False


def task_of_runner(program: Program, runner: Value) -> Value | None:
    """The task that a `ResumptionDynamicInfo` runs, while that awaits another task; None where that is not known.

    The process must be held.
    """
    value: Value | None = runner
    try:
        for name in _TO_BOX:
            value = read_field(program, value, name) if value is not None and has_members(value) else None
        machine = read_field(program, value, MACHINE_FIELD) if value is not None and has_members(value) else None
        own = read_field(program, machine, FSHARP_RUNNER) if machine is not None else None
    except DapDotnetError as error:
        _log.info("the task of a computation cannot be found: %s", error.message)
        return None
    return value if own is not None and own.address == runner.address else None
