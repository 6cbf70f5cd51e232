"""Exception breakpoints: which exceptions stop, at which moment of their life.

An exception can stop where it is thrown (`all`), where it leaves the user's code and only other code catches it
(`user-unhandled`), and where nothing catches it (`unhandled`). Each of the three has a condition, a list of type names.
One throw stops once: an exception that has stopped at its throw does not stop again when it turns out to be unhandled.
A rethrow (`throw;` or a new `throw` of the same object) is another throw.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dap_dotnet.errors import UserError
from dap_dotnet.runtime.events import ExceptionPhase

_SEPARATOR = re.compile(r"\s*,[\s!]*|[\s!]+")
"""Other adapters separate by spaces."""
_TYPE_NAME = re.compile(r"^[^\W\d]\w*(?:`\d+)?(?:[.+][^\W\d]\w*(?:`\d+)?)*\*?$")
_SUBTYPES = "*"


class ExceptionStage(enum.Enum):
    """At which moment of its life an exception stops the program: DAP's exception break modes."""

    THROWN = "always"
    USER_UNHANDLED = "userUnhandled"
    UNHANDLED = "unhandled"


STAGE_DESCRIPTIONS = {
    ExceptionStage.THROWN: "Exception thrown",
    ExceptionStage.USER_UNHANDLED: "Exception not handled in user code",
    ExceptionStage.UNHANDLED: "Unhandled exception",
}
"""For the user, where an exception stops the program."""
STAGE_OF_FILTER = {
    "all": ExceptionStage.THROWN,
    "user-unhandled": ExceptionStage.USER_UNHANDLED,
    "unhandled": ExceptionStage.UNHANDLED,
}
DUMP_FILTER = "dump"
"""The filter that saves core dumps instead of stopping."""
STAGES_OF_MODE = {
    "never": (),
    "always": (ExceptionStage.THROWN, ExceptionStage.UNHANDLED),
    "userUnhandled": (ExceptionStage.USER_UNHANDLED, ExceptionStage.UNHANDLED),
    "unhandled": (ExceptionStage.UNHANDLED,),
}


class TypeCondition(Struct, frozen=True):
    """Which types a filter is for. Empty lists: all types.

    A name is a full name (`Ns.Type`, `Ns.Outer+Inner`) or a simple one (`Type`). It means exactly that type, as in the
    commercial debugger; with a `*` behind it, the type and all its subtypes.
    """

    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names in it, without their `*`."""
        return tuple(name.rstrip(_SUBTYPES) for name in self.included + self.excluded)

    def matches(self, lineage: Sequence[str]) -> bool:
        """Whether an exception matches; `lineage` has the full names of its type and of all bases."""
        if any(_means(name, lineage) for name in self.excluded):
            return False
        return not self.included or any(_means(name, lineage) for name in self.included)


def _means(name: str, lineage: Sequence[str]) -> bool:
    """Whether a name of a condition means an exception: its type, or with `*` one of its bases too."""
    wanted = name.rstrip(_SUBTYPES)
    meant = lineage if name.endswith(_SUBTYPES) else lineage[:1]
    return any(wanted in (one, simple_name(one)) for one in meant)


def simple_name(full_name: str) -> str:
    """`Ns.Outer+Inner` -> `Inner`."""
    return re.split(r"[.+]", full_name)[-1]


def parse_condition(text: str | None) -> TypeCondition:
    """`A, Ns.B` matches these types, `!A, B` all but these; `A*` is A and its subtypes. Spaces separate as commas do.

    Raises `UserError` (INVALID_CONDITION).
    """
    if text is None or not text.strip():
        return TypeCondition()
    stripped = text.strip()
    excludes = stripped.startswith("!")
    names = _SEPARATOR.split(stripped.lstrip("! "))
    for name in names:
        if not _TYPE_NAME.match(name):
            raise UserError(
                f"'{name[:80]}' in '{text[:120]}' is not a valid type name: write names separated by commas, such as "
                "System.ArgumentException, MyError; put ! in front for all other types, * after a name to "
                "include its subtypes.",
                code="INVALID_CONDITION",
            )
    return TypeCondition(excluded=tuple(names)) if excludes else TypeCondition(included=tuple(names))


class AskedExceptions(Struct, frozen=True):
    """What an exception breakpoint asks for: a stop at the stages, or a core dump, for exceptions of some types."""

    stages: tuple[ExceptionStage, ...]
    condition: TypeCondition = TypeCondition()
    saves_dump: bool = False


def dumps_asked(condition: TypeCondition) -> AskedExceptions:
    """Dumps of exceptions: of types where they are thrown; without types only of those that nothing catches."""
    stage = ExceptionStage.THROWN if condition.names else ExceptionStage.UNHANDLED
    return AskedExceptions((stage,), condition, saves_dump=True)


class ExceptionRule(Struct, frozen=True):
    """All exception breakpoints together: any of the conditions of a stage is enough."""

    conditions: tuple[tuple[ExceptionStage, TypeCondition], ...] = ()

    def wants(self, stage: ExceptionStage) -> bool:
        """Whether exceptions of some type stop at a stage."""
        return any(wanted is stage for wanted, _ in self.conditions)

    def stops(self, stage: ExceptionStage, lineage: Sequence[str]) -> bool:
        """Whether an exception of a type (with its bases) stops at a stage."""
        return any(wanted is stage and condition.matches(lineage) for wanted, condition in self.conditions)

    def phases(self, thrown: ExceptionPhase) -> frozenset[ExceptionPhase]:
        """The phases that the runtime has to report for this rule. `thrown`: see `thrown_phase`."""
        found: set[ExceptionPhase] = set()
        if self.wants(ExceptionStage.UNHANDLED):
            found.add(ExceptionPhase.UNHANDLED)
        if self.wants(ExceptionStage.THROWN):
            found.add(thrown)
            if thrown is ExceptionPhase.CATCH_HANDLER_FOUND:  # not of what nobody catches, and of no throw's beginning
                found |= {ExceptionPhase.FIRST_CHANCE, ExceptionPhase.UNHANDLED}
        if self.wants(ExceptionStage.USER_UNHANDLED):
            found |= {ExceptionPhase.USER_FIRST_CHANCE, ExceptionPhase.CATCH_HANDLER_FOUND}
        return frozenset(found)


def rule_of(asked: Iterable[AskedExceptions]) -> ExceptionRule:
    """All of them together."""
    return ExceptionRule(tuple((stage, one.condition) for one in asked for stage in one.stages))


CONTROL_FLOW = frozenset({"Microsoft.AspNetCore.Components.NavigationException"})
"""Exceptions that a framework throws through the program's code and catches itself, to go to another page."""
DEFAULT_RULE = ExceptionRule(((ExceptionStage.UNHANDLED, TypeCondition()),))
"""Until the client says otherwise: unhandled exceptions stop."""


def thrown_phase(*, just_my_code: bool, any_user_code: bool) -> ExceptionPhase:
    """The phase in which `all` stops.

    With Just My Code a throw is reported where it reaches the user's code: at the throw itself when it is there. In a
    program that is optimised as a whole (not `any_user_code`) no code is the user's for the runtime. There a throw is
    known to reach what has symbols when it is known who takes it, which is before any frame is left.
    """
    if not just_my_code:
        return ExceptionPhase.FIRST_CHANCE
    return ExceptionPhase.USER_FIRST_CHANCE if any_user_code else ExceptionPhase.CATCH_HANDLER_FOUND


def stage_of(
    phase: ExceptionPhase, rule: ExceptionRule, thrown: ExceptionPhase, *, crossed_user_code: bool, caught_by_user: bool
) -> ExceptionStage | None:
    """The stage that a phase stands for; None: no reason to stop in it, whatever the type.

    `thrown`: see `thrown_phase`. `crossed_user_code`: USER_FIRST_CHANCE was seen for it. `caught_by_user`: the handler
    found is in the user's code.
    """
    found = phase is ExceptionPhase.CATCH_HANDLER_FOUND
    if phase is ExceptionPhase.UNHANDLED and rule.wants(ExceptionStage.UNHANDLED):
        return ExceptionStage.UNHANDLED
    is_last = phase is ExceptionPhase.UNHANDLED and thrown is ExceptionPhase.CATCH_HANDLER_FOUND
    if (phase is thrown or is_last) and rule.wants(ExceptionStage.THROWN):
        return ExceptionStage.THROWN
    if found and rule.wants(ExceptionStage.USER_UNHANDLED) and crossed_user_code and not caught_by_user:
        return ExceptionStage.USER_UNHANDLED
    return None


class Throws:
    """What is known of the exceptions in flight, one for each thread. Session thread only."""

    def __init__(self) -> None:
        self._last_phase: dict[int, ExceptionPhase] = {}
        self._crossed: set[int] = set()
        self._stopped: set[int] = set()

    def seen(self, thread: int, phase: ExceptionPhase) -> bool:
        """Note a phase; whether the exception had reached the user's code before it.

        A throw begins with FIRST_CHANCE, or with USER_FIRST_CHANCE where the other is not reported.
        """
        begins = phase is ExceptionPhase.FIRST_CHANCE or (
            phase is ExceptionPhase.USER_FIRST_CHANCE
            and self._last_phase.get(thread) is not ExceptionPhase.FIRST_CHANCE
        )
        if begins:
            self._crossed.discard(thread)
            self._stopped.discard(thread)
        crossed = thread in self._crossed
        if phase is ExceptionPhase.USER_FIRST_CHANCE:
            self._crossed.add(thread)
        elif phase is ExceptionPhase.CATCH_HANDLER_FOUND:
            self._crossed.discard(thread)  # when the framework throws it again, it may not come to the user's code
        self._last_phase[thread] = phase
        return crossed

    def may_stop(self, thread: int) -> bool:
        """Whether the exception in flight on a thread has not stopped the program before. Notes that it does now."""
        if thread in self._stopped:
            return False
        self._stopped.add(thread)
        return True

    def forget(self, thread: int) -> None:
        """The thread has ended."""
        self._last_phase.pop(thread, None)
        self._crossed.discard(thread)
        self._stopped.discard(thread)
