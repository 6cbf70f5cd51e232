"""Which statements end otherwise than by the next one following (C# specification 13.2)."""

from __future__ import annotations

from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement


def never_ends(node: Statement, *, breaks: bool = False) -> bool:
    """Whether nothing can follow a statement (C# specification 13.2); `breaks`: `break` and `continue` are ends too."""
    if isinstance(node, statements.Return | statements.Rethrow):
        return True
    if isinstance(node, statements.Evaluate):
        return isinstance(node.expression, syntax.Throw)
    if isinstance(node, statements.Break | statements.Continue):
        return breaks
    if isinstance(node, statements.Block):
        return any(never_ends(inner, breaks=breaks) for inner in node.statements)
    if isinstance(node, statements.CheckedBlock | statements.Using | statements.Lock):
        return never_ends(node.body, breaks=breaks)
    if isinstance(node, statements.Try):
        regions = (node.body, *(clause.body for clause in node.catches))
        ends_last = node.final is not None and never_ends(node.final, breaks=breaks)
        return ends_last or all(never_ends(region, breaks=breaks) for region in regions)
    if isinstance(node, statements.If):
        return (
            node.otherwise is not None
            and never_ends(node.then, breaks=breaks)
            and never_ends(node.otherwise, breaks=breaks)
        )
    if isinstance(node, statements.While | statements.For):
        return _is_true(node.condition) and not _breaks(node.body)
    if isinstance(node, statements.SwitchStatement):
        has_default = any(label.pattern is None for section in node.sections for label in section.labels)
        bodies = [statements.Block(section.body) for section in node.sections]
        return has_default and not any(_breaks(body) for body in bodies)
    return False


def _is_true(condition: syntax.Node | None) -> bool:
    return condition is None or (isinstance(condition, syntax.Literal) and condition.value is True)


def _breaks(node: Statement | None) -> bool:
    """Whether a `break` inside leaves the loop or switch around the statement."""
    if isinstance(node, statements.Break):
        return True
    if isinstance(node, statements.Block):
        return any(_breaks(inner) for inner in node.statements)
    if isinstance(node, statements.CheckedBlock | statements.Using | statements.Lock):
        return _breaks(node.body)
    if isinstance(node, statements.Try):
        return _breaks(node.body) or any(_breaks(clause.body) for clause in node.catches)
    return isinstance(node, statements.If) and (_breaks(node.then) or _breaks(node.otherwise))
