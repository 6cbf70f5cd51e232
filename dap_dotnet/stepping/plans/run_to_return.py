"""Steps that leave a method which code of others has called, as lambdas often are.

Two things take such a step past what that code calls next: the next lambda of a query, or the same one for the next
element. The runtime takes a call for a part of the step in progress where the same caller made it and it begins within
the native offsets of the ranges that are stepped over, and those of a method of one single statement are all of its
code. And optimised code has places that belong to no IL: a step over that returns to one goes on from instruction to
instruction, over calls. Therefore a breakpoint waits where the method is about to return; from there the step goes
on into whatever comes next, without ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import AT_RETURN, Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.plan import Layer
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.stepping.plans.run_to import RunToAddress
from dap_dotnet.stepping.ranges import reaches_end
from dap_dotnet.symbols.modules import ModuleCatalog


class RunToReturn(RunToAddress):
    """Run to where the method is about to return, and go on into whatever its caller, not the user's, does next."""

    layer = Layer.RETURN


def run_to_return(
    modules: ModuleCatalog, debuggee: Debuggee, thread: ThreadId, frame: Frame, ranges: Sequence[tuple[int, int]]
) -> RunToReturn | None:
    """For a step with Just My Code that leaves `ranges` of a frame, the thread's top one; None for most."""
    if not reaches_end(ranges):
        return None
    callers = debuggee.stack(thread, 1, 1).frames  # from one of the user's a step ends right behind the call
    module = modules.get(callers[0].module) if callers and callers[0].kind is FrameKind.IL else None
    if module is not None and module.is_user_code:
        return None
    return RunToReturn(thread, frame, AT_RETURN, Move(thread, StepKind.INTO))
