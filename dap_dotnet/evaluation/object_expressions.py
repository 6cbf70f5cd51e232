"""Expressions on an object, as DebuggerDisplay has them: names are members of the object, not of a frame."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.interpretation import READING_RUNNER
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId, TypeId, Value
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.context import FrameContext, Program

_NO_FRAME = Frame(0, FrameKind.NATIVE, None, None, None, 0, 0, 0)
"""Such expressions have no frame; static fields are read in the thread's top one."""
_Runs = dict[tuple["TypeId | None", str], Run]
_RUNS: WeakKeyDictionary[ModuleCatalog, _Runs] = WeakKeyDictionary()
_MOST_RUNS = 4096


class EvaluatedObjectExpressions:
    """Implements `values.context.ObjectExpressions`, in one thread."""

    def __init__(self, thread: ThreadId, caller_for: Callable[[ThreadId], Caller]) -> None:
        """`caller_for` gives what runs the program's code, where that is allowed."""
        self._thread = thread
        self._caller_for = caller_for

    def value(self, program: Program, target: Value, expression: str, *, may_run: bool = False) -> Value:
        """See `ObjectExpressions`. An expression is bound once for each exact type."""
        caller = self._caller_for(self._thread) if may_run else None
        runner = METHOD_RUNNER if may_run else READING_RUNNER
        env = Environment(FrameContext(program, self._thread, _NO_FRAME), caller, runner)
        runs = _RUNS.setdefault(program.modules, {})
        key = (target.type, expression)
        result: Value | None = None
        try:
            env.slots["this"] = env.operand(target)
            run = runs.get(key)
            if run is None:
                run = _ObjectBinder(env).expression(parse(expression)).run
                if len(runs) < _MOST_RUNS:
                    runs[key] = run
            result = to_value(env, run(env))
        except RecursionError:
            raise EvaluationError("The expression nests too deeply to be evaluated here") from None
        finally:
            env.release(result)
        return result


class _ObjectBinder(Binder):
    """Binds names to the members of the object in the slot `this`."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env, None)

    def this(self) -> Bound | None:
        """The object, seen as its own type."""
        return Bound(lambda env: env.slots["this"], self.env.slots["this"].type)

    def user_types(self) -> list[Type]:
        """The object's own type."""
        return [self.env.slots["this"].type]
