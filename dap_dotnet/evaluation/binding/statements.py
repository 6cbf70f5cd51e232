"""Binding of the statements in a lambda's body (C# specification 13): each becomes a closure that says how it ended.

The variables of a block are made anew each time it is entered, so that lambdas inside capture those of their own turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run, convert, passing, placed_run
from dap_dotnet.evaluation.binding.branch_types import ShownType
from dap_dotnet.evaluation.binding.deconstruction import taken_apart
from dap_dotnet.evaluation.binding.extension_members import deciding
from dap_dotnet.evaluation.binding.name_binder import BodyVariable, NameBinder
from dap_dotnet.evaluation.binding.patterns import Test, bind_pattern
from dap_dotnet.evaluation.binding.reachability import never_ends
from dap_dotnet.evaluation.binding.static_types import as_branch, common_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import sequences
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.delegates import as_declared
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import assign, variable
from dap_dotnet.evaluation.operations.truth import may_decide, truth
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import Place
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

Step = Callable[[Environment], "Operand | None"]
"""Runs a statement. None: the next one follows; else what is returned, `_BREAK` or `_CONTINUE`."""
_BREAK = Operand(types.VOID, None)
_CONTINUE = Operand(types.VOID, None)
_NOTHING = Operand(types.VOID, None)
"""What a body without a value returns."""


def bind_body(
    binder: NameBinder,
    block: statements.Block,
    parameters: Sequence[str],
    result: Type | None,
    shown: ShownType,
) -> Run:
    """The body of a lambda, which returns a value of `result`, None: of the type that its values have in common.

    `shown` gives that where what is known of the values here does not show it.
    """
    body = _Body(binder, set(parameters), result)
    step = body.statement(block)
    if body.returns and not never_ends(block):
        raise Diagnostic("CS1643")
    kinds = [bound.type for bound in body.returns]
    target = result or common_type(binder.universe, body.returns)

    def run(env: Environment) -> Operand:
        found = step(env)
        if found is None or found is _NOTHING:
            return _NOTHING
        if target is None:
            is_shown = len(kinds) == 1 or None not in kinds
            return as_branch(env, found, kinds if is_shown else [*kinds, shown.find(env)])
        return found if found.type is target else convert_implicitly(env, found, target)

    return run


class _Body:
    """What is known of a body while its statements are bound."""

    def __init__(self, binder: NameBinder, parameters: set[str], result: Type | None) -> None:
        self.binder = binder
        self.returns: list[Bound] = []
        self._result = result
        self._taken = parameters
        """Names that no variable inside may have."""
        self._loops = 0
        self._breakable = 0

    def statement(self, node: Statement) -> Step:
        """Any statement. Raises `EvaluationError` in the compiler's words."""
        with passing(node.at):
            return placed_run(_BINDERS[type(node)](self, node), node.at)

    # blocks and variables

    def block(self, node: statements.Block) -> Step:
        return self._scope(node.statements, lambda: self._sequence(node.statements))

    def _scope(self, inner: Sequence[Statement], bind: Callable[[], Step]) -> Step:
        """What `bind` gives, with the variables that the statements declare."""
        names = [name for statement in inner for name in _declared_by(statement)]
        known = self.binder.locals
        for name in names:
            if name in self._taken:
                with passing(next(one.at for one in inner if name in _declared_by(one))):
                    raise Diagnostic("CS0128" if names.count(name) > 1 else "CS0136", name)
            self._taken.add(name)
        outer, patterns = known.copy(), self.binder.declared.copy()
        known.update((name, BodyVariable()) for name in names)
        try:
            step = bind()
        finally:
            self.binder.locals = outer
            self.binder.declared = patterns
            self._taken.difference_update(names)
        if not names:
            return step

        def run(env: Environment) -> Operand | None:
            for name in names:
                env.slots[name] = variable()
            return step(env)

        return run

    def _sequence(self, nodes: Sequence[Statement]) -> Step:
        functions_first = sorted(nodes, key=lambda node: not isinstance(node, statements.LocalFunction))
        steps = [self.statement(node) for node in functions_first]

        def run(env: Environment) -> Operand | None:
            for step in steps:
                ended = step(env)
                if ended is not None:
                    return ended
            return None

        return run

    def declare(self, node: statements.Declare) -> Step:
        name, binder = node.name, self.binder
        if node.is_reference:
            raise EvaluationError("ref locals are not supported in a lambda here")
        declared = binder.type(node.type) if node.type is not None else None
        if node.value is None:
            binder.locals[name].type = declared
            return lambda env: None
        value = binder.typed(node.value, declared) if declared is not None else binder.expression(node.value)
        kind, renaming = declared or value.type, binder.renaming(node.type, declared)
        if declared is None and value.type is types.DEFAULT:
            raise Diagnostic("CS8716")
        if declared is None and value.type is types.NULL:
            raise Diagnostic("CS0815", "<null>")
        if node.is_constant and value.constant is None:
            raise Diagnostic("CS0133", name)
        known = binder.locals[name]
        known.type = None if value.type in (types.LAMBDA, types.SEQUENCE) else kind
        if node.is_constant and value.constant is not None:
            known.constant = convert(binder.env, value.constant, kind or value.constant.type, value)

        def run(env: Environment) -> Operand | None:
            operand = value.run(env)
            if operand.type.kind is Kind.VOID:
                raise Diagnostic("CS0815", "void")
            try:
                given = operand if declared is None else as_declared(env, operand, declared, value.constant)
                assign(env, name, renaming(given))
            except EvaluationError as error:
                error.trail.append(value.at)
                raise
            return None

        return run

    def deconstruct(self, node: statements.Deconstruct) -> Step:
        run_value, names, at = self.binder.expression(node.value).run, node.names, node.value.at

        def run(env: Environment) -> Operand | None:
            with passing(at):
                _take_apart(env, names, run_value(env))
            return None

        return run

    def local_function(self, node: statements.LocalFunction) -> Step:
        result = self.binder.type(node.type) if node.type is not None else None
        name, run_function = node.name, self.binder.function(node.function, result or types.VOID).run

        def run(env: Environment) -> Operand | None:
            assign(env, name, run_function(env))
            return None

        return run

    # what runs one thing

    def evaluate(self, node: statements.Evaluate) -> Step:
        run_expression = self.binder.expression(node.expression).run

        def run(env: Environment) -> Operand | None:
            run_expression(env)
            return None

        return run

    def return_(self, node: statements.Return) -> Step:
        if node.value is None:
            if self._result not in (None, types.VOID):
                raise Diagnostic("CS0126")
            return lambda env: _NOTHING
        if self._result is types.VOID:
            raise Diagnostic("CS0127")
        wanted = self._result
        value = self.binder.typed(node.value, wanted) if wanted is not None else self.binder.expression(node.value)
        self.returns.append(value)
        return value.run

    def rethrow(self, node: statements.Rethrow) -> Step:
        raise Diagnostic("CS0156")

    def break_(self, node: statements.Break) -> Step:
        if not self._breakable:
            raise Diagnostic("CS0139")
        return lambda env: _BREAK

    def continue_(self, node: statements.Continue) -> Step:
        if not self._loops:
            raise Diagnostic("CS0139")
        return lambda env: _CONTINUE

    def checked(self, node: statements.CheckedBlock) -> Step:
        binder, outer = self.binder, (self.binder.checked, self.binder.unchecked)
        binder.checked, binder.unchecked = node.is_checked, not node.is_checked
        try:
            return self.statement(node.body)
        finally:
            binder.checked, binder.unchecked = outer

    # branches

    def if_(self, node: statements.If) -> Step:
        test, then = self._condition(node.condition), self.statement(node.then)
        otherwise = self.statement(node.otherwise) if node.otherwise is not None else None

        def run(env: Environment) -> Operand | None:
            if test(env):
                return then(env)
            return otherwise(env) if otherwise is not None else None

        return run

    def switch(self, node: statements.SwitchStatement) -> Step:
        run_value = self.binder.expression(node.value).run
        inner = [statement for section in node.sections for statement in section.body]
        return self._scope(inner, lambda: self._sections(run_value, node.sections))

    def _sections(self, run_value: Run, nodes: Sequence[statements.Section]) -> Step:
        self._breakable += 1
        sections: list[tuple[list[tuple[Test, Run | None]], Step]] = []
        default: Step | None = None
        for section in nodes:
            if not never_ends(statements.Block(section.body), breaks=True):
                raise Diagnostic("CS0163")
            labels = [self._label(label) for label in section.labels if label.pattern is not None]
            body = self._sequence(section.body)
            sections.append((labels, body))
            default = body if len(labels) < len(section.labels) else default
        self._breakable -= 1

        def run(env: Environment) -> Operand | None:
            operand = run_value(env)
            env.kept.append(operand)
            for labels, body in sections:
                if any(test(env, operand) and (guard is None or guard(env).data is True) for test, guard in labels):
                    ended = body(env)
                    return None if ended is _BREAK else ended
            ended = default(env) if default is not None else None
            return None if ended is _BREAK else ended

        return run

    def _label(self, label: statements.Label) -> tuple[Test, Run | None]:
        assert label.pattern is not None
        test = bind_pattern(self.binder, label.pattern)
        return test, self.binder.expression(label.guard).run if label.guard is not None else None

    def _condition(self, node: syntax.Node) -> Callable[[Environment], bool]:
        bound = self.binder.expression(node)
        if bound.type is not None and not may_decide(bound.type):
            with passing(node.at):
                raise Diagnostic("CS0029", bound.type.name, types.BOOL.name)
        run_test, outside = bound.run, deciding(self.binder, bound.type)
        return placed_run(lambda env: truth(env, run_test(env), outside), bound.at)

    # loops

    def _loop(self, node: Statement) -> Step:
        self._loops, self._breakable = self._loops + 1, self._breakable + 1
        step = self.statement(node)
        self._loops, self._breakable = self._loops - 1, self._breakable - 1
        return step

    def while_(self, node: statements.While) -> Step:
        test, body, tests_first = self._condition(node.condition), self._loop(node.body), not node.is_do

        def run(env: Environment) -> Operand | None:
            if tests_first and not test(env):
                return None
            while True:
                env.turn()
                ended = body(env)
                if ended is not None and ended is not _CONTINUE:
                    return None if ended is _BREAK else ended
                if not test(env):
                    return None

        return run

    def for_(self, node: statements.For) -> Step:
        return self._scope(node.initial, lambda: self._for(node))

    def _for(self, node: statements.For) -> Step:
        initial = self._sequence(node.initial)
        test = self._condition(node.condition) if node.condition is not None else None
        body = self._loop(node.body)
        updates = [self.binder.expression(update).run for update in node.updates]

        def run(env: Environment) -> Operand | None:
            initial(env)
            while test is None or test(env):
                env.turn()
                ended = body(env)
                if ended is not None and ended is not _CONTINUE:
                    return None if ended is _BREAK else ended
                for update in updates:
                    update(env)
            return None

        return run

    def for_each(self, node: statements.ForEach) -> Step:
        run_source = self.binder.expression(node.source).run
        kind = self.binder.type(node.type) if node.type is not None else None
        renaming = self.binder.renaming(node.type, kind)
        names, is_apart = [name for name in node.names if name != "_" or not node.is_apart], node.is_apart
        one_turn = [statements.Declare(None, name, None) for name in names]

        def bind() -> Step:
            if not is_apart:
                self.binder.locals[node.names[0]].type = kind
            for name in names:
                self.binder.locals[name].refusal = ("CS1656", name, "foreach iteration variable")
            return self._loop(node.body)

        items: list[Operand] = []
        at = node.source.at

        def assigned(body: Step) -> Step:
            def turn(env: Environment) -> Operand | None:
                if is_apart:
                    _take_apart(env, node.names, items[-1])
                else:
                    item = items[-1]
                    assign(env, names[0], renaming(cast(env, item, kind)) if kind is not None else item)
                return body(env)

            return turn

        turn = self._scope(one_turn, lambda: assigned(bind()))

        def run(env: Environment) -> Operand | None:
            for item in _enumerated(env, run_source(env), at).elements(env):
                env.turn()
                items.append(item)
                try:
                    ended = turn(env)
                finally:
                    items.pop()
                if ended is not None and ended is not _CONTINUE:
                    return None if ended is _BREAK else ended
            return None

        return run


def _enumerated(env: Environment, source: Operand, at: Place) -> sequences.Sequence:
    """What a foreach statement goes through. CS1579."""
    found = sequences.sequence_of(env, source)
    if found is None:
        with passing(at):
            raise Diagnostic("CS1579", source.type.name)
    return found


def _take_apart(env: Environment, names: Sequence[str], whole: Operand) -> None:
    before = len(env.live)
    env.live.append(whole)
    try:
        items = taken_apart(env, whole, len(names))
    finally:
        del env.live[before:]
    for name, item in zip(names, items, strict=True):
        if name != "_":
            assign(env, name, item)


def _declared_by(node: Statement) -> list[str]:
    if isinstance(node, statements.Declare | statements.LocalFunction):
        return [node.name]
    return [name for name in node.names if name != "_"] if isinstance(node, statements.Deconstruct) else []


_BINDERS: dict[type, Callable[[_Body, Any], Step]] = {
    statements.Block: _Body.block,
    statements.Declare: _Body.declare,
    statements.Deconstruct: _Body.deconstruct,
    statements.LocalFunction: _Body.local_function,
    statements.Evaluate: _Body.evaluate,
    statements.Return: _Body.return_,
    statements.Rethrow: _Body.rethrow,
    statements.Break: _Body.break_,
    statements.Continue: _Body.continue_,
    statements.CheckedBlock: _Body.checked,
    statements.If: _Body.if_,
    statements.SwitchStatement: _Body.switch,
    statements.While: _Body.while_,
    statements.For: _Body.for_,
    statements.ForEach: _Body.for_each,
}
