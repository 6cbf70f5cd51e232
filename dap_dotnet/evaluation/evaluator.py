"""Evaluate an expression in a frame."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.assignments import as_shown
from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.bound import Run
from dap_dotnet.evaluation.binding.language_library import load_for
from dap_dotnet.evaluation.binding.variables import site_of
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import groups
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.operations.sequences import operand_of, plain, sequence_of
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse, without_semicolon
from dap_dotnet.evaluation.syntax.positions import locate
from dap_dotnet.evaluation.syntax.tree import Node, parts_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import shown_name
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
    Names that begin with `$` are those of `binding.special_names`. Raises `EvaluationError` in the compiler's or the
    exception's words, `CalleeThrew` when a called method threw. Session thread.
    """
    env = Environment(context, caller, METHOD_RUNNER)
    env.may_store = may_store
    tree = parse(expression)
    binder = Binder(env, site_of(env))
    value: Value | None = None
    try:
        load_for(binder, tree)
        operand = _bound(binder, tree)(env)
        if enumerates:
            results = sequence_of(env, operand)
            if results is None:
                raise EvaluationError(f"A value of type '{operand.type.name}' is not a sequence: it has no results")
            operand = operand_of(results)
        operand = in_program(env, operand)
        value = to_value(env, operand)
    except RecursionError:
        raise EvaluationError("The expression nests too deeply to be evaluated here") from None
    except EvaluationError as error:
        locate(error, expression, tree)
        raise
    finally:
        env.release(value)
    text = without_semicolon(expression).strip()
    return Evaluated(value, _path(tree, text), operand.names, env.has_stored, env.way, _type_name(env, operand, value))


def _bound(binder: Binder, tree: Node) -> Run:
    """The closure of an expression, bound by its static types before anything runs.

    By the values that it meets where the static binder does not take it: it has no such form yet, or C# refuses what
    the actual types allow.
    """
    from dap_dotnet.evaluation.binding.program_code.whole import bound_whole
    from dap_dotnet.evaluation.running.run import closure

    try:
        code, names = bound_whole(binder, tree)
        run = closure(binder.universe, code)
    except (EvaluationError, RecursionError) as error:
        if isinstance(error, Diagnostic) and (error.compiler_code in _FINAL or types.VOID.name in error.arguments):
            raise
        return binder.expression(tree).run

    def named(env: Environment) -> Operand:
        operand = run(env)
        if any(names):
            operand = Operand(operand.type, operand.data, operand.value, names, operand.place)
        return operand if operand.type.kind is not Kind.LAMBDA else passed(env, operand)

    return named


_FINAL = frozenset({
    "CS0020", "CS0176", "CS0220", "CS0248", "CS0307", "CS0463", "CS0847", "CS1059", "CS1955", "CS8510",
    "CS8516", "CS8517", "CS8780",
})  # fmt: skip
"""What no actual type allows."""


def type_meant(expression: str, context: FrameContext) -> TypeId:
    """The exact type that an expression names, such as ``List<int>``, or that its value has. Runs nothing.

    Raises `EvaluationError`, also for a type that the program has not loaded. Session thread.
    """
    env = Environment(context, None, METHOD_RUNNER)
    try:
        operand = _value_or_type(Binder(env, site_of(env)), expression)
    except RecursionError:
        raise EvaluationError("The expression nests too deeply to be evaluated here") from None
    finally:
        env.release()
    meant = operand.data if operand.type.kind is Kind.TYPE else operand.type
    read = operand.program_value
    found = read.type if read is not None else None
    if found is None and isinstance(meant, Type):
        found = env.universe.id_of(env.program, meant)
    if found is None:
        raise EvaluationError(f"The program has loaded no type for '{expression.strip()}'")
    return found


def _value_or_type(binder: Binder, expression: str) -> Operand:
    try:
        return binder.expression(parse(expression)).run(binder.env)
    except EvaluationError:
        try:
            return binder.expression(parse(f"typeof({expression})")).run(binder.env)
        except EvaluationError:
            pass
        raise


def assign(target: str, value: str, context: FrameContext, caller: Caller | None) -> None:
    """Store the value of one expression in what another stands for, as `target = value` does.

    The value may also be written as the debugger shows it: an enum's member without its type, a char with its number, a
    float or decimal without its suffix. Raises as `evaluate`, with positions in `value` only. Session thread.
    """
    env = Environment(context, caller, METHOD_RUNNER)
    env.may_store = True
    right: Node | None = None
    try:
        binder = Binder(env, site_of(env))
        binder.opens_properties = True  # the user changes what the view shows, wherever it is kept
        left = parse(target)
        bound = binder.expression(left)
        declared = bound.run(env).type if bound.type is None and isinstance(left, syntax.Name) else bound.type
        right = as_shown(binder, declared, value)
        binder.expression(syntax.Assignment(left, "=", right)).run(env)
    except RecursionError:
        raise EvaluationError("The expression nests too deeply to be evaluated here") from None
    except EvaluationError as error:
        if right is not None and _is_tree_of(right, value):
            locate(error, value, right)
        raise
    finally:
        env.release()


def _is_tree_of(tree: Node, text: str) -> bool:
    try:
        return tree is parse(text)
    except EvaluationError:
        return False


class BoundExpression:
    """An expression at one site, for many evaluations there: of a log message. Bound at the first one
    that succeeds, then a closure. Session thread only.
    """

    __slots__ = ("_runs", "_text", "_tree")

    def __init__(self, text: str) -> None:
        """Raises `EvaluationError` for its syntax."""
        self._text = text
        self._tree = parse(text)
        self._runs: dict[tuple[TypeId, ...], Run] = {}
        """By what the code is instantiated over."""

    def value(self, context: FrameContext, caller: Caller | None, *, write_numbers: bool) -> Value | str:
        """The value in a frame at its site; as `evaluate`.

        `write_numbers`: of a number the text that the program makes of it there, in the culture of its thread.
        """
        env = Environment(context, caller, METHOD_RUNNER)
        env.may_store = True
        value: Value | None = None
        try:
            over = instantiation(context)
            run = self._runs.get(over)
            if run is None:
                env.reads = None  # to bind takes other reads than to evaluate: a plan is not to learn them
                run = self._runs[over] = Binder(env, site_of(env)).expression(self._tree).run
            operand = run(env)
            if write_numbers and _is_number(operand):
                return to_text(env, operand, "")
            value = to_value(env, in_program(env, operand))
        except RecursionError:
            raise EvaluationError("The expression nests too deeply to be evaluated here") from None
        except EvaluationError as error:
            locate(error, self._text, self._tree)
            raise
        finally:
            env.release(value)
        return value


def _is_number(operand: Operand) -> bool:
    kind = operand.type.element if operand.type.kind is Kind.NULLABLE and operand.data is not None else operand.type
    return kind is not None and kind.kind is Kind.NUMBER and kind.code is not ElementType.CHAR


def in_program(env: Environment, operand: Operand) -> Operand:
    """What an expression gives, with values of the program for those that only expressions have."""
    if operand.type.kind is Kind.TYPE and operand.data:
        return type_object(env, operand.data)
    if operand.type.kind is Kind.SEQUENCE:
        return groups.in_program(env, operand.data)
    if operand.type.kind is Kind.DEFAULT:
        raise Diagnostic("CS8716")
    if operand.type.kind is Kind.LAMBDA:
        raise EvaluationError("A lambda has no value of its own: pass it to a method")
    if operand.type.kind is Kind.PAIR:
        return plain(env, operand)
    if operand.type.kind is Kind.TUPLE and env.caller is not None:
        env.live.append(operand)
        env.runner.put_on_heap(env, operand)
    return operand


def _type_name(env: Environment, operand: Operand, value: Value) -> str | None:
    kind, own = operand.type, env.type_of(value.type)
    if value.is_null:
        is_known = own is not None or kind.kind in (Kind.NULL, Kind.DEFAULT)
        return None if is_known else shown_name(kind)
    if kind.kind is not Kind.NULLABLE or own is kind:
        return None
    inner = kind.element if own is None else None
    return (shown_name(inner) if inner is not None else shown_type_name(env.program, value.type, operand.names)) + "?"


def _path(tree: Node, text: str) -> str | None:
    if isinstance(tree, syntax.Literal) or any(isinstance(part, _CALLS) for part in parts_of(tree)):
        return None
    return text if isinstance(tree, _PRIMARY) else f"({text})"
