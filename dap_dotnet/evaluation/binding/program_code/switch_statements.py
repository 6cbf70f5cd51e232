"""`switch` statements in code (C# specification 13.8.3)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.binding.program_code.operators import truth
from dap_dotnet.evaluation.binding.program_code.patterns import fits
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code, Landing, Operation, Target, Zero
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.definite_assignment import never_ends
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.types import csharp_types as types


def switched(
    scope: Scope,
    node: statements.SwitchStatement,
    section: Callable[[tuple[Statement, ...]], Code],
    ends: Target,
) -> tuple[Code, ...]:
    """The sections as a chain of `if`, the default one last; `break` goes to `ends`. CS0163.

    `section` binds the body of one.
    """
    operand = scope.code(node.value)
    kept = scope.declare(operand.type)
    chain: list[tuple[Code, Code]] = []
    otherwise: Code = Zero(types.VOID)
    for one in node.sections:
        tests = [_label(scope, kept, label) for label in one.labels if label.pattern is not None]
        if not never_ends(statements.Block(one.body), breaks=True):
            raise Diagnostic("CS0163")
        body = section(one.body)
        if len(tests) < len(one.labels):
            otherwise = body
        if tests:
            joined = tests[0]
            for more in tests[1:]:
                joined = Operation(types.BOOL, "OrElse", (joined, more))
            chain.append((joined, body))
    made = otherwise
    for tested, body in reversed(chain):
        made = Operation(types.VOID, "IfThenElse", (tested, body, made))
    return Operation(kept.type, "Assign", (kept, operand)), made, Landing(types.VOID, ends)


def _label(scope: Scope, kept: Code, label: statements.Label) -> Code:
    assert label.pattern is not None
    tested = fits(scope, kept, label.pattern)
    if label.guard is None:
        return tested
    return Operation(types.BOOL, "AndAlso", (tested, truth(scope, scope.code(label.guard))))
