"""A runtime for stories of steps: its threads stand where the story says, and it counts what is armed in it.

A place in a stack is written `Add@added`: a method of the sample, and a marker in it where a statement begins; with `~`
behind it the thread is in the midst of that statement, as behind a call, with `!` in a handler of an exception.
`Library` is a frame without symbols, `Pool` that of the library's which runs what is queued to threads of the pool,
`Stub` the runtime's own code that calls the methods of a delegate. The leaf comes first: `Library < Main@call~`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.runtime.model import (
    AT_FRAME,
    AT_RETURN,
    MAPPING_EXACT,
    BoundId,
    BreakpointLocation,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    ModuleInfo,
    StackPage,
    StepKind,
    StepperId,
    ThreadId,
    Value,
)
from dap_dotnet.source_lines import read_source_lines
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.context import Program
from tests.support.fake_debuggee.sample import SAMPLE, SAMPLE_MODULE, SOURCE, Sample, line_of

LIBRARY = ModuleId(1)
BOTTOM = 0x9000
FRAME_SIZE = 0x100
MAPPING_APPROXIMATE = 0x20
LIBRARY_METHODS = {
    MethodToken(0x06000001): ("Library", "Library.Code", "Run"),
    MethodToken(0x06000002): ("Pool", "System.Threading.ThreadPoolWorkQueue", "Dispatch"),
}
"""How a story writes the method; its class and its name."""
MARKER = re.compile(r"// (\w+)$")
PLACES = {AT_FRAME: "at the thread's place", AT_RETURN: "at the return"}
BEHIND_CALL = "behind a call, for what it returns"


class LibraryType(NamedTuple):
    """A class of the library's."""

    full_name: str


class LibraryMetadata:
    """What is known of the library's methods."""

    debuggable = None

    def declaring_type(self, method: MethodToken) -> LibraryType:
        return LibraryType(LIBRARY_METHODS[method][1])

    def method(self, method: MethodToken) -> Any:
        return SimpleNamespace(name=LIBRARY_METHODS[method][2])

    def display_method(self, method: MethodToken) -> str:
        return LIBRARY_METHODS[method][2]

    def enclosing_type(self, owner: object) -> None:
        return None

    def attributes_of(self, owner: object) -> list[Any]:
        return []

    def find_type(self, name: str) -> None:
        return None


class FakeRuntime:
    """The part of `Debuggee` that steps use."""

    process_id = 7

    def __init__(self) -> None:
        self.runtime_version = "10.0.0"
        self.sample = Sample()
        self.modules = ModuleCatalog()
        for number, path in ((LIBRARY, Path("/lib/Library.dll")), (SAMPLE_MODULE, SAMPLE)):
            info = ModuleInfo(number, str(path), 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
            self.modules.add(info, self.read_memory)
        library: Any = self.modules.get(LIBRARY)
        library.metadata = LibraryMetadata()
        self.armed: dict[StepperId | BoundId, str] = {}
        self.stacks: dict[ThreadId, list[Frame]] = {}
        self._last = 0

    @property
    def program(self) -> Program:
        """The program as a session has it."""
        debuggee: Any = self
        return Program(debuggee, self.modules)

    def close(self) -> None:
        """Close the files."""
        self.modules.close()
        self.sample.close()

    def stand(self, thread: ThreadId, stack: str) -> None:
        """Put a thread at a place."""
        places = stack.split(" < ")
        self.stacks[thread] = [self._frame(index, place, len(places)) for index, place in enumerate(places)]

    def shown(self) -> list[str]:
        """What is armed, besides that which waits for what calls return: steppers first."""
        return sorted((text for text in self.armed.values() if text != BEHIND_CALL), key=lambda text: text[:3] == "at ")

    def _frame(self, index: int, place: str, depth: int) -> Frame:
        address = BOTTOM - (depth - index) * FRAME_SIZE
        if place == "Stub":
            return Frame(index, FrameKind.NATIVE, None, None, None, 0, 0, address)
        for method, (name, _, _) in LIBRARY_METHODS.items():
            if place == name:
                return Frame(index, FrameKind.IL, LIBRARY, method, 0, MAPPING_EXACT, 0, address)
        name, _, marker = place.rstrip("~!").partition("@")
        method, line = self.sample.methods[name], line_of(marker)
        points = [point for point in self.sample.pdb.sequence_points(method) if point.start_line == line]
        il_offset = min(point.il_offset for point in points) + place.endswith("~")
        mapping = MAPPING_APPROXIMATE if place.endswith("~") else MAPPING_EXACT
        is_handler = place.endswith("!")
        return Frame(
            index, FrameKind.IL, SAMPLE_MODULE, method, il_offset, mapping, 0, address, is_handler, is_left=False
        )

    # what `Debuggee` has

    def step(
        self,
        thread: ThreadId,
        kind: StepKind,
        ranges: Sequence[tuple[int, int]] = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> StepperId:
        self._last += 1
        stepper = StepperId(self._last)
        text = (
            kind.name.lower() + ("" if just_my_code else " all code") + (f" of #{frame_index}" if frame_index else "")
        )
        self.armed[stepper] = text
        return stepper

    def cancel_step(self, stepper: StepperId) -> None:
        self.armed.pop(stepper, None)

    def create_breakpoints(self, places: Sequence[BreakpointLocation]) -> list[BoundId]:
        return [self._break(f"at {self._text(place)}") for place in places]

    def _text(self, place: BreakpointLocation) -> str:
        """A place as stories write it: `Add@added`, and `Add` for the beginning of the method."""
        name = next(name for name, method in self.sample.methods.items() if method == place.method)
        if not place.il_offset:
            return name
        points = self.sample.pdb.sequence_points(place.method)
        line = next(point.start_line for point in points if point.il_offset == place.il_offset)
        marker = MARKER.search(read_source_lines(SOURCE)[line - 1])
        return f"{name}@{marker[1] if marker is not None else line}"

    def create_return_breakpoints(self, thread: ThreadId, index: int, offsets: Sequence[int]) -> list[BoundId]:
        return [self._break(PLACES.get(offset, BEHIND_CALL)) for offset in offsets]

    def _break(self, text: str) -> BoundId:
        self._last += 1
        self.armed[BoundId(self._last)] = text
        return BoundId(self._last)

    def remove_breakpoints(self, bound: Sequence[BoundId]) -> None:
        for one in bound:
            del self.armed[one]

    def top_frame(self, thread: ThreadId) -> Frame | None:
        frames = self.stacks.get(thread, [])
        return frames[0] if frames else None

    def stack(self, thread: ThreadId, start: int, count: int) -> StackPage:
        frames = self.stacks.get(thread, [])
        return StackPage(tuple(frames[start : start + count]), more=len(frames) > start + count)

    def arguments(self, thread: ThreadId, index: int, *, text_limit: int = 0) -> list[Value]:
        return []

    def locals(self, thread: ThreadId, index: int, *, text_limit: int = 0) -> list[Value]:
        return []

    def return_value(self, thread: ThreadId, index: int, call_offset: int) -> Value:
        raise DebuggeeError("It is not behind a call.")

    def read_memory(self, address: int, size: int) -> bytes:
        return b""

    def current_exception(self, thread: ThreadId) -> None:
        return None
