"""Steps through every shape of code, by the markers of the program Steps."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, Session
from tests.support.walks import described, lines_of
from tests.support.walks import walk as walk_steps

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]

# Marker where a session starts; the steps; where each ends: a marker, or the line so many after (+) or before (-) one.
WALKS = {
    "over-calls": (
        "calls-add",
        "over over over over",
        "calls-nested after-nested calls-loop calls-properties",
    ),
    "in-and-out": (
        "calls-add",
        "in over over over over over",
        "add-open add add-return add-close calls-add calls-nested",
    ),
    "out": ("add", "out over", "calls-add calls-nested"),
    "nested-calls": ("calls-nested", "in out in out over", "add-open calls-nested twice calls-nested after-nested"),
    "loop": (
        "loop-before",
        "over over over over over over over over",
        "loop-head loop-head loop-head+1 loop-body loop-body+1 loop-head loop-head loop-head+1",
    ),
    "loop-end": ("loop-after", "over over", "loop-after+1 calls-loop"),
    "constructor": ("new-counter", "in", "constructor-2"),
    "getter": ("get-property", "in", "getter"),
    "setter": ("set-property", "in", "setter"),
    "operator": ("operator", "in out over", "plus-1 operator properties-end"),
    "properties-over": (
        "new-counter",
        "over over over over",
        "get-property set-property operator properties-end",
    ),
    "exception-over": ("calls-throw", "over over over", "catch catch+1 catch-body"),
    "exception-over-the-throw": ("throw", "over over over", "catch catch+1 catch-body"),
    "exception-in": ("throw", "in", "catch"),
    "exception-out": ("throw", "out", "catch"),
    "catch-and-finally": (
        "catch-body",
        "over over over over over over",
        "catch-body+1 finally-1 finally finally+1 after-try after-try+1",
    ),
    "lambda-in": ("calls-lambda", "in out over", "lambda calls-lambda linq"),
    "lambda-over": ("lambda-before", "over over over over", "lambda calls-lambda linq lambda-after"),
    "lambda-in-a-library-call": ("linq", "in in in in in", "linq linq linq linq lambda-after"),
    "iterator-over": (
        "iterator-before",
        "over over over over over",
        "iterator-head iterator-head iterator-head iterator-head iterator-head+1",
    ),
    "iterator-in": ("iterator-use", "over over in", "iterator-use+1 iterator-head yield+1"),
    "iterator-in-a-library-call": ("iterator-in-library", "in in", "yield-3 yield-2"),
    "iterator-out": ("yield", "out over", "iterator-head iterator-head"),
    "local-function": ("calls-local-function", "in over out", "local-function-1 local-function calls-local-function"),
    "switch": ("switch", "over over over", "case-two case-two+1 if"),
    "end-of-using": ("in-using", "over over over", "using-close calls-disposal calls-recurse"),
    "recursion-over": ("recurse", "over over", "recurse+1 calls-recurse"),
    "recursion-out": ("recurse-bottom", "out out out", "recurse recurse recurse"),
    "await-over": ("await-first", "over over over over", "await-yield await-second async-return async-return+1"),
    "await-in": ("await-first", "in over over", "later-return-2 delay later-return"),
    "async-in": ("calls-async", "in over over", "await-first-1 await-first await-yield"),
    "async-over": ("calls-async", "over", "end"),
    "end-of-main": ("return", "over", "main-close"),
}


@pytest.mark.parametrize("walk", WALKS)
def test_step_walk(runtime: Runtime, session: Session, walk: str) -> None:
    start, steps, expected = WALKS[walk]
    program = programs.build("Steps", runtime)
    session.stop_in(program, start, enableStepFiltering=False)
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, steps)) == described(program, lines_of(program, expected))


def test_step_walk_through_an_iterator_and_its_loop_in_a_release_build(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime, optimize=True)
    session.stop_in(program, "iterator-before")
    session.set_breakpoints(str(program.source), [])
    into, body, to_next = "iterator-head iterator-head", "iterator-head iterator-use iterator-head", "yield-2 yield-2"
    expected = f"{into} {to_next} yield iterator-head {body} {to_next} yield iterator-head"
    made = walk_steps(session, "in " * len(expected.split()))
    assert described(program, made) == described(program, lines_of(program, expected))


def test_step_out_of_and_into_a_delegate_of_several_methods_without_just_my_code(
    runtime: Runtime, session: Session
) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "first", justMyCode=False)
    session.set_breakpoints(str(program.source), [])
    is_old = int(runtime.version.partition(".")[0]) < 10  # an ordinary step would end the program there
    back = "several-first-time several-second-time several-end" if is_old else "second-open second second-close"
    made = walk_steps(session, "over over over in")
    assert described(program, made) == described(program, lines_of(program, f"first-close {back}"))
    assert ("delegate" in session.output("console")) is is_old


def test_step_out_of_a_delegate_of_several_methods_in_a_release_build(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime, optimize=True)
    session.stop_in(program, "first")
    session.set_breakpoints(str(program.source), [])
    expected = lines_of(program, "several-second-time several-end")
    assert described(program, walk_steps(session, "over over")) == described(program, expected)


def test_steps_go_over_a_line_or_an_instruction_where_that_is_asked_for(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    thread = session.stop_in(program, "one-line", enableStepFiltering=False)
    session.set_breakpoints(str(program.source), [])

    def step(command: str, granularity: str) -> tuple[int, int]:
        session.request(command, {"threadId": thread, "granularity": granularity})
        assert session.wait_for_stop().reason == "step"
        frame = session.stack(count=1)[0]
        return frame.line, frame.column

    first = session.stack(count=1)[0]
    here = first.line, first.column
    places = [here]
    while places[-1] == here:  # some instructions of the first statement
        places.append(step("next", "instruction"))
    assert 3 <= len(places) <= 20
    second = places[-1]
    assert (second[0], second[1] > here[1]) == (here[0], True)
    assert step("stepIn", "line")[0] == program.line("add-open")
    assert step("stepOut", "line") == second
    assert step("next", "line")[0] == program.line("in-using")


def test_step_over_a_call_stops_at_a_breakpoint_inside(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.launch_program(program, stop_at=["calls-add", "add"])
    session.wait_for_stop()
    stop = session.step_over()
    assert (stop.reason, session.line()) == ("breakpoint", program.line("add"))
    # That ended the step: nothing stops where it would have.
    session.set_breakpoints(str(program.source), [program.line("end")])
    session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("end")


def test_step_into_code_without_symbols_goes_over_it(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "after-nested")
    session.step_in()
    assert session.line() == program.line("calls-loop")


def test_step_into_code_without_symbols_goes_over_it_without_just_my_code(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "after-nested", justMyCode=False)
    session.step_in()
    assert session.line() == program.line("calls-loop")
    session.step_in()
    assert session.function() == "Loop"


def test_step_into_an_async_method_without_just_my_code(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "await-first", justMyCode=False)
    session.step_in()
    assert session.line() == program.line("later-return") - 2


def test_step_into_a_throw_arrives_in_the_handler_without_just_my_code(runtime: Runtime, session: Session) -> None:
    program = programs.build("Handlers", runtime)
    session.stop_in(program, "throw", "rethrow", justMyCode=False, exception_filters=[])
    session.step_in()
    assert session.line() == program.line("rethrow") - 2
    assert session.function() == "Rethrow"


def test_step_from_the_end_of_main_ends_the_program(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "return")
    session.step_over()
    session.request("next", {"threadId": session.last_stop.thread_id})
    assert session.wait_for_exit() == 0


def test_step_out_of_main_ends_the_program(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", newest_runtime)
    session.stop_in(program, "return")
    session.request("stepOut", {"threadId": session.last_stop.thread_id})
    assert session.wait_for_exit() == 0


def test_steps_in_a_release_build_end_somewhere_in_the_method(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime, optimize=True)
    session.stop_in(program, "start", "3")
    lines = []
    for _ in range(4):
        session.step_over()
        lines.append(session.line())
    assert all(program.line("start") <= line <= program.line("after") for line in lines)
    assert len(set(lines)) > 1


def test_step_of_a_running_program_is_refused(newest_runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    session.launch_program(program, str(place.folder / "stop"))
    session.wait_for_output("READY")
    for command in ("next", "stepIn", "stepOut", "continue"):
        with pytest.raises(DapRequestError, match="pause it first"):
            session.request(command, {"threadId": session.debuggee()})


def test_step_of_a_thread_that_is_not_there_is_refused(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", newest_runtime)
    session.stop_in(program, "calls-add")
    with pytest.raises(DapRequestError) as refused:
        session.request("next", {"threadId": 1})
    assert "thread" in refused.value.text
    # The stop is still there.
    session.step_over()
    assert session.line() == program.line("calls-nested")


def test_hundred_steps_follow_each_other(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "call", "20")
    session.set_breakpoints(str(program.source), [])
    for _ in range(100):
        assert session.step_in().reason == "step"
    # Eight steps a round: a call of two statements with two braces, two statements, the closing brace, the head twice.
    assert session.values()["i" if "Main" in session.here()[0] else "value"] in {"9", "10", "11", "12"}


# The marker of a statement; one of its targets; the function in which a step into it ends.
TARGETS = [
    ("calls-nested", "Program.Twice(int value)", "Steps.Program.Twice(int value)"),
    ("new-counter", "new Counter(int start)", "Steps.Counter.Counter(int start)"),
    ("get-property", "Counter.Value", "Steps.Counter.Value.get"),
    (
        "operator",
        "Counter.operator +(Counter left, Counter right)",
        "Steps.Counter.operator +(Steps.Counter left, Steps.Counter right)",
    ),
    ("calls-lambda", "Func<int, int>.Invoke(int)", "Steps.Program.Lambdas.lambda(int value)"),
    ("await-second", "Program.Later(int value)", "Steps.Program.Later(int value)"),
]


def test_step_into_one_call_of_a_statement(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.launch_program(program, stop_at=[start for start, _, _ in TARGETS])
    for start, label, expected in TARGETS:
        stop = session.wait_for_stop()
        assert (stop.reason, session.line()) == ("breakpoint", program.line(start))
        frame = session.stack(count=1)[0]
        found = session.request("stepInTargets", {"frameId": frame.id})["targets"]
        (target,) = [one for one in found if one["label"] == label]
        if start == "calls-nested":
            line = program.source.read_text().splitlines()[target["line"] - 1]
            assert line[target["column"] - 1 : target["endColumn"] - 1] == "Twice(Add(a, 1))"
        session.request("stepIn", {"threadId": stop.thread_id, "targetId": target["id"]})
        assert session.wait_for_stop().reason == "step"
        assert session.here()[0] == expected
        session.continue_()


def test_local_function_in_a_closure_is_a_target(runtime: Runtime, session: Session) -> None:
    program = programs.build("LocalFunctions", runtime)
    session.stop_in(program, "objects")
    found = session.request("stepInTargets", {"frameId": session.stack(count=1)[0].id})["targets"]
    assert [one["label"] for one in found] == ["InObjects.Deep(int z)", "Func<int>.Invoke()"]
    session.request("stepIn", {"threadId": session.last_stop.thread_id, "targetId": found[0]["id"]})
    session.wait_for_stop()
    assert session.here()[0] == "LocalFunctions.Program.InObjects.Deep(int z)"


def test_with_is_named_by_the_constructor_that_copies_its_record(newest_runtime: Runtime, session: Session) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("its compiler has no records")
    program = programs.build("TopLevel", newest_runtime)
    session.stop_in(program, "with")
    found = session.request("stepInTargets", {"frameId": session.stack(count=1)[0].id})["targets"]
    made = [one for one in found if not one["label"].endswith((".Number", ".X", ".Value", ".set"))]
    assert [one["label"] for one in made] == [
        "new Marked(Marked other)",
        "new Point(Point original)",  # the compiler gives it a place in the source, too
        "new Pair(Pair<T> other)",
    ]
    session.request("stepIn", {"threadId": session.last_stop.thread_id, "targetId": made[0]["id"]})
    session.wait_for_stop()
    assert session.here()[0] == "Marked.Marked(Marked other)"


@pytest.mark.parametrize(
    ("marker", "label"),
    [("generic-call", "IComparer<T>.Compare(T, T)"), ("generic-operator", "ISummed<T>.operator +(T, T)")],
)
def test_target_names_the_parameters_of_its_generic_caller(
    newest_runtime: Runtime, session: Session, marker: str, label: str
) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("its compiler has no top-level statements")
    program = programs.build("TopLevel", newest_runtime)
    session.stop_in(program, marker)
    (target,) = session.request("stepInTargets", {"frameId": session.stack(count=1)[0].id})["targets"]
    assert target["label"] == label
    session.request("stepIn", {"threadId": session.last_stop.thread_id, "targetId": target["id"]})
    session.wait_for_stop()
    if marker == "generic-operator":
        assert session.line() == program.line("plus") - 1
