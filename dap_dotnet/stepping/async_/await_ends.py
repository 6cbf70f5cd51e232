"""Steps over an `await` that ends its statement: where the method is next once that is over, from its IL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from typing_extensions import override

from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken
from dap_dotnet.stepping.async_.await_plan import AwaitingStatement, AwaitPlan
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.stepping.plan import News
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.stepping.ranges import is_reached_only_from, left_to
from dap_dotnet.symbols.exception_clauses import clauses_at
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.statements import END_OF_METHOD, statements_of
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from portablepdb import Await

_MOST_STATEMENTS = 2_000


class AwaitEnd(Struct, frozen=True):
    """The places of a method that follow an `await`, as IL offsets."""

    resume: int
    next_statement: int
    """Where the source goes on, in whatever way the `await` has completed."""
    handlers: tuple[int, ...]
    """Where it goes on instead, in one of them, when the `await` throws: its own catches, the innermost one first."""


def end_of_await(
    module: LoadedModule, method: MethodToken, ranges: Sequence[tuple[int, int]], one: Await
) -> AwaitEnd | None:
    """Where a method goes on behind an `await` in half-open IL ranges that a step leaves.

    None where more than one place may come next: a condition follows in the statement, or the `await` is in a `finally`
    or a condition of a catch (`when`) may run. None too where the next place has no source, and where other statements
    lead there: other calls of the method, which may be many, would stop the program.
    """
    return _ENDS(module, (method, tuple(ranges), one))


def _find_end(module: LoadedModule, key: tuple[MethodToken, tuple[tuple[int, int], ...], Await]) -> AwaitEnd | None:
    from portablepdb.il import CATCH

    method, ranges, one = key
    end = next((end for start, end in ranges if start <= one.resume_offset < end), END_OF_METHOD)
    if end == END_OF_METHOD or int(one.resume_method) != int(method):
        return None
    if not statements_of(module, method).begins_at(end):
        return None
    clauses = clauses_at(module, method, one.resume_offset)
    if any(clause.kind != CATCH for clause in clauses):
        return None
    if left_to(module, (method, ((one.resume_offset, end),))) != {end}:
        return None
    if not is_reached_only_from(module, method, end, ranges):
        return None
    handlers = tuple(clause.handler_offset for clause in clauses)
    return AwaitEnd(one.resume_offset, end, handlers)


_ENDS = ModuleMemo("ends of awaits", _find_end, _MOST_STATEMENTS)


class AwaitEndPlan(AwaitPlan):
    """Go on at the next statement, or in the handler that takes what the `await` throws.

    That is for a statement that ends with its only `await`, where the state machine is known. The breakpoints are all
    of the step; a stepper would complete where a thread leaves the suspended method, which another one may go on with
    already.
    """

    carries_the_step = True

    def __init__(
        self,
        step: Step,
        statement: AwaitingStatement,
        machine: RememberedMachine,
        places: Sequence[BreakpointLocation],
    ) -> None:
        """`places`: the next statement first, then the handlers."""
        super().__init__(step, statement, machine)
        self._places = places

    @override
    def arm(self, program: Program) -> None:
        """All or none."""
        made = self._set_breakpoints(program.debuggee, self._places)
        if len(self._bound) < len(made):
            program.debuggee.remove_breakpoints(list(self._bound))
            self._bound = ()
        self._yields = {one.yield_offset for one in self._statement.awaits}

    @override
    def _reached(self, program: Program, event: BreakpointHit) -> News | None:
        if not self._machine.is_running_on(program, event.thread):
            return None
        return News.LANDED if event.bound == self._bound[0] else News.CAUGHT

    @override
    def describe(self) -> str:
        return "wait for the await at the next statement"
