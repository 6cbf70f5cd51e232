"""Children of what can be opened in a variables view, and what every container of them answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from typing_extensions import override

from dap_dotnet.errors import UserError
from dap_dotnet.runtime.model import MethodToken, ModuleId, Value
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.debugger_attributes import Display
from dap_dotnet.values.live_values import LiveValue, Reread, Run
from dap_dotnet.values.members import DeclaredField
from dap_dotnet.values.tuple_names import Names


class Declaration(Struct, frozen=True):
    """The method that a place in the source is of: the getter of a property, what a delegate calls."""

    module: ModuleId
    method: MethodToken


class Child(Struct, frozen=True):
    """One child: a value, or (with `container`) a group of its own such as static members."""

    name: str
    value: Value | None
    evaluate_name: str | None
    reread: Reread | None = None
    """Reads the value again from where it was read."""
    container: Container | None = None
    visibility: str | None = None
    kind: str = "data"
    is_read_only: bool = False
    """A property without a setter, or a constant."""
    is_constant: bool = False
    is_static: bool = False
    type_name: str = ""
    """Of its declared type, where the value has none."""
    names: Names = ()
    """Of the tuple elements in its declared type."""
    text: str = ""
    """What a group shows for its value."""
    keeps_name: bool = False
    """Whatever name its DebuggerDisplay has for it: a variable, an entry of a dictionary."""
    key: LiveValue | None = None
    """Of an entry of a dictionary, where only running the program tells the text of the key."""
    declared_at: Declaration | None = None
    """Where it is declared, for what the symbols tell: properties."""
    display: Display | None = None
    """The DebuggerDisplay of the member itself, which goes before that of its type."""
    run: Run | None = None
    """Gives the value by running the program; see `LiveValue.in_program`."""
    way: str | None = None
    """How the value was had, as `ways` names it; None for what was read."""


class Segment(Struct, frozen=True):
    """Neighbours among children: how many, and what reads those from a number on, at most so many."""

    count: int
    read: Callable[[int, int], list[Child]]


def read_segments(segments: Sequence[Segment], start: int, count: int) -> list[Child]:
    """The children from number `start`, over all segments."""
    children: list[Child] = []
    for segment in segments:
        taken = min(count - len(children), segment.count - start)
        if taken > 0:
            children += segment.read(start, taken)
        start = max(start - segment.count, 0)
    return children


class Container:
    """Something with children. `named` and `indexed` are counts, known without reading the children."""

    def __init__(self, context: FrameContext) -> None:
        self.context = context
        self._own_names: dict[str, str | None] = {}

    @property
    def named(self) -> int:
        """Number of named children."""
        return 0

    @property
    def indexed(self) -> int:
        """Number of indexed children."""
        return 0

    def read_named(self, start: int, count: int) -> list[Child]:
        """Named children from number `start`; only those are read."""
        return []

    def read_indexed(self, start: int, count: int) -> list[Child]:
        """Indexed children from number `start`; only those are read."""
        return []

    def read_all(self, start: int, count: int) -> list[Child]:
        """Children of both kinds from number `start`, in the order in which they are shown."""
        children = self.read_named(start, count)
        if len(children) < count:
            children += self.read_indexed(max(start - self.named, 0), count - len(children))
        return children

    def in_place(self) -> Segment | None:
        """The children as they stand in the place of a RootHidden member; None where only opening it tells them."""
        return Segment(self.named + self.indexed, self.read_all)

    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        """The field that holds a named child, with its object (None: static); None for a child that is not a field."""
        return None

    def show_as(self, own_name: str, shown: str) -> None:
        """The client is shown a child under another name than its own."""
        self._own_names[shown] = own_name if self._own_names.get(shown, own_name) == own_name else None

    def own_name(self, shown: str) -> str:
        """The own name of the child that the client was shown as `shown`. Raises `UserError` where several were."""
        own_name = self._own_names.get(shown, shown)
        if own_name is None:
            raise UserError(f"Several are shown as '{shown}' here: name the one that is meant by an expression.")
        return own_name


class SegmentedContainer(Container):
    """One whose named children come in segments."""

    @property
    @override
    def named(self) -> int:
        return sum(segment.count for segment in self._all_segments())

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        return read_segments(self._all_segments(), start, count)

    def _all_segments(self) -> list[Segment]:
        """In the order in which they are shown."""
        raise NotImplementedError


class FirstElements(Container):
    """Only the first elements of another container, besides its named children."""

    def __init__(self, whole: Container, most: int) -> None:
        super().__init__(whole.context)
        self._whole = whole
        self._most = most

    @property
    @override
    def named(self) -> int:
        """Those of the whole."""
        return self._whole.named

    @property
    @override
    def indexed(self) -> int:
        """Not more than asked for."""
        return min(self._whole.indexed, self._most)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        """Those of the whole."""
        return self._whole.read_named(start, count)

    @override
    def read_indexed(self, start: int, count: int) -> list[Child]:
        """The first ones of the whole."""
        return self._whole.read_indexed(start, max(min(count, self._most - start), 0))
