"""Variables that are read before they have a value (C# specification 9.4), in bodies that the program runs.

It never refuses what the compiler takes: an assignment anywhere in an expression counts as made.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import passing

Names = frozenset[str]
"""Variables that are declared and have no value yet."""


def check_assigned(block: statements.Block) -> None:
    """Raises `EvaluationError`: CS0165."""
    _block(block.statements, frozenset())


def _block(nodes: Iterable[Statement], missing: Names) -> Names:
    outer, own = missing, set[str]()
    for node in nodes:
        if isinstance(node, statements.Declare):
            missing = _read(node.value, missing) - {node.name}
            own.add(node.name)
            if node.value is None:
                missing |= {node.name}
        else:
            missing = _after(node, missing)
    return frozenset(name for name in missing if name not in own or name in outer)


def _after(node: Statement, missing: Names) -> Names:
    """What has no value after a statement; of one that never ends, nothing."""
    made = _through(node, missing)
    return frozenset() if never_ends(node, breaks=True) else made


def _through(node: Statement, missing: Names) -> Names:
    if isinstance(node, statements.Block):
        return _block(node.statements, missing)
    if isinstance(node, statements.CheckedBlock):
        return _after(node.body, missing)
    if isinstance(node, statements.If):
        missing = _read(node.condition, missing)
        otherwise = _after(node.otherwise, missing) if node.otherwise is not None else missing
        return _after(node.then, missing) | otherwise
    if isinstance(node, statements.While):
        return _loop(node.condition, node.body, missing, runs=node.is_do)
    if isinstance(node, statements.For):
        for initial in node.initial:
            missing = (
                _block((initial,), missing) if isinstance(initial, statements.Declare) else _after(initial, missing)
            )
        return _loop(node.condition, node.body, missing)
    if isinstance(node, statements.ForEach):
        missing = _read(node.source, missing)
        _after(node.body, missing)
        return missing
    if isinstance(node, statements.SwitchStatement):
        return _switch(node, missing)
    if isinstance(node, statements.Try):
        after = _after(node.body, missing)
        for clause in node.catches:
            after |= _after(clause.body, missing)
        last = _after(node.final, missing) if node.final is not None else missing
        return after & last
    if isinstance(node, statements.Using):
        return _block((node.resource, node.body), missing)
    if isinstance(node, statements.Lock):
        return _after(node.body, _read(node.value, missing))
    if isinstance(node, statements.LocalFunction):
        return missing
    given = node.expression if isinstance(node, statements.Evaluate) else None
    if isinstance(given, syntax.Assignment) and given.operator == "=" and isinstance(given.target, syntax.Name):
        return _read(given.value, missing) - {given.target.name}
    return _read(node, missing)


def _loop(condition: syntax.Node | None, body: Statement, missing: Names, *, runs: bool = False) -> Names:
    """`runs`: at least once, before its condition is asked."""
    is_endless = condition is None or (isinstance(condition, syntax.Literal) and condition.value is True)
    before = missing if runs else _read(condition, missing)
    after = _through(body, before)
    return after if runs or is_endless else before


def _switch(node: statements.SwitchStatement, missing: Names) -> Names:
    missing = _read(node.value, missing)
    after: Names = frozenset()
    for section in node.sections:
        inner: Names = missing
        for statement in section.body:
            if not isinstance(statement, statements.Break):
                inner = _block((statement,), inner)
        after |= frozenset() if never_ends(statements.Block(section.body)) else inner
    has_default = any(label.pattern is None for section in node.sections for label in section.labels)
    return after if has_default else after | missing


def _read(node: object, missing: Names) -> Names:
    """Looks for reads in an expression, whatever is assigned in it having its value already. CS0165."""
    if not missing or node is None:
        return missing
    assigned, read = set[str](), list[syntax.Name]()
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, syntax.Lambda):
            continue
        if isinstance(part, syntax.Assignment) and part.operator == "=":
            targets = part.target.items if isinstance(part.target, syntax.Tuple) else (part.target,)
            assigned.update(one.name for one in targets if isinstance(one, syntax.Name))
            pending.append(part.value)
            pending.extend(one for one in targets if not isinstance(one, syntax.Name))
        elif isinstance(part, syntax.Argument) and part.modifier == "out" and isinstance(part.value, syntax.Name):
            assigned.add(part.value.name)
        elif isinstance(part, syntax.Name):
            read.append(part)
        elif isinstance(part, syntax.Call) and isinstance(part.target, syntax.Name) and part.target.name == "nameof":
            continue
        elif isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, Struct):
            pending.extend(getattr(part, name) for name in part.__struct_fields__)
    for name in read:
        if name.name in missing and name.name not in assigned:
            with passing(name.at):
                raise Diagnostic("CS0165", name.name)
    return missing - assigned


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
