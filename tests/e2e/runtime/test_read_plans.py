"""Read plans on the seam: values that the event brings are those that calls bring; whatever is wrong is missing."""

from __future__ import annotations

import pytest
from msgspec import structs

from dap_dotnet.errors import InternalError
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.hit_tests import HitTest, HitTestKind, HitTestNode, Relation
from dap_dotnet.runtime.model import BoundId, ElementType, FieldRef, Read, ReadKind, ReadPlan, TypeId, Value
from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime

LIMIT = 1024


def plain(value: Value | None) -> Value | None:
    """Without its handle, which each read has its own."""
    return None if value is None else structs.replace(value, handle=None)


def hit_with(session: Session, bound: BoundId, held: BreakpointHit, *reads: Read, number: int = 1) -> BreakpointHit:
    """The next hit, with a plan of these reads."""
    session.debuggee.set_read_plan(bound, ReadPlan(number, reads, LIMIT))
    session.debuggee.resume(held)
    return session.wait(BreakpointHit, only=lambda event: event.bound == bound)


def test_event_brings_what_calls_bring(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Deep")
        assert (held.plan, held.values) == (0, ())
        argument = Read(ReadKind.ARGUMENT, 0)
        for number in range(1, 6):
            held = hit_with(session, held.bound, held, argument, Read(ReadKind.ARGUMENT, 77), number=number)
            (expected,) = session.debuggee.arguments(held.thread, 0, text_limit=LIMIT)
            assert (held.plan, held.il_offset) == (number, 0)
            assert [plain(value) for value in held.values] == [plain(expected), None]
        session.debuggee.set_read_plan(held.bound, None)
        session.debuggee.resume(held)
        assert session.wait(BreakpointHit).values == ()


def test_fields_elements_and_strings_come_along(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "values") as session:
        held = session.wait_for_module()
        bound = session.break_at("Program.Values")
        dog = Read(ReadKind.ARGUMENT, 2)
        session.debuggee.set_read_plan(bound, ReadPlan(1, (Read(ReadKind.ARGUMENT, 1), dog), LIMIT))
        session.debuggee.resume(held)
        hit = session.wait(BreakpointHit)
        text, found = hit.values
        expected = session.debuggee.arguments(hit.thread, 0, text_limit=LIMIT)
        assert [plain(text), plain(found)] == [plain(value) for value in expected[1:]]
        assert text is not None
        assert text.handle is not None
        assert session.debuggee.string(text.handle, 0, text.length) == "text"
        assert found is not None
        assert found.handle is not None
        assert found.type is not None
        assert session.debuggee.type_info(found.type).token == session.tokens["Dog"]


@pytest.mark.parametrize("number", range(6))
def test_reads_that_cannot_be_made_are_missing_and_harm_nothing(runtime: Runtime, number: int) -> None:
    strange = [
        (Read(ReadKind.LOCAL, 999_999),),
        (Read(ReadKind.ARGUMENT, 0), Read(ReadKind.FIELD, 0x04000001, 0, 1, 1)),
        (Read(ReadKind.ARGUMENT, 0), Read(ReadKind.ELEMENT, 0, 0)),
        (Read(ReadKind.ARGUMENT, 0), Read(ReadKind.ELEMENT_AT, 0, 0)),
        (Read(ReadKind.STATIC, 0x04FFFFFF, 0, 1),),
        (Read(ReadKind.STATIC, 0x04000001, 0, 0xFFFFFF),),
    ][number]
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Deep")
        hit = hit_with(session, held.bound, held, *strange)
        assert all(value is None for value in hit.values[-1:])
        (depth,) = session.debuggee.arguments(hit.thread, 0)
        assert depth.error is None
        session.debuggee.remove_breakpoints([hit.bound])
        session.debuggee.set_read_plan(hit.bound, ReadPlan(9, strange, LIMIT))
        assert session.run_to_end(hit) == 7


@pytest.mark.parametrize(
    "reads",
    [
        (Read(ReadKind.FIELD, 0x04000001, 0, 1, 1),),
        (Read(ReadKind.ARGUMENT, 0), Read(ReadKind.ELEMENT_AT, 1, 0)),
        (Read(ReadKind.ARGUMENT, 0),) * 33,
    ],
)
def test_plan_that_cannot_be_carried_out_in_order_is_refused(runtime: Runtime, reads: tuple[Read, ...]) -> None:
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Deep")
        with pytest.raises(InternalError, match="read plan"):
            session.debuggee.set_read_plan(held.bound, ReadPlan(1, reads, LIMIT))


def test_value_of_an_event_is_stale_after_it(runtime: Runtime) -> None:
    from dap_dotnet.errors import StaleHandleError

    with Session.launch(build(runtime), "values") as session:
        held = session.wait_for_module()
        bound = session.break_at("Program.Values")
        session.debuggee.set_read_plan(bound, ReadPlan(1, (Read(ReadKind.ARGUMENT, 1),), LIMIT))
        session.debuggee.resume(held)
        hit = session.wait(BreakpointHit)
        (text,) = hit.values
        assert text is not None
        assert text.handle is not None
        assert text.type is not None
        later = session.run_to("Program.Mark", hit)
        with pytest.raises(StaleHandleError):
            session.debuggee.string(text.handle, 0, 1)
        with pytest.raises(StaleHandleError):
            session.debuggee.fields(text.handle, [FieldRef(TypeId(1), session.tokens["Dog"])])  # type: ignore[arg-type]
        assert later.values == ()


def equal_to(number: int) -> HitTest:
    """Whether the first read, an int, is a number."""
    value, other = (
        HitTestNode(HitTestKind.READ, detail=ElementType.I4),
        HitTestNode(HitTestKind.INTEGER, integer=number),
    )
    return HitTest((value, other, HitTestNode(HitTestKind.COMPARE, 0, 1, Relation.EQUAL)))


def test_hits_are_passed_for_which_their_test_is_false(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Deep")
        (first,) = session.debuggee.arguments(held.thread, 0)
        depth = int.from_bytes(first.raw, "little")
        assert depth > 20
        session.debuggee.set_read_plan(held.bound, ReadPlan(1, (Read(ReadKind.ARGUMENT, 0),), LIMIT))
        session.debuggee.set_hit_test(held.bound, 1, equal_to(depth - 20))
        session.debuggee.resume(held)
        held = session.wait(BreakpointHit)
        assert [int.from_bytes(value.raw, "little") for value in held.values if value is not None] == [depth - 20]
        assert session.debuggee.passed_hits(held.bound) == 19
        # Another plan has no test.
        held = hit_with(session, held.bound, held, Read(ReadKind.ARGUMENT, 0), number=2)
        assert session.debuggee.passed_hits(held.bound) == 19
        session.debuggee.set_hit_test(held.bound, 1, equal_to(-1))
        session.debuggee.resume(held)
        held = session.wait(BreakpointHit)
        session.debuggee.set_hit_test(held.bound, 2, equal_to(-1))
        session.debuggee.remove_breakpoints([held.bound])
        assert session.debuggee.passed_hits(held.bound) == 0
        assert session.run_to_end(held) == 7


def test_hit_test_that_does_not_fit_its_plan_is_refused(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Deep")
        with pytest.raises(InternalError, match="test"):
            session.debuggee.set_hit_test(held.bound, 0, equal_to(1))
