"""What rendering and evaluation need of the stopped program: the debuggee, its modules, and where to look."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec import Struct, field

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import FieldToken, Frame, ModuleId, ThreadId, TypeId, Value
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.symbols.reflection_names import ReflectionName
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.hit_reads import HitReads
from dap_dotnet.values.kept_objects import KeptObjects
from dap_dotnet.values.number_formats import NumberFormat

_MOST_STEPS = 40_000
"""About 0.2 s."""
_FEW_STEPS = 200


class Clock:
    """Counts the generations of value handles within one session: each function evaluation begins a new one."""

    def __init__(self) -> None:
        self.generation = 0


class Allowance:
    """How many steps the getters and displays that are followed for one request may take together. Session thread only.

    A getter that loops costs as much as thousands that do not, and a page may have hundreds of objects with one.
    """

    def __init__(self) -> None:
        self._left: int | None = None

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        """Inside, they are counted; without it only each by itself is limited."""
        self._left = _MOST_STEPS
        try:
            yield
        finally:
            self._left = None

    def steps(self, most: int) -> int:
        """How many the next one may take of those that one may take at most; a few always, which most need no more."""
        return most if self._left is None else min(most, max(self._left, _FEW_STEPS))

    def took(self, steps: int) -> None:
        """One took so many."""
        if self._left is not None:
            self._left -= steps


class ObjectExpressions(Protocol):
    """Evaluates expressions on objects for their display. Passed in, for evaluation stands above values."""

    def value(
        self,
        program: Program,
        target: Value,
        expression: str,
        *,
        scope: TypeId | None = None,
        place: Callable[[], Value] | None = None,
        call_timeout_s: float | None = None,
    ) -> Value:
        """The value of a C# expression whose `this` is `target`: read or interpreted.

        `scope`: the exact type in whose declaration the names are looked up: the target's own, a base of it, or one
        with a member that holds it; None: its own. `place` reads the target again when the program has run: nothing
        else keeps a `ref struct`. The program runs for it only with `call_timeout_s`, how long each call may take; then
        the value is of a new generation.
        Raises `EvaluationError` for what cannot be had so, is no C#, or threw. Session thread.
        """
        ...

    @property
    def with_others_staying(self) -> Callable[[], contextlib.AbstractContextManager[None]]:
        """Inside what this gives no other thread of the program runs for a call, not even for one that waits for it."""
        ...

    def wrapped(
        self,
        program: Program,
        target: Value,
        wrapper: ReflectionName,
        arguments_of: TypeId,
        *,
        call_timeout_s: float,
    ) -> Value:
        """A new object of a class whose constructor takes `target`; code of the program runs for it.

        `wrapper` is the name of the class, `arguments_of` the exact type whose generic arguments it has where the name
        gives none, and in whose module it is where that gives no assembly. Raises as `value`.
        """
        ...

    def wrapped_members(
        self, program: Program, target: Value, wrapper: ReflectionName, arguments_of: TypeId
    ) -> WrappedObject | None:
        """The public members of such an object, in the order of their declaration, without making it.

        None unless its constructor and all the getters can be followed by reading alone. Session thread.
        """
        ...

    def static_member(
        self,
        program: Program,
        declaring: TypeId,
        member: FieldInfo | PropertyInfo,
        *,
        call_timeout_s: float | None = None,
    ) -> Value:
        """The value of a static field or property that a class declares. Raises as `value`.

        Of a class that is not initialised yet no field is read: with `call_timeout_s` its initialiser runs.
        """
        ...

    def is_initialised(self, program: Program, declaring: TypeId) -> bool:
        """Whether the initialiser of a class is known to have begun, or there is none. Runs nothing."""
        ...

    def first_items(self, program: Program, target: Value, most: int, *, call_timeout_s: float) -> Value:
        """An array with the first items that an object enumerates, at most so many; the program runs for it.

        Raises as `value`.
        """
        ...


FieldType = Callable[["Program", TypeId, FieldToken], "TypeId | None"]
"""The declared type of a field of an exact type; None where it cannot be named. Runs nothing.

Passed in, for the reading of signatures stands above values.
"""


class WrappedMember(Struct, frozen=True):
    """A member of an object that only the debugger has."""

    name: str
    value: Value
    is_property: bool
    is_read_only: bool
    module: ModuleId
    token: int
    """The Field or Property token in the module: its attributes say how it is shown."""


class WrappedObject(Struct, frozen=True):
    """An object that only the debugger has: the C# name of its class, and its members."""

    type_name: str
    members: list[WrappedMember]


class ValueKeeper(Protocol):
    """Keeps values that nothing else leads to, over the calls of a stop: see `live_values.OpenedResults`."""

    def keep_value(self, program: Program, value: Value) -> Callable[[], Value]:
        """What reads the value again for as long as the stop lasts; it raises `StaleHandleError` where that fails."""
        ...


class ReturnedValues(Protocol):
    """What calls have returned in the step that has brought a thread to its stop. Passed in, as steps stand above."""

    def names(self, thread: ThreadId) -> list[str]:
        """Of the calls, in the order in which they returned; none for a thread that has not stepped."""
        ...

    def value(self, program: Program, thread: ThreadId, number: int) -> Value | None:
        """The value of the call with a number (from 0), of the present generation; None where there is none."""
        ...


class Program(Struct, frozen=True):
    """The stopped program. Session thread only."""

    debuggee: Debuggee
    modules: ModuleCatalog
    clock: Clock = field(default_factory=Clock)
    expressions: ObjectExpressions | None = None
    """None: displays that need expressions are not shown."""
    field_type: FieldType | None = None
    """None: fields are shown only where the runtime says of which type they are."""
    keeper: ValueKeeper | None = None
    """None: nothing is shown that only running code gives."""
    display: DisplayOptions = DisplayOptions()
    returned: ReturnedValues | None = None
    kept: KeptObjects | None = None
    """What the user keeps by name; None where nobody does."""
    is_work_unwanted: Callable[[], bool] | None = None
    """Asked now and then by what may take long: whether to give up."""
    allowance: Allowance = field(default_factory=Allowance)
    number_formats: dict[tuple[int, ThreadId], NumberFormat | None] = field(default_factory=dict)
    """What threads write numbers with, in a generation: see `evaluation.operations.cultures`."""


class FrameContext(Struct, frozen=True):
    """One frame of one thread of the stopped program."""

    program: Program
    thread: ThreadId
    frame: Frame
    reads: HitReads | None = None
    """Of a breakpoint's hit: what its event brought along of the frame."""
    machine: Callable[[], Value] | None = None
    """Of a method that awaits and is not on the stack: its state machine, which has its variables."""
    depth_in_place: int = 0
    """Of a container: inside how many RootHidden members, whose children stand in their places, it is."""
