"""The seam between the debugger and a .NET process.

Everything above this module speaks of a `Debuggee`: modules, threads, frames, values and events in ECMA-335 and
ICorDebug terms, without cffi, COM or DAP. `cordebug.CordebugDebuggee` implements it over the shim; the tests have a
fake one.

Thread rule: a `Debuggee` is called from the session thread only. Events reach the `EventSink` on the runtime's event
thread (or an output pump); the sink must only queue them. Exceptions to the rule are marked *any thread*.

Stop rule: an event that `holds` leaves the whole process stopped until `Debuggee.resume(event)` releases it, exactly
once per event. Holds add up: a stop request that meets a breakpoint gives two holding events, and the process runs
again when both are released. Frames, values and type ids are asked while the process is held.
`ValueHandle`s and frame numbers belong to one generation: they die when the process runs again and then raise
`StaleHandleError`. `TypeId`s, `ModuleId`s and `BoundId`s live on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from dap_dotnet.runtime.events import EventSink, ExceptionPhase, RuntimeEvent
from dap_dotnet.runtime.heap import HeapReader
from dap_dotnet.runtime.hit_tests import HitTest
from dap_dotnet.runtime.model import (
    TEXT_LIMIT,
    ArrayShape,
    Blocking,
    BoundId,
    BreakpointLocation,
    ElementType,
    EvalId,
    FieldRef,
    Frame,
    LaunchSpec,
    MethodToken,
    ModuleId,
    PinId,
    ReadPlan,
    RuntimeCallErrorInfo,
    StackPage,
    StepKind,
    StepperId,
    ThreadId,
    ThreadInfo,
    TypeDefToken,
    TypeId,
    TypeInfo,
    TypeLayout,
    Value,
    ValueHandle,
)
from dap_dotnet.runtime.native_code import NativeCodeReader


class ProgramInput(Protocol):
    """The standard input of a program that was launched without a terminal. Never waits for the program."""

    def write(self, text: str) -> None:
        """Hand it text. Raises `DebuggeeError` when it reads no more."""

    def end(self) -> None:
        """It finds the end of its input after that. Idempotent."""

    @property
    def is_terminal(self) -> bool:
        """Whether it is a pseudo-terminal, which has Ctrl-C, and whose end is only that of a line."""

    def interrupt(self) -> None:
        """Ctrl-C in a terminal. Raises `DebuggeeError` where it is none."""


class Snapshot(Protocol):
    """A copy of a process, as it was at a moment. It ends once it is closed and all debuggees over it are."""

    copy_process_id: int
    pause_ms: float
    """How long the process was held for it."""

    def memory(self) -> int:
        """Bytes that it takes: its share of the pages that it has together with others; 0 where that is not known."""

    def open(self, sink: EventSink, *, trust_runtime: bool, shown_first: ThreadId | None = None) -> Debuggee:
        """A frozen debuggee over it, any number of them; modules and threads come as events. Raises `LaunchError`.

        `shown_first` is the thread that the copy is about.
        """

    def close(self) -> None:
        """Idempotent."""


class Copier(Protocol):
    """Makes copies of one process."""

    def snapshot(self, *, runs: bool = False) -> Snapshot:
        """Copy the process, which a debugger holds; or, when it `runs`, all its threads are held for a moment.

        Raises `LaunchError` for a process that has ended, may not be traced or is traced by another, and
        `RuntimeCallError` where the system makes no copy.
        """

    def close(self) -> None:
        """All copies end: snapshots and debuggees over them must be closed before. Idempotent."""


class Debuggee(HeapReader, NativeCodeReader, Protocol):
    """One .NET process under control. See the module's docstring for the thread and stop rules."""

    process_id: int
    runtime_version: str
    """The runtime's own version, such as 10.0.12; empty when unknown."""
    is_frozen: bool
    """Whether it stands still, as a core dump does: it is held from its beginning to its end, everything can be read,
    and what would act on it raises `FrozenError`. `process_id` is that of a process which may be gone."""

    frozen_as: str
    """What it is then, such as `a core dump`; empty for one that runs."""

    pause_ms: float | None
    """How long the process was held when it was copied; None for what is no copy."""

    ended_by: ThreadId | None
    """Of a core dump the thread that took the signal, or that the dump was made for; not always a managed one."""

    start_copier: Callable[[], Copier] | None
    """Begins to make copies of the process; who calls it closes it. None for what stands still."""

    @property
    def input(self) -> ProgramInput | None:
        """The program's standard input; None where it is not ours."""

    # running and stopping

    def resume(self, event: RuntimeEvent) -> None:
        """Release the hold of `event`: exactly one ICorDebugController::Continue.

        A second release of one event is refused with `StaleHandleError`. Events that do not hold are ignored.
        """

    def request_stop(self, timeout_ms: int) -> None:
        """Ask for ICorDebugController::Stop on the shim's stopper thread; `StopCompleted` or `StopTimedOut` follows."""

    def has_queued_events(self) -> bool:
        """Whether events wait until the process goes on; after an attach they report what the process consists of."""

    def has_queued_events_of(self, thread: ThreadId) -> bool:
        """As `has_queued_events`, for events about one thread: a step's end waits behind a breakpoint at that place."""

    def detach(self) -> None:
        """Remove all breakpoints and steppers and let the process run on without a debugger. The process must be held.

        Raises `RuntimeCallError` when the runtime refuses, or does not stop in time. Where that was after it had begun,
        the process is still attached to and runs, without breakpoints, and no hold of an earlier event is left.
        """

    def terminate(self) -> None:
        """End the process at once (launched: through the launcher; attached: ICorDebugController::Terminate)."""

    def ask_to_end(self) -> None:
        """Ask the process to end by itself, as SIGTERM does: its exit handlers run. Killed where that cannot be done.

        A process that is gone already is not an error. Raises `DebuggeeError` when it may not be signalled.
        """

    def close(self) -> bool:
        """Release everything. Idempotent. A launched process that still runs is killed, an attached one runs on.

        Returns whether it does. An attached process that could not be let go, such as one that cannot be stopped, is
        left to its guardian, which detaches once this process has ended.
        """

    # breakpoints and steps

    def create_breakpoints(self, locations: Sequence[BreakpointLocation]) -> list[BoundId | RuntimeCallErrorInfo]:
        """Create and activate breakpoints, in order: ICorDebugCode::CreateBreakpoint, then Activate."""

    def create_return_breakpoints(
        self, thread: ThreadId, frame_index: int, call_offsets: Sequence[int]
    ) -> list[BoundId | RuntimeCallErrorInfo]:
        """Breakpoints in a frame's code, each right behind a call, where `return_value` can be asked for.

        `call_offsets` are IL offsets of call instructions. Every thread and activation that runs this code hits them.
        A call whose value the runtime cannot give (void, larger than a register) has its error. `AT_RETURN` in the
        place of an offset is where the code is about to return, `AT_FRAME` where the frame goes on. Raises
        `RuntimeCallError` for a frame without IL.
        """

    def remove_breakpoints(self, bound: Sequence[BoundId]) -> None:
        """Deactivate and forget; ids that are already gone are ignored."""

    def set_breakpoint_active(self, bound: BoundId, active: bool) -> None:
        """ICorDebugBreakpoint::Activate."""

    def set_read_plan(self, bound: BoundId, plan: ReadPlan | None) -> None:
        """What `BreakpointHit` brings along from now on; None: nothing. Ids that are gone are ignored.

        A new plan has no hit test. Raises `InternalError` for a plan of more than `MOST_READS` or with a parent that
        comes later.
        """

    def set_hit_test(self, bound: BoundId, plan: int, test: HitTest | None) -> None:
        """What passes hits from now on, by what the plan of that number brings; None: nothing.

        Ignored for ids that are gone, and where another plan is set. Any state of the process. Raises `InternalError`
        for a test of more than `MOST_TESTS` nodes, or one that does not fit the plan.
        """

    def passed_hits(self, bound: BoundId) -> int:
        """How many hits the tests of a breakpoint have passed so far; 0 for ids that are gone."""

    def step(
        self,
        thread: ThreadId,
        kind: StepKind,
        ranges: Sequence[tuple[int, int]] = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> StepperId:
        """Arm a stepper for the thread's frame; it acts once the process is resumed.

        `ranges` are half-open IL offset ranges of the statement to leave; without ranges one IL instruction is
        stepped. OUT ignores them. Ends with `StepCompleted`, unless something else stops the program first.
        """

    def cancel_step(self, stepper: StepperId) -> None:
        """Deactivate a stepper; unknown ids are ignored."""

    # exceptions

    def set_exception_interest(self, phases: Collection[ExceptionPhase]) -> None:
        """Which exception phases are reported; the shim continues the others at once. At first: UNHANDLED only."""

    # modules

    def set_module_flags(self, module: ModuleId, *, just_my_code: bool, disable_optimizations: bool) -> None:
        """SetJMCStatus and, when asked, SetJITCompilerFlags. Only while its `ModuleLoaded` holds."""

    def read_memory(self, address: int, size: int) -> bytes:
        """Bytes of the process, fewer where the memory ends. Raises `RuntimeCallError` when none can be read."""

    def write_memory(self, address: int, content: bytes) -> None:
        """Put bytes into the process. Raises `RuntimeCallError` when not all of them can be written."""

    # threads and frames

    def threads(self) -> list[ThreadInfo]:
        """All managed threads, in the runtime's order."""

    def freeze(self, thread: ThreadId, frozen: bool) -> None:
        """Keep a thread where it is while the process runs, or let it run again: ICorDebugThread::SetDebugState.

        Raises `RuntimeCallError` for a thread that is gone.
        """

    def freeze_all(self, frozen: bool, *, but: ThreadId | None = None) -> None:
        """`freeze` of all threads, or of all but one, in one call: ICorDebugController::SetAllThreadsDebugState.

        Raises `RuntimeCallError` where `but` is gone.
        """

    def blocking(self, thread: ThreadId) -> list[Blocking]:
        """The monitors that a thread waits for, innermost first; none while it runs, or waits for something else.

        Raises `RuntimeCallError` where the runtime refuses.
        """

    def thread_object(self, thread: ThreadId) -> Value:
        """The System.Threading.Thread object; null before the thread has one.

        Raises `RuntimeCallError` where the runtime refuses.
        """

    def current_exception(self, thread: ThreadId) -> Value | None:
        """The exception being raised on the thread; None when there is none."""

    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        """Up to `count` frames from frame number `start`, walked lazily; one bulk call."""

    def top_frame(self, thread: ThreadId) -> Frame | None:
        """The leaf frame, without a look at whether others follow; None for a thread without frames."""

    def hide_call(self, thread: ThreadId, known: Frame | None) -> None:
        """Number the frames of a thread without those of the function evaluation that it is in, until `show_call`.

        They have the numbers that they had before the evaluation began, here and for whatever takes a frame's number:
        `known` is any of them as it was then; None: none was asked for. A thread that is in no call has all its frames.
        """

    def show_call(self, thread: ThreadId) -> None:
        """Number all frames of a thread again. Harmless where no call is hidden."""

    def arguments(self, thread: ThreadId, frame_index: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        """All arguments of an IL frame, `this` first where there is one; one bulk call."""

    def locals(self, thread: ThreadId, frame_index: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        """All local slots of an IL frame in slot order; one bulk call. Slots without a value have `error`."""

    def return_value(
        self, thread: ThreadId, frame_index: int, call_offset: int, *, text_limit: int = TEXT_LIMIT
    ) -> Value:
        """What a call has returned, while an IL frame stands right behind it; `call_offset` is the call's IL offset.

        Raises `RuntimeCallError` anywhere else.
        """

    def exception_frames(self, exception: ValueHandle) -> list[Frame]:
        """Where an exception was thrown, and what it came through, leaf first, as its object remembers it.

        Of a frame only module, method and IL offset are known; its `index` counts here, and means nothing elsewhere.
        Raises `RuntimeCallError` for a value that is no exception.
        """

    def delegate_method(self, delegate: ValueHandle) -> tuple[ModuleId, MethodToken]:
        """What a delegate calls. Raises `RuntimeCallError` for other values, and for several methods."""

    def set_il_offset(self, thread: ThreadId, frame_index: int, il_offset: int, *, only_ask: bool = False) -> None:
        """Let a frame go on at another IL offset of its method. The thread's frames are read anew afterwards.

        Raises `RuntimeCallError` where the runtime refuses; with `only_ask` that is all that happens.
        """

    def frame_type_arguments(self, thread: ThreadId, frame_index: int) -> tuple[TypeId, ...]:
        """Generic arguments of the frame's type, then of its method."""

    # values and types

    def type_info(self, type_id: TypeId) -> TypeInfo:
        """Describe an exact type. Cached; any number of calls is cheap."""

    def make_type(self, module: ModuleId, token: TypeDefToken, arguments: Sequence[TypeId] = ()) -> TypeId:
        """The exact type for a TypeDef and generic arguments. The type must be loaded in the process."""

    def module_metadata(self, module: ModuleId) -> bytes:
        """The metadata of a module as it is now (ECMA-335 II.24.2), as modules without an image need it: they grow.

        The same object as long as nothing was added. Raises `RuntimeCallError`, also while the process runs.
        """

    def type_layout(self, type_id: TypeId) -> TypeLayout:
        """Where the fields of an exact type are in memory; those of its base are the base's.

        Raises `RuntimeCallError` for types without a layout, such as pointers and those that are not loaded.
        """

    def fields(self, value: ValueHandle, wanted: Sequence[FieldRef], *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        """Instance fields of an object or value type, in the order wanted; one bulk call."""

    def static_fields(
        self, wanted: Sequence[FieldRef], thread: ThreadId, frame_index: int = 0, *, text_limit: int = TEXT_LIMIT
    ) -> list[Value]:
        """Static fields, in the order wanted. Not yet initialised ones have `error`."""

    def array_shape(self, value: ValueHandle) -> ArrayShape:
        """Dimensions of an array value."""

    def dereference(self, value: ValueHandle) -> Value:
        """What a pointer points to; with `error` where there is no memory."""

    def elements(self, value: ValueHandle, start: int, count: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        """Array elements from the flat position `start` (row-major); one bulk call."""

    def string(self, value: ValueHandle, start: int, count: int) -> str:
        """UTF-16 units of a string object; lone surrogates stay."""

    def store(self, place: ValueHandle, raw: bytes) -> None:
        """Store a primitive or other value type where one was read from: little-endian bytes, none for its default.

        A boxed value is changed in its box. Values that were read before are not changed by it: read them again.
        Raises `RuntimeCallError` where the place cannot be written (optimised code), and when the bytes do not fit.
        ICorDebugGenericValue::SetValue.
        """

    def store_copy(self, place: ValueHandle, source: ValueHandle) -> None:
        """Store a copy of a value type's value where another of the same type was read from. As `store`."""

    def store_reference(self, place: ValueHandle, source: ValueHandle | None) -> None:
        """Store a reference to an object (None: null) where a reference was read from, or null. As `store`.

        The runtime does not check types: the object must be one that the place's declared type allows.
        ICorDebugReferenceValue::SetValue.
        """

    def pin(self, value: ValueHandle, *, weak: bool = False) -> PinId:
        """Remember an object over generations; a weak pin does not keep it alive.

        Raises `RuntimeCallError` for values that are not on the heap.
        """

    def pinned(self, pin: PinId) -> Value:
        """The remembered object as a value of the present generation; null once a weak one was collected."""

    def unpin(self, pin: PinId) -> None:
        """Forget; unknown ids are ignored."""

    # function evaluation

    def call(
        self,
        thread: ThreadId,
        module: ModuleId,
        method: MethodToken,
        type_arguments: Sequence[TypeId],
        arguments: Sequence[ValueHandle],
    ) -> EvalId:
        """Set up ICorDebugEval2::CallParameterizedFunction.

        Runs once all holds are released; `EvalCompleted` follows.
        """

    def make_value(self, thread: ThreadId, element_type: ElementType, type_id: TypeId | None, raw: bytes) -> Value:
        """Make an argument for `call`: a primitive, or a value type (`type_id`) with its bytes; CLASS is null."""

    def new_string(self, thread: ThreadId, text: str) -> EvalId:
        """Set up ICorDebugEval2::NewStringWithLength; completes as `call` does."""

    def new_object(
        self,
        thread: ThreadId,
        type_id: TypeId,
        constructor: MethodToken | None,
        arguments: Sequence[ValueHandle],
    ) -> EvalId:
        """Set up ICorDebugEval2::NewParameterizedObject; completes as `call` does. A value type's comes in a box.

        `constructor` is of the type's own module, `arguments` are without `this`; None makes an object of zeros.
        """

    def new_array(self, thread: ThreadId, element: TypeId, length: int) -> EvalId:
        """Set up ICorDebugEval2::NewParameterizedArray, of one dimension from 0; completes as `call` does."""

    def eval_result(self, evaluation: EvalId, *, text_limit: int = TEXT_LIMIT) -> Value | None:
        """The result after `EvalCompleted`: None for void. The value is of the new generation."""

    def abort_eval(self, evaluation: EvalId, timeout_ms: int) -> bool:
        """ICorDebugEval::Abort on the stopper thread. Whether the call returned; completion still comes as an event."""


class Backend(Protocol):
    """Where debuggees come from: finds programs, starts them, takes control of running ones.

    `resolve` only reads files, on the session thread. `launch`, `attach` and `attach_at_start` may block up to their
    deadline: a worker thread calls them.
    """

    def resolve(
        self, program: str, arguments: Sequence[str], working_directory: str | None, environment: Mapping[str, str]
    ) -> LaunchSpec:
        """Find out how to start a program, without starting anything.

        `program` is what the user names: a .dll or an apphost executable, relative to `working_directory` (None: the
        adapter's own). `environment` is the whole environment of the program to be. Raises `LaunchError` with the
        remedy for everything that surely would not start or could not be debugged.
        """

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Start a process, hold it at its start, and take control of its runtime.

        Raises `LaunchError` with the remedy: not executable, no runtime came up (with the program's own error output
        in the message), diagnostics disabled, TMPDIR mismatch. No process is left behind then.
        """

    def open_core(self, path: str, folders: Mapping[str, str], sink: EventSink) -> Debuggee:
        """Open a core dump as a frozen debuggee. `folders`: where a folder of the process's machine is on this one.

        Raises `LaunchError`: no core dump, not .NET, or the very build of the runtime is not here.
        """

    def peek(self, process_id: int, sink: EventSink) -> Debuggee:
        """A frozen debuggee over a copy of a running process, which goes on. The copy ends with the debuggee.

        Raises `LaunchError` as `attach` does, and `RuntimeCallError` where the system makes no copy.
        """

    def attach(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Take control of a running process.

        Raises `LaunchError`: no such process, not .NET, not permitted, debugged already.
        """

    def attach_at_start(self, process_id: int, port: str, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Take control of a process that waits for that at its start, at the diagnostic port of this path.

        None of its code has run then. One that does not wait there any more is attached to as it runs. Raises as
        `attach` does.
        """
