"""The tree of patterns, of the expressions that have them, and of the statements that a lambda's body may have."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.evaluation.syntax.tree import Declaration, Lambda, Node, Tuple, TypeSyntax

# patterns


class ConstantPattern(Node, frozen=True):
    """A constant, or a type: `null`, `1`, `Colour.Red`, `Node` (only binding can tell the last two apart)."""

    value: Node


class TypePattern(Node, frozen=True):
    """`type`, or `type name`, or `var name` (`type` None), or `_` (both None). `name` None or "_" keeps nothing."""

    type: TypeSyntax | None
    name: str | None


class RelationalPattern(Node, frozen=True):
    """`< value` and its like."""

    operator: str
    value: Node


class NotPattern(Node, frozen=True):
    """`not pattern`."""

    pattern: Pattern


class JunctionPattern(Node, frozen=True):
    """`left and right`, `left or right`."""

    left: Pattern
    right: Pattern
    is_and: bool


class PropertyPart(Node, frozen=True):
    """`A.B: pattern` in a property pattern."""

    path: tuple[str, ...]
    pattern: Pattern


class RecursivePattern(Node, frozen=True):
    """`type (positional) { properties } name`; `positional` None when there are no parentheses.

    `positional_names` are those before a colon, None for an item without; () where there are none at all.
    """

    type: TypeSyntax | None
    positional: tuple[Pattern, ...] | None
    properties: tuple[PropertyPart, ...]
    name: str | None
    positional_names: tuple[str | None, ...] = ()


class SlicePattern(Node, frozen=True):
    """`..` in a list pattern, or `.. pattern` for what is between the others."""

    pattern: Pattern | None = None


class ListPattern(Node, frozen=True):
    """`[a, .., b]`."""

    items: tuple[Pattern, ...]


Pattern = (
    ConstantPattern
    | TypePattern
    | RelationalPattern
    | NotPattern
    | JunctionPattern
    | RecursivePattern
    | SlicePattern
    | ListPattern
)


class IsPattern(Node, frozen=True):
    """`operand is pattern`."""

    operand: Node
    pattern: Pattern


class Arm(Struct, frozen=True):
    """An arm of a switch expression."""

    pattern: Pattern
    guard: Node | None
    result: Node


class Switch(Node, frozen=True):
    """`operand switch { arms }`."""

    operand: Node
    arms: tuple[Arm, ...]


# statements


class Statement(Node, frozen=True):
    """Any statement."""


class Block(Statement, frozen=True):
    """`{ statements }`."""

    statements: tuple[Statement, ...]


class Declare(Statement, frozen=True):
    """`type name = value;`: `type` None for `var`; `value` None: it is not assigned yet."""

    type: TypeSyntax | None
    name: str
    value: Node | None
    is_constant: bool = False
    is_reference: bool = False
    """`ref type name = ref value`."""


class Evaluate(Statement, frozen=True):
    """`expression;`."""

    expression: Node


class If(Statement, frozen=True):
    """`if (condition) then else otherwise`."""

    condition: Node
    then: Statement
    otherwise: Statement | None


class While(Statement, frozen=True):
    """`while (condition) body`, or `do body while (condition);`."""

    condition: Node
    body: Statement
    is_do: bool


class For(Statement, frozen=True):
    """`for (initial; condition; updates) body`; `condition` None: always."""

    initial: tuple[Statement, ...]
    condition: Node | None
    updates: tuple[Node, ...]
    body: Statement


class ForEach(Statement, frozen=True):
    """`foreach (variable in source) body`, `await foreach`; a tuple of variables takes an element apart."""

    variable: Declaration | Tuple
    source: Node
    body: Statement
    is_await: bool = False


class Label(Struct, frozen=True):
    """`case pattern when guard:`; `pattern` None for `default:`."""

    pattern: Pattern | None
    guard: Node | None


class Section(Struct, frozen=True):
    """Labels of a switch statement, and what follows them."""

    labels: tuple[Label, ...]
    body: tuple[Statement, ...]


class SwitchStatement(Statement, frozen=True):
    """`switch (value) { sections }`."""

    value: Node
    sections: tuple[Section, ...]


class Return(Statement, frozen=True):
    """`return value;`."""

    value: Node | None


class Leave(Statement, frozen=True):
    """`break;`, `continue;` or `throw;`."""

    word: str


class CheckedBlock(Statement, frozen=True):
    """`checked { … }` or `unchecked { … }`."""

    body: Block
    is_checked: bool


class LocalFunction(Statement, frozen=True):
    """`type name(parameters) { … }`; `type` None for void."""

    name: str
    type: TypeSyntax | None
    function: Lambda


class Catch(Struct, frozen=True):
    """`catch (type name) when (guard) { … }`; `type` None: whatever is thrown; `name` None: it has none."""

    type: TypeSyntax | None
    name: str | None
    guard: Node | None
    body: Block


class Try(Statement, frozen=True):
    """`try { … } catch … finally { … }`; `final` None: without `finally`."""

    body: Block
    catches: tuple[Catch, ...]
    final: Block | None


class Using(Statement, frozen=True):
    """`using (resource) body`, `await using`: a variable that is declared, or a value."""

    resource: Declare | Evaluate
    body: Statement
    is_await: bool = False


class Lock(Statement, frozen=True):
    """`lock (value) body`."""

    value: Node
    body: Statement
