"""What a .NET process is made of, in ECMA-335 and ICorDebug terms: ids, modules, threads, frames, types and values."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NewType, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from dap_dotnet.protocol.messages.dumps import DumpType

ModuleId = NewType("ModuleId", int)
"""A loaded module, numbered from 1 in load order; never used again in a session."""
ThreadId = NewType("ThreadId", int)
"""A managed thread: its id in the operating system."""
BoundId = NewType("BoundId", int)
"""A breakpoint in the runtime: one IL offset of one method."""
TypeId = NewType("TypeId", int)
"""An exact (instantiated) type. Valid until its module unloads."""
ValueHandle = NewType("ValueHandle", int)
"""A value in the stopped process. Dies with the generation; 0 is never a handle."""
StepperId = NewType("StepperId", int)
EvalId = NewType("EvalId", int)
PinId = NewType("PinId", int)
"""An object that is remembered while the process runs."""
MethodToken = NewType("MethodToken", int)
"""A MethodDef token, 0x06000001 and up (ECMA-335 II.22.26)."""
TypeDefToken = NewType("TypeDefToken", int)
"""A TypeDef token, 0x02000001 and up (ECMA-335 II.22.37)."""
FieldToken = NewType("FieldToken", int)
"""A Field token, 0x04000001 and up (ECMA-335 II.22.15)."""


class ElementType(enum.IntEnum):
    """CorElementType, as ECMA-335 II.23.1.16 numbers it."""

    END = 0x00
    VOID = 0x01
    BOOLEAN = 0x02
    CHAR = 0x03
    I1 = 0x04
    U1 = 0x05
    I2 = 0x06
    U2 = 0x07
    I4 = 0x08
    U4 = 0x09
    I8 = 0x0A
    U8 = 0x0B
    R4 = 0x0C
    R8 = 0x0D
    STRING = 0x0E
    PTR = 0x0F
    BYREF = 0x10
    VALUETYPE = 0x11
    CLASS = 0x12
    VAR = 0x13
    ARRAY = 0x14
    GENERICINST = 0x15
    TYPEDBYREF = 0x16
    I = 0x18  # noqa: E741 - the specification's own name
    U = 0x19
    FNPTR = 0x1B
    OBJECT = 0x1C
    SZARRAY = 0x1D
    MVAR = 0x1E


class ModuleInfo(Struct, frozen=True):
    """A loaded module. `path` is what the runtime calls it: a file, or a bare name for modules without one."""

    module: ModuleId
    path: str
    base_address: int
    size: int
    is_dynamic: bool
    is_in_memory: bool
    is_mapped_layout: bool
    """Whether the image at `base_address` is laid out as loaded (sections at their RVAs), not as in the file."""


class ThreadInfo(Struct, frozen=True):
    """A managed thread. `user_state` is a set of CorDebugUserState bits; None where the runtime does not report it."""

    thread: ThreadId
    user_state: int | None


class BlockingReason(enum.Enum):
    """Why a thread waits for an object; numbered as CDS_BLOCKED_… in cordebug_shim.h."""

    ENTER = 1
    """To enter its monitor."""
    WAIT = 2
    """In Monitor.Wait, for a pulse."""


class Blocking(Struct, frozen=True):
    """A monitor that a thread waits for. `owner` is the thread that has entered it, so many times; None for nobody."""

    reason: BlockingReason
    object: Value
    owner: ThreadId | None
    acquisitions: int


AT_RETURN = 0xFFFF_FFFF
"""Instead of the IL offset of a call: where code has done its work and is about to return. CDS_AT_RETURN."""
AT_FRAME = 0xFFFF_FFFE
"""Instead of the IL offset of a call: the instruction with which the frame goes on. CDS_AT_FRAME."""
MAPPING_EXACT = 0x10
"""CorDebugMappingResult: the IL offset is exact."""


class FrameKind(enum.Enum):
    """What stands on the stack: managed code, code without IL, or a marker of the runtime."""

    IL = "il"
    NATIVE = "native"
    INTERNAL = "internal"


class Frame(Struct, frozen=True):
    """One frame. `index` counts from 0 at the leaf, over all kinds, and is what other calls take.

    It is negative for a frame that is on no stack: of a method that awaits, or of an exception's trace.

    `module`, `method` and `il_offset` are None where the frame has no IL. `mapping` is a CorDebugMappingResult;
    `is_exact` says that the IL offset is exact enough to show variables (exact or approximate mapping, or prologue).
    `internal_type` is a CorDebugInternalFrameType for INTERNAL frames, else 0.
    """

    index: int
    kind: FrameKind
    module: ModuleId | None
    method: MethodToken | None
    il_offset: int | None
    mapping: int
    internal_type: int
    stack_address: int
    """The caller's end of the frame's stack range: the same for one activation, another for each other; 0 unknown."""
    is_handler: bool = False
    """It runs a catch, finally or fault of its method, whose own frame is the last of the `is_left` that follow."""
    is_left: bool = False
    """It is between a handler and its method's own frame, or is that: an exception has left it, or it is shown already.
    """

    @property
    def is_on_stack(self) -> bool:
        """Whether its variables can be asked for by its index."""
        return self.index >= 0


class StackPage(Struct, frozen=True):
    """Part of a stack. `more` says that frames follow the last one; nothing beyond it was walked."""

    frames: tuple[Frame, ...]
    more: bool


class TypeInfo(Struct, frozen=True):
    """An exact type, described once.

    `module` and `token` are None for types without a TypeDef of their own (arrays, pointers, byrefs).
    `arguments` are the generic arguments, or the one element type of an array, pointer or byref.
    `base` is None for System.Object, interfaces and constructed types. `rank` is 0 but for arrays.
    """

    type: TypeId
    element_type: ElementType
    module: ModuleId | None
    token: TypeDefToken | None
    arguments: tuple[TypeId, ...]
    base: TypeId | None
    rank: int


class Value(Struct, frozen=True):
    """A value as one bulk read brings it: references followed, boxes opened, primitives and string heads included.

    A reference is described by what it refers to: `type` is the exact type of the object, `address` the object's
    address (identity), `is_null` a null reference (then `type` is the declared type where known). A byref is followed.
    """

    handle: ValueHandle | None
    """None when the value could not be read; then `error` says why."""
    type: TypeId | None
    element_type: ElementType
    """Of the value itself after following: I4, STRING, CLASS, VALUETYPE, SZARRAY…"""
    is_null: bool = False
    is_boxed: bool = False
    is_reference: bool = False
    address: int = 0
    raw: bytes = b""
    """Little-endian bytes of primitives, pointers, and of value types up to 16 bytes; else empty."""
    text: str | None = None
    """The head of a string, up to the asked limit of UTF-16 units; lone surrogates stay."""
    length: int = 0
    """UTF-16 units of a string, or the number of elements of an array (all dimensions)."""
    error: str | None = None
    """A HRESULT name or sentence, when this one value cannot be read (optimised away, not in scope…)."""
    parts: Mapping[FieldToken, Value] | None = None
    """The instance fields of a structure that has no place in the program, which are all that there is of it."""


NOT_LOADED = "type not loaded yet"
"""The `error` of a value whose type the runtime has not loaded: an enum nested in a generic type, until used."""

NOT_INITIALISED = "not initialised yet"
"""How `Value.error` of a static field begins that has no place yet: of its class, or of the thread that it is of."""

TEXT_LIMIT = 1024
"""The heads of strings that a read brings unless it asks for more, in UTF-16 units."""


class ArrayShape(Struct, frozen=True):
    """Dimensions of an array: `lengths[i]` elements from index `lower_bounds[i]`."""

    lengths: tuple[int, ...]
    lower_bounds: tuple[int, ...]


class FieldRef(Struct, frozen=True):
    """A field to read: `type` is the exact type that declares it (a base of the object's type, or the type itself)."""

    type: TypeId
    field: FieldToken


class FieldLayout(Struct, frozen=True):
    """Where an instance field is. `offset`: see `TypeLayout`."""

    field: FieldToken
    offset: int
    element_type: ElementType
    type: TypeId | None = None
    """The exact type of a field of a value type; None for others, and where the runtime does not tell."""


class TypeLayout(Struct, frozen=True):
    """Where the runtime has put the instance fields that a type itself declares; sizes and offsets are in bytes.

    Offsets count from the address of the object, where its method table is, or from the first byte of a value type.
    """

    object_size: int | None
    """Of an object on the heap, with its header and method table; None for arrays, whose lengths differ."""
    fields: tuple[FieldLayout, ...]
    """In the order of their offsets."""
    first_element_offset: int | None = None
    """Of an array; None for other types."""
    element_size: int | None = None


class BreakpointLocation(Struct, frozen=True):
    """Where a breakpoint binds: an IL offset that is a sequence point of the method."""

    module: ModuleId
    method: MethodToken
    il_offset: int


class ReadKind(enum.IntEnum):
    """What one read of a plan brings; numbered as CDS_READ_… in cordebug_shim.h."""

    ARGUMENT = 1
    LOCAL = 2
    FIELD = 3
    STATIC = 4
    ELEMENT = 5
    ELEMENT_AT = 6


class Read(Struct, frozen=True):
    """One read of a plan, of the leaf frame; `parent` is the number, from 0, of an earlier one that it looks into.

    `index` is the number of an ARGUMENT (`this` first), the slot of a LOCAL, the token of a FIELD or STATIC, the flat
    position of an ELEMENT, and for ELEMENT_AT the number of the read that brings that position. `type` is the exact
    type that declares a FIELD or STATIC, `owner` the exact type that a FIELD's object must have. 0 where unused.
    """

    kind: ReadKind
    index: int
    parent: int = 0
    type: int = 0
    owner: int = 0


class ReadPlan(Struct, frozen=True):
    """What a breakpoint's event is to bring along. `number`, from 1, is new with each change."""

    number: int
    reads: tuple[Read, ...]
    text_limit: int
    """The longest head of a string, in UTF-16 units."""


MOST_READS = 32
"""The longest plan."""


class StepKind(enum.Enum):
    """The three steps of ICorDebugStepper."""

    OVER = "over"
    INTO = "into"
    OUT = "out"


class RuntimeCallErrorInfo(Struct, frozen=True):
    """Why one item of a bulk call failed."""

    hresult: int
    hresult_name: str


class TerminalOpener(Protocol):
    """Opens a terminal of the client. Any thread."""

    def open(
        self,
        command: Sequence[str],
        working_directory: str,
        environment: Mapping[str, str | None],
        refused: Callable[[str], None],
    ) -> None:
        """Start a command in a new terminal. Returns at once.

        `environment`: variables to set or, with None, to remove. `refused` is called with the client's reason if it
        opens none.
        """

    def is_waited_for(self, seconds: float) -> bool:
        """Whether to wait on for a terminal that has not started the command in so many seconds. Asked now and then."""

    def wait_is_over(self) -> None:
        """It has started it, or will not."""


class WindowSize(Struct, frozen=True):
    """Of a terminal, in characters."""

    columns: int
    rows: int


class TestRun(Struct, frozen=True):
    """What the test platform is to run."""

    __test__ = False  # not for pytest
    assembly: str
    filter: str
    """As `dotnet test --filter` takes it; empty for all."""
    settings: str
    """Run settings, as XML."""
    target_framework: str = ""


class SavedDump(Struct, frozen=True):
    """A core dump that is complete, and how long that took."""

    path: str
    dump_type: DumpType
    bytes: int
    seconds: float


class LaunchSpec(Struct, frozen=True):
    """A process to start, resolved: nothing is searched for any more.

    `command` is the full argv; `environment` replaces the adapter's own wholly.
    """

    command: tuple[str, ...]
    working_directory: str
    environment: Mapping[str, str]
    assembly: str = ""
    """The .dll that holds Main, as far as it is known before the start; a single-file program may have none there.
    Empty for a native program, which may load a runtime."""
    terminal: TerminalOpener | None = None
    """Where the program reads and writes; None: its input is empty, its output comes as events."""
    takes_input: bool = False
    """Whether its input, without a terminal, is a pipe from us (`Debuggee.input`), not empty."""
    window: WindowSize | None = None
    """Of the pseudo-terminal that, without a `terminal`, is its input and output; None: it has none."""
    ends_children: bool = False
    """Whether what the program has started ends with it. Not in a terminal."""
    tests: TestRun | None = None
    """Set where the command is the test platform, which runs tests in a process of their own: that is the debuggee."""
    on_forked: Callable[[int], None] | None = None
    """Called with the process id before the process executes anything, on the thread that starts it."""
    is_unwanted: Callable[[], bool] | None = None
    """Asked now and then while a test host is awaited, on any thread: whether nobody wants it any more."""
