"""The bodies of lambdas in code: what they return, and of which type."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.conversions import common
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.binding.program_code.statements import Body
from dap_dotnet.evaluation.bound_tree import Code, Jump, Landing, Operation, Steps, Target, Variable, Zero
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.definite_assignment import check_assigned, never_ends
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type


def bind_body(scope: Scope, block: statements.Block, wanted: Type | None) -> Code:
    """A body in braces, which returns a value of a type; None: of the type that its values have in common."""
    check_assigned(block)
    found = _Returns(scope)
    found.statement(block)
    kind = wanted or found.kind()
    body = Body(scope, kind)
    made = body.statement(block)
    if kind is types.VOID:
        return Steps(types.VOID, (), (made, Landing(types.VOID, body.returned)))
    if not never_ends(block):
        raise Diagnostic("CS1643")
    return Steps(kind, (), (made, Landing(kind, body.returned, Zero(kind))))


def bind_async_body(
    scope: Scope, block: statements.Block, wanted: Type | None, *, is_void: bool
) -> tuple[Code, Variable | None]:
    """As `bind_body`, of an async lambda: the value that is returned is in the variable; None: it returns none.

    `is_void`: it gives no task either.
    """
    check_assigned(block)
    found = _Returns(scope)
    found.statement(block)
    kind = wanted or found.kind()
    result = Variable(kind, "") if kind is not types.VOID else None
    body = _AsyncBody(scope, kind, result, is_void=is_void)
    made = body.statement(block)
    if result is not None and not never_ends(block):
        raise Diagnostic("CS1643")
    return Steps(types.VOID, (), (made, Landing(types.VOID, body.returned))), result


class _AsyncBody(Body):
    """The body of an async lambda: what it returns is kept in a variable."""

    def __init__(self, scope: Scope, kind: Type, result: Variable | None, *, is_void: bool) -> None:
        super().__init__(scope, kind)
        self.returned = Target(types.VOID)
        self._result = result
        self._is_void = is_void

    def return_(self, node: statements.Return) -> Code:
        if node.value is not None and self._result is None and not self._is_void:
            raise Diagnostic("CS8031")
        jump = super().return_(node)
        if self._result is None or not isinstance(jump, Jump) or jump.value is None:
            return jump
        given = Operation(self._result.type, "Assign", (self._result, jump.value))
        return Steps(types.VOID, (), (given, Jump(types.VOID, self.returned)))


class _Returns(Body):
    """Goes through a body for the values that it returns, to find the type that they have in common."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope, types.VOID)
        self._values: list[Code] = []
        self._is_empty = False

    def return_(self, node: statements.Return) -> Code:
        if node.value is None:
            self._is_empty = True
        else:
            self._values.append(self.scope.code(node.value))
        return Zero(types.VOID)

    def kind(self) -> Type:
        """VOID where nothing is returned."""
        if not self._values:
            return types.VOID
        found = common(self.scope, self._values)
        if found is None:
            raise Diagnostic("CS8917")
        return found
