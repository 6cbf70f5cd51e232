"""The seam's debuggee over a fake process, fake frames and a fake heap."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dap_dotnet.errors import InternalError, RuntimeCallError
from dap_dotnet.runtime import events
from dap_dotnet.runtime.api import Copier
from dap_dotnet.runtime.events import EventSink, ExceptionPhase, ModuleLoaded, RuntimeEvent
from dap_dotnet.runtime.hit_tests import HitTest
from dap_dotnet.runtime.model import (
    MOST_READS,
    ArrayShape,
    Blocking,
    BlockingReason,
    BoundId,
    BreakpointLocation,
    ElementType,
    EvalId,
    FieldRef,
    Frame,
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
    TypeLayout,
    Value,
    ValueHandle,
)
from dap_dotnet.symbols.stack_view import FUNCTION_EVALUATION
from tests.support.fake_debuggee.evaluations import Evaluations
from tests.support.fake_debuggee.frames import FakeFrame, described
from tests.support.fake_debuggee.heap_walk import HeapWalk
from tests.support.fake_debuggee.hit_tests import HitTests
from tests.support.fake_debuggee.memory import FakeMemory
from tests.support.fake_debuggee.native_code import FakeNativeCode
from tests.support.fake_debuggee.process import FakeProcess, not_found
from tests.support.fake_debuggee.program_input import FakeInput
from tests.support.fake_debuggee.types import ExactTypes
from tests.support.fake_debuggee.values import FORMATS, Heap, Object, Scalar

if TYPE_CHECKING:
    from tests.support.fake_debuggee.copies import FakeCopier


@dataclass(frozen=True)
class Step:
    """An armed stepper."""

    stepper: StepperId
    kind: StepKind
    ranges: Sequence[tuple[int, int]]
    depth: int


class FakeDebuggee(HeapWalk, FakeMemory, FakeNativeCode):
    """See the package's docstring. Its managed thread has the number of the process."""

    def __init__(
        self,
        types: ExactTypes,
        sink: EventSink = lambda event: None,
        *,
        process_id: int = 1,
        is_attach: bool = False,
    ) -> None:
        HeapWalk.__init__(self)
        FakeMemory.__init__(self)
        FakeNativeCode.__init__(self)
        self.process_id = process_id
        self.runtime_version = "10.0.0-fake"
        self.is_frozen = False
        self.ended_by: ThreadId | None = None
        self.frozen_as = ""
        self.pause_ms: float | None = None
        self.is_attach = is_attach
        self.input: FakeInput | None = None if is_attach else FakeInput()
        self.can_be_let_go = True
        self.is_closed = False
        self.violations: list[str] = []
        """What the seam forbids and was done all the same."""
        self.heap = Heap(types, self.violations)
        self.process = FakeProcess(sink, self.heap.new_generation, self.violations)
        self.evaluations = Evaluations(self.heap, self.process, ThreadId(process_id))
        self.frames: Sequence[FakeFrame] = []
        """The thread's stack, outermost first."""
        self.hidden_calls: set[ThreadId] = set()
        """Threads whose frames are counted without those of a call."""
        self.exception: Object | None = None
        """What is being raised."""
        self.exception_interest: set[ExceptionPhase] = {ExceptionPhase.UNHANDLED}
        self.module_flags: dict[ModuleId, tuple[bool, bool]] = {}
        self.breakpoints: dict[BoundId, BreakpointLocation] = {}
        self.return_breakpoints: dict[BoundId, BreakpointLocation] = {}
        """Those behind calls, with the places of the calls."""
        self.returned: tuple[int, Any] | None = None
        """The IL offset of the call behind which the thread stands, and what it has returned."""
        self.active: set[BoundId] = set()
        self.refused_il_offsets: set[int] = set()
        """Where no breakpoint can be."""
        self.removed_unknown: list[BoundId] = []
        """Ids that were to be removed and were gone already."""
        self.plans: dict[BoundId, ReadPlan] = {}
        self.plans_set: list[ReadPlan | None] = []
        self.hit_tests = HitTests()
        """Every plan that was given to a breakpoint, in order."""
        self.armed_step: Step | None = None
        self.has_queued_step = False
        """Whether a step ends where a breakpoint was hit, and was not reported yet."""
        self.steps: list[Step] = []
        """Every step that was armed, in order."""
        self.other_threads: set[ThreadId] = set()
        """Managed threads that only exist, and can be frozen."""
        self.frozen: set[ThreadId] = set()
        self.waiting_for: dict[ThreadId, tuple[Object, ThreadId | None]] = {}
        """Threads that wait for a monitor: its object, and the thread that has it."""
        self.calls: list[str] = []
        """The calls of the seam by name, in order, but those that are free."""
        self.walked = 0
        """How many frames, from the leaf, a stack walk has brought."""
        self.types = types
        self.loaded: list[ModuleInfo] = []
        self.start_copier: Callable[[], Copier] | None = self._copier
        self.copiers: list[FakeCopier] = []
        """Those that were begun."""
        self._last_module = 0
        self._last_id = 0

    def _copier(self) -> FakeCopier:
        from tests.support.fake_debuggee.copies import FakeCopier

        self.copiers.append(FakeCopier(self))
        return self.copiers[-1]

    def stand(self) -> RuntimeEvent:
        """Have the process stand still without a program's thread. Returns the event that holds it."""
        return self.process.hold(events.ProcessCreated())

    @property
    def thread(self) -> ThreadId:
        """The managed thread that has frames."""
        return ThreadId(self.process_id)

    @property
    def reads(self) -> list[str]:
        """The calls that read variables, fields, elements and strings."""
        return [call for call in self.calls if call in _READS]

    def load(self, path: str) -> ModuleId:
        """Have the program load a module. Program's thread."""
        self._last_module += 1
        module = ModuleId(self._last_module)
        info = ModuleInfo(module, path, 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
        self.loaded.append(info)
        self.process.report_holding(ModuleLoaded(module=info))
        return module

    def forget_module(self, module: ModuleId) -> None:
        """The module was unloaded, and its breakpoints with it."""
        for bound in [bound for bound, place in self.breakpoints.items() if place.module == module]:
            self._forget(bound)

    def check_abort(self) -> None:
        """A place where an evaluation can be aborted. Program's thread."""
        self.evaluations.check_abort()

    def _called(self, name: str, *, held: bool = False) -> None:
        self.calls.append(name)
        self.process.check(name, held=held)

    def _need_thread(self, thread: ThreadId) -> None:
        if thread != self.thread and thread not in self.other_threads:
            raise not_found(f"thread {thread}")

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    # running and stopping

    def resume(self, event: RuntimeEvent) -> None:
        self._called("resume")
        self.process.release(event)

    def request_stop(self, timeout_ms: int) -> None:
        self._called("request_stop")
        self.process.request_stop()

    def has_queued_events(self) -> bool:
        self._called("has_queued_events", held=True)
        return False

    def has_queued_events_of(self, thread: ThreadId) -> bool:
        self._called("has_queued_events_of", held=True)
        self._need_thread(thread)
        return self.has_queued_step

    def detach(self) -> None:
        self._called("detach", held=True)
        if self.active:
            self.violations.append("breakpoints were left behind")
        if self.armed_step is not None:
            self.violations.append("a stepper was left behind")
        self.process.let_go()

    def terminate(self) -> None:
        self._called("terminate")
        self.process.kill()

    def ask_to_end(self) -> None:
        """The program's thread ends at its next step, as for a program without exit handlers."""
        self._called("ask_to_end")
        self.process.kill()

    def close(self) -> bool:
        self._called("close")
        self.is_closed = True
        if self.is_attach:
            self.process.let_go()
        else:
            self.process.kill()
        return self.can_be_let_go

    # breakpoints and steps

    def create_breakpoints(self, locations: Sequence[BreakpointLocation]) -> list[BoundId | RuntimeCallErrorInfo]:
        self._called("create_breakpoints", held=True)
        return [self._create(location) for location in locations]

    def _create(self, location: BreakpointLocation) -> BoundId | RuntimeCallErrorInfo:
        if location.il_offset in self.refused_il_offsets:
            return RuntimeCallErrorInfo(0x80131345, "CORDBG_E_UNABLE_TO_SET_BREAKPOINT")
        bound = BoundId(self._next_id())
        self.breakpoints[bound] = location
        self.active.add(bound)
        return bound

    def create_return_breakpoints(
        self, thread: ThreadId, frame_index: int, call_offsets: Sequence[int]
    ) -> list[BoundId | RuntimeCallErrorInfo]:
        self._called("create_return_breakpoints", held=True)
        self._need_thread(thread)
        frame = self._frame(frame_index)
        assert frame.module is not None
        assert frame.method is not None
        made: list[BoundId | RuntimeCallErrorInfo] = []
        for call_offset in call_offsets:
            bound = BoundId(self._next_id())
            self.return_breakpoints[bound] = BreakpointLocation(frame.module, frame.method, call_offset)
            made.append(bound)
        return made

    def remove_breakpoints(self, bound: Sequence[BoundId]) -> None:
        self._called("remove_breakpoints", held=True)
        for one in bound:
            if self.return_breakpoints.pop(one, None) is not None:
                continue
            if one not in self.breakpoints:
                self.removed_unknown.append(one)
            self._forget(one)

    def _forget(self, bound: BoundId) -> None:
        self.breakpoints.pop(bound, None)
        self.plans.pop(bound, None)
        self.active.discard(bound)

    def set_breakpoint_active(self, bound: BoundId, active: bool) -> None:
        self._called("set_breakpoint_active", held=True)
        (self.active.add if active else self.active.discard)(bound)

    def set_read_plan(self, bound: BoundId, plan: ReadPlan | None) -> None:
        self._called("set_read_plan")
        if plan is not None:
            parents = [read.parent for read in plan.reads]
            if len(parents) > MOST_READS or any(parent > number for number, parent in enumerate(parents)):
                raise InternalError("The read plan is too long, or looks into what comes later.")
        self.plans_set.append(plan)
        self.hit_tests.tests.pop(bound, None)
        if plan is None or bound not in self.breakpoints:
            self.plans.pop(bound, None)
        else:
            self.plans[bound] = plan

    def set_hit_test(self, bound: BoundId, plan: int, test: HitTest | None) -> None:
        self._called("set_hit_test")
        known = self.plans.get(bound)
        if test is None or (known is not None and known.number == plan):
            self.hit_tests.set(bound, test, len(known.reads) if known is not None else 0)

    def passed_hits(self, bound: BoundId) -> int:
        self._called("passed_hits")
        return self.hit_tests.passed[bound]

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
        self.armed_step = Step(StepperId(self._next_id()), kind, ranges, len(self._stack) - frame_index)
        self.steps.append(self.armed_step)
        return self.armed_step.stepper

    def cancel_step(self, stepper: StepperId) -> None:
        self._called("cancel_step")
        if self.armed_step is not None and self.armed_step.stepper == stepper:
            self.armed_step = None

    # exceptions and modules

    def set_exception_interest(self, phases: Collection[ExceptionPhase]) -> None:
        self._called("set_exception_interest")
        self.exception_interest = set(phases)

    def set_module_flags(self, module: ModuleId, *, just_my_code: bool, disable_optimizations: bool) -> None:
        self._called("set_module_flags", held=True)
        loads = self.process.holds_by(ModuleLoaded)
        if not any(isinstance(event, ModuleLoaded) and event.module.module == module for event in loads):
            self.violations.append("set_module_flags after the module's load")
        self.module_flags[module] = just_my_code, disable_optimizations

    def threads(self) -> list[ThreadInfo]:
        self._called("threads", held=True)
        return [ThreadInfo(thread=thread, user_state=0) for thread in (self.thread, *sorted(self.other_threads))]

    def freeze(self, thread: ThreadId, frozen: bool) -> None:
        self._called("freeze", held=True)
        self._need_thread(thread)
        (self.frozen.add if frozen else self.frozen.discard)(thread)

    def freeze_all(self, frozen: bool, *, but: ThreadId | None = None) -> None:
        self._called("freeze_all", held=True)
        if but is not None:
            self._need_thread(but)
        for info in self.threads():
            if info.thread != but:
                (self.frozen.add if frozen else self.frozen.discard)(info.thread)

    def blocking(self, thread: ThreadId) -> list[Blocking]:
        self._called("blocking", held=True)
        self._need_thread(thread)
        found = self.waiting_for.get(thread)
        if found is None:
            return []
        content, owner = found
        return [Blocking(BlockingReason.ENTER, self.heap.value(content), owner, 1 if owner is not None else 0)]

    def thread_object(self, thread: ThreadId) -> Value:
        self._called("thread_object", held=True)
        return self.heap.value(None)

    def current_exception(self, thread: ThreadId) -> Value | None:
        self._called("current_exception", held=True)
        return None if self.exception is None else self.heap.value(self.exception)

    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        self._called("stack", held=True)
        self._need_thread(thread)
        shown = self._stack
        depth = len(shown) if thread == self.thread else 0
        end = min(start + count, depth)
        self.walked = max(self.walked, end)
        page = [described(index, depth - 1 - index, shown[depth - 1 - index]) for index in range(min(start, end), end)]
        return StackPage(frames=tuple(page), more=end < depth)

    def top_frame(self, thread: ThreadId) -> Frame | None:
        return next(iter(self.stack(thread, 0, 1).frames), None)

    def hide_call(self, thread: ThreadId, known: Frame | None) -> None:
        self._called("hide_call", held=True)
        self.hidden_calls.add(thread)

    def show_call(self, thread: ThreadId) -> None:
        self._called("show_call", held=True)
        self.hidden_calls.discard(thread)

    def arguments(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("arguments", held=True)
        frame = self._frame(frame_index)
        return [
            self.heap.place(partial(frame.write_argument, index), item, None, text_limit)
            for index, item in enumerate(frame.read_arguments())
        ]

    def locals(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("locals", held=True)
        frame = self._frame(frame_index)
        return [
            self.heap.place(partial(frame.write_local, slot), item, None, text_limit)
            for slot, item in enumerate(frame.read_locals())
        ]

    def return_value(self, thread: ThreadId, frame_index: int, call_offset: int, *, text_limit: int = 1024) -> Value:
        self._called("return_value", held=True)
        self._need_thread(thread)
        if frame_index or self.returned is None or self.returned[0] != call_offset:
            raise RuntimeCallError("Not behind that call.", hresult=0x8000FFFF, hresult_name="E_UNEXPECTED")
        return self.heap.value(self.returned[1], text_limit=text_limit)

    def exception_frames(self, exception: ValueHandle) -> list[Frame]:
        self._called("exception_frames", held=True)
        return []

    def delegate_method(self, delegate: ValueHandle) -> tuple[ModuleId, MethodToken]:
        self._called("delegate_method", held=True)
        raise RuntimeCallError("The value is not a delegate.", hresult=0x80004002, hresult_name="E_NOINTERFACE")

    def set_il_offset(self, thread: ThreadId, frame_index: int, il_offset: int, *, only_ask: bool = False) -> None:
        self._called("set_il_offset", held=True)
        if frame_index:
            name = "CORDBG_E_SET_IP_NOT_ALLOWED_ON_NONLEAF_FRAME"
            raise RuntimeCallError("The frame cannot go on there.", hresult=0x80131311, hresult_name=name)
        if not only_ask:
            self._frame(0).go_to(il_offset)

    def frame_type_arguments(self, thread: ThreadId, frame_index: int) -> tuple[TypeId, ...]:
        self.process.check("frame_type_arguments", held=True)
        return self._frame(frame_index).type_arguments

    def _frame(self, index: int) -> FakeFrame:
        return self._stack[-1 - index]

    @property
    def _stack(self) -> Sequence[FakeFrame]:
        """What is counted, outermost first."""
        calls = [place for place, frame in enumerate(self.frames) if frame.internal_type == FUNCTION_EVALUATION]
        return self.frames[: calls[-1]] if calls and self.thread in self.hidden_calls else self.frames

    # values and types

    def type_info(self, type_id: TypeId) -> TypeInfo:
        return self.types.infos[type_id]

    def make_type(self, module: ModuleId, token: TypeDefToken, arguments: Sequence[TypeId] = ()) -> TypeId:
        assert module == self.types.module, "types of one module only"
        return self.types.definition(token, arguments)

    def module_metadata(self, module: ModuleId) -> bytes:
        raise RuntimeCallError("No dynamic module.", hresult=0x80004005, hresult_name="E_FAIL")

    def type_layout(self, type_id: TypeId) -> TypeLayout:
        self._called("type_layout", held=True)
        return self.types.layout(type_id)

    def fields(self, value: ValueHandle, wanted: Sequence[FieldRef], *, text_limit: int = 1024) -> list[Value]:
        self._called("fields", held=True)
        return [self.heap.read_field(value, one, text_limit) for one in wanted]

    def static_fields(
        self, wanted: Sequence[FieldRef], thread: ThreadId, frame_index: int = 0, *, text_limit: int = 1024
    ) -> list[Value]:
        self._called("static_fields", held=True)
        return [self.heap.read_static(one, text_limit) for one in wanted]

    def array_shape(self, value: ValueHandle) -> ArrayShape:
        self.process.check("array_shape", held=True)
        return self.heap.shape(value)

    def dereference(self, value: ValueHandle) -> Value:
        raise RuntimeCallError("No pointer.", hresult=0x80004005, hresult_name="E_FAIL")

    def elements(self, value: ValueHandle, start: int, count: int, *, text_limit: int = 1024) -> list[Value]:
        self._called("elements", held=True)
        return self.heap.read_elements(value, start, count, text_limit)

    def string(self, value: ValueHandle, start: int, count: int) -> str:
        self._called("string", held=True)
        return self.heap.units(value, start, count)

    def store(self, place: ValueHandle, raw: bytes) -> None:
        self._called("store", held=True)
        self.heap.store(place, raw)

    def store_copy(self, place: ValueHandle, source: ValueHandle) -> None:
        self._called("store_copy", held=True)
        self.heap.store_copy(place, source)

    def store_reference(self, place: ValueHandle, source: ValueHandle | None) -> None:
        self._called("store_reference", held=True)
        self.heap.store_reference(place, source)

    def pin(self, value: ValueHandle, *, weak: bool = False) -> PinId:
        self.process.check("pin", held=True)
        return self.heap.pin(value)

    def pinned(self, pin: PinId) -> Value:
        self.process.check("pinned", held=True)
        return self.heap.pinned(pin)

    def unpin(self, pin: PinId) -> None:
        self.process.check("unpin", held=False)
        self.heap.pins.pop(pin, None)

    # function evaluation

    def call(
        self,
        thread: ThreadId,
        module: ModuleId,
        method: MethodToken,
        type_arguments: Sequence[TypeId],
        arguments: Sequence[ValueHandle],
    ) -> EvalId:
        self._called("call", held=True)
        self._need_thread(thread)
        name = self.types.metadata.method(method).name
        contents = [self.heap.argument(handle) for handle in arguments]
        return self.evaluations.set_up(lambda: self.evaluations.callees[name](*contents))

    def make_value(self, thread: ThreadId, element_type: ElementType, type_id: TypeId | None, raw: bytes) -> Value:
        self._called("make_value", held=True)
        if element_type is ElementType.CLASS:
            return self.heap.value(None)
        kind = type_id if type_id is not None else self.types.primitive(element_type)
        (number,) = struct.unpack(FORMATS[element_type], raw)
        return self.heap.value(Scalar(kind, number))

    def new_string(self, thread: ThreadId, text: str) -> EvalId:
        self._called("new_string", held=True)
        self._need_thread(thread)
        return self.evaluations.set_up(lambda: text)

    def new_object(
        self, thread: ThreadId, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[ValueHandle]
    ) -> EvalId:
        self._called("new_object", held=True)
        self._need_thread(thread)
        contents = [self.heap.argument(handle) for handle in arguments]
        make = self.evaluations.constructors.get(type_id) or (lambda *_: self.heap.new_object(type_id))
        return self.evaluations.set_up(lambda: make(*contents))

    def new_array(self, thread: ThreadId, element: TypeId, length: int) -> EvalId:
        self._called("new_array", held=True)
        self._need_thread(thread)
        return self.evaluations.set_up(lambda: self.heap.new_array(element, length))

    def eval_result(self, evaluation: EvalId, *, text_limit: int = 1024) -> Value | None:
        self._called("eval_result", held=True)
        return self.evaluations.result(evaluation, text_limit)

    def abort_eval(self, evaluation: EvalId, timeout_ms: int) -> bool:
        self._called("abort_eval")
        return self.evaluations.abort(evaluation)


_READS = {"arguments", "locals", "fields", "static_fields", "elements", "string"}
