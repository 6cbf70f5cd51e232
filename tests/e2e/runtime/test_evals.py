"""Function evaluations on a stopped thread."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.events import BreakpointHit, EvalCompleted, StopCompleted
from dap_dotnet.runtime.model import EvalId, MethodToken, TypeId, Value, ValueHandle
from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime, version_key

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


class Evaluator:
    """Evaluates on the thread that stopped; keeps the event that holds."""

    def __init__(self, session: Session) -> None:
        self.session = session
        hit = session.run_to("Program.Mark")
        session.debuggee.remove_breakpoints([hit.bound])
        self.thread = hit.thread
        self.held: BreakpointHit | EvalCompleted | StopCompleted = hit

    def dog(self) -> ValueHandle:
        handle = self.session.debuggee.arguments(self.thread, 1)[2].handle
        assert handle is not None
        return handle

    def start(self, method: str, *arguments: ValueHandle, types: tuple[TypeId, ...] = ()) -> EvalId:
        assert self.session.module is not None
        token = MethodToken(self.session.tokens[method])
        return self.session.debuggee.call(self.thread, self.session.module, token, types, arguments)

    def finish(self, evaluation: EvalId) -> tuple[Value | None, bool]:
        self.session.debuggee.resume(self.held)
        done = self.session.wait(EvalCompleted)
        assert done.evaluation == evaluation
        self.held = done
        return self.session.debuggee.eval_result(evaluation), done.threw


def evaluate(runtime: Runtime, test: Callable[[Evaluator], None]) -> None:
    with Session.launch(build(runtime), "values") as session:
        evaluator = Evaluator(session)
        test(evaluator)
        assert session.run_to_end(evaluator.held) == 7


def test_call_gives_its_result(runtime: Runtime) -> None:
    def run(evaluator: Evaluator) -> None:
        value, threw = evaluator.finish(evaluator.start("Animal.get_Age", evaluator.dog()))
        assert value is not None
        assert (struct.unpack("<i", value.raw), threw) == ((7,), False)

    evaluate(runtime, run)


def test_call_of_void_gives_none(runtime: Runtime) -> None:
    def run(evaluator: Evaluator) -> None:
        assert evaluator.finish(evaluator.start("Animal.Nothing", evaluator.dog())) == (None, False)

    evaluate(runtime, run)


def test_call_that_throws_gives_the_exception(runtime: Runtime) -> None:
    def run(evaluator: Evaluator) -> None:
        value, threw = evaluator.finish(evaluator.start("Animal.Fail", evaluator.dog()))
        assert threw
        assert value is not None
        assert value.type is not None

    evaluate(runtime, run)


@pytest.mark.parametrize("text", ["", "wörld", "a\U0001f600\ud800\0b"], ids=["empty", "plain", "odd"])
def test_new_string_is_an_argument(runtime: Runtime, text: str) -> None:
    def run(evaluator: Evaluator) -> None:
        made, _ = evaluator.finish(evaluator.session.debuggee.new_string(evaluator.thread, text))
        assert made is not None
        assert made.text == text
        assert made.handle is not None
        greeting, threw = evaluator.finish(evaluator.start("Animal.Greet", made.handle))
        assert greeting is not None
        assert (greeting.text, threw) == ("hello " + text, False)

    evaluate(runtime, run)


def test_generic_call_takes_type_arguments(runtime: Runtime) -> None:
    def run(evaluator: Evaluator) -> None:
        slots = evaluator.session.debuggee.locals(evaluator.thread, 1)
        token = evaluator.session.tokens["Holder`1"]
        types = evaluator.session.debuggee.type_info
        holder = next(value for value in slots if value.type and types(value.type).token == token)
        _, text, _ = evaluator.session.debuggee.arguments(evaluator.thread, 1)
        assert holder.handle is not None
        assert text.handle is not None
        assert text.type is not None
        started = evaluator.start("Holder`1.Describe", holder.handle, text.handle, types=(text.type, text.type))
        result, threw = evaluator.finish(started)
        assert result is not None
        assert (result.text, threw) == ("StringStringtext", False)

    evaluate(runtime, run)


def test_call_of_an_unknown_method_is_refused(runtime: Runtime) -> None:
    def run(evaluator: Evaluator) -> None:
        evaluator.session.tokens = {**evaluator.session.tokens, "Nobody": 0x0600FFFF}
        with pytest.raises(RuntimeCallError):
            evaluator.start("Nobody", evaluator.dog())

    evaluate(runtime, run)


def test_abort_of_a_spinning_call_does_not_block(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "values") as session:
        evaluator = Evaluator(session)
        evaluation = evaluator.start("Animal.Spin", evaluator.dog())
        session.debuggee.resume(evaluator.held)
        session.process.wait_until_busy()
        returned = session.debuggee.abort_eval(evaluation, 2000)
        if version_key(runtime.version) < version_key("9.0.0"):
            # Before 9 the runtime may not be able to interrupt a loop without a call.
            return
        assert returned
        evaluator.held = session.wait(EvalCompleted)
        assert evaluator.held.evaluation == evaluation
        session.debuggee.eval_result(evaluation)
        assert evaluator.finish(evaluator.start("Animal.get_Age", evaluator.dog()))[0] is not None
