"""The class that implements `api.Debuggee` on the shim; `cordebug` makes instances of it."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import struct
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from typing_extensions import override

from dap_dotnet.errors import DebuggeeError, RuntimeCallError
from dap_dotnet.runtime._shim import (
    BUFFER_TOO_SMALL,
    GONE,
    TIMEOUT,
    accelerator_reasons,
    check,
    ffi,
    hresult_name,
    lib,
    new_sized,
)
from dap_dotnet.runtime.api import Copier, ProgramInput
from dap_dotnet.runtime.cordebug_decode import FrameBuffer
from dap_dotnet.runtime.cordebug_events import translate
from dap_dotnet.runtime.cordebug_native_code import CordebugNativeCode
from dap_dotnet.runtime.events import EventSink, ExceptionPhase, ProcessExited, RuntimeEvent
from dap_dotnet.runtime.hit_tests import HitTest
from dap_dotnet.runtime.model import (
    TEXT_LIMIT,
    Blocking,
    BlockingReason,
    BoundId,
    BreakpointLocation,
    Frame,
    MethodToken,
    ModuleId,
    ReadPlan,
    RuntimeCallErrorInfo,
    StackPage,
    StepKind,
    StepperId,
    ThreadId,
    ThreadInfo,
    TypeId,
    Value,
    ValueHandle,
)

_log = logging.getLogger(__name__)

_STEP_KINDS = {StepKind.OVER: lib.CDS_STEP_OVER, StepKind.INTO: lib.CDS_STEP_INTO, StepKind.OUT: lib.CDS_STEP_OUT}
_EVENT_SLICE_MS = 60_000
_DETACH_TIMEOUT_MS = 5_000
_QUIESCE_TIMEOUT_MS = 500
_EXIT_TIMEOUT_S = 3.0
_MOST_BLOCKING = 16


class CordebugDebuggee(CordebugNativeCode):
    """`api.Debuggee` over a `cds_session`."""

    is_frozen = False
    frozen_as = ""
    pause_ms: float | None = None
    ended_by: ThreadId | None = None
    input: ProgramInput | None = None
    on_terminate: Callable[[], None] | None = None
    """Kills the process; None for one that was attached to, which ICorDebug then terminates."""
    on_detaching: Callable[[Sequence[ThreadId]], None] | None = None
    """Looks at the process, with these managed threads, before the detach."""
    on_detached: Callable[[], None] | None = None
    """Lets a launched process live on without us; called once the detach is done."""
    on_closed: Callable[[bool], None] | None = None
    """Lets go of what else belongs to the process; the last thing that `close` does. Gets what `close` returns."""

    start_copier: Callable[[], Copier] | None = None

    def __init__(self, session: Any, process_id: int, sink: EventSink) -> None:
        """`session` is a `cds_session *`, which is ours from here on."""
        super().__init__()
        self._session = session
        self.process_id = process_id
        path = PurePosixPath(ffi.string(lib.cds_session_runtime_path(self._session)).decode("utf-8", "replace"))
        # .../shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so; elsewhere (self-contained) the folder says nothing.
        self.runtime_version = path.parent.name if path.parent.parent.name == "Microsoft.NETCore.App" else ""
        self._frames = FrameBuffer()
        self._sink = sink
        self._exited = threading.Event()
        self._detached = False
        self._is_let_go = True
        self._destroys_itself = False
        """`close` was called on the event thread, which is still inside the session."""
        self._event_thread = threading.Thread(target=self._pump_events, name="events", daemon=True)
        self._event_thread.start()

    def _pump_events(self) -> None:
        event = new_sized("cds_event")
        session = self._session
        is_first = True
        while (code := lib.cds_event_wait(session, _EVENT_SLICE_MS, event)) != GONE:
            if code == TIMEOUT:
                continue
            if is_first:
                is_first = False
                for part, reason in accelerator_reasons().items():
                    _log.info("accelerator, %s: %s", part, reason)
            translated = translate(event)
            if isinstance(translated, ProcessExited):
                self._exited.set()
            self._sink(translated)
        if self._destroys_itself:
            self._destroy(session)

    # running and stopping

    @override
    def resume(self, event: RuntimeEvent) -> None:
        # A process that ended meanwhile is no error: `ProcessExited` reports it.
        self._resumed += 1
        if event.hold is not None:
            code = lib.cds_hold_release(self._session, event.hold)
            if code != GONE:
                check(code)

    @override
    def request_stop(self, timeout_ms: int) -> None:
        check(lib.cds_session_stop(self._session, timeout_ms))

    @override
    def has_queued_events(self) -> bool:
        waiting = ffi.new("int32_t *")
        check(lib.cds_session_has_queued_callbacks(self._session, waiting))
        return bool(waiting[0])

    @override
    def has_queued_events_of(self, thread: ThreadId) -> bool:
        waiting = ffi.new("int32_t *")
        check(lib.cds_thread_has_queued_callbacks(self._session, thread, waiting))
        return bool(waiting[0])

    @override
    def detach(self) -> None:
        if self.on_detaching is not None:
            with contextlib.suppress(RuntimeCallError):
                self.on_detaching([info.thread for info in self.threads()])
        check(lib.cds_session_detach(self._session, _DETACH_TIMEOUT_MS))
        self._detached = True
        if self.on_detached is not None:
            self.on_detached()

    @override
    def terminate(self) -> None:
        if self._session is None or self._exited.is_set() or self._detached:
            return
        if self.on_terminate is not None:
            self._kill(self.on_terminate)
            return
        code = lib.cds_session_terminate(self._session, 1)
        if code != GONE:
            check(code)

    @override
    def ask_to_end(self) -> None:
        request = getattr(signal, "SIGTERM", None)
        if os.name != "posix" or request is None:
            self.terminate()
            return
        try:
            os.kill(self.process_id, request)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise DebuggeeError(f"Process {self.process_id} cannot be ended by this user: {error.strerror}.") from error

    @override
    def close(self) -> bool:
        if self._session is None:
            return self._is_let_go
        if self.on_terminate is not None and not self._exited.is_set() and not self._detached:
            self._kill(self.on_terminate)
            self._exited.wait(_EXIT_TIMEOUT_S)
        session, self._session = self._session, None
        lib.cds_session_shutdown(session)
        if threading.current_thread() is self._event_thread:
            self._destroys_itself = True
        else:
            self._event_thread.join()
            self._destroy(session)
        return self._is_let_go

    def _destroy(self, session: Any) -> None:
        self._is_let_go = lib.cds_session_destroy(session) == 0
        if self.on_closed is not None:
            self.on_closed(self._is_let_go)

    def _kill(self, kill: Callable[[], None]) -> None:
        # Whether it could be stopped first or not, and also when it is being killed already.
        lib.cds_session_quiesce(self._session, _QUIESCE_TIMEOUT_MS)
        kill()

    # breakpoints and steps

    @override
    def create_breakpoints(self, locations: Sequence[BreakpointLocation]) -> list[BoundId | RuntimeCallErrorInfo]:
        wanted = ffi.new("cds_breakpoint_location[]", [(at.module, at.method, at.il_offset) for at in locations])
        results = ffi.new("cds_breakpoint_result[]", len(locations))
        check(lib.cds_breakpoint_create(self._session, wanted, len(locations), results))
        return [_bound(result) for result in results]

    @override
    def create_return_breakpoints(
        self, thread: ThreadId, frame_index: int, call_offsets: Sequence[int]
    ) -> list[BoundId | RuntimeCallErrorInfo]:
        count = len(call_offsets)
        calls = ffi.new("uint32_t[]", list(call_offsets))
        results = ffi.new("cds_breakpoint_result[]", count)
        check(lib.cds_return_breakpoint_create(self._session, thread, frame_index, calls, count, results))
        return [_bound(result) for result in results]

    @override
    def remove_breakpoints(self, bound: Sequence[BoundId]) -> None:
        check(lib.cds_breakpoint_destroy(self._session, ffi.new("uint32_t[]", list(bound)), len(bound)))

    @override
    def set_breakpoint_active(self, bound: BoundId, active: bool) -> None:
        check(lib.cds_breakpoint_activate(self._session, bound, active))

    @override
    def set_read_plan(self, bound: BoundId, plan: ReadPlan | None) -> None:
        number, entries, text_limit = (plan.number, plan.reads, plan.text_limit) if plan is not None else (0, (), 0)
        reads = ffi.new("cds_read[]", [(read.kind, read.parent, read.index, read.type, read.owner) for read in entries])
        check(lib.cds_breakpoint_set_plan(self._session, bound, number, reads, len(entries), text_limit))

    @override
    def set_hit_test(self, bound: BoundId, plan: int, test: HitTest | None) -> None:
        entries, text = (test.nodes, test.text) if test is not None else ((), b"")
        nodes = ffi.new("cds_test[]", [(n.kind, n.left, n.right, n.detail, n.integer, n.real) for n in entries])
        units = ffi.new("uint16_t[]", struct.unpack(f"<{len(text) // 2}H", text))
        is_direct = os.environ.get("DAP_DOTNET_HIT_TEST") != "plan"
        check(
            lib.cds_breakpoint_set_test(self._session, bound, plan, nodes, len(entries), units, len(units), is_direct)
        )

    @override
    def passed_hits(self, bound: BoundId) -> int:
        count = ffi.new("uint64_t *")
        check(lib.cds_breakpoint_passed(self._session, bound, count))
        return int(count[0])

    @override
    def step(
        self,
        thread: ThreadId,
        kind: StepKind,
        ranges: Sequence[tuple[int, int]] = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> StepperId:
        il_ranges = ffi.new("cds_il_range[]", list(ranges))
        check(
            lib.cds_stepper_create(
                self._session, thread, frame_index, _STEP_KINDS[kind], just_my_code, il_ranges, len(ranges), self._u32
            )
        )
        return StepperId(self._u32[0])

    @override
    def cancel_step(self, stepper: StepperId) -> None:
        check(lib.cds_stepper_destroy(self._session, stepper))

    # exceptions

    @override
    def set_exception_interest(self, phases: Collection[ExceptionPhase]) -> None:
        bits = 0
        for phase in phases:
            bits |= 1 << phase
        check(lib.cds_session_set_exception_interest(self._session, bits))

    # modules

    @override
    def set_module_flags(self, module: ModuleId, *, just_my_code: bool, disable_optimizations: bool) -> None:
        check(lib.cds_module_set_flags(self._session, module, just_my_code, disable_optimizations))

    @override
    def read_memory(self, address: int, size: int) -> bytes:
        buffer = ffi.new("uint8_t[]", max(size, 1))
        check(lib.cds_memory_read(self._session, address, size, buffer, self._u32))
        return bytes(ffi.buffer(buffer, self._u32[0]))

    @override
    def write_memory(self, address: int, content: bytes) -> None:
        check(lib.cds_memory_write(self._session, address, len(content), content))

    # threads and frames

    @override
    def freeze(self, thread: ThreadId, frozen: bool) -> None:
        check(lib.cds_thread_freeze(self._session, thread, frozen))

    @override
    def freeze_all(self, frozen: bool, *, but: ThreadId | None = None) -> None:
        check(lib.cds_session_freeze_threads(self._session, but or 0, frozen))

    @override
    def threads(self) -> list[ThreadInfo]:
        capacity = 64
        while True:
            found = ffi.new("cds_thread[]", capacity)
            code = lib.cds_thread_list(self._session, found, capacity, self._u32)
            if code != BUFFER_TOO_SMALL:
                break
            capacity = self._u32[0] * 2
        check(code)
        return [
            ThreadInfo(ThreadId(found[i].thread), found[i].user_state if found[i].user_state >= 0 else None)
            for i in range(self._u32[0])
        ]

    @override
    def blocking(self, thread: ThreadId) -> list[Blocking]:
        found = ffi.new("cds_blocking[]", _MOST_BLOCKING)
        values = self._read(
            lambda out: lib.cds_thread_blocking(self._session, thread, found, _MOST_BLOCKING, self._u32, out), 0
        )
        return [
            Blocking(BlockingReason(one.reason), value, ThreadId(one.owner) if one.owner else None, one.acquisitions)
            for one, value in zip(found, values, strict=False)
            if one.reason in (BlockingReason.ENTER.value, BlockingReason.WAIT.value)
        ]

    @override
    def thread_object(self, thread: ThreadId) -> Value:
        values = self._read(lambda out: lib.cds_thread_object(self._session, thread, out), 0)
        if not values:
            raise RuntimeCallError(f"The runtime has no object for thread {thread}.", hresult=0, hresult_name="")
        return values[0]

    @override
    def current_exception(self, thread: ThreadId) -> Value | None:
        values = self._read(lambda out: lib.cds_thread_exception(self._session, thread, out), 0)
        return values[0] if values and not values[0].is_null else None

    @override
    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        frames, more = self._frames.read(self._session, thread, start, count)
        return StackPage(frames, more)

    @override
    def top_frame(self, thread: ThreadId) -> Frame | None:
        return self._frames.read_top(self._session, thread)

    @override
    def hide_call(self, thread: ThreadId, known: Frame | None) -> None:
        index, address = (known.index, known.stack_address) if known is not None else (0, 0)
        check(lib.cds_thread_hide_call(self._session, thread, index, address))

    @override
    def show_call(self, thread: ThreadId) -> None:
        check(lib.cds_thread_show_call(self._session, thread))

    @override
    def arguments(self, thread: ThreadId, frame_index: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        return self._read(lambda out: lib.cds_frame_arguments(self._session, thread, frame_index, out), text_limit)

    @override
    def locals(self, thread: ThreadId, frame_index: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        return self._read(lambda out: lib.cds_frame_locals(self._session, thread, frame_index, out), text_limit)

    @override
    def return_value(
        self, thread: ThreadId, frame_index: int, call_offset: int, *, text_limit: int = TEXT_LIMIT
    ) -> Value:
        return self._read(
            lambda out: lib.cds_frame_return_value(self._session, thread, frame_index, call_offset, out), text_limit
        )[0]

    @override
    def exception_frames(self, exception: ValueHandle) -> list[Frame]:
        return self._frames.read_exception(self._session, exception)

    @override
    def delegate_method(self, delegate: ValueHandle) -> tuple[ModuleId, MethodToken]:
        module, token = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        check(lib.cds_delegate_method(self._session, delegate, module, token))
        return ModuleId(module[0]), MethodToken(token[0])

    @override
    def set_il_offset(self, thread: ThreadId, frame_index: int, il_offset: int, *, only_ask: bool = False) -> None:
        check(lib.cds_frame_set_il_offset(self._session, thread, frame_index, il_offset, only_ask))

    @override
    def frame_type_arguments(self, thread: ThreadId, frame_index: int) -> tuple[TypeId, ...]:
        return self._type_ids(
            lambda types, capacity, count: lib.cds_frame_type_arguments(
                self._session, thread, frame_index, types, capacity, count
            )
        )


def _bound(result: Any) -> BoundId | RuntimeCallErrorInfo:
    if result.breakpoint:
        return BoundId(result.breakpoint)
    return RuntimeCallErrorInfo(result.hresult & 0xFFFFFFFF, hresult_name(result.hresult))
