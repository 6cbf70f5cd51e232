"""The exception breakpoints of a session: what the client asked for, whether its types exist, and verdicts on throws.

Session thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from dap_dotnet.breakpoints.exceptions.catchers import Catcher, catcher
from dap_dotnet.breakpoints.exceptions.reported import Reported
from dap_dotnet.breakpoints.exceptions.rules import (
    CONTROL_FLOW,
    DEFAULT_RULE,
    AskedExceptions,
    ExceptionRule,
    ExceptionStage,
    Throws,
    rule_of,
    stage_of,
    thrown_phase,
)
from dap_dotnet.breakpoints.exceptions.user_unhandled_calls import UserUnhandledCalls, told_exception
from dap_dotnet.breakpoints.model import BreakpointId
from dap_dotnet.runtime.events import ExceptionPhase, ExceptionRaised
from dap_dotnet.runtime.model import Frame, MethodToken, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.rethrow import is_thrown_by_compiler, is_thrown_out_of_main
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.symbols.telling_methods import tells_itself
from dap_dotnet.values.context import Program
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.typenames import full_name

_MOST_FRAMES = 10_000
"""How far down a handler is looked for."""
_MOST_BETWEEN = 8
"""So many frames the framework has, at most, between an `await` and what throws its exception."""


GoesOn = Callable[[Program, ThreadId, Sequence[Frame], int, Sequence[str]], bool]
"""(program, thread, its stack, the number of the async method's frame in that, the exception's lineage) -> handled."""

IsDisowned = Callable[[LoadedModule, MethodToken], bool]
"""Whether a method of the user's module has an attribute that says it is not the user's code."""


class ExceptionBreakpoint(Struct, eq=False):
    """One filter with its condition. `unknown` are the names that no loaded module has a type for."""

    id: BreakpointId
    asked: AskedExceptions
    unknown: set[str]

    @property
    def message(self) -> str | None:
        """Why it is pending; None when all its types exist."""
        if not self.unknown:
            return None
        names = ", ".join(sorted(self.unknown))
        what, which = ("type", "it") if len(self.unknown) == 1 else ("types", "them")
        return f"No loaded module has the {what} {names}. The filter takes effect when a module with {which} is loaded."


class ExceptionBreakpoints:
    """See the module's docstring."""

    def __init__(
        self,
        modules: ModuleCatalog,
        on_change: Callable[[ExceptionBreakpoint], None],
        goes_on: GoesOn,
        is_disowned: IsDisowned,
    ) -> None:
        """`on_change` is called when a pending one finds its types.

        `goes_on`: whether an exception that leaves an async method, or that other code takes, has to be taken for
        handled.
        """
        self._modules = modules
        self._on_change = on_change
        self._goes_on = goes_on
        self._is_disowned = is_disowned
        self._throws = Throws()
        self._dumped = Throws()
        self._reported = Reported(modules)
        self.calls = UserUnhandledCalls(modules)
        self.rule: ExceptionRule = DEFAULT_RULE
        self._dump_rule = ExceptionRule()
        self.breakpoints: list[ExceptionBreakpoint] = []
        self._client_knows_unhandled = False
        self._unhandled_by_default = True

    def replace(
        self, wanted: Iterable[AskedExceptions], new_id: Callable[[], BreakpointId]
    ) -> list[ExceptionBreakpoint]:
        """Make these the exception breakpoints; those that stay keep their ids."""
        old = {breakpoint_.asked: breakpoint_ for breakpoint_ in self.breakpoints}
        self.breakpoints = [
            old.get(asked) or ExceptionBreakpoint(new_id(), asked, set(asked.condition.names)) for asked in wanted
        ]
        asked = [breakpoint_.asked for breakpoint_ in self.breakpoints]
        self.rule = rule_of(one for one in asked if not one.saves_dump)
        self._dump_rule = rule_of(one for one in asked if one.saves_dump)
        if self._unhandled_by_default:
            self.rule = ExceptionRule(self.rule.conditions + DEFAULT_RULE.conditions)
        for module in self._modules:
            self._look_for_types(module)
        return self.breakpoints

    def set_unhandled_by_default(self, is_absent: bool) -> None:
        """Note whether the client's filters are without `unhandled`.

        Many clients do not know that filter and expect unhandled exceptions to stop. Its absence turns it off only for
        a client that has sent it before in this session, and so has a switch for it.
        """
        self._client_knows_unhandled |= not is_absent
        self._unhandled_by_default = is_absent and not self._client_knows_unhandled

    def take_over(self, former: ExceptionBreakpoints) -> None:
        """Go on with those of the program's run before, with their ids; their types are to be found anew.

        Calls `on_change` for each that waits for its types. `former` is not to be used any more.
        """
        self.rule, self.breakpoints, self._dump_rule = former.rule, former.breakpoints, former._dump_rule
        self._client_knows_unhandled = former._client_knows_unhandled
        self._unhandled_by_default = former._unhandled_by_default
        for breakpoint_ in self.breakpoints:
            breakpoint_.unknown = set(breakpoint_.asked.condition.names)
            if breakpoint_.unknown:
                self._on_change(breakpoint_)

    def module_loaded(self, module: LoadedModule) -> None:
        """Look for the types that are still missing. Calls `on_change`."""
        for breakpoint_ in self._look_for_types(module):
            self._on_change(breakpoint_)

    def _look_for_types(self, module: LoadedModule) -> list[ExceptionBreakpoint]:
        changed = []
        for breakpoint_ in self.breakpoints:
            found = {name for name in breakpoint_.unknown if _has_type(module, name)}
            if found:
                breakpoint_.unknown -= found
                changed.append(breakpoint_)
        return changed

    def thread_exited(self, thread: int) -> None:
        """Forget a thread."""
        self._throws.forget(thread)
        self._dumped.forget(thread)

    def decide_on_told(self, program: Program, thread: ThreadId) -> Value | None:
        """The exception to stop for of which other code tells on a thread; None: go on, as after a stop for it."""
        told = told_exception(program.debuggee, thread)
        if told is None or self._reported.has(program, told):
            return None
        names = [full_name(program, info) for _, info in lineage(program, told.type)]
        return told if self.rule.stops(ExceptionStage.USER_UNHANDLED, names) else None

    def phases(self, *, just_my_code: bool) -> frozenset[ExceptionPhase]:
        """The phases that the runtime has to report, with the modules that are loaded now."""
        thrown = self._thrown_phase(just_my_code)
        return self.rule.phases(thrown) | self._dump_rule.phases(thrown)

    def _thrown_phase(self, just_my_code: bool) -> ExceptionPhase:
        return thrown_phase(just_my_code=just_my_code, any_user_code=self._modules.have_user_code)

    def dumps(self, program: Program, event: ExceptionRaised, *, just_my_code: bool) -> bool:
        """Whether a core dump of an exception is to be saved now, whether it stops or not: once for each throw."""
        if not self._dump_rule.conditions:
            return False
        self._dumped.seen(event.thread, event.phase)
        thrown = self._thrown_phase(just_my_code)
        stage = stage_of(event.phase, self._dump_rule, thrown, crossed_user_code=False, caught_by_user=True)
        if stage is None:
            return False
        lineage = _lineage(program, event)
        if not self._dump_rule.stops(stage, lineage):
            return False
        if stage is ExceptionStage.THROWN and self._is_no_throw(program, event.thread, lineage):
            return False
        return self._dumped.may_stop(event.thread)

    def decide(self, program: Program, event: ExceptionRaised, *, just_my_code: bool) -> ExceptionStage | None:
        """The stage at which an exception stops now; None: go on."""
        self.calls.update(program.debuggee, wanted=self.rule.wants(ExceptionStage.USER_UNHANDLED))
        crossed = self._throws.seen(event.thread, event.phase)
        thrown = self._thrown_phase(just_my_code)
        stage = stage_of(
            event.phase,
            self.rule,
            thrown,
            crossed_user_code=crossed or not just_my_code,
            caught_by_user=self._is_plain_handler(event, just_my_code=just_my_code),
        )
        if stage is None:
            return None
        lineage = _lineage(program, event)
        if not self.rule.stops(stage, lineage):
            return None
        if stage is ExceptionStage.USER_UNHANDLED and lineage and lineage[0] in CONTROL_FLOW:
            return None
        if stage is ExceptionStage.THROWN:
            if self._is_no_throw(program, event.thread, lineage):
                return None
            if thrown is ExceptionPhase.CATCH_HANDLER_FOUND and not self._comes_to_symbols(program, event, lineage):
                return None
        goes_into_task = of_async = False
        if stage is ExceptionStage.USER_UNHANDLED:
            stack = StackView(program.debuggee, event.thread).page(0, _MOST_FRAMES)[0]
            found = catcher(self._modules, stack, lineage, event)
            of_async = found is not None and found.hands_on and found.module.is_user_code
            goes_into_task = found is not None and (of_async or not found.module.is_user_code)
            if found is not None and _tells_itself(found.module, stack[found.number].method):
                return None
            is_disowned = found is not None and just_my_code and self._is_disowned_at(stack[found.number])
            if found is not None and (is_disowned or not just_my_code):
                # Without Just My Code the runtime does not tell whose code an exception comes through.
                passed = stack[: found.number + found.hands_on]
                if not any(self._is_users_frame(frame, just_my_code=just_my_code) for frame in passed):
                    return None
            if found is not None and not is_disowned and self._is_handled(program, event.thread, stack, found, lineage):
                return None
        # Who takes it is found once for each throw, and after that of another in a filter (`when`) on the way.
        is_once = thrown is ExceptionPhase.CATCH_HANDLER_FOUND or self._throws.may_stop(event.thread)
        if not is_once or self._reported.is_brought_on(program, event.thread):
            return None
        if goes_into_task:
            self._reported.remember(program, event.thread, of_async=of_async)
        return stage

    def _comes_to_symbols(self, program: Program, event: ExceptionRaised, lineage: Sequence[str]) -> bool:
        """Whether an exception in a program that is optimised as a whole comes to code that has symbols."""
        stack = StackView(program.debuggee, event.thread).page(0, _MOST_FRAMES)[0]
        is_caught = event.phase is ExceptionPhase.CATCH_HANDLER_FOUND
        found = catcher(self._modules, stack, lineage, event) if is_caught else None
        reached = stack if found is None else stack[: found.number + 1]
        modules = [self._modules.get(frame.module) for frame in reached if not frame.is_left]
        return any(module is not None and self._modules.is_users(module) for module in modules)

    def _is_no_throw(self, program: Program, thread: ThreadId, lineage: Sequence[str]) -> bool:
        """Whether only the compiler's code throws an exception, which came to the user's code before."""
        stack = StackView(program.debuggee, thread).page(0, _MOST_BETWEEN)[0]
        if is_thrown_by_compiler(self._modules, stack):
            return True
        # What a Main that is not async has returned may come to the user's code there first: it is unhandled next.
        is_unhandled_next = self.rule.stops(ExceptionStage.UNHANDLED, lineage)
        return is_unhandled_next and is_thrown_out_of_main(self._modules, stack)

    def _is_plain_handler(self, event: ExceptionRaised, *, just_my_code: bool) -> bool:
        """Whether the user's code surely takes it: in a method that is not async, whose handlers are all the user's."""
        handler = self._modules.get(event.module)
        if handler is None or event.method is None or not handler.is_user_code or handler.pdb is None:
            return False
        if just_my_code and self._is_disowned(handler, event.method):
            return False
        return async_info(handler, event.method) is None

    def _is_disowned_at(self, frame: Frame) -> bool:
        module = self._modules.get(frame.module)
        return (
            module is not None
            and module.is_user_code
            and frame.method is not None
            and self._is_disowned(module, frame.method)
        )

    def _is_users_frame(self, frame: Frame, *, just_my_code: bool) -> bool:
        """Whether an exception that goes through a frame comes through the user's code; the runtime knows no
        attributes, and has reported that it does where only a method with one is passed.
        """
        module = self._modules.get(frame.module)
        is_users = module is not None and module.is_user_code and not frame.is_left
        return is_users and not (just_my_code and self._is_disowned_at(frame))

    def _is_handled(
        self, program: Program, thread: ThreadId, stack: Sequence[Frame], found: Catcher, lineage: list[str]
    ) -> bool:
        """Whether an exception that a handler takes is handled by the user's code, now or at an `await`."""
        if found.module.is_user_code and not found.hands_on:
            return True
        return self._goes_on(program, thread, stack, found.number, lineage)


def _tells_itself(module: LoadedModule, method: MethodToken | None) -> bool:
    return method is not None and tells_itself(module, method)


def _lineage(program: Program, event: ExceptionRaised) -> list[str]:
    """Full names of the exception's type and its bases, most derived first."""
    thrown = program.debuggee.current_exception(event.thread)
    return [full_name(program, info) for _, info in lineage(program, thrown.type if thrown is not None else None)]


def _has_type(module: LoadedModule, name: str) -> bool:
    """Whether a module has a type of a full or simple name."""
    metadata = module.metadata
    if metadata is None:
        return False
    return metadata.find_type(name) is not None or (not set("+.") & set(name) and bool(metadata.types_named(name)))
