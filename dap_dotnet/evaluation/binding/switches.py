"""`switch` in code: expressions (C# specification 12.11) and statements (13.8.3)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.binding.calls import new
from dap_dotnet.evaluation.binding.choices import truth
from dap_dotnet.evaluation.binding.conversions import common, implicit, thrown
from dap_dotnet.evaluation.binding.patterns import fits, kept_operand
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, framework_type
from dap_dotnet.evaluation.bound_tree import Code, Landing, Operation, Target, Zero, assigned, in_steps
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.definite_assignment import never_ends
from dap_dotnet.evaluation.rules.pattern_coverage import Arms
from dap_dotnet.evaluation.syntax import statement_tree as patterns
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type


def bind_switch(scope: Scope, node: patterns.Switch, wanted: Type | None = None) -> Code:
    """`operand switch { arms }`; where no arm fits, the program throws as C# makes it. CS8506.

    Of the `wanted` type where the arms have none in common.
    """
    kept, before = kept_operand(scope, scope.code(node.operand))
    taken = Arms(scope.universe, kept.type, lambda part: _meaning(scope, part), scope.binder.type)
    tests, results = list[Code](), list[Code]()
    for arm in node.arms:
        tested = fits(scope, kept, arm.pattern)
        taken.add(arm.pattern, has_guard=arm.guard is not None)
        if arm.guard is not None:
            tested = Operation(types.BOOL, "AndAlso", (tested, truth(scope, scope.code(arm.guard))))
        tests.append(tested)
        results.append(scope.code(arm.result, wanted))
    kind = common(scope, results) or wanted
    if kind is None:
        raise Diagnostic("CS8506")
    made: Code = _unmatched(scope, kept, kind)
    for tested, result in zip(reversed(tests), reversed(results), strict=True):
        known = constant_of(tested)
        if known is not None:
            made = implicit(scope, result, kind) if known.data else made
            continue
        made = Operation(kind, "Condition", (tested, implicit(scope, result, kind), made))
    return in_steps(before, made)


def _meaning(scope: Scope, node: Node) -> Operand | Type | None:
    """The type or the constant that a node is."""
    entity = scope.entity(node)
    if isinstance(entity, Type):
        return entity
    return constant_of(entity) if isinstance(entity, Code) else None


def _unmatched(scope: Scope, value: Code, kind: Type) -> Code:
    """What a switch expression throws where no arm fits."""
    exception = framework_type(scope.universe, "System.Runtime.CompilerServices.SwitchExpressionException")
    return thrown(scope, new(scope, exception, implicit(scope, value, types.OBJECT)), kind)


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
    return assigned(kept, operand), made, Landing(types.VOID, ends)


def _label(scope: Scope, kept: Code, label: statements.Label) -> Code:
    assert label.pattern is not None
    tested = fits(scope, kept, label.pattern)
    if label.guard is None:
        return tested
    return Operation(types.BOOL, "AndAlso", (tested, truth(scope, scope.code(label.guard))))
