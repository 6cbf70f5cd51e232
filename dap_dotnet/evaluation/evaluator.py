"""An expression in a frame, or a condition: bound by its static types before anything of it runs, and evaluated."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from types import TracebackType

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.whole import bound_whole
from dap_dotnet.evaluation.bound_tree import Code, Operation, Stored, is_late, last_of
from dap_dotnet.evaluation.bound_tree import parts_of as code_in
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import type_object
from dap_dotnet.evaluation.operations.linq.sequences import plain, sequence_of
from dap_dotnet.evaluation.operations.linq.values import in_program as sequence_in_program
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.running.members import passed
from dap_dotnet.evaluation.running.run import closure
from dap_dotnet.evaluation.running.steps import Run
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import locate, parse, without_semicolon
from dap_dotnet.evaluation.syntax.tree import Node, parts_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, count_names
from dap_dotnet.evaluation.types.universe import shown_name, universe_of
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.generic_frames import instantiation
from dap_dotnet.values.typenames import shown_type_name

_CALLS = (syntax.Call, syntax.New, syntax.NewArray, syntax.With, syntax.Assignment, syntax.Increment,
          syntax.Lambda, syntax.Anonymous)  # fmt: skip
_PRIMARY = (syntax.Name, syntax.Member, syntax.Index, syntax.This, syntax.Literal)


class Evaluated(Struct, frozen=True):
    """The value of an expression; `path` is C# text that means it again, None when asking again would run code."""

    value: Value
    path: str | None
    names: tuple[str | None, ...] = ()
    """Of the elements of a tuple that the expression made, or of those in an array."""
    has_stored: bool = False
    """Whether the expression has stored something: what was read before may be false now."""
    way: str | None = None
    """How it was had: see `Environment.way`."""
    is_behind: bool = False
    """Whether it is of a member that only the actual type of an object has."""
    type_name: str | None = None
    """The type that C# gives it, as values are shown, where the value does not have it: a nullable that the expression
    made, null of a type that the program has not loaded."""


def evaluate(
    expression: str,
    context: FrameContext,
    caller: Caller | None,
    *,
    may_store: bool = True,
    enumerates: bool = False,
) -> Evaluated:
    """The value of a C# expression in a frame. `caller` None forbids running code of the program.

    `may_store` False refuses assignments. `enumerates`: what a sequence gives, as an array.

    Values read from the program carry their handles, of the generation after the evaluation; computed ones have none.
    Names that begin with `$` are those of `binding.members`. Raises `EvaluationError` in the compiler's or the
    exception's words, `CalleeThrew` when a called method threw. Session thread.
    """
    site = _at_site(expression, context)
    with site.evaluation(context, caller, may_store=may_store) as evaluation:
        env, bound = evaluation.env, site.bound(evaluation.env)
        operand = bound.run(env)
        if enumerates:
            results = sequence_of(env, operand)
            if results is None:
                raise EvaluationError(f"A value of type '{operand.type.name}' is not a sequence: it has no results")
            operand = Operand(types.SEQUENCE, results, None, operand.names)
        operand = in_program(env, operand)
        value = evaluation.result = env.to_value(operand)
    type_name = _type_name(env, operand, value)
    path = site.path if bound.is_read_again or not isinstance(site.tree, syntax.Assignment) else None
    return Evaluated(value, path, operand.names, env.has_stored, env.way, env.went_behind, type_name)


def type_meant(expression: str, context: FrameContext) -> TypeId:
    """The exact type that an expression names, such as ``List<int>``, or that its value has. Runs nothing.

    Raises `EvaluationError`, also for a type that the program has not loaded. Session thread.
    """
    with Evaluation(context, None, may_store=False) as evaluation:
        found = _exact_type(NameBinder(evaluation.env), expression)
    if found is None:
        raise EvaluationError(f"The program has loaded no type for '{expression.strip()}'")
    return found


def _exact_type(binder: NameBinder, expression: str) -> TypeId | None:
    env = binder.env
    try:
        operand = compiled(binder, parse(expression)).run(env)
    except EvaluationError:
        with suppress(EvaluationError):  # what is wrong with the value is said
            named = parse(f"typeof({expression})")
            if isinstance(named, syntax.TypeOf):
                return env.universe.id_of(env.program, binder.type_of(named.type))
        raise
    read = operand.program_value
    if read is not None and read.type is not None:
        return read.type
    meant = operand.data if operand.type.kind is Kind.TYPE else operand.type
    return env.universe.id_of(env.program, meant) if isinstance(meant, Type) else None


def in_program(env: Environment, operand: Operand) -> Operand:
    """What an expression gives, with values of the program for those that only expressions have."""
    if operand.type.kind is Kind.TYPE and operand.data:
        return type_object(env, operand.data)
    if operand.type.kind is Kind.SEQUENCE:
        made = sequence_in_program(env, operand.data)
        made.names = operand.names if len(operand.names) == count_names(made.type) else ()
        return made
    if operand.type.kind is Kind.DEFAULT:
        raise Diagnostic("CS8716")
    if operand.type.kind is Kind.LAMBDA:
        raise EvaluationError("A lambda has no value of its own: pass it to a method")
    if operand.type.kind is Kind.PAIR:
        return plain(env, operand)
    if operand.type.kind is Kind.TUPLE and env.caller is not None:
        env.runner.put_on_heap(env, operand)
    if operand.type.kind in (Kind.STRUCT, Kind.NULLABLE) and env.calls:
        env.runner.put_on_heap(env, operand)  # a structure that was read before the program ran
    return operand


def _type_name(env: Environment, operand: Operand, value: Value) -> str | None:
    kind, own = operand.type, env.type_of(value.type)
    if value.is_null:
        return shown_name(kind) if kind.kind not in (Kind.NULL, Kind.DEFAULT) else None
    if kind.kind is not Kind.NULLABLE or own is kind:
        return None
    inner = kind.element if own is None else None
    return (shown_name(inner) if inner is not None else shown_type_name(env.program, value.type, operand.names)) + "?"


class Compiled(Struct, frozen=True):
    """What evaluates an expression in any environment at its site."""

    run: Run
    type: Type | None
    """The static type; None where only the value shows it."""
    code: Code
    """The bound tree."""

    @property
    def is_read_again(self) -> bool:
        """Whether it stores in a variable, and not by a setter: its value can be had from there."""
        last = last_of(self.code)
        return isinstance(last, Operation) and last.name == "Assign"

    @property
    def lasts(self) -> bool:
        """Whether it may be evaluated again: no variable in it may have another type by then."""
        return not any(isinstance(part, Stored) and part.is_typed_by_value for part in code_in(self.code))


def compiled(binder: NameBinder, tree: Node, target: Type | None = None, *, is_whole: bool = False) -> Compiled:
    """An expression at the binder's site, as a value of the `target` type where that is given; `is_whole`: nothing else
    is evaluated together with it.

    Raises `EvaluationError` in the compiler's words, before anything of it has run. Session thread.
    """
    code, names = bound_whole(binder, tree, target)
    run = closure(binder.universe, code, is_whole=is_whole)
    kind = code.type if not is_late(last_of(code)) else None
    if code.type.is_value_type and not any(names):
        return Compiled(run, kind, code)

    def given(env: Environment) -> Operand:
        operand = run(env)
        if any(names):
            operand = Operand(operand.type, operand.data, operand.value, names, operand.place)
        return operand if operand.type.kind is not Kind.LAMBDA else passed(env, operand)

    return Compiled(given, kind, code)


class SiteExpression:
    """An expression for many evaluations at one site. Session thread only.

    Bound at the first one at which that succeeds: else it is tried again, for the module of a type may have come.
    """

    def __init__(self, text: str, tree: Node) -> None:
        self.text = text
        self.tree = tree
        self._compiled: dict[tuple[bool, tuple[TypeId, ...]], Compiled] = {}
        """By whether the program may run, and what the code is instantiated over: names mean other things in each."""

    @cached_property
    def path(self) -> str | None:
        """C# text that means the expression again, of an assignment its target; None: asking again would run code."""
        tree, text = self.tree, without_semicolon(self.text)
        if isinstance(tree, syntax.Assignment):
            text, operator, _ = text[: tree.value.at.start].rpartition(tree.operator)
            tree = tree.target if operator else tree
        if isinstance(tree, syntax.Literal) or any(isinstance(part, _CALLS) for part in parts_of(tree)):
            return None
        return text.strip() if isinstance(tree, _PRIMARY) else f"({text.strip()})"

    def evaluation(self, context: FrameContext, caller: Caller | None, *, may_store: bool = True) -> Evaluation:
        """One evaluation at the site. `caller` None forbids calls into the program."""
        return Evaluation(context, caller, self.text, self.tree, may_store=may_store)

    def bound(self, env: Environment) -> Compiled:
        """The expression in a frame at its site. Raises as `compiled`."""
        key = (env.caller is None, instantiation(env.context))
        known = self._compiled.get(key)
        if known is None:
            env.reads = None  # to bind takes other reads than to evaluate: a plan is not to learn them
            known = compiled(NameBinder(env), self.tree, is_whole=True)
            if known.lasts:
                self._compiled[key] = known
        return known


def _at_site(text: str, context: FrameContext) -> SiteExpression:
    """An expression in a frame, which was perhaps bound there before. Raises `EvaluationError` for its syntax."""
    frame, kept = context.frame, context.program.kept
    if kept is not None and kept.variables():  # of the debug console, which names may mean next time
        return SiteExpression(text, parse(text))
    key = ("expression", text, frame.module, frame.method, frame.il_offset, frame.is_on_stack)
    return universe_of(context.program).derived(key, lambda: SiteExpression(text, parse(text)))


class Evaluation:
    """A context manager: its environment, where errors are in the text, and what stays remembered of the program."""

    def __init__(
        self, context: FrameContext, caller: Caller | None, text: str = "", tree: Node | None = None, *, may_store: bool
    ) -> None:
        """`caller` None forbids running code of the program; `may_store` False refuses assignments.

        `tree` is that of the text in which errors have their places; None: they are given without.
        """
        self.env = Environment(context, caller, METHOD_RUNNER)
        self.env.may_store = may_store
        self.text = text
        self.tree = tree
        self.result: Value | None = None
        """Its object stays remembered."""

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.env.release(self.result)
        if isinstance(error, RecursionError):
            raise EvaluationError("The expression nests too deeply to be evaluated here") from None
        if isinstance(error, EvaluationError) and self.tree is not None:
            locate(error, self.text, self.tree)


# conditions and log messages of breakpoints: parsed when set, bound at the first hit, then run at each hit

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
            kind = operand.type.stripped
            is_number = kind.kind is Kind.NUMBER and kind.code is not ElementType.CHAR and operand.data is not None
            if write_numbers and is_number:
                return to_text(env, operand, "")
            evaluation.result = env.to_value(in_program(env, operand))
        return evaluation.result


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
