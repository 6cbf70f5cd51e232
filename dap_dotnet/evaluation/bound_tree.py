"""Code that the program is to run: a typed tree, of which `calling.delegates` makes expression trees of the program.

Its nodes are those that `System.Linq.Expressions` has; C#'s own rules (which overload, which conversion) have been
applied before, by `binding`. What takes an environment (`Any` here) is a closure of the binder's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Place
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type, names_by_type
from dap_dotnet.evaluation.types.declarations import DelegateSignature
from dap_dotnet.runtime.model import FieldToken, Value

T = TypeVar("T")


class Code(Struct, frozen=True, eq=False):
    """A node; `type` is what it gives."""

    type: Type


class Captured(Code, frozen=True, eq=False):
    """A value that is known when the delegate is made: a literal, or what a variable of the frame has then."""

    operand: Operand
    is_constant: bool = False
    """Whether it is a constant of the source, which converts more freely."""
    is_literal: bool = False


def integer(value: int) -> Captured:
    """A constant of type int."""
    return Captured(types.I4, Operand(types.I4, value), is_constant=True)


def boolean(value: bool) -> Captured:
    """A constant of type bool."""
    return Captured(types.BOOL, types.boolean(value), is_constant=True)


def characters(value: str) -> Captured:
    """A constant of type string."""
    return Captured(types.STRING, Operand(types.STRING, value), is_constant=True)


class Variable(Code, frozen=True, eq=False):
    """A parameter, or a variable of a body. Two are the same only where they are one object."""

    name: str


class Alias(Variable, frozen=True, eq=False):
    """A `ref` variable, which stands for another one: the operation `Alias` says for which."""


class Stored(Code, frozen=True, eq=False):
    """A variable of the frame, `this` included, or of the debugger."""

    name: str
    read: Callable[[Any], Operand]
    locate: Callable[[Any], Value] | None
    """Reads it where the program keeps it; None where the program has it nowhere."""
    captured: Callable[[Any], Code]
    """What a delegate of the program has of it: its value now, or a field of the compiler's closure."""
    is_read_only: bool = False
    """Whether it is passed by `in`, so that nothing is stored in it."""
    is_typed_by_value: bool = False
    """Whether only its value shows the type: later it may have another one."""
    is_of_console: bool = False
    """Whether it is a variable of the debug console, which is stored in there."""


class Invoked(Code, frozen=True, eq=False):
    """A call of a method; `target` None for a static one."""

    method: ExactMethod
    target: Code | None
    arguments: tuple[Code, ...]
    is_virtual: bool = True
    """False for a call through `base`."""


class PointerCall(Code, frozen=True, eq=False):
    """A call of a function pointer; `parameters` are the types that it is declared with."""

    pointer: Code
    parameters: tuple[Type, ...]
    arguments: tuple[Code, ...]


class FieldOf(Code, frozen=True, eq=False):
    """A field; `target` None for a static one."""

    owner: Type
    token: FieldToken
    target: Code | None


class Made(Code, frozen=True, eq=False):
    """A new object, by a constructor."""

    constructor: ExactMethod
    arguments: tuple[Code, ...]


class Operation(Code, frozen=True, eq=False):
    """`Expression.name(operands…)`."""

    name: str
    operands: tuple[Code, ...]


class TypedOperation(Code, frozen=True, eq=False):
    """`Expression.name(operand, wanted)`: Convert, ConvertChecked, TypeAs, TypeIs."""

    name: str
    operand: Code
    wanted: Type


def assigned(target: Code, value: Code) -> Operation:
    """`target = value`."""
    return Operation(target.type, "Assign", (target, value))


class Hole(Struct, frozen=True, eq=False):
    """What an interpolated string has between braces."""

    code: Code
    alignment: int
    format: str


class Text(Code, frozen=True, eq=False):
    """An interpolated string."""

    parts: tuple[str | Hole, ...]


class Zero(Code, frozen=True, eq=False):
    """The default value of a type."""


class Items(Code, frozen=True, eq=False):
    """A new array: of items, or (`has_lengths`) of zeros, with these lengths."""

    items: tuple[Code, ...]
    has_lengths: bool = False


class Steps(Code, frozen=True, eq=False):
    """Several, one after the other, with variables of their own; its value is the last one's."""

    variables: tuple[Variable, ...]
    steps: tuple[Code, ...]


def in_steps(before: Sequence[Code], last: Code) -> Code:
    """What comes before code, and then the code, which gives the value."""
    return Steps(last.type, (), (*before, last)) if before else last


def last_of(code: Code) -> Code:
    """What gives the value of code."""
    return last_of(code.steps[-1]) if isinstance(code, Steps) else code


def block(*steps: Code) -> Steps:
    """A statement of several."""
    return Steps(types.VOID, (), (*steps, Zero(types.VOID)))


def converted(code: Code, kind: Type) -> TypedOperation:
    """A value as one of a type, by a conversion that there is."""
    return TypedOperation(kind, "Convert", code, kind)


def held(code: Code) -> TypedOperation:
    """What a nullable holds."""
    return converted(code, code.type.element)


def negated(test: Code) -> Operation:
    """Whether a test fails."""
    return Operation(types.BOOL, "Not", (test,))


def all_of(*tests: Code, name: str = "AndAlso") -> Code:
    """Whether all are true (`OrElse`: one of them), one asked after the other."""
    return reduce(lambda joined, test: Operation(types.BOOL, name, (joined, test)), tests)


def if_then(test: Code, then: Code) -> Operation:
    """A statement that a test decides on."""
    return Operation(types.VOID, "IfThen", (test, then))


class Target(Struct, frozen=True, eq=False):
    """A place to jump to."""


class Jump(Code, frozen=True, eq=False):
    """`return`, `break`, `continue`."""

    target: Target


class Landing(Code, frozen=True, eq=False):
    """Where jumps arrive."""

    target: Target


class Loop(Code, frozen=True, eq=False):
    """Its body, again and again until a jump to `ends`."""

    body: Code
    ends: Target


class Each(Code, frozen=True, eq=False):
    """`foreach`: a turn of the body for each element, which it has in `current`, until a jump to `ends`."""

    source: Code
    current: Variable
    body: Code
    ends: Target
    lowered: Code
    """The same by the enumerator."""


class Handler(Struct, frozen=True, eq=False):
    """A catch clause: what is caught, as a variable of its type; `guard` None: always."""

    variable: Variable
    body: Code
    guard: Code | None


class ArrayPart(Code, frozen=True, eq=False):
    """A new array of the elements from one position up to another."""

    array: Code
    first: Code
    end: Code
    lowered: Callable[[], Code]
    """The same by a call of the framework."""


class AnonymousObject(Code, frozen=True, eq=False):
    """An anonymous object that only the expression has, seen as a tuple with the names of its members."""

    names: tuple[str, ...]
    items: tuple[Code, ...]


class Protected(Code, frozen=True, eq=False):
    """`try`: its handlers, and what runs last (None: nothing)."""

    body: Code
    handlers: tuple[Handler, ...]
    final: Code | None


class Awaited(Code, frozen=True, eq=False):
    """`await`; bodies of async lambdas are made of it (`binding.awaits`), and no expression tree."""

    started: Code
    """Gives the awaiter to its variable."""
    is_completed: Code
    continued: Code
    """Hands the awaiter what goes on."""
    result: Code


class Late(Code, frozen=True, eq=False):
    """Code that is bound when its operands have values, by the types that they have then."""

    operands: tuple[Code, ...]
    bind: Callable[[Any, Sequence[Code]], Code]
    """The code in an environment, with a variable for each operand; null for those that are null."""
    is_itself: bool = False
    """Whether it is its operand, of the actual type."""
    is_behind: bool = False
    """Whether that type is taken for what the static one has not, which C# refuses."""
    at: Place = NOWHERE


def is_late(code: Code) -> bool:
    """Whether the type of a value shows at run time only."""
    return isinstance(code, Late) and code.type is types.OBJECT


BASE = "Base"


def is_base(code: Code | None) -> bool:
    """Whether it is `base`, on which no member is virtual."""
    return isinstance(code, TypedOperation) and code.name == BASE


class DynamicMember(Code, frozen=True, eq=False):
    """A member that an object has for `dynamic` code only: of an ExpandoObject, a DynamicObject."""

    target: Code
    name: str


class Refused(Code, frozen=True, eq=False):
    """What cannot go on here, in words for the user."""

    reason: str


class TupleLiteral(Code, frozen=True, eq=False):
    """`(null, x => x)`: a tuple that has the types of its elements from what it is converted to."""

    items: tuple[Code | FunctionSource, ...]


class Function(Code, frozen=True, eq=False):
    """A lambda as a delegate of the node's type."""

    parameters: tuple[Variable, ...]
    body: Code


class Group(Code, frozen=True, eq=False):
    """A method as a delegate of the node's type; `target` None for a static one."""

    method: ExactMethod
    target: Code | None


def parts_of(tree: object, *, into_functions: bool = True) -> Iterator[Code]:
    """A tree of code, or several in tuples, with all code in it, in no particular order.

    `into_functions` False: lambdas inside, but not their bodies.
    """
    pending: list[object] = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, Code | Handler | Hole):
            if isinstance(part, Code):
                yield part
            if isinstance(part, Function) and not into_functions:
                continue
            pending.extend(getattr(part, name) for name in part.__struct_fields__)


def children(code: Code) -> list[Code]:
    """The code that a node has as its parts, in the order in which these are written."""
    pending, found = [getattr(code, name) for name in reversed(code.__struct_fields__)], list[Code]()
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(reversed(part))
        elif isinstance(part, Hole):
            pending.append(part.code)
        elif isinstance(part, Code):
            found.append(part)
    return found


def contains(tree: object, kind: type) -> bool:
    """Whether a tree of code has a node of a kind; the bodies of lambdas inside do not count."""
    return any(isinstance(part, kind) for part in parts_of(tree, into_functions=False))


def rewritten(tree: T, change: Callable[[Any], object], untouched: Collection[str] = ()) -> T:
    """A tree with what `change` gives in place of a part; None: the part, with its own parts rewritten.

    What stays the same is the same object, and what is one object is one again. Fields in `untouched` are left alone.
    """
    known: dict[int, tuple[object, Any]] = {}

    def of(part: Any) -> Any:
        if id(part) not in known:
            changed = change(part)
            known[id(part)] = part, changed if changed is not None else inside(part)
        return known[id(part)][1]

    def inside(part: Any) -> object:
        if isinstance(part, tuple):
            parts = tuple(map(of, part))
            return part if all(one is other for one, other in zip(parts, part, strict=True)) else parts
        if not isinstance(part, Code | Handler | Hole | Target | ExactMethod):
            return part
        fields = {name: getattr(part, name) for name in part.__struct_fields__ if name not in untouched}
        made = {name: after for name, before in fields.items() if (after := of(before)) is not before}
        if isinstance(part, Late):
            made["bind"] = lambda env, given: of(part.bind(env, given))
        return replace(part, **made) if made else part

    made: T = of(tree)
    return made


def format_of(text: Text) -> tuple[str, list[Code]]:
    """The composite format of an interpolated string, and what its holes have."""
    pattern, holes = "", list[Code]()
    for part in text.parts:
        if isinstance(part, str):
            pattern += part.replace("{", "{{").replace("}", "}}")
            continue
        alignment, form = f",{part.alignment}" if part.alignment else "", f":{part.format}" if part.format else ""
        pattern += f"{{{len(holes)}{alignment}{form}}}"
        holes.append(part.code)
    return pattern, holes


class FunctionSource(ABC):
    """A lambda or a group of methods of an expression, of which the program can be given a delegate.

    What it says of types follows from the source alone: nothing runs. It reads the frame when it is asked for code.
    Session thread.
    """

    fault: Exception | None = None
    """Why it did not fit the last time that it did not."""
    is_group = False
    """Whether it is a group of methods."""
    is_async = False
    """Whether it is an async lambda."""
    names_by_type: Mapping[Type, tuple[str | None, ...]] = {}
    """The names of elements that its parameters have where they are tuples of a type: see `know_names`."""

    @abstractmethod
    def takes(self, count: int) -> bool:
        """Whether a delegate of so many parameters can be made of it."""

    def written_types(self) -> Sequence[Type | None]:
        """The types that the lambda itself gives its parameters; () where none."""
        return ()

    @abstractmethod
    def result_type(self, parameters: Sequence[Type]) -> Type | None:
        """The type of the result for parameters of such types; None where they do not fit it."""

    def natural(self) -> tuple[Sequence[Type], Type] | None:
        """The types of the parameters and the result that it has by itself; None where it has none such."""
        written = self.written_types()
        kinds = [kind for kind in written if kind is not None]
        if len(kinds) != len(written) or not self.takes(len(kinds)):
            return None
        result = self.result_type(kinds)
        return (kinds, result) if result is not None else None

    def fits(self, signature: DelegateSignature) -> bool:
        """Whether a delegate of a signature can be made of it; `fault` says why not."""
        try:
            self.code(types.OBJECT, signature)
        except EvaluationError as error:
            self.fault = error
            return False
        return True

    @abstractmethod
    def code(self, delegate: Type, signature: DelegateSignature) -> Code:
        """A `Function` or `Group`. Raises `EvaluationError` in the compiler's words where none can be made."""


def source_of(operand: Operand) -> FunctionSource | None:
    """What a delegate can be made of; None for other operands."""
    return operand.data if isinstance(operand.data, FunctionSource) else None


def know_names(operands: Sequence[Operand]) -> None:
    """Let the lambdas among the operands of a call know the names of tuples in the others."""
    if any(operand.names for operand in operands):
        for operand in operands:
            source = source_of(operand)
            if source is not None:
                source.names_by_type = names_by_type(operands)
