"""A debuggee behind `runtime.api` without any .NET: a Python function plays the program, on a thread of its own.

The function calls the `Machine`'s methods as it "runs" the lines of sample/Sample.cs, whose real metadata and PDB the
adapter reads. Breakpoints, steps, stop requests and holds behave as the seam's rules say, and the fake is strict: what
those rules forbid is noted in `FakeDebuggee.violations`, which every test checks at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import Any

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime import events
from dap_dotnet.runtime.events import EventSink, ExceptionPhase, RuntimeEvent
from dap_dotnet.runtime.model import (
    ArrayShape,
    BoundId,
    BreakpointLocation,
    EvalId,
    FieldRef,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    ModuleInfo,
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
    Value,
    ValueHandle,
)
from portablepdb import Assembly
from tests.session.fake_plans import planned_values
from tests.session.fake_program import (
    MAIN_THREAD,
    PROCESS_ID,
    SAMPLE,
    SAMPLE_MODULE,
    FakeFrame,
    Killed,
    Machine,
    Program,
    Step,
)
from tests.session.fake_values import FakeHeap, FakeObject


class FakeDebuggee:
    """See the module's docstring."""

    def __init__(self, program: Program, sink: EventSink, *, is_attach: bool) -> None:
        self.process_id = PROCESS_ID
        self.runtime_version = "10.0.0-fake"
        self.violations: list[str] = []
        self.is_detached = False
        self.is_closed = False
        self.is_deaf = False
        """A stop request is answered with `StopTimedOut`."""
        self.exception: FakeObject | None = None
        self.exception_interest: set[ExceptionPhase] = {ExceptionPhase.UNHANDLED}
        self.module_flags: dict[ModuleId, tuple[bool, bool]] = {}
        self.breakpoints: dict[BoundId, BreakpointLocation] = {}
        self.active: set[BoundId] = set()
        self.statics: dict[str, Any] = {"Made": 7}
        """Static fields of the sample by name; 0 where nothing is said."""
        self.pins: dict[PinId, Any] = {}
        self.plans: dict[BoundId, ReadPlan] = {}
        self.reads = 0
        """How often variables, fields and elements were read by calls."""
        self.resumed: list[str] = []
        """Names of the events whose hold was released, in order."""
        self._is_attach = is_attach
        self._sink = sink
        self._assembly = Assembly.open(SAMPLE)
        found = self._assembly.find_pdb().pdb
        assert found is not None
        self.pdb = found
        self.metadata = self._assembly.metadata
        program_type = self.metadata.find_type("Sample.Program")
        assert program_type is not None
        self.methods = {method.name: MethodToken(method.token) for method in self.metadata.methods_of(program_type)}
        self._heap = FakeHeap(SAMPLE_MODULE, self.metadata)
        self._machine = Machine(self)
        self._changed = threading.Condition()
        self._holds: dict[int, RuntimeEvent] = {}
        self._last_hold = 0
        self._last_module = 0
        self._last_id = 0
        self._stop_requested = False
        self._killed = False
        self._step: Step | None = None
        self._session_thread: int | None = None
        self._thread = threading.Thread(target=self._run, args=(program,), name="fake-program", daemon=True)

    # the program's side

    def start(self) -> None:
        """Begin to run, and to report events."""
        self._thread.start()

    def _run(self, program: Program) -> None:
        exit_code, signal = 137, 9
        try:
            self.emit_holding(events.ProcessCreated(hold=0))
            self.load("System.Private.CoreLib.dll")
            self.load(str(SAMPLE))
            self.emit_holding(events.ThreadStarted(thread=MAIN_THREAD, hold=0))
            exit_code, signal = program(self._machine), 0
        except Killed:
            pass
        if self.is_detached:
            return
        self.emit(events.ProcessExited())
        if not self._is_attach:
            self.emit(events.ProcessReaped(exit_code=exit_code, signal=signal or None))

    def load(self, path: str) -> ModuleId:
        """Load a module."""
        self._last_module += 1
        info = ModuleInfo(
            module=ModuleId(self._last_module),
            path=path,
            base_address=0,
            size=0,
            is_dynamic=False,
            is_in_memory=False,
            is_mapped_layout=False,
        )
        self.emit_holding(events.ModuleLoaded(module=info, hold=0))
        return info.module

    def emit(self, event: RuntimeEvent) -> None:
        """Report an event that does not hold."""
        if not self.is_detached:
            self._sink(event)

    def emit_holding(self, event: RuntimeEvent) -> None:
        """Report an event and wait until nothing holds the process any more."""
        if self.is_detached:
            return
        with self._changed:
            if self._killed:
                raise Killed
            held = self._hold(event)
        self._sink(held)
        self._wait_while_held()

    def _hold(self, event: RuntimeEvent) -> RuntimeEvent:
        self._last_hold += 1
        values = {name: getattr(event, name) for name in event.__struct_fields__}
        held = type(event)(**{**values, "hold": self._last_hold})
        self._holds[self._last_hold] = held
        return held

    def _wait_while_held(self) -> None:
        while True:
            with self._changed:
                while self._holds and not self._killed and not self._stop_requested:
                    self._changed.wait()
                if self._killed:
                    raise Killed
                if not self._holds:
                    self._heap.new_generation()
                    return
                self._stop_requested = False
                held = self._hold(events.StopCompleted(hold=0))
            self._sink(held)

    def safe_point(self) -> None:
        """A place where the runtime can stop the program."""
        with self._changed:
            if self._killed:
                raise Killed
            stop = self._stop_requested
            self._stop_requested = False
        if stop:
            self.emit_holding(events.StopCompleted(hold=0))
        if not self._machine.frames:
            return
        frame = self._machine.frames[-1]
        here = BreakpointLocation(module=SAMPLE_MODULE, method=frame.method, il_offset=frame.il_offset)
        for bound, location in sorted(self.breakpoints.items()):
            if location == here and bound in self.active:
                plan = self.plans.get(bound)
                self.emit_holding(
                    events.BreakpointHit(
                        thread=MAIN_THREAD,
                        bound=bound,
                        il_offset=location.il_offset,
                        plan=plan.number if plan is not None else 0,
                        values=planned_values(plan, frame, self._heap, self.pdb),
                        hold=0,
                    )
                )
        self.check_step()

    def check_step(self, *, returned: bool = False) -> None:
        """Complete the armed stepper if this is where it ends; as ICorDebugStepper does."""
        step = self._step
        if step is None:
            return
        depth = len(self._machine.frames)
        il_offset = self._machine.frames[-1].il_offset
        inside = any(start <= il_offset < end for start, end in step.ranges)
        done = depth < step.depth or (step.kind is StepKind.INTO and depth > step.depth)
        if step.kind is not StepKind.OUT:
            done = done or (depth == step.depth and not inside)
        if done:
            self._step = None
            reason = 1 if returned else 2 if depth > step.depth else 0
            self.emit_holding(events.StepCompleted(thread=MAIN_THREAD, stepper=step.stepper, reason=reason, hold=0))

    # checks

    def _called(self, what: str, *, held: bool = False) -> None:
        current = threading.get_ident()
        if self._session_thread is None:
            self._session_thread = current
        if current != self._session_thread:
            self.violations.append(f"{what} on a second thread")
        if held and not self._holds:
            self.violations.append(f"{what} while the process runs")
            raise RuntimeCallError(
                f"{what}: the process is running.", hresult=0x80131302, hresult_name="CORDBG_E_PROCESS_NOT_SYNCHRONIZED"
            )

    def join(self) -> None:
        """The end of the program's thread."""
        self._thread.join(3)
        assert not self._thread.is_alive(), "the fake program still runs"
        self._assembly.close()

    # Debuggee: running and stopping

    def resume(self, event: RuntimeEvent) -> None:
        self._called("resume")
        with self._changed:
            if event.hold is None or self._holds.pop(event.hold, None) is None:
                self.violations.append(f"{type(event).__name__} was released twice")
            self.resumed.append(type(event).__name__)
            self._changed.notify_all()

    def request_stop(self, timeout_ms: int) -> None:
        self._called("request_stop")
        if self.is_deaf:
            self.emit(events.StopTimedOut())
            return
        with self._changed:
            self._stop_requested = True
            self._changed.notify_all()

    def detach(self) -> None:
        self._called("detach", held=True)
        if self.active:
            self.violations.append("breakpoints were left behind")
        if self._step is not None:
            self.violations.append("a stepper was left behind")
        self._let_go()

    def _let_go(self) -> None:
        """The process runs on without a debugger: nothing is reported any more."""
        self.is_detached = True
        with self._changed:
            self._holds.clear()
            self._changed.notify_all()

    def terminate(self) -> None:
        self._called("terminate")
        self._kill()

    def close(self) -> None:
        self._called("close")
        self.is_closed = True
        if not self._is_attach:
            self._kill()
            return
        self._let_go()

    def _kill(self) -> None:
        with self._changed:
            if not self.is_detached:
                self._killed = True
            self._changed.notify_all()

    # breakpoints and steps

    def create_breakpoints(self, locations: Sequence[BreakpointLocation]) -> list[BoundId | RuntimeCallErrorInfo]:
        self._called("create_breakpoints", held=True)
        created: list[BoundId | RuntimeCallErrorInfo] = []
        for location in locations:
            self._last_id += 1
            bound = BoundId(self._last_id)
            self.breakpoints[bound] = location
            self.active.add(bound)
            created.append(bound)
        return created

    def remove_breakpoints(self, bound: Sequence[BoundId]) -> None:
        self._called("remove_breakpoints", held=True)
        for one in bound:
            self.breakpoints.pop(one, None)
            self.active.discard(one)

    def set_breakpoint_active(self, bound: BoundId, active: bool) -> None:
        self._called("set_breakpoint_active", held=True)
        (self.active.add if active else self.active.discard)(bound)

    def set_read_plan(self, bound: BoundId, plan: ReadPlan | None) -> None:
        self._called("set_read_plan")
        if plan is None or bound not in self.breakpoints:
            self.plans.pop(bound, None)
        else:
            self.plans[bound] = plan

    def step(
        self,
        thread: ThreadId,
        kind: StepKind,
        ranges: Sequence[tuple[int, int]] = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> StepperId:
        self._called("step", held=True)
        self._need_thread(thread)
        self._last_id += 1
        self._step = Step(StepperId(self._last_id), kind, ranges, len(self._machine.frames))
        return self._step.stepper

    def cancel_step(self, stepper: StepperId) -> None:
        self._called("cancel_step")
        if self._step is not None and self._step.stepper == stepper:
            self._step = None

    def set_exception_interest(self, phases: Collection[ExceptionPhase]) -> None:
        self._called("set_exception_interest")
        self.exception_interest = set(phases)

    def set_module_flags(self, module: ModuleId, *, just_my_code: bool, disable_optimizations: bool) -> None:
        self._called("set_module_flags", held=True)
        self.module_flags[module] = just_my_code, disable_optimizations

    def read_memory(self, address: int, size: int) -> bytes:
        raise RuntimeCallError("There is no memory.", hresult=0x80131C49, hresult_name="CORDBG_E_READVIRTUAL_FAILURE")

    # threads and frames

    def threads(self) -> list[ThreadInfo]:
        self._called("threads", held=True)
        return [ThreadInfo(thread=MAIN_THREAD, user_state=0)]

    def thread_object(self, thread: ThreadId) -> Value:
        self._called("thread_object", held=True)
        return self._heap.value(None)

    def current_exception(self, thread: ThreadId) -> Value | None:
        self._called("current_exception", held=True)
        return None if self.exception is None else self._heap.value(self.exception)

    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        self._called("stack", held=True)
        self._need_thread(thread)
        frames = [
            Frame(
                index=index,
                kind=FrameKind.IL,
                module=SAMPLE_MODULE,
                method=frame.method,
                il_offset=frame.il_offset,
                mapping=4,
                internal_type=0,
                stack_address=0x1000 + index,
            )
            for index, frame in enumerate(reversed(self._machine.frames))
        ]
        return StackPage(frames=tuple(frames[start : start + count]), more=start + count < len(frames))

    def arguments(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("arguments", held=True)
        self.reads += 1
        return [self._heap.value(item, text_limit) for item in self._frame(frame_index).arguments.values()]

    def locals(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("locals", held=True)
        self.reads += 1
        frame = self._frame(frame_index)
        names = {local.slot: local.name for local in self.pdb.locals_at(frame.method, frame.il_offset)}
        slots = range(max(names, default=-1) + 1)
        return [self._heap.value(frame.locals.get(names.get(slot, ""), 0), text_limit) for slot in slots]

    def frame_type_arguments(self, thread: ThreadId, frame_index: int) -> tuple[TypeId, ...]:
        self._called("frame_type_arguments", held=True)
        return ()

    def _frame(self, index: int) -> FakeFrame:
        return self._machine.frames[-1 - index]

    def _need_thread(self, thread: ThreadId) -> None:
        if thread != MAIN_THREAD:
            raise RuntimeCallError(f"No thread {thread}.", hresult=0x80131301, hresult_name="CORDBG_E_BAD_THREAD_STATE")

    # values and types

    def type_info(self, type_id: TypeId) -> TypeInfo:
        return self._heap.type_info(type_id)

    def make_type(self, module: ModuleId, token: TypeDefToken, arguments: Sequence[TypeId] = ()) -> TypeId:
        return self._heap.class_type(token)

    def pin(self, value: ValueHandle, *, weak: bool = False) -> PinId:
        self._called("pin", held=True)
        self._last_id += 1
        self.pins[PinId(self._last_id)] = self._heap.content(value)
        return PinId(self._last_id)

    def pinned(self, pin: PinId) -> Value:
        self._called("pinned", held=True)
        return self._heap.value(self.pins[pin])

    def unpin(self, pin: PinId) -> None:
        self._called("unpin")
        self.pins.pop(pin, None)

    def fields(self, value: ValueHandle, wanted: Sequence[FieldRef], *, text_limit: int = 1024) -> list[Value]:
        self._called("fields", held=True)
        self.reads += 1
        return [self._heap.read_field(value, one, text_limit) for one in wanted]

    def static_fields(
        self, wanted: Sequence[FieldRef], thread: ThreadId, frame_index: int = 0, *, text_limit: int = 1024
    ) -> list[Value]:
        self._called("static_fields", held=True)
        names = [self.metadata.field(one.field).name for one in wanted]
        return [self._heap.value(self.statics.get(name, 0), text_limit) for name in names]

    def array_shape(self, value: ValueHandle) -> ArrayShape:
        return ArrayShape(lengths=(len(self._heap.content(value)),), lower_bounds=(0,))

    def elements(self, value: ValueHandle, start: int, count: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("elements", held=True)
        self.reads += 1
        return [self._heap.value(item, text_limit) for item in self._heap.content(value)[start : start + count]]

    def string(self, value: ValueHandle, start: int, count: int) -> str:
        self._called("string", held=True)
        return str(self._heap.content(value)[start : start + count])

    def freeze(self, thread: ThreadId, frozen: bool) -> None:
        self._called("freeze", held=True)
        self._need_thread(thread)

    # function evaluation: the sample is never called into

    def call(
        self,
        thread: ThreadId,
        module: ModuleId,
        method: MethodToken,
        type_arguments: Sequence[TypeId],
        arguments: Sequence[ValueHandle],
    ) -> EvalId:
        raise NotImplementedError

    def new_string(self, thread: ThreadId, text: str) -> EvalId:
        raise NotImplementedError

    def eval_result(self, evaluation: EvalId, *, text_limit: int = 1024) -> Value | None:
        raise NotImplementedError

    def abort_eval(self, evaluation: EvalId, timeout_ms: int) -> bool:
        raise NotImplementedError
