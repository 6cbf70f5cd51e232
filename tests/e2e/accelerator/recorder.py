"""Debugs a program and prints what it saw, one JSON line a stop, so that two sessions can be compared.

Usage: recorder.py SESSION COMMAND... where SESSION is plain, or toggle: the accelerator is switched off and on again in
each stop, and all answers must be equal. In a plain session addresses are left out: they differ from run to run. The
last line says what the accelerator did.
"""

from __future__ import annotations

import json
import os
import queue
import sys

from dap_dotnet.launching.backend import LocalBackend
from dap_dotnet.launching.output import PacedOutput
from dap_dotnet.runtime._shim import accelerator_reasons, lib
from dap_dotnet.runtime.events import (
    BreakpointHit,
    EvalCompleted,
    ModuleLoaded,
    OutputWritten,
    ProcessReaped,
    RuntimeEvent,
    StepCompleted,
)
from dap_dotnet.runtime.model import BreakpointLocation, ElementType, LaunchSpec, MethodToken, StepKind

STEPS_AFTER_A_HIT = 4
MOST_METHODS = 400
FIRST_METHOD = 0x06000001
ADDRESSES = (ElementType.PTR, ElementType.FNPTR, ElementType.I, ElementType.U, ElementType.VALUETYPE)
"""Whose bytes are, or may hold, addresses."""


class Recorder:
    def __init__(self, session: str, command: list[str]) -> None:
        self.session = session
        self.inbox: queue.Queue[RuntimeEvent] = queue.Queue()
        self.assembly = next(part for part in command if part.endswith(".dll"))
        spec = LaunchSpec(tuple(command), os.getcwd(), dict(os.environ))
        self.debuggee = LocalBackend().launch(spec, self.inbox.put, timeout_ms=20000)
        self.modules: dict[int, str] = {}

    def run(self) -> None:
        steps_left = 0
        has_evaluated = False
        while True:
            event = self.inbox.get(timeout=60)
            if isinstance(event, ProcessReaped):
                break
            if isinstance(event, PacedOutput):
                event.taken()
            if isinstance(event, ModuleLoaded):
                self.take_module(event)
            elif isinstance(event, BreakpointHit | StepCompleted):
                self.say(type(event).__name__, self.observe(event.thread))
                if not has_evaluated:
                    has_evaluated = True
                    event = self.evaluate(event)
                steps_left = STEPS_AFTER_A_HIT if isinstance(event, BreakpointHit) else steps_left - 1
                if steps_left > 0:
                    self.debuggee.step(event.thread, StepKind.OVER, just_my_code=False)
            elif isinstance(event, OutputWritten):
                continue
            self.debuggee.resume(event)
        self.debuggee.close()
        state, cached_reads = lib.cds_accelerator_state(), lib.cds_accelerator_cached_reads()
        self.say("end", {"state": state, "cached_reads": cached_reads, "reasons": accelerator_reasons()})

    def take_module(self, event: ModuleLoaded) -> None:
        self.modules[event.module.module] = os.path.basename(event.module.path)
        if event.module.path == self.assembly:
            tokens = range(FIRST_METHOD, FIRST_METHOD + MOST_METHODS)
            locations = [BreakpointLocation(event.module.module, MethodToken(token), 0) for token in tokens]
            bound = self.debuggee.create_breakpoints(locations)
            self.say("bound", [isinstance(result, int) for result in bound])

    def evaluate(self, event):
        """A function evaluation moves the process on; its result is read from new memory."""
        self.debuggee.new_string(event.thread, "new: ü€𝄞")
        self.debuggee.resume(event)
        while not isinstance(completed := self.inbox.get(timeout=60), EvalCompleted):
            self.debuggee.resume(completed)
        result = self.debuggee.eval_result(completed.evaluation)
        self.say("evaluated", self.describe(result))
        return completed

    def observe(self, thread):
        seen = self.look(thread)
        if self.session == "toggle":
            for enabled in (0, 1):
                lib.cds_accelerator_enable(enabled)
                if (again := self.look(thread)) != seen:
                    self.say("different", {"enabled": enabled, "first": seen, "then": again})
        return seen

    def look(self, thread):
        page = self.debuggee.stack(thread, 0, 50)
        frames = [
            (frame.kind.value, self.modules.get(frame.module), frame.method, frame.il_offset, frame.mapping)
            for frame in page.frames
        ]
        values = []
        if page.frames and page.frames[0].method is not None:
            for value in (*self.debuggee.arguments(thread, 0), *self.debuggee.locals(thread, 0)):
                values.append(self.describe(value))
        return {"frames": frames, "values": values}

    def describe(self, value):
        fields = (
            int(value.element_type),
            value.is_null,
            value.is_boxed,
            value.is_reference,
            self.raw(value),
            value.text,
        )
        shape = None
        if value.element_type in (ElementType.ARRAY, ElementType.SZARRAY) and not value.is_null:
            elements = self.debuggee.elements(value.handle, 0, min(value.length, 8))
            shape = [(self.raw(element), element.text) for element in elements]
        address = value.address if self.session == "toggle" else 0
        return (*fields, value.length, address, value.error, shape)

    def raw(self, value):
        return value.raw.hex() if self.session == "toggle" or value.element_type not in ADDRESSES else ""

    def say(self, kind: str, what: object) -> None:
        print(json.dumps([kind, what]), flush=True)


if __name__ == "__main__":
    Recorder(sys.argv[1], sys.argv[2:]).run()
