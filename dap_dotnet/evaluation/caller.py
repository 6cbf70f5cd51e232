"""Who runs code of the program for an expression, and what it raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import MethodToken, ModuleId, TypeId, Value


class Caller(Protocol):
    """Who runs code of the program for the engine. Session thread; returns when the program is held again."""

    def call(
        self, module: ModuleId, method: MethodToken, type_arguments: Sequence[TypeId], arguments: Sequence[Value]
    ) -> Value:
        """Call a method: `this` first where there is one; `type_arguments` are the type's, then the method's.

        Arguments have handles of the present generation, or none: then `raw` has a primitive's or enum's bytes, or
        `is_null` says null. The result is of the new generation; its element type is VOID for a method without one.
        Raises `CalleeThrew`, or `EvaluationError` when the call was refused, aborted or timed out.
        """

    def new_string(self, text: str) -> Value:
        """Make a string object in the program; its handle is of the new generation."""

    def new_object(self, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[Value]) -> Value:
        """Make an object of an exact type by a constructor of its module, None: of zeros; a value type's in a box.

        Arguments and errors as those of `call`, without `this`.
        """

    def new_array(self, element: TypeId, length: int) -> Value:
        """Make an array of one dimension from index 0, of zeros."""


class ControlLostError(EvaluationError):
    """A call could neither be ended nor stopped: the program runs, and nothing of it may be touched any more."""


class CalleeThrew(EvaluationError):
    """The called code threw. `exception` is the exception object, of the generation after the call."""

    is_thrown = True

    def __init__(self, message: str, exception: Value) -> None:
        super().__init__(message)
        self.exception = exception
