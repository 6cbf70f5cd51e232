"""What binding makes of a node: a closure, and what is known about its value beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Place
from dap_dotnet.evaluation.types.csharp_types import InternedText, Operand, Type

Run = Callable[[Environment], Operand]
Given = TypeVar("Given")


class Bound(Struct, frozen=True):
    """A bound expression. `type` is its static type, None when only a value can show it."""

    run: Run
    type: Type | None = None
    constant: Operand | None = None
    """The value of a constant expression; constants convert more freely."""
    is_dynamic: bool = False
    """Whether the source declares it as `dynamic`."""
    at: Place = NOWHERE
    """The place of its node."""


def constant(operand: Operand) -> Bound:
    """A constant."""
    if type(operand.data) is str:
        operand = Operand(operand.type, InternedText(operand.data), operand.value)
    return Bound(lambda env: operand, operand.type, operand)


def placed_run(run: Callable[[Environment], Given], at: Place) -> Callable[[Environment], Given]:
    """What is run for a node: an error that comes out of it passes the node's place."""
    if at is NOWHERE:
        return run

    def pass_place(env: Environment) -> Given:
        try:
            return run(env)
        except EvaluationError as error:
            error.trail.append(at)
            raise

    return pass_place


def placed_step(step: Callable[[Environment, Operand], Given], at: Place) -> Callable[[Environment, Operand], Given]:
    """The same of what is run for an operand."""

    def pass_place(env: Environment, operand: Operand) -> Given:
        try:
            return step(env, operand)
        except EvaluationError as error:
            error.trail.append(at)
            raise

    return pass_place


@contextmanager
def passing(at: Place) -> Iterator[None]:
    """An error that comes out of this passes a place."""
    try:
        yield
    except EvaluationError as error:
        error.trail.append(at)
        raise


def convert(env: Environment, operand: Operand, kind: Type, bound: Bound) -> Operand:
    """What a bound expression gave, converted implicitly. Raises as `convert_implicitly`, at the place of the node."""
    try:
        return convert_implicitly(env, operand, kind, bound.constant)
    except EvaluationError as error:
        error.trail.append(bound.at)
        raise


class Namespace(Struct, frozen=True):
    """A namespace, where a name has turned out to be one."""

    name: str


Entity = Bound | Type | Namespace
"""What a name may mean."""
