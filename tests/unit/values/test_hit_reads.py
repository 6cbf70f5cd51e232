"""Learning read plans, without any program."""

from __future__ import annotations

import pytest

from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    MOST_READS,
    BoundId,
    BreakpointLocation,
    ElementType,
    FieldRef,
    FieldToken,
    MethodToken,
    ModuleId,
    Read,
    ReadKind,
    ThreadId,
    TypeId,
    Value,
    ValueHandle,
)
from dap_dotnet.values.hit_reads import WINDOW_HITS, ReadPlans
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.standing import standing_debuggee

BOUND = BoundId(1)
POINT, BASE = TypeId(10), TypeId(9)
X = FieldRef(BASE, FieldToken(0x04000001))


def runtime_with_a_breakpoint() -> FakeDebuggee:
    runtime = standing_debuggee()
    location = BreakpointLocation(ModuleId(1), MethodToken(0x06000001), 0)
    assert runtime.create_breakpoints([location]) == [BOUND]
    return runtime


def number(handle: int, content: int) -> Value:
    return Value(ValueHandle(handle), TypeId(1), ElementType.I4, raw=content.to_bytes(4, "little", signed=True))


def thing(handle: int, type_id: TypeId = POINT) -> Value:
    return Value(ValueHandle(handle), type_id, ElementType.CLASS, is_reference=True)


@pytest.fixture
def plans(monkeypatch):
    monkeypatch.delenv("DAP_DOTNET_READ_PLAN", raising=False)
    return ReadPlans()


def hit(plans, plan=0, values=()):
    return plans.at(BreakpointHit(ThreadId(1), BOUND, 0, plan, tuple(values)), 0)


def learn_field(plans, runtime):
    """A hit whose condition reads X of argument 0."""
    reads = hit(plans)
    reads.note_variable(ReadKind.ARGUMENT, 0, thing(1))
    reads.note_field(ValueHandle(1), POINT, X, number(2, 7))
    plans.learn(runtime, BOUND, reads)


def test_read_plan_is_made_of_the_reads_that_were_made(plans):
    runtime = runtime_with_a_breakpoint()
    learn_field(plans, runtime)
    (plan,) = runtime.plans_set
    assert plan.number == 1
    assert plan.reads == (Read(ReadKind.ARGUMENT, 0), Read(ReadKind.FIELD, X.field, 0, BASE, POINT))


def test_values_of_the_event_are_found_by_what_they_are(plans):
    runtime = runtime_with_a_breakpoint()
    learn_field(plans, runtime)
    reads = hit(plans, 1, [thing(11), number(12, 8)])
    assert reads.field(ValueHandle(11), POINT, X) is None, "nobody has asked for the argument yet"
    assert reads.variable(ReadKind.ARGUMENT, 0) == thing(11)
    assert reads.variable(ReadKind.LOCAL, 0) is None
    assert reads.field(ValueHandle(11), POINT, X) == number(12, 8)
    assert reads.field(ValueHandle(11), TypeId(99), X) is None
    assert reads.field(ValueHandle(99), POINT, X) is None
    plans.learn(runtime, BOUND, reads)
    assert len(runtime.plans_set) == 1


@pytest.mark.parametrize("values", [(), (None, None)])
def test_values_that_did_not_come_are_read_and_keep_their_numbers(plans, values):
    runtime = runtime_with_a_breakpoint()
    learn_field(plans, runtime)
    reads = hit(plans, 1, values)
    assert reads.variable(ReadKind.ARGUMENT, 0) is None
    reads.note_variable(ReadKind.ARGUMENT, 0, thing(31))
    assert reads.field(ValueHandle(31), POINT, X) is None
    reads.note_field(ValueHandle(31), POINT, X, number(32, 1))
    assert reads.new == []


def test_values_of_an_earlier_plan_are_not_taken(plans):
    runtime = runtime_with_a_breakpoint()
    learn_field(plans, runtime)
    reads = hit(plans, 1, [thing(11), number(12, 8)])
    reads.note_variable(ReadKind.LOCAL, 3, number(13, 0))
    plans.learn(runtime, BOUND, reads)
    assert runtime.plans_set[-1].number == 2
    assert hit(plans, 1, [thing(21), number(22, 8)]).variable(ReadKind.ARGUMENT, 0) is None
    assert hit(plans, 2, [thing(21), number(22, 8), None]).variable(ReadKind.ARGUMENT, 0) == thing(21)


def test_values_of_an_event_that_was_put_off_are_not_taken(plans):
    learn_field(plans, runtime_with_a_breakpoint())
    event = BreakpointHit(ThreadId(1), BOUND, 0, 1, (thing(11), number(12, 8)))
    stale = plans.at(event, 0, is_fresh=False)
    assert stale.variable(ReadKind.ARGUMENT, 0) is None
    assert plans.at(event, 0).variable(ReadKind.ARGUMENT, 0) == thing(11)


def test_element_by_a_variable_is_taken_only_for_the_position_that_it_has(plans):
    runtime = runtime_with_a_breakpoint()
    array = Value(ValueHandle(1), TypeId(3), ElementType.SZARRAY, is_reference=True, length=9)
    reads = hit(plans)
    reads.note_variable(ReadKind.LOCAL, 0, array)
    reads.note_variable(ReadKind.LOCAL, 1, number(2, 4))
    reads.note_element(ValueHandle(1), 4, number(2, 4), number(3, 44))
    plans.learn(runtime, BOUND, reads)
    assert runtime.plans_set[-1].reads[2] == Read(ReadKind.ELEMENT_AT, 1, 0)
    source = number(12, 6)
    reads = hit(plans, 1, [array, source, number(13, 66)])
    reads.variable(ReadKind.LOCAL, 0)
    reads.variable(ReadKind.LOCAL, 1)
    assert reads.element(ValueHandle(1), 6, source) == number(13, 66)
    assert reads.element(ValueHandle(1), 5, source) is None, "a position that was computed of it"
    assert reads.element(ValueHandle(1), 6, None) is None


def test_seldom_reads_are_dropped_with_what_looks_into_them(plans):
    runtime = runtime_with_a_breakpoint()
    learn_field(plans, runtime)
    for _ in range(WINDOW_HITS * 2):
        reads = hit(plans, runtime.plans_set[-1].number, ())
        reads.variable(ReadKind.LOCAL, 2)
        reads.note_variable(ReadKind.LOCAL, 2, number(5, 1))
        plans.learn(runtime, BOUND, reads)
    assert runtime.plans_set[-1].reads == (Read(ReadKind.LOCAL, 2),)


def test_plans_stay_small_and_change_seldom(plans):
    runtime = runtime_with_a_breakpoint()
    for index in range(100):
        reads = hit(plans)
        for offset in range(3):
            reads.note_variable(ReadKind.LOCAL, 3 * index + offset, number(3 * index + offset + 1, 0))
        plans.learn(runtime, BOUND, reads)
    assert len(runtime.plans_set) <= 8
    assert len(runtime.plans_set[-1].reads) <= MOST_READS


def test_read_plans_are_switched_off_by_the_environment(monkeypatch):
    monkeypatch.setenv("DAP_DOTNET_READ_PLAN", "0")
    assert hit(ReadPlans()) is None
