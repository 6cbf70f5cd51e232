"""Function evaluations of the fake debuggee: set up while it is held, run by the program's thread when it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.runtime.events import EvalCompleted
from dap_dotnet.runtime.model import EvalId, ThreadId, Value
from tests.support.fake_debuggee.process import FakeProcess, not_found
from tests.support.fake_debuggee.values import Heap

VOID = object()
"""What a callee without a result returns."""


class ThrownError(Exception):
    """The callee throws `content`."""

    def __init__(self, content: Any) -> None:
        super().__init__("thrown by a callee")
        self.content = content


class AbortedError(Exception):
    """The evaluation was aborted."""


class Evaluations:
    """Evaluations by number. At most one runs."""

    def __init__(self, heap: Heap, process: FakeProcess, thread: ThreadId) -> None:
        self.callees: dict[str, Callable[..., Any]] = {}
        """What the methods that may be called do, by name, with the contents of their arguments; `VOID` for no result.

        Called on the program's thread.
        """
        self.constructors: dict[int, Callable[..., Any]] = {}
        """What makes the objects of an exact type; the others are of zeros."""
        self._heap = heap
        self._process = process
        self._thread = thread
        self._last = 0
        self._pending: list[tuple[EvalId, Callable[[], Any]]] = []
        self._results: dict[EvalId, Any] = {}
        self._is_running = False
        self._abort_wanted = False
        process.run_evaluations = self.run_pending

    def set_up(self, run: Callable[[], Any]) -> EvalId:
        """Session thread; the process is held."""
        self._last += 1
        evaluation = EvalId(self._last)
        self._pending.append((evaluation, run))
        return evaluation

    def run_pending(self) -> None:
        """Run what was set up, each to its completion, which holds. Program's thread."""
        while self._pending:
            evaluation, run = self._pending.pop(0)
            self._abort_wanted = False
            self._is_running = True
            try:
                self._results[evaluation], threw = run(), False
            except ThrownError as error:
                self._results[evaluation], threw = error.content, True
            except AbortedError:
                self._results[evaluation], threw = VOID, True
            self._is_running = False
            self._process.report_holding(EvalCompleted(thread=self._thread, evaluation=evaluation, threw=threw))

    def check_abort(self) -> None:
        """A place where an evaluation can be aborted. Program's thread."""
        if self._is_running and self._abort_wanted:
            raise AbortedError

    def abort(self, evaluation: EvalId) -> bool:
        """ICorDebugEval::Abort returns; the evaluation ends at its next safe point."""
        self._abort_wanted = True
        return True

    def result(self, evaluation: EvalId, text_limit: int) -> Value | None:
        """None for void. Forgotten afterwards."""
        if evaluation not in self._results:
            raise not_found(f"result of an evaluation {evaluation}")
        content = self._results.pop(evaluation)
        return None if content is VOID else self._heap.value(content, None, text_limit)
