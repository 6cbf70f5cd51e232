"""One evaluation in one frame: what it holds, and how values become operands."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct, structs

from dap_dotnet.errors import DeadlineError, EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.reads import FrameReads, Roots
from dap_dotnet.evaluation.types import csharp_types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import universe_of
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.members import find_field
from dap_dotnet.values.ways import CALLED, INTERPRETED

MOST_TEXT = 4_000_000
"""The longest string that is read as a whole, in UTF-16 units."""

MOST_STEPS = 3_000_000
MOST_TURNS = 100_000
MOST_SECONDS = 30.0
"""How long one evaluation may take, the program's own code included."""
_ASKS_EACH_S = 0.02
"""How often an evaluation asks whether it is still wanted."""


class MethodRunner(Protocol):
    """What runs a method of the program for an expression: see `calling.method_runner`.

    It is passed in, for what it needs (members, conversions, operators) may itself come upon a method to run.
    """

    def run(
        self,
        env: Environment,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
        *,
        is_virtual: bool = True,
    ) -> Operand:
        """The result of a method; `target` is `this`, None for a static method. Virtual methods are dispatched.

        `is_virtual` False is a call through `base`: the method itself, though it may be overridden.

        The arguments fit the parameters in number and, after implicit conversions, in type. Raises `EvaluationError`
        when the method cannot be run here, `CalleeThrew` when it threw. Session thread.
        """
        ...

    def reference(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> tuple[Value, bool]:
        """What a method returns by reference, where it is kept, and whether the method only reads. The program runs.

        As `run`.
        """
        ...

    def construct(
        self, env: Environment, kind: Type, constructor: ExactMethod | None, arguments: Sequence[Operand]
    ) -> Operand:
        """A new object or structure of a type; `constructor` None leaves it zero. Raises as `run`."""
        ...

    def new_array(self, env: Environment, element: Type, *lengths: int) -> Operand:
        """A new array of zeros, of as many dimensions as there are lengths. Raises as `run`."""
        ...

    def delegate(self, env: Environment, kind: Type, method: ExactMethod, target: Operand | None) -> Operand:
        """A delegate of the program of a method; `target` None for a static one. Raises as `run`."""
        ...

    def put_on_heap(self, env: Environment, operand: Operand) -> None:
        """Make an object of the program of an operand: of a computed string, box or Type.

        Operands that are objects already, and those of value types, stay as they are. Raises `EvaluationError`.
        """
        ...


class Cell(Struct):
    """What a variable of the code that runs here has now. Lambdas that capture the variable share it."""

    operand: Operand
    is_own: bool = False
    """Whether nothing else has the structure that it holds, so that it may be changed where it is."""
    place: Any = None
    """The `Assignable` that a `ref` variable stands for."""
    is_copied: bool = False
    """Whether a delegate of the program has what it had when the delegate was made."""


class Environment(FrameReads):
    """Lives for one evaluation."""

    is_interpreted = False
    """Whether code of the program was followed."""
    is_last_call = False
    """Whether nothing but the result of the call that comes next is needed behind it."""
    went_behind = False
    """Whether the actual type of an object was taken for what its static type has not."""
    receiver: Operand | None = None
    wants_type_object = False
    """Whether GetType is asked for the object that the program has: what is known of the type is not enough."""
    comparisons = 0
    """How often the program's own code has compared keys or elements."""
    keyed_at: int | None = None
    """`calls` when objects were first told apart by their addresses, which may change when the program runs."""
    steps = turns = 0
    """How many elements queries went through and lambdas were run; how often loops in their bodies turned."""
    may_store = False
    """Whether the expression may change variables, fields and elements."""
    asks_at = 0.0

    def __init__(self, context: FrameContext, caller: Caller | None, runner: MethodRunner) -> None:
        """`caller` None forbids calls into the program; `runner` runs the methods that the expression names."""
        super().__init__(context)
        self.universe = universe_of(context.program)
        self.caller = caller
        self.runner = runner
        self.roots = Roots(context.program)
        self.witnesses: dict[Type, Operand] = {}
        """Objects that were asked for their type: the type's own object is had by them."""
        self.cells: dict[object, Cell] = {}
        """Variables of the code that runs here, by their nodes (`running`)."""
        self.closures: list[dict[object, Cell]] = []
        """What the lambdas of that code have captured."""
        self.slots: dict[str, Operand] = {}
        """Variables that patterns and the bodies of lambdas declared."""
        self.deadline = time.monotonic() + MOST_SECONDS

    @property
    def way(self) -> str | None:
        """How what was evaluated was had, as `values.ways` names it; None for what was only read and computed."""
        return CALLED if self.calls else INTERPRETED if self.is_interpreted else None

    @cached_property
    def saturates(self) -> bool:
        """Whether floats beyond an integer type become its limits: from .NET 9 on, and on processors but x64's."""
        major = self.debuggee.runtime_version.partition(".")[0]
        return platform.machine() not in ("x86_64", "AMD64") or not major.isdigit() or int(major) > 8

    def step(self, count: int = 1) -> None:
        """A query goes through so many more elements, or a lambda runs. Raises `EvaluationError` for too many."""
        self.steps += count
        self.go_on()
        if self.steps > MOST_STEPS:
            raise EvaluationError(f"The expression takes more than {MOST_STEPS:,} steps (elements and runs of lambdas)")

    def turn(self) -> None:
        """A loop in a lambda's body turns, or a local function runs. Raises `EvaluationError` for too many turns."""
        self.turns += 1
        self.go_on()
        if self.turns > MOST_TURNS:
            raise EvaluationError(f"The loops and local functions in the expression run more than {MOST_TURNS:,} times")

    def go_on(self) -> None:
        """Give up where nobody waits for the value any more, or it takes too long. Raises `EvaluationError`.

        Whatever repeats something asks this each time, and calls of the program do.
        """
        now = time.monotonic()
        if now < self.asks_at:
            return
        is_unwanted = self.program.is_work_unwanted
        if is_unwanted is not None and is_unwanted():
            raise EvaluationError("The evaluation was cancelled, or interrupted by a pause or the end of the session")
        if now > self.deadline:
            raise EvaluationError(
                f"The evaluation was given up after {MOST_SECONDS:g} s: reduce the number of elements",
                code=DeadlineError.code,
            )
        self.asks_at = now + _ASKS_EACH_S

    def all_cells(self) -> list[Cell]:
        """The variables of the code that runs here, those that lambdas have captured included."""
        return [cell for cells in (self.cells, *self.closures) for cell in cells.values()]

    def content(self, box: Value) -> Value:
        """What a box of the program's that an expression made has inside; it is remembered as long as the box is."""
        inside = content_of(box)
        self.roots.note(inside)
        return inside

    def release(self, result: Value | None = None) -> None:
        """Forget the remembered objects at the end of the evaluation. The result's own stays remembered."""
        self.roots.release(result)

    # types and operands

    def type_of(self, type_id: TypeId | None) -> Type | None:
        """The type of an exact runtime type."""
        return self.universe.of_id(self.program, type_id)

    def operand(self, value: Value, declared: Type | None = None) -> Operand:
        """A value as an operand; `declared` is the type that the source gives it, None to take the value's own.

        Raises `EvaluationError` for a value that could not be read.
        """
        if value.error is not None:
            raise EvaluationError(f"The value cannot be read: {value.error}")
        if value.handle is not None:
            self.roots.note(value)
        code = value.element_type
        if declared is not None and declared.is_value_type and (value.is_boxed or value.is_null):
            return self._opened(value, declared)  # results of calls and static fields come boxed
        if declared is not None and (value.is_boxed or value.is_null) and declared.kind in _AS_DECLARED:
            return Operand(declared, None if value.is_null else value, value)
        if value.is_boxed:
            return Operand(csharp_types.OBJECT, value, value)
        if value.is_null:
            own = csharp_types.STRING if code is ElementType.STRING else self.type_of(value.type)
            return Operand(own or csharp_types.OBJECT, None, value)
        if code is ElementType.STRING:
            is_complete = value.text is not None and _is_whole(value)
            named = declared if declared is not None and declared.kind is Kind.CLASS else csharp_types.STRING
            return Operand(named, value.text if is_complete and named is csharp_types.STRING else value, value)
        primitive = primitives.decode(code, value.raw)
        if primitive is not None:
            return Operand(csharp_types.PRIMITIVES[code], primitive, value)
        if code in (ElementType.PTR, ElementType.FNPTR):
            own = self.type_of(value.type) or declared
            if own is None or own.kind is not Kind.POINTER:
                own = self.universe.pointer(csharp_types.VOID)
            return Operand(own, int.from_bytes(value.raw, "little"), value)
        own = self.type_of(value.type)
        if own is None:
            return Operand(declared or csharp_types.OBJECT, value, value)
        if own.is_value_type:
            return self._value_type(own, value)
        return Operand(declared if declared is not None and declared.is_reference else own, value, value)

    def to_value(self, operand: Operand) -> Value:
        """The operand as a value: the one that was read, or one made of its bytes or text without a handle.

        Raises `EvaluationError` for what has no value of the program's: tuples and types made in the expression.
        """
        own, kind, data = operand.type, operand.type.kind, operand.data
        if operand.value is not None and (operand.value.handle is not None or kind is not Kind.NULLABLE):
            return operand.value
        if isinstance(data, Value):
            return data
        if kind is Kind.VOID:
            return Value(None, None, ElementType.VOID)
        if data is None:
            code = ElementType.STRING if kind is Kind.STRING else own.code
            type_id = self.universe.id_of(self.program, own) if kind is not Kind.NULL else None
            return Value(None, type_id, code, is_null=True, is_reference=own.is_reference)
        if isinstance(data, str):
            return Value(None, None, ElementType.STRING, is_reference=True, text=data, length=utf16_length(data))
        if kind is Kind.NULLABLE:
            return self.to_value(Operand(own.element, data))
        if kind is Kind.ENUM:
            assert own.underlying is not None
            type_id = self.universe.id_of(self.program, own)
            code = ElementType.VALUETYPE if type_id is not None else own.underlying.code
            return Value(None, type_id, code, raw=primitives.encode(own.underlying.code, data))
        if kind in (Kind.BOOL, Kind.NUMBER, Kind.POINTER):
            has_type = isinstance(data, Decimal) or kind is Kind.POINTER
            type_id = self.universe.id_of(self.program, own) if has_type else None
            return Value(None, type_id, own.code, raw=primitives.encode(own.code, data))
        what = "A type" if kind is Kind.TYPE else "A tuple created in the expression"
        raise EvaluationError(f"{what} is not a value in the program: evaluate one of its members, or compare it")

    def as_dynamic(self, operand: Operand) -> Operand:
        """What `dynamic` code takes a value of type object for: of the type that it has now."""
        data = operand.data
        if not isinstance(data, Value):
            return Operand(csharp_types.STRING, data, operand.value) if isinstance(data, str) else operand
        return self.opened_box(data) if data.is_boxed else self.operand(data)

    def opened_box(self, box: Value) -> Operand:
        """What a box holds. What is decoded has no handle: a call that takes it would get the box's in its place."""
        inner = self.operand(self.content(box))
        if not isinstance(inner.data, Value):
            inner.value = None
        return inner

    def _opened(self, value: Value, declared: Type) -> Operand:
        """A box where the source has a value type. A nullable's box holds its value, or is null."""
        if value.is_null:
            return Operand(declared, None, value)
        inner = self.opened_box(value)
        if declared.kind is Kind.NULLABLE and inner.type is not declared:
            return Operand(declared, inner.data)
        return inner

    def _value_type(self, own: Type, value: Value) -> Operand:
        if own.kind is Kind.ENUM and own.underlying is not None:
            number = primitives.decode(own.underlying.code, value.raw)
            if number is not None:
                return Operand(own, number, value)
        elif own.kind is Kind.NUMBER:
            number_or_none = primitives.decode_decimal(value.raw)
            if number_or_none is not None:
                return Operand(own, number_or_none, value)
        elif own.kind is Kind.NULLABLE:
            inner = self._nullable(own, value)
            return Operand(own, inner.data if inner is not None else None, value)
        return Operand(own, value, value)

    def _nullable(self, own: Type, value: Value) -> Operand | None:
        """What a nullable holds: from its bytes when it is a number (flag, then aligned), else from its fields."""
        element, raw = own.element, value.raw
        code = element.underlying.code if element.underlying is not None else element.code
        if raw and len(raw) % 2 == 0 and element.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
            size = len(raw) // 2
            number = primitives.decode(code, raw[size:]) if primitives.SIZES.get(code) == size else None
            if number is not None:
                return Operand(element, number) if raw[0] else None
        has_value, held = self.read_named(value, "hasValue"), None
        if has_value.raw[:1] != b"\0":
            held = self.operand(self.read_named(value, "value"))
        return held

    def read_named(self, value: Value, name: str) -> Value:
        """One instance field by name. Raises `EvaluationError` when there is none."""
        found = find_field(self.program, value.type, name)
        if found is None or (value.handle is None and value.parts is None):
            raise EvaluationError(f"The value has no field {name}; its module's metadata may be missing.")
        return self.fields(value, [found.ref])[0]

    def own_type(self, operand: Operand) -> Type:
        """The exact type of what an operand refers to, as `GetType()` would return."""
        data = operand.data
        if operand.type.kind is Kind.NULLABLE:
            return operand.type.element
        if isinstance(data, Value):
            if data.element_type in csharp_types.PRIMITIVES and data.element_type is not ElementType.OBJECT:
                return csharp_types.PRIMITIVES[data.element_type]
            return self.type_of(data.type) or operand.type
        if isinstance(data, str):
            return csharp_types.STRING  # whatever the expression has cast it to
        return operand.type

    def text(self, operand: Operand) -> str | None:
        """The whole text of a string operand; None for null."""
        data: Any = operand.data
        if isinstance(data, Value):
            if data.handle is None:
                return data.text
            if data.text is not None and _is_whole(data):
                return data.text
            if data.length > MOST_TEXT:
                raise EvaluationError(
                    f"The string has {data.length:,} characters; more than {MOST_TEXT:,} are not read as a whole: "
                    "use a part of it, such as s[..1000]"
                )
            try:
                return self.debuggee.string(data.handle, 0, data.length)
            except RuntimeCallError as error:
                raise EvaluationError(f"The string cannot be read: {error.message}") from None
        return None if data is None else str(data)


def content_of(value: Value) -> Value:
    """The value inside a box, as a value of its own type."""
    return structs.replace(value, is_reference=False, is_null=False, is_boxed=False)


def utf16_length(text: str) -> int:
    """UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_whole(value: Value) -> bool:
    return value.text is not None and utf16_length(value.text) >= value.length


_AS_DECLARED = frozenset({Kind.CLASS, Kind.ARRAY, Kind.STRING})
