"""Evaluate an expression in a frame."""

from __future__ import annotations

from contextlib import suppress

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.whole import load_language_library
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.compiling import SiteExpression, compiled
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.linq.in_program import in_program as sequence_in_program
from dap_dotnet.evaluation.operations.linq.sequences import plain, sequence_of
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse, without_semicolon
from dap_dotnet.evaluation.syntax.positions import locate
from dap_dotnet.evaluation.syntax.tree import Node, parts_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.tuple_names import count
from dap_dotnet.evaluation.types.universe import shown_name
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.context import FrameContext
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
    Names that begin with `$` are those of `binding.names`. Raises `EvaluationError` in the compiler's or the
    exception's words, `CalleeThrew` when a called method threw. Session thread.
    """
    env = Environment(context, caller, METHOD_RUNNER)
    env.may_store = may_store
    tree = parse(expression)
    binder = NameBinder(env)
    value: Value | None = None
    try:
        load_language_library(binder, tree)
        operand = compiled(binder, tree).run(env)
        if enumerates:
            results = sequence_of(env, operand)
            if results is None:
                raise EvaluationError(f"A value of type '{operand.type.name}' is not a sequence: it has no results")
            operand = Operand(types.SEQUENCE, results, None, operand.names)
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


def type_meant(expression: str, context: FrameContext) -> TypeId:
    """The exact type that an expression names, such as ``List<int>``, or that its value has. Runs nothing.

    Raises `EvaluationError`, also for a type that the program has not loaded. Session thread.
    """
    env = Environment(context, None, METHOD_RUNNER)
    try:
        found = _exact_type(NameBinder(env), expression)
    except RecursionError:
        raise EvaluationError("The expression nests too deeply to be evaluated here") from None
    finally:
        env.release()
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


class BoundExpression:
    """An expression at one site, for many evaluations there: of a log message. Session thread only."""

    __slots__ = ("_expression", "_text", "_tree")

    def __init__(self, text: str) -> None:
        """Raises `EvaluationError` for its syntax."""
        self._text = text
        self._tree = parse(text)
        self._expression = SiteExpression(self._tree)

    def value(self, context: FrameContext, caller: Caller | None, *, write_numbers: bool) -> Value | str:
        """The value in a frame at its site; as `evaluate`.

        `write_numbers`: of a number the text that the program makes of it there, in the culture of its thread.
        """
        env = Environment(context, caller, METHOD_RUNNER)
        env.may_store = True
        value: Value | None = None
        try:
            operand = self._expression.compiled(env).run(env)
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
        made = sequence_in_program(env, operand.data)
        made.names = operand.names if len(operand.names) == count(made.type) else ()
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


def _path(tree: Node, text: str) -> str | None:
    if isinstance(tree, syntax.Literal) or any(isinstance(part, _CALLS) for part in parts_of(tree)):
        return None
    return text if isinstance(tree, _PRIMARY) else f"({text})"
