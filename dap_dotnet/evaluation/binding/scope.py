"""What the binding of a lambda's code shares: the names in force, and the way back to the rest of the tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    FunctionSource,
    Late,
    Made,
    Steps,
    TupleLiteral,
    Variable,
    is_late,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax.tree import Cast, Node, Place, Unary
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Elements, ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates, is_sealed
from dap_dotnet.evaluation.types.universe import Universe

Entity = Code | Type | Namespace
CONSTANT = ""
"""What a variable that is `const` is called in `Scope.fixed`."""


class Scope(ABC):
    """One body. Its variables, those of the lambdas around it, and the frame's."""

    def __init__(self, binder: NameBinder, variables: dict[str, Variable], captured: Mapping[str, Operand]) -> None:
        """`captured`: variables of the expression around the lambda, which have values already."""
        self.binder = binder
        self.env: Environment = binder.env
        self.universe = binder.universe
        self.variables = variables
        self.captured = captured
        self.own: list[Variable] = []
        """Variables that the code declares on its way: of patterns, and temporary ones."""
        self.receiver: Code | None = None
        """What stands before the innermost ``?.``"""
        self.checked = self.unchecked = False
        """`unchecked`: else constants that overflow are refused."""
        self.names: dict[Code, tuple[str | None, ...]] = {}
        """The names of the elements of tuples."""
        self.names_by_type: Mapping[Type, tuple[str | None, ...]] = {}
        """Those of tuples of a type that come from nowhere else: see `FunctionSource.know_names`."""
        self.fixed: dict[Code, str] = {}
        """Variables that are not assigned to, with what they are called for that."""
        self.in_lambda = False
        self.dynamic_places: set[Code] = set()
        """Variables and properties that are declared as `dynamic`, where they are assigned to."""
        self.places: dict[Code, Place] = {}
        """Where code is written: a conversion that is refused is told there."""
        self.exact: frozenset[Code] = frozenset()
        """Values whose types are the actual ones."""
        self.moves: Variable | None = None
        """In an async lambda the delegate that goes on with it behind an await."""

    @abstractmethod
    def code(self, node: Node, wanted: Type | None = None) -> Code:
        """A node that must be a value; `wanted` is what `default`, `new()` and `[…]` take their type from.

        Raises `EvaluationError` in the compiler's words, or where expression trees have no such thing.
        """

    @abstractmethod
    def operand(self, node: Cast | Unary, wanted: Type | None = None) -> Code:
        """What a node converts itself: a conversion that is refused is told at the node, not at its operand."""

    @abstractmethod
    def entity(self, node: Node) -> Entity:
        """Any node: a value, a type or a namespace."""

    @abstractmethod
    def code_or_source(self, node: Node, wanted: Type | None = None) -> Code | FunctionSource:
        """What a delegate can be made of, where a node is that, else as `code`. The node is bound once."""

    @abstractmethod
    def source(self, node: Node) -> FunctionSource | None:
        """What a delegate can be made of: of a lambda or a group of methods; None for other nodes."""

    @abstractmethod
    def function(self, source: FunctionSource, delegate: Type) -> Code:
        """A lambda in the code as a delegate."""

    @abstractmethod
    def collection(self, kind: Type, items: tuple[Code, ...]) -> Code:
        """A collection of a type with elements, of a `params` parameter. CS9174."""

    @abstractmethod
    def reference(self, node: Node) -> Code:
        """A variable, an element or a field that is passed by reference. CS1510."""

    @abstractmethod
    def inner(self, parameters: Mapping[str, Variable]) -> Scope:
        """The scope of a lambda inside, with its parameters."""

    def declare(self, kind: Type, name: str = "") -> Variable:
        """A variable of the body. Without a name it is a temporary one."""
        made = Variable(kind, name)
        self.own.append(made)
        if name:
            self.variables[name] = made
        return made


class CursorReached(Exception):
    """An unfinished expression was bound up to the cursor in it: which stands in this scope, behind this target."""

    def __init__(self, scope: Scope, target: Entity | None) -> None:
        super().__init__()
        self.scope = scope
        self.target = target


def named(scope: Scope, code: Code, names: tuple[str | None, ...]) -> Code:
    """The code itself, a tuple whose elements have these names; () for none."""
    if any(names):
        scope.names[code] = names
    return code


def constant_of(code: Code) -> Operand | None:
    """The value of a constant."""
    return code.operand if isinstance(code, Captured) and code.is_constant else None


def stand_in(code: Code, names: tuple[str | None, ...] = ()) -> Operand:
    """An operand for what only asks for types: conversions and overload resolution. `names`: see `Operand`."""
    constant = constant_of(code)
    if isinstance(code, TupleLiteral):
        items = Elements(stand_in(one) if isinstance(one, Code) else Operand(types.LAMBDA, one) for one in code.items)
        items.constants = tuple(constant_of(one) if isinstance(one, Code) else None for one in code.items)
        return Operand(types.TUPLE, items)
    is_null = constant is not None and constant.type is types.NULL
    return constant if constant is not None and is_null else Operand(code.type, code, None, names)


def framework_type(universe: Universe, name: str, arguments: tuple[Type, ...] = ()) -> Type:
    """A type that code needs which the compiler adds. CS0518."""
    found = universe.named(name, arguments)
    if found is None:
        raise Diagnostic("CS0518", name)
    return found


def framework_method(universe: Universe, owner: Type, name: str, *parameters: Type) -> ExactMethod:
    """A method of such a type by its name and parameters."""
    for candidate in candidates(universe, owner):
        if candidate.method.name == name and candidate.parameter_types(universe) == list(parameters):
            return candidate.exact
    raise EvaluationError(f"The program's framework has no {owner.name}.{name}")


# what only the run can say: such code is bound when its operands have values, by the types that they have then

BindLate = Callable[[Scope, Sequence[Code]], Code]


def late(scope: Scope, operands: Sequence[Code], bind: BindLate, kind: Type = types.OBJECT) -> Late:
    """Code that `bind` makes of the operands once they have values: of their own types where they are late.

    `kind`: what it gives; OBJECT for whatever it is.
    """

    def bind_now(env: Environment, given: Sequence[Code]) -> Code:
        scope.binder.env = env
        inner = scope.inner({})
        inner.in_lambda = scope.in_lambda
        inner.exact = scope.exact | set(given)
        made = bind(inner, given)
        return Steps(made.type, tuple(inner.own), (made,)) if inner.own else made

    return Late(kind, tuple(operands), bind_now)


def dynamic(scope: Scope, code: Code, *, is_behind: bool = False) -> Code:
    """A value as `dynamic`; `is_behind`: for what the static type has not."""
    if is_late(code):
        return code
    return replace(late(scope, (code,), lambda _, given: given[0]), is_itself=True, is_behind=is_behind)


def may_be_more(scope: Scope, code: Code) -> bool:
    """Whether the actual type of a value may have members that the static type has not."""
    kind = code.type
    return (
        code not in scope.exact
        and not isinstance(code, Made)
        and (is_late(code) or (kind.kind is Kind.CLASS and kind.is_reference and not is_sealed(scope.universe, kind)))
    )


def unsupported(what: str) -> EvaluationError:
    """A form that is C#, and that is not evaluated."""
    return EvaluationError(f"{what} is not supported here")
