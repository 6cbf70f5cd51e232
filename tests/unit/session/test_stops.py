"""The pure decisions on stops."""

from __future__ import annotations

from dap_dotnet.breakpoints.model import BreakpointId
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.stops import Resume, Stop, StopReason, at_breakpoint

THREAD = ThreadId(7)


def test_hit_of_a_logical_breakpoint_stops_with_its_ids() -> None:
    decision = at_breakpoint(THREAD, [BreakpointId(1), BreakpointId(2)], is_entry=False)
    assert decision == Stop(StopReason.BREAKPOINT, THREAD, (BreakpointId(1), BreakpointId(2)))


def test_entry_stops_as_entry_with_the_breakpoints_that_are_there() -> None:
    assert at_breakpoint(THREAD, [], is_entry=True) == Stop(StopReason.ENTRY, THREAD)
    assert at_breakpoint(THREAD, [BreakpointId(1)], is_entry=True) == Stop(StopReason.ENTRY, THREAD, (BreakpointId(1),))


def test_hit_of_a_removed_breakpoint_goes_on() -> None:
    assert at_breakpoint(THREAD, [], is_entry=False) == Resume()
