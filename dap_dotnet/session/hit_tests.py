"""Hit tests of a session's breakpoints: conditions that the runtime's own thread decides, once they are known well.

A condition that was false, at a hit whose event brought all that it needs, gets a test: hits that it passes are never
heard of here. Whatever changes a breakpoint takes its test away first, and later hits bring a new one. Session thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from msgspec import Struct

from dap_dotnet.breakpoints.model import Bound, FieldPlace, LogicalBreakpoint, Settings
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.hit_tests import HitTest
from dap_dotnet.runtime.model import BoundId
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.hit_reads import HitReads

BuildTest = Callable[[str, FrameContext, HitReads], HitTest | None]


class _Tested(Struct):
    settings: Settings
    plan: int
    """The number of the read plan that a test was last made for, or could not be made for."""
    passed_before: int
    """By tests of other settings."""
    passed: int = 0
    """As last heard."""
    is_set: bool = False


class HitTests:
    """Sets tests, takes them away, and knows how many hits they have passed."""

    def __init__(self, build: BuildTest) -> None:
        """`build` makes the test of a condition, None where it has none."""
        self._build = build
        self._tested: dict[BoundId, _Tested] = {}
        self._debuggee: Debuggee | None = None
        self._is_enabled = os.environ.get("DAP_DOTNET_HIT_TEST") != "0"

    def look(
        self,
        debuggee: Debuggee,
        event: BreakpointHit,
        hit: Sequence[LogicalBreakpoint],
        context: FrameContext,
        reads: HitReads,
    ) -> None:
        """After a hit that did nothing, and from which its plan has learnt nothing new: set a test if there is one.

        The process must be held. `reads` are those of the plan that is set.
        """
        if not self._is_enabled or len(hit) != 1 or reads.new or not event.plan:
            return
        (logical,) = hit
        condition = logical.settings.condition
        known = self._tested.get(event.bound)
        if known is not None and (known.settings, known.plan) == (logical.settings, event.plan):
            return
        if condition is None or isinstance(logical.place, FieldPlace):
            return
        self._debuggee = debuggee
        if known is None or known.settings != logical.settings:
            known = _Tested(logical.settings, event.plan, debuggee.passed_hits(event.bound))
            self._tested[event.bound] = known
        known.plan = event.plan
        test = self._build(condition, context, reads)
        if test is not None:
            debuggee.set_hit_test(event.bound, event.plan, test)
            known.is_set = True

    def changed(self, bound: BoundId) -> None:
        """A runtime breakpoint is to serve other breakpoints, or other settings: each hit matters again."""
        tested = self._tested.pop(bound, None)
        if tested is not None and tested.is_set and self._debuggee is not None:
            self._debuggee.set_hit_test(bound, 0, None)

    def passed(self, logical: LogicalBreakpoint) -> int:
        """How many hits were passed since the breakpoint has its settings: for each its condition was false."""
        if not isinstance(logical.state, Bound) or self._debuggee is None:
            return 0
        count = 0
        for site in logical.state.sites:
            tested = self._tested.get(site.bound)
            if tested is not None and tested.settings == logical.settings:
                try:
                    tested.passed = self._debuggee.passed_hits(site.bound) - tested.passed_before
                except DapDotnetError:
                    pass  # the program is gone, and its last hits with it
                count += tested.passed
        return count
