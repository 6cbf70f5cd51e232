"""Conditions and log messages of breakpoints: parsed when set, bound at the first hit, then run at each hit."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.evaluator import SiteExpression, in_program
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, Value
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


class Condition(SiteExpression):
    """A condition at one site. Session thread only."""

    def __init__(self, text: str) -> None:
        """Raises `EvaluationError` (INVALID_CONDITION)."""
        super().__init__(text, check_condition(text))

    def test(self, context: FrameContext, caller: Caller | None) -> bool:
        """Whether the condition holds in a frame at its site.

        Raises `EvaluationError`: INVALID_CONDITION for a value that is not a bool, EVAL_FAILED for all that can go
        wrong while it is evaluated (null, a missing name, an exception of called code).
        """
        with self.evaluation(context, caller) as evaluation:
            condition = self.bound(evaluation.env)
            if condition.type is not None and condition.type is not types.BOOL:
                raise _not_boolean(self.text, condition.type.name)
            operand = condition.run(evaluation.env)
        if operand.type is types.BOOL:
            return operand.data is True
        raise _not_boolean(self.text, operand.type.name)


class LoggedExpression(SiteExpression):
    """An expression of a log message at one site. Session thread only."""

    def __init__(self, text: str) -> None:
        """Raises `EvaluationError` for its syntax."""
        super().__init__(text, parse(text))

    def value(self, context: FrameContext, caller: Caller | None, *, write_numbers: bool) -> Value | str:
        """The value in a frame at its site; as `evaluator.evaluate`.

        `write_numbers`: of a number the text that the program makes of it there, in the culture of its thread.
        """
        with self.evaluation(context, caller) as evaluation:
            env = evaluation.env
            operand = self.bound(env).run(env)
            if write_numbers and _is_number(operand):
                return to_text(env, operand, "")
            evaluation.result = env.to_value(in_program(env, operand))
        return evaluation.result


def _is_number(operand: Operand) -> bool:
    kind = operand.type.element if operand.type.kind is Kind.NULLABLE and operand.data is not None else operand.type
    return kind is not None and kind.kind is Kind.NUMBER and kind.code is not ElementType.CHAR


def _not_boolean(text: str, name: str) -> EvaluationError:
    error = Diagnostic("CS0029 condition", _shown(text), name)
    error.code = INVALID_CONDITION
    return error


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"


_OBVIOUS: dict[type[Node], Type] = {
    syntax.Interpolated: types.STRING,
    syntax.Tuple: types.TUPLE,
    syntax.TypeOf: types.TYPE,
    syntax.SizeOf: types.I4,
}


def _obvious_type(tree: Node) -> Type | None:
    """The type of an expression as far as its text alone shows; None when it needs the program."""
    if isinstance(tree, syntax.Literal):
        if tree.code is ElementType.CLASS:
            return types.NULL
        return types.DECIMAL if tree.code is types.DECIMAL.code else types.PRIMITIVES[tree.code]
    if isinstance(tree, syntax.Cast) and isinstance(tree.type, syntax.PredefinedTypeSyntax):
        return types.BY_KEYWORD.get(tree.type.keyword)
    if isinstance(tree, syntax.Unary) and tree.operator in "+-~":
        return _obvious_type(tree.operand)
    if not isinstance(tree, syntax.Binary) or tree.operator not in _NEVER_BOOLEAN:
        return _OBVIOUS.get(type(tree))
    kinds = list[Type]()  # of `a + 1` it is a number, but only `a` shows of which type: int stands for that
    while isinstance(tree, syntax.Binary):
        right = _obvious_type(tree.right) if not isinstance(tree.right, syntax.Binary) else None
        kinds += [right] if right is not None else []
        tree = tree.left
    left = _obvious_type(tree)
    kinds += [left] if left is not None else []
    return types.STRING if types.STRING in kinds else kinds[0] if kinds else None
