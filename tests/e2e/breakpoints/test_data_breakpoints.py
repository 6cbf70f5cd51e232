"""Data breakpoints in running programs: every form of store, on every runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e

Stops = list[tuple[str, int]]


@pytest.fixture
def watched(runtime: Runtime) -> Program:
    return programs.build("Watched", runtime)


def begin(session: Session, program: Program, what: str, marker: str = "begin", **attributes: Any) -> None:
    """Run to a marker, with everything that the test runs still to come."""
    session.stop_in(program, marker, what, **attributes)
    session.set_breakpoints(str(program.source), [])


def info(session: Session, name: str, **more: Any) -> dict[str, Any]:
    frame = session.stack(count=1)[0].id
    body: dict[str, Any] = session.request("dataBreakpointInfo", {"name": name, "frameId": frame, **more})
    return body


def watch(session: Session, *wanted: str | dict[str, Any]) -> list[dict[str, Any]]:
    """Set data breakpoints on expressions in the top frame, or as given."""
    asked = [{"dataId": info(session, one)["dataId"]} if isinstance(one, str) else one for one in wanted]
    body = session.request("setDataBreakpoints", {"breakpoints": asked})
    made: list[dict[str, Any]] = body["breakpoints"]
    return made


def changes(session: Session) -> Iterator[tuple[str, int]]:
    """Continue from stop to stop to the program's end: what changed, and the line."""
    while True:
        session.continue_()
        try:
            stop = session.wait_for_stop()
        except ProgramEndedError:
            return
        assert stop.reason == "data breakpoint"
        assert stop.text is not None
        yield stop.text, session.line()


def lines(program: Program, expected: list[tuple[str, str, int]]) -> Stops:
    """(text, marker, lines after it) as `changes` gives them."""
    return [(text, program.line(marker) + after) for text, marker, after in expected]


def test_field_of_one_object_stops_after_stores_that_change_it(session: Session, watched: Program) -> None:
    begin(session, watched, "simple")
    (made,) = watch(session, "one.count")
    assert made["verified"]
    session.continue_()
    stop = session.wait_for_stop()
    assert stop.breakpoint_ids == (made["id"],)
    assert stop.reason == "data breakpoint"
    assert stop.description == stop.text == "Counter.count: 1 -> 2"
    assert session.line() == watched.line("other"), "after the store: at the next statement"
    assert list(changes(session)) == lines(watched, [("Counter.count: 2 -> 5", "added", 0)])


def test_field_of_all_objects_tells_each_ones_old_value(session: Session, watched: Program) -> None:
    begin(session, watched, "simple")
    watch(session, "Watched.Counter.count")
    assert list(changes(session)) == lines(
        watched,
        [
            ("Counter.count: 1 -> 2", "other", 0),
            ("Counter.count: 5 -> 6", "unchanged", 0),
            ("Counter.count: 2 -> 5", "added", 0),
            ("Counter.count: 6 -> 9", "added", 0),
            ("Counter.count: 0 -> 1", "constructor", -2),
            ("Counter.count: 1 -> 9", "constructor-end", 0),
            ("Counter.count: 0 -> 1", "field-initialiser", 9),
            ("Counter.count: 1 -> 50", "derived", 0),
        ],
    )


def test_static_fields_are_watched_from_their_initialiser_on(session: Session, watched: Program) -> None:
    begin(session, watched, "statics")
    watch(session, "Counter.Total", "Counter.Started")
    assert list(changes(session)) == lines(
        watched,
        [
            ("Counter.Started: 0 -> 7", "static-initialiser", 0),
            ("Counter.Total: 0 -> 3", "static-again", 0),
            ("Counter.Total: 3 -> 4", "static-called", 0),
            ("Counter.Total: 4 -> 9", "static-called", 0),
            ("Counter.Started: 7 -> 8", "in-condition", 0),
            ("Counter.Total: 9 -> 12", "in-condition", 0),
            ("Counter.Total: 12 -> 20", "for", 0),
            ("Counter.Total: 20 -> 21", "for", 0),
            ("Counter.Total: 21 -> 22", "for", 0),
        ],
    )


FORMS = [
    ("Counter.count: 1 -> 21", "return", 0),
    ("Counter.count: 21 -> 22", "short", 0),
    ("Counter.count: 22 -> 23", "nested", 0),
    ("Counter.count: 23 -> 25", "set-auto", 0),
    ("Counter.count: 25 -> 30", "by-reference", 0),
    ("Counter.count: 30 -> 31", "conditional", 0),
    ("Counter.count: 31 -> 40", "from-call", 0),
    ("Counter.count: 40 -> 42", "initialiser", 0),
    ("Counter.count: 42 -> 44", "thrown", 0),
    ("Counter.count: 44 -> 45", "caught", 0),
    ("Counter.count: 45 -> 46", "finally", 0),
]


def test_every_form_of_store_to_one_object_is_seen(session: Session, watched: Program) -> None:
    begin(session, watched, "forms")
    watch(session, "one.count")
    assert list(changes(session)) == lines(watched, FORMS)


def test_every_form_of_store_to_any_object_is_seen(session: Session, watched: Program) -> None:
    begin(session, watched, "forms")
    watch(session, "Counter.count")
    found = list(changes(session))
    initialised = [("Counter.count: 0 -> 1", "field-initialiser", 9), ("Counter.count: 1 -> 43", "initialiser", 1)]
    assert found == lines(watched, [*FORMS[:8], *initialised, *FORMS[8:]])


def test_initialisers_of_objects_are_seen_with_what_the_constructor_left(session: Session, watched: Program) -> None:
    begin(session, watched, "initialisers")
    watch(session, "Watched.Counter.count")
    found = [text.removeprefix("Counter.count: ") for text, _ in changes(session)]
    each = [step for value in (11, 12, 13) for step in ("0 -> 1", f"1 -> {value}")]
    assert found == [*each, "0 -> 1", "1 -> 20", "0 -> 1"], "the last one goes to a call, and is not seen"


def test_automatic_property_means_the_field_behind_it(session: Session, watched: Program) -> None:
    begin(session, watched, "forms")
    watch(session, "one.Auto")
    assert list(changes(session)) == lines(watched, [("Counter.Auto: 0 -> 4", "auto", 0)])


def test_references_are_compared_as_objects_and_strings_as_text(session: Session, watched: Program) -> None:
    begin(session, watched, "references")
    watch(session, "one.name", "one.anything", "one.next")
    assert list(changes(session)) == lines(
        watched,
        [
            ('Counter.name: null -> "a"', "same-text", 0),
            ('Counter.name: "a" -> null', "boxed", 0),
            ("Counter.anything: null -> 5", "boxed-again", 0),
            ("Counter.anything: 5 -> {Counter}", "next", 0),
            ("Counter.next: null -> {Counter}", "next", 1),
        ],
    )


def test_store_through_a_chain_is_one_to_the_object_at_its_end(session: Session, watched: Program) -> None:
    begin(session, watched, "references")
    watch(session, "other.next")
    assert list(changes(session)) == lines(watched, [("Counter.next: null -> {Counter}", "references-end", 0)])


def test_struct_in_a_field_is_compared_with_all_its_fields(session: Session, watched: Program) -> None:
    begin(session, watched, "structs")
    watch(session, "one.place")
    assert list(changes(session)) == lines(
        watched,
        [
            ("Counter.place: {X = 0, Y = 0} -> {X = 1, Y = 2}", "part", 0),
            ("Counter.place: {X = 1, Y = 2} -> {X = 3, Y = 2}", "by-method", 0),
            ("Counter.place: {X = 3, Y = 2} -> {X = 7, Y = 2}", "by-method", 0),
            ("Counter.place: {X = 7, Y = 2} -> {X = 0, Y = 0}", "cleared", 1),
        ],
    )


def test_field_of_a_struct_is_watched_in_all_values(session: Session, watched: Program) -> None:
    begin(session, watched, "structs")
    answer = info(session, "one.place.X")
    assert answer["canPersist"]
    assert "of all values" in answer["description"]
    watch(session, {"dataId": answer["dataId"]})
    assert list(changes(session)) == lines(
        watched,
        [
            ("Point.X: 1 -> 3", "by-method", 0),
            ("Point.X: 3 -> 7", "struct-method", 1),
            ("Point.X: 0 -> 8", "structs-end", 0),
        ],
    )


def test_generic_types_are_watched_in_all_instantiations(session: Session, watched: Program) -> None:
    begin(session, watched, "generics")
    watch(session, "Watched.Box<T>.content", "Box.Made")
    assert list(changes(session)) == lines(
        watched,
        [
            ("Box.content: 0 -> 3", "generic-static", 0),
            ("Box.Made: 0 -> 1", "generic-end", 0),
            ('Box.content: null -> "three"', "generic-static", 0),
            ("Box.Made: 0 -> 1", "generic-end", 0),
            ("Box.content: 3 -> 4", "made-outside", 0),
            ("Box.Made: 1 -> 10", "generics-end", 0),
        ],
    )


def test_captured_variable_is_watched_by_its_name(session: Session, watched: Program) -> None:
    begin(session, watched, "captured", "call-lambda")
    answer = info(session, "seen")
    assert "of this object" in answer["description"]
    watch(session, {"dataId": answer["dataId"]})
    assert list(changes(session)) == lines(
        watched,
        [("seen: 0 -> 2", "lambda", 0), ("seen: 2 -> 9", "after-lambda", 1), ("seen: 9 -> 11", "lambda", 0)],
    )


def test_captured_variable_is_watched_from_the_variables_view(session: Session, watched: Program) -> None:
    begin(session, watched, "captured", "call-lambda")
    frame = session.stack(count=1)[0].id
    scope = session.scopes(frame)[0].variables_reference
    answer = session.request("dataBreakpointInfo", {"variablesReference": scope, "name": "seen"})
    watch(session, {"dataId": answer["dataId"]})
    assert [text for text, _ in changes(session)] == ["seen: 0 -> 2", "seen: 2 -> 9", "seen: 9 -> 11"]
    assert answer["accessTypes"] == ["write"]
    assert not answer["canPersist"]


def test_locals_of_async_methods_and_iterators_are_fields(session: Session, watched: Program) -> None:
    begin(session, watched, "async", "hoisted-changed")
    watch(session, "local")
    assert list(changes(session)) == lines(watched, [("local: 1 -> 2", "awaited", 0)])


def test_local_of_an_iterator_is_watched(session: Session, watched: Program) -> None:
    begin(session, watched, "iterator", "iterator-changed")
    watch(session, "current")
    assert [text for text, _ in changes(session)] == ["current: 5 -> 4", "current: 4 -> 3"]


@pytest.mark.parametrize("name", ["one.count", "Counter.count"])
def test_store_after_await_is_seen(session: Session, watched: Program, name: str) -> None:
    begin(session, watched, "async")
    watch(session, name)
    assert list(changes(session)) == lines(
        watched, [("Counter.count: 1 -> 62", "awaited", 0), ("Counter.count: 62 -> 192", "awaited-more", 0)]
    )


def test_object_is_followed_when_the_garbage_collector_moves_it(session: Session, watched: Program) -> None:
    begin(session, watched, "moved")
    watch(session, "one.count")
    after = watched.line("moved") + 1
    texts = ["Counter.count: 1 -> 60", "Counter.count: 60 -> 61", "Counter.count: 61 -> 62"]
    assert list(changes(session)) == [(text, after) for text in texts]


def test_thread_static_field_has_an_old_value_in_each_thread(session: Session, watched: Program) -> None:
    begin(session, watched, "threads")
    watch(session, "Counter.PerThread")
    assert list(changes(session)) == lines(
        watched, [("Counter.PerThread: 0 -> 1", "main-thread", 1), ("Counter.PerThread: 0 -> 2", "worker", 0)]
    )


def test_reflection_is_not_seen_until_the_next_store(session: Session, watched: Program) -> None:
    begin(session, watched, "unseen")
    watch(session, "one.count")
    assert list(changes(session)) == lines(watched, [("Counter.count: 1 -> 81", "unseen-end", 0)])


def test_change_by_reflection_is_told_of_at_the_next_stop(session: Session, watched: Program) -> None:
    begin(session, watched, "unseen")
    (made,) = watch(session, "one.count")
    asked = {"breakpointId": made["id"]}
    before = session.request("dap-dotnet/explainBreakpoint", asked)["text"]
    assert "It has not changed yet." in before
    assert "Not seen until the next store that is: reflection" in before
    session.set_breakpoints(str(watched.source), [watched.line("seen-again")])
    session.continue_()
    assert session.wait_for_stop().reason == "breakpoint"
    session.wait_for_output("Counter.count: 1 -> 80", "important")
    after = session.request("dap-dotnet/explainBreakpoint", asked)["text"]
    assert "It has changed without a watched store: Counter.count: 1 -> 80." in after
    assert "not changed" not in after
    assert list(changes(session)) == lines(watched, [("Counter.count: 80 -> 81", "unseen-end", 0)])
    assert session.output("important").count("unseen") == 1


def test_condition_and_hit_count_decide_over_changes(session: Session, watched: Program) -> None:
    begin(session, watched, "loop")
    field = info(session, "one.count")["dataId"]
    wanted = {"dataId": field, "condition": "i % 20 == 0", "hitCondition": "> 1"}
    (made,) = watch(session, wanted)
    texts = [text for text, _ in changes(session)]
    assert texts == ["Counter.count: 1 -> 2", "Counter.count: 3 -> 4", "Counter.count: 5 -> 6", "Counter.count: 7 -> 8"]
    (listed,) = session.request("dap-dotnet/breakpoints", {"breakpointIds": [made["id"]]})["breakpoints"]
    assert (listed["kind"], listed["hitCount"]) == ("data", 5)


def test_pending_field_binds_when_its_module_loads(session: Session, watched: Program) -> None:
    session.initialize()
    assert session.capabilities is not None
    assert session.capabilities.supports_data_breakpoints
    answer = session.request("dataBreakpointInfo", {"name": "Watched.Counter.count"})
    assert answer["canPersist"]
    assert "as soon as" in answer["description"]
    (made,) = watch(session, {"dataId": answer["dataId"]})
    session.launch_program(watched, "simple")
    session.wait_for_breakpoint(made["id"])
    stop = session.wait_for_stop()
    assert stop.text == "Counter.count: 0 -> 1"
    assert stop.breakpoint_ids == (made["id"],)


def test_setting_data_breakpoints_replaces_them_and_keeps_ids(session: Session, watched: Program) -> None:
    begin(session, watched, "simple")
    one, other = info(session, "one.count"), info(session, "other.count")
    first, second = watch(session, {"dataId": one["dataId"]}, {"dataId": other["dataId"]})
    (kept,) = watch(session, {"dataId": other["dataId"]})
    assert kept["id"] == second["id"] != first["id"]
    assert info(session, "other.count")["dataId"] == other["dataId"], "the same object has the same dataId"
    assert [text for text, _ in changes(session)] == ["Counter.count: 5 -> 6", "Counter.count: 6 -> 9"]


def test_line_breakpoint_in_the_place_of_a_stop_is_hit_together_with_it(session: Session, watched: Program) -> None:
    begin(session, watched, "simple")
    (line,) = session.set_breakpoints(str(watched.source), [watched.line("other")])
    (data,) = watch(session, "one.count")
    session.continue_()
    stop = session.wait_for_stop()
    assert set(stop.breakpoint_ids) == {line.id, data["id"]}
    assert stop.reason == "data breakpoint"


UNWATCHED = {
    "what": "local variable or an argument",
    "nothing": "There is no field nothing",
    "one.Nope": "has no field Nope",
    "one.count + 1": "is not a field",
    "one.next.count": "is null",
    "Watched.Nope.field": "",
}
"""What cannot be watched, and a part of the reason."""


def test_what_cannot_be_watched_says_why(session: Session, watched: Program) -> None:
    begin(session, watched, "nothing-else")
    for name, reason in UNWATCHED.items():
        answer = info(session, name)
        assert answer["dataId"] is None, name
        assert reason in answer["description"]


def test_description_says_what_cannot_be_seen(session: Session, watched: Program) -> None:
    begin(session, watched, "nothing-else")
    description = info(session, "one.count")["description"]
    for part in ("Watched.Counter.count of this object", "reflection", "by-reference", "optimised framework code"):
        assert part in description


def test_bad_data_breakpoints_are_refused_each_for_its_reason(session: Session, watched: Program) -> None:
    begin(session, watched, "nothing-else")
    made = watch(
        session,
        {"dataId": "a b"},
        {"dataId": "Watched.dll!Watched.Counter::count#99"},
        {"dataId": "Counter.count", "accessType": "read"},
        {"dataId": "Counter.count", "condition": "1 +"},
        {"dataId": "Nope.field"},
    )
    assert [one["verified"] for one in made] == [False] * 5
    for one, part in zip(
        made, ("not a valid field name", "earlier session", "Only writes", "", "No loaded"), strict=True
    ):
        assert part in one["message"]


def test_explanation_names_the_stores(session: Session, watched: Program) -> None:
    begin(session, watched, "nothing-else")
    (made,) = watch(session, "Counter.Total")
    text = session.request("dap-dotnet/explainBreakpoint", {"breakpointId": made["id"]})["text"]
    assert "Stores to it are watched in 7 places" in text
    assert "Watched.dll: it has the field; 7 instructions that can store to it." in text


def test_optimised_code_is_not_watched_and_says_so(session: Session, runtime: Runtime) -> None:
    program = programs.build("Watched", runtime, optimize=True)
    session.launch(str(program.dll), ["simple"], env=dict(program.env), stopAtEntry=True, justMyCode=False)
    session.wait_for_stop()
    (made,) = watch(session, {"dataId": "Watched.Counter.count"})
    assert not made["verified"]
    assert "is optimised" in made["message"]


def test_optimised_code_is_watched_when_its_optimisation_is_suppressed(session: Session, runtime: Runtime) -> None:
    program = programs.build("Watched", runtime, optimize=True)
    session.launch(str(program.dll), ["simple"], env=dict(program.env), stopAtEntry=True, suppressJITOptimizations=True)
    session.wait_for_stop()
    (made,) = watch(session, {"dataId": "Watched.Counter.count"})
    assert made["verified"]
    texts = [text for text, _ in changes(session)]
    assert texts[-3:] == ["Counter.count: 1 -> 9", "Counter.count: 0 -> 1", "Counter.count: 1 -> 50"]


def test_stores_in_modules_that_load_later_and_unload_are_seen(session: Session, runtime: Runtime) -> None:
    library = programs.build("Library", runtime, target="library")
    program = programs.build("LateLoad", runtime)
    session.stop_in(program, "before-load", str(library.dll), "2")
    session.set_breakpoints(str(program.source), [])
    (made,) = watch(session, {"dataId": "Library.Greeter.greeted"})
    assert not made["verified"]
    for _ in range(2):
        session.continue_()
        stop = session.wait_for_stop()
        assert (stop.text, stop.breakpoint_ids) == ("Greeter.greeted: 0 -> 1", (made["id"],))
        assert session.line() == library.line("greet") + 1
    events = [event["breakpoint"] for event in session.events("breakpoint")]
    said = [event["verified"] for event in events if event["id"] == made["id"]]
    assert said[:3] == [True, False, True], "bound, unbound with its module, bound again"


SHARED = """
namespace Shared
{
    public class Base { public int level; public static int Count; }
    public class Pair<T> { public T left; }
}
"""
USER = """
using Shared;
class Derived : Base { }
static class Program
{
    static int Main()
    {
        var one = new Derived(); // @start
        one.level = 4;
        Base.Count = 5;
        var pair = new Pair<int>();
        pair.left = 6;
        return 0;
    }
}
"""


def test_stores_to_fields_of_other_assemblies_are_seen(
    session: Session, newest_runtime: Runtime, tmp_path: Path
) -> None:
    for name, text in (("Shared", SHARED), ("User", USER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Program.cs").write_text(text)
    shared = programs.build(tmp_path / "Shared", newest_runtime, target="library")
    program = programs.build(tmp_path / "User", newest_runtime, references=[shared])
    session.stop_in(program, "start")
    session.set_breakpoints(str(program.source), [])
    made = watch(
        session, {"dataId": "Base.level"}, {"dataId": "Shared!Shared.Base.Count"}, {"dataId": "Shared.Pair<T>.left"}
    )
    assert len(made) == 3
    texts = [text for text, _ in changes(session)]
    assert texts == ["Base.level: 0 -> 4", "Base.Count: 0 -> 5", "Pair.left: 0 -> 6"]


def test_step_over_a_store_stops_once_and_says_what_changed(session: Session, watched: Program) -> None:
    begin(session, watched, "simple", "one")
    watch(session, "one.count")
    stop = session.step_over()
    assert (stop.reason, session.line()) == ("data breakpoint", watched.line("other"))
    assert session.step_over().reason == "step"
    assert session.line() == watched.line("unchanged")


def test_change_while_running_is_set_without_a_stop(session: Session, watched: Program) -> None:
    session.launch(str(watched.dll), ["forever"], env=dict(watched.env))
    session.wait_for_output("turning")
    (made,) = watch(session, {"dataId": "Watched.Counter.Total"})
    assert made["verified"]
    stop = session.wait_for_stop()
    assert stop.breakpoint_ids == (made["id"],)
    assert stop.text is not None
    before, after = map(int, stop.text.removeprefix("Counter.Total: ").split(" -> "))
    assert after == before + 1, "the value was taken when the breakpoint was set"
