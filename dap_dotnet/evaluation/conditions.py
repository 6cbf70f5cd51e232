"""Conditions of breakpoints: parsed when they are set, bound at their first hit, then run as a closure at each hit."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.compiling import Compiled, SiteExpression
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.positions import locate
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.runtime.model import BreakpointLocation, ElementType
from dap_dotnet.values.context import FrameContext

INVALID_CONDITION = "INVALID_CONDITION"
_NEVER_BOOLEAN = frozenset({"+", "-", "*", "/", "%", "<<", ">>", ">>>"})


def check_condition(expression: str) -> Node:
    """The tree of a condition. Raises `EvaluationError` (INVALID_CONDITION): syntax, or what is never a bool."""
    try:
        tree = parse(expression)
    except EvaluationError as error:
        raise EvaluationError(error.told, code=INVALID_CONDITION) from error
    if isinstance(tree, syntax.Assignment) and tree.operator == "=":
        raise EvaluationError(
            f"The condition '{_shown(expression)}' would change the program each time: write '==' to compare",
            code=INVALID_CONDITION,
        )
    kind = _obvious_type(tree)
    if kind is not None and kind is not types.BOOL:
        raise _not_boolean(expression, kind.name)
    return tree


def compile_condition(expression: str, location: BreakpointLocation | None = None) -> Condition:
    """A condition for one location (None: the one of its first hit). Raises `EvaluationError` (INVALID_CONDITION)."""
    return Condition(expression, check_condition(expression), location)


class Condition:
    """A condition at one site. Session thread only."""

    __slots__ = ("_expression", "_location", "_tree", "text")

    def __init__(self, text: str, tree: Node, location: BreakpointLocation | None) -> None:
        self.text = text
        self._tree = tree
        self._location = location
        self._expression = SiteExpression(tree)

    def test(self, context: FrameContext, caller: Caller | None) -> bool:
        """Whether the condition holds in a frame at its site. `caller` None forbids calls into the program.

        Raises `EvaluationError`: INVALID_CONDITION for a value that is not a bool, EVAL_FAILED for all that can go
        wrong while it is evaluated (null, a missing name, an exception of called code).
        """
        env = Environment(context, caller, METHOD_RUNNER)
        env.may_store = True
        try:
            operand = self._compiled(env).run(env)
        except RecursionError:
            raise EvaluationError("The condition nests too deeply to be evaluated") from None
        except EvaluationError as error:
            locate(error, self.text, self._tree)
            raise
        finally:
            env.release()
        if operand.type is types.BOOL:
            return operand.data is True
        raise _not_boolean(self.text, operand.type.name)

    def _compiled(self, env: Environment) -> Compiled:
        frame, location = env.context.frame, self._location
        if location is not None and (frame.module, frame.method) != (location.module, location.method):
            raise EvaluationError("The condition was compiled for another method")
        try:
            found = self._expression.compiled(env)
        except EvaluationError:
            raise
        except DapDotnetError as error:
            raise EvaluationError(error.message) from error
        if found.type is not None and found.type is not types.BOOL:
            raise _not_boolean(self.text, found.type.name)
        return found


def _not_boolean(text: str, name: str) -> EvaluationError:
    error = Diagnostic("CS0029 condition", _shown(text), name)
    error.code = INVALID_CONDITION
    return error


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"


def _obvious_type(tree: Node) -> Type | None:
    """The type of an expression as far as its text alone shows; None when it needs the program."""
    if isinstance(tree, syntax.Literal):
        if tree.code is ElementType.CLASS:
            return types.NULL
        return types.DECIMAL if tree.code is types.DECIMAL.code else types.PRIMITIVES[tree.code]
    if isinstance(tree, syntax.Interpolated):
        return types.STRING
    if isinstance(tree, syntax.Tuple):
        return types.TUPLE
    if isinstance(tree, syntax.TypeOf):
        return types.TYPE
    if isinstance(tree, syntax.SizeOf):
        return types.I4
    if isinstance(tree, syntax.Cast) and isinstance(tree.type, syntax.PredefinedTypeSyntax):
        return types.BY_KEYWORD.get(tree.type.keyword)
    if isinstance(tree, syntax.Binary) and tree.operator in _NEVER_BOOLEAN:
        return _arithmetic_type(tree)
    if isinstance(tree, syntax.Unary) and tree.operator in "+-~":
        return _obvious_type(tree.operand)
    return None


def _arithmetic_type(tree: syntax.Binary) -> Type | None:
    """Of `a + 1`: a number, but only `a` shows of which type; int stands for it where the literal is one."""
    node: Node = tree
    found: Type | None = None
    while isinstance(node, syntax.Binary):
        right = _obvious_type(node.right) if not isinstance(node.right, syntax.Binary) else None
        if right is types.STRING:
            return right
        if right is not None and right.kind is Kind.NUMBER:
            found = found or right
        node = node.left
    left = _obvious_type(node)
    return left if left is types.STRING else found or left
