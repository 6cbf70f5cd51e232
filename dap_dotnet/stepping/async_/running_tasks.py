"""The task whose delegate a frame runs, for steps that leave that. Session thread only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId, TypeDefToken, Value
from dap_dotnet.symbols.async_methods import async_info, is_called_by
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field, static_fields
from dap_dotnet.values.typenames import full_name

_log = logging.getLogger(__name__)

_TASK = "System.Threading.Tasks.Task"
_CURRENT = "t_currentTask"
_EXECUTES = "ExecuteWithThreadLocal"
_INVOKES = "InnerInvoke"
_CONTEXT = "System.Threading.ExecutionContext"
_BETWEEN = ("System.Threading.Tasks.Task+<>c", _CONTEXT)
"""Classes with the methods that are between a task and the method that calls its delegate."""
_UNWRAPS = "System.Threading.Tasks.UnwrapPromise"
_CONTINUATIONS = "System.Threading.Tasks.Continuation"
_CONTINUE_WITH = (
    "System.Threading.Tasks.ContinueWithTaskContinuation",
    "System.Threading.Tasks.StandardTaskContinuation",
)
_CONTINUATION = "m_continuationObject"
_MOVE_NEXT = "MoveNext"
_BOX = "StateMachineBox`1"
"""How the name of the class ends of what runs an async method that has been suspended."""
_NEAR = 8
"""Frames below a delegate's, among which the task's is."""
_LOOK_AT_FRAMES = 48
_MOST_TASKS = 8


def task_run_by(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The task whose delegate a frame is the code of, where nothing of the user's is below it on the stack.

    None for every other frame. Of an async delegate, any frame of its first run.
    """
    stack = StackView(program.debuggee, thread)
    module = program.modules.get(frame.module)
    below = _below(stack, frame, _NEAR)
    if module is not None and frame.method is not None and async_info(module, frame.method) is not None:
        below = _behind_kickoff(module, frame, below)
    for one in below:
        owner, name = method_of(program.modules, one) or ("", "")
        if (owner, name) == (_TASK, _EXECUTES):
            is_bottom = not any(_is_users(program, other) for other in _below(stack, one, _LOOK_AT_FRAMES))
            if not is_bottom:
                return None
            return task_in(program, thread, one)
        if name != _INVOKES and owner not in _BETWEEN:
            break
    return None


def task_in(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The task that a frame of the library's runs, one of Task.ExecuteWithThreadLocal; None where it is not known."""
    return state_machine(program.debuggee, thread, frame.index) or _current_task(program, thread, frame)


def _current_task(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The task that a thread runs, as the library notes it; `frame` is the library's that runs it.

    Its code keeps no `this` once it has run often, and was compiled anew.
    """
    module = program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    owner = TypeDefToken(int(module.metadata.declaring_type_token(frame.method)))
    try:
        type_id = program.debuggee.make_type(module.id, owner)
        declared = next((one for one in static_fields(program, type_id) if one.field.name == _CURRENT), None)
        if declared is None:
            return None
        (task,) = program.debuggee.static_fields([declared.ref], thread, frame.index, text_limit=0)
    except DapDotnetError as error:
        _log.info("the task that a thread runs is not known: %s", error.message)
        return None
    return task if task.error is None and not task.is_null else None


def _below(stack: StackView, frame: Frame, count: int) -> list[Frame]:
    frames = stack.page(0, frame.index + count)[0]
    return [one for one in frames if one.index > frame.index and one.kind is FrameKind.IL]


def _behind_kickoff(module: LoadedModule, frame: Frame, below: list[Frame]) -> list[Frame]:
    assert frame.method is not None
    for number, one in enumerate(below):
        if one.module == frame.module and is_called_by(module, frame.method, one.method):
            return below[number + 1 :]
    return []


def _is_users(program: Program, frame: Frame) -> bool:
    module = program.modules.get(frame.module)
    return module is not None and module.is_user_code


def outcome_of(program: Program, task: Value) -> Value:
    """The task that others wait for instead of one whose delegate gives a task (`Unwrap`, as Task.Run does)."""
    for _ in range(_MOST_TASKS):
        following, name = _following(program, task)
        if following is None or not name.startswith(_UNWRAPS):
            break
        task = following
    return task


def _following(program: Program, task: Value) -> tuple[Value | None, str]:
    """What is to run at the end of a task, with the full name of its class; None where that is not known."""
    following = read_field(program, task, _CONTINUATION)
    if following is None or following.error is not None or following.is_null or following.type is None:
        return None, ""
    return following, full_name(program, program.debuggee.type_info(following.type))


def promise_taking(program: Program, thread: ThreadId) -> Value | None:
    """The promise of an unwrapped task (`Task.Run` of an async delegate) for which a thread takes a result right now.

    None where something else takes it: then that is in the nearest method of others on the stack.
    """
    for frame in program.debuggee.stack(thread, 0, _NEAR).frames:
        owner = (method_of(program.modules, frame) or ("", ""))[0]
        if owner.startswith(_UNWRAPS):
            promise = state_machine(program.debuggee, thread, frame.index)
            if promise is not None and not promise.is_null and promise.type is not None:
                name = full_name(program, program.debuggee.type_info(promise.type))
                return promise if name.startswith(_UNWRAPS) else None
        elif owner and not owner.startswith(_TASK):
            break
    return None


def continues_in_delegate(program: Program, task: Value) -> bool:
    """Whether what is to run at the end of a task is one delegate (ContinueWith)."""
    return _following(program, task)[1].startswith(_CONTINUE_WITH)


def continuation_taking(program: Program, thread: ThreadId) -> Frame | None:
    """The frame that runs the library's task which takes a task's result right now, to call a delegate with it.

    None where something else than such a task (ContinueWith) takes it. Its `this` is that task.
    """
    takes = False
    for frame in program.debuggee.stack(thread, 0, _NEAR).frames:
        owner, name = method_of(program.modules, frame) or ("", "")
        if takes and (owner, name) == (_TASK, _EXECUTES):
            return frame
        takes |= owner.startswith(_CONTINUATIONS) and name == _INVOKES
        if owner and owner != _TASK and not takes:
            break
    return None


def resumed_method_taking(program: Program, thread: ThreadId, is_users: Callable[[LoadedModule], bool]) -> Frame | None:
    """The frame of a library's async method that has resumed on a thread, and takes a task's result there right now.

    None where something else takes it: a method of the user's, a thread that is blocked for it, or what such a method
    has called. What is next then is on the stack. One in its first run takes it for whoever has called it.
    """
    # The top frame may be of an async iterator itself, whose method it is that gives its result.
    return _resumed(program, program.debuggee.stack(thread, 1, _LOOK_AT_FRAMES).frames, is_users)


def resumed_method_calling(
    program: Program, thread: ThreadId, frame: Frame, is_users: Callable[[LoadedModule], bool]
) -> Frame | None:
    """The same of one that has called the async method of a frame, which is in its first run; None for others."""
    module = program.modules.get(frame.module)
    if module is None:
        return None
    below = _below(StackView(program.debuggee, thread), frame, _LOOK_AT_FRAMES)
    return _resumed(program, _behind_kickoff(module, frame, below), is_users)


def _resumed(program: Program, frames: Iterable[Frame], is_users: Callable[[LoadedModule], bool]) -> Frame | None:
    """The first one of an async method that its own box runs, if it comes before code of the user's."""
    method: Frame | None = None
    for frame in frames:
        module = program.modules.get(frame.module)
        if module is not None and (is_users(module) or module.is_language_library):
            break  # what a language's library runs on is a computation of somebody's: of F#'s tasks it has the MoveNext
        owner, name = method_of(program.modules, frame) or ("", "")
        if method is not None and (owner == _CONTEXT or owner.endswith(_BOX)):
            return method
        if owner:
            method = frame if name == _MOVE_NEXT else None
    return None


def is_box(program: Program, frame: Frame) -> bool:
    """Whether a frame is one of the library's that runs an async method on from where that has been suspended."""
    return (method_of(program.modules, frame) or ("", ""))[0].endswith(_BOX)
