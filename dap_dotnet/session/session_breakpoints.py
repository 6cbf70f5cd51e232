"""The breakpoints of one session, of every kind, and what is needed to place and judge them. Session thread only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.breakpoints.entry_point import EntryPointBreakpoint
from dap_dotnet.breakpoints.exceptions.exception_breakpoints import ExceptionBreakpoints
from dap_dotnet.breakpoints.model import FieldPlace, InstructionPlace, LogicalBreakpoint, Place
from dap_dotnet.breakpoints.registry import BreakpointRegistry
from dap_dotnet.breakpoints.verdicts import Tally, Verdicts
from dap_dotnet.runtime.hit_tests import HitTest
from dap_dotnet.runtime.model import Frame, MethodToken, ThreadId
from dap_dotnet.session.breakpoint_expressions import CallerFor, ExpressionLanguage
from dap_dotnet.session.client_events import ClientEvents
from dap_dotnet.session.early_answers import EarlyAnswers
from dap_dotnet.session.hit_tests import HitTests
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.hit_reads import HitReads, ReadPlans

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.data.changes import Change
    from dap_dotnet.breakpoints.data.data_breakpoints import DataBreakpoints


class SessionBreakpoints:
    """Puts the parts together; each of them is used directly."""

    def __init__(
        self,
        modules: ModuleCatalog,
        client_events: ClientEvents,
        caller_for: CallerFor,
        is_watched: Callable[[LoadedModule], bool],
        call_later: Callable[[float, Callable[[], None]], Any],
    ) -> None:
        """`caller_for` runs the program's code for conditions; `is_watched`: whether a module's stores are watched."""
        self._client_events = client_events
        self.early_answers = EarlyAnswers(call_later)
        """To requests for breakpoints that came before the program was loaded."""
        self.resolver = PdbResolver(modules, is_watched)
        self.verdicts = Verdicts(ExpressionLanguage(caller_for))
        self.hit_tests = HitTests(_build_hit_test)
        self.registry = BreakpointRegistry(self.resolver, self._changed, self.verdicts.check, self.hit_tests.changed)
        """Source, function and data breakpoints."""
        self.exceptions = ExceptionBreakpoints(
            modules, client_events.exception_breakpoint_changed, _is_taken_for_handled, _is_disowned
        )
        self.entry_point = EntryPointBreakpoint()
        self.read_plans = ReadPlans()
        self._data: DataBreakpoints | None = None

    def _changed(self, logical: LogicalBreakpoint) -> None:
        if not self.early_answers.will_tell_of(logical.id):
            self._client_events.breakpoint_changed(logical)

    def take_over(self, former: SessionBreakpoints) -> None:
        """Go on with what the user has set in the program's run before; the client hears what is to be bound again."""
        if former._data is not None:
            self.data.instances.go_on_after(former._data.instances)
        self.registry.take_over(former.registry, _gone)
        self.exceptions.take_over(former.exceptions)

    def tally(self, logical: LogicalBreakpoint) -> Tally:
        """What a breakpoint's condition came to so far, the hits included that its test has passed."""
        tally = self.verdicts.tally(logical)
        return structs.replace(tally, tested=tally.tested + self.hit_tests.passed(logical))

    @property
    def data(self) -> DataBreakpoints:
        """The watched fields; loaded with the first data breakpoint."""
        if self._data is None:
            from dap_dotnet.breakpoints.data.data_breakpoints import DataBreakpoints

            self._data = DataBreakpoints(self.resolver.fields)
        return self._data

    @property
    def has_data(self) -> bool:
        """Whether there ever was a data breakpoint."""
        return self._data is not None

    def remember_fields(self, program: Program, thread: ThreadId | None) -> None:
        """Remember what the watched fields hold now; `thread` is the one that stopped. The process must be held."""
        watched = [logical for logical in self.registry.all() if isinstance(logical.place, FieldPlace)]
        self.data.update(program, watched, thread)

    def unseen_changes(self, program: Program, thread: ThreadId, *, has_arrived: bool) -> list[Change]:
        """Watched fields that no watched store has changed; see `UnseenChanges.look`. The process must be held."""
        watched = [logical for logical in self.registry.all() if isinstance(logical.place, FieldPlace)]
        return self.data.look_for_unseen(program, watched, thread, has_arrived=has_arrived)


def _gone(place: Place) -> str:
    if isinstance(place, FieldPlace) and place.instance:
        return "The watched object is gone, because the program was restarted: set the breakpoint again."
    if isinstance(place, InstructionPlace):
        return "Instruction addresses change with each run of the program: disassemble again, then set the breakpoint."
    return ""


def _is_taken_for_handled(
    program: Program, thread: ThreadId, stack: Sequence[Frame], number: int, lineage: Sequence[str]
) -> bool:
    """Of one that leaves an async method: unless it is known that nobody handles it; of another that goes into a task:
    where it is known that somebody does, or that it comes out of the task again.
    """
    from dap_dotnet.async_tasks.awaited_exceptions import Handling, handling_of
    from dap_dotnet.async_tasks.delegate_exceptions import comes_out_or_is_handled

    module = program.modules.get(stack[number].module)
    if module is None or not module.is_user_code:
        return comes_out_or_is_handled(program, thread, stack, number, lineage)
    return handling_of(program, thread, stack, number, lineage) is not Handling.UNHANDLED


def _build_hit_test(condition: str, context: FrameContext, reads: HitReads) -> HitTest | None:
    from dap_dotnet.evaluation.hit_test_builder import build_hit_test

    return build_hit_test(condition, context, reads)


def _is_disowned(module: LoadedModule, method: MethodToken) -> bool:
    from dap_dotnet.stepping.skipped_methods import SkipReason, attribute_of

    reason = attribute_of(module, method, just_my_code=True)
    return reason in (SkipReason.NON_USER_CODE, SkipReason.STEP_THROUGH, SkipReason.HIDDEN)
