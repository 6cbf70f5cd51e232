"""Where a step has begun, and what that says of the places to which it comes. Pure."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, StepKind
from dap_dotnet.stepping.landing import Landing, StepRequest, at_landing
from dap_dotnet.stepping.ranges import StepUnit, goes_on_elsewhere, is_inside
from dap_dotnet.symbols.async_methods import is_behind_await
from dap_dotnet.symbols.modules import LoadedModule

Ranges = Sequence[tuple[int, int]]


class Before(enum.Enum):
    """What a step was in before it came to a place."""

    STATEMENT = "the statement with which it began"
    UNSHOWN_CODE = "code that cannot be shown"
    HIDDEN_CODE = "hidden code of a method that can"


class Way(Struct, frozen=True):
    """How a step has come to a place."""

    before: Before = Before.STATEMENT
    left: Ranges = ()
    """The IL ranges that it has left last."""
    is_normal: bool = False
    """Whether the runtime ended it without a call or a return."""


class Origin(Struct, frozen=True):
    """The frame of the user's statement, None before any step, and the IL ranges that the step has to leave."""

    frame: Frame | None = None
    ranges: Ranges = ()

    def is_at(self, frame: Frame) -> bool:
        """Whether a frame is at this very place, in the same call."""
        if not self.is_call(frame) or self.frame is None:
            return False
        return self._is_method(frame) and frame.il_offset == self.frame.il_offset

    def is_call(self, frame: Frame) -> bool:
        """Whether a frame is where this one is on the stack."""
        return self.frame is not None and frame.stack_address == self.frame.stack_address

    def _is_method(self, frame: Frame) -> bool:
        return self.frame is not None and (frame.module, frame.method) == (self.frame.module, self.frame.method)

    def landing(self, module: LoadedModule | None, frame: Frame | None, request: StepRequest, way: Way) -> Landing:
        """`at_landing`, and STEP_ON also where the step is still in its statement, or in what follows no statement."""
        landing = at_landing(module, frame, request)
        if landing is Landing.STEP_ON and self.is_come_back_to(frame) and is_behind_await(frame, module):
            landing = Landing.STOP
        if landing is not Landing.STOP or frame is None:
            return landing
        is_still_there = (
            self._is_back_in_statement(frame, way)
            or (way.before is not Before.UNSHOWN_CODE and self._goes_on_elsewhere(module, frame, request, way.left))
            or (way.is_normal and self._is_jumped_into(module, frame, request))
        )
        return Landing.STEP_ON if is_still_there else landing

    def _is_back_in_statement(self, frame: Frame, way: Way) -> bool:
        """Whether the step came out of a call without source, or of a hidden `finally`, into its statement."""
        is_passing = way.before is Before.HIDDEN_CODE and self.is_call(frame)
        return (way.before is Before.UNSHOWN_CODE or is_passing) and is_inside(frame, self.frame, self.ranges)

    def is_come_back_to(self, frame: Frame | None) -> bool:
        """Whether a frame is in the middle of a method that was on the stack when the step began."""
        if frame is None or self.frame is None:
            return False
        return bool(frame.il_offset) and frame.stack_address > self.frame.stack_address

    def _goes_on_elsewhere(self, module: LoadedModule | None, frame: Frame, request: StepRequest, left: Ranges) -> bool:
        """Whether a step that has left the ranges `left` last has come to what is no next statement."""
        by_statements = request.kind is not StepKind.OUT and request.unit is not StepUnit.INSTRUCTION
        if module is None or not by_statements:
            return False
        if module.is_optimized and self.is_call(frame):
            return False  # what the compiler has moved is not told from what is jumped into
        return goes_on_elsewhere(module, frame, self.frame, self.ranges, left)

    def _is_jumped_into(self, module: LoadedModule | None, frame: Frame, request: StepRequest) -> bool:
        """Whether a step of optimised code has not come to the beginning of any statement.

        The compiler counts what aligns the body of a loop, and what it moves, to whatever statement was before. The
        runtime says so: an inexact mapping, though nothing was called.
        """
        if module is None or not module.is_optimized or request.unit is StepUnit.INSTRUCTION:
            return False
        return self._is_method(frame) and not frame.mapping & MAPPING_EXACT
