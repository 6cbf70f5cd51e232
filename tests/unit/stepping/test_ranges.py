"""The IL range that a step has to leave."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, MethodToken, ModuleId
from dap_dotnet.stepping.ranges import (
    END_OF_METHOD,
    goes_on_elsewhere,
    is_end,
    line_ranges,
    statement_range,
    statement_ranges,
)

Point = namedtuple("Point", "il_offset is_hidden")


Placed = namedtuple("Placed", "il_offset start_line start_column is_hidden document end_line end_column")


def placed(*entries: tuple[int, int, int]) -> list[Placed]:
    """Points with their lines and columns; those of line 0 are hidden."""
    return [Placed(offset, line, column, line == 0, 1, line, column + 1) for offset, line, column in entries]


def points(*entries: tuple[int, bool]) -> list[Point]:
    return [Point(*entry) for entry in entries]


@pytest.mark.parametrize(
    ("il_offset", "expected"),
    [(0, (0, 4)), (3, (0, 4)), (4, (4, 9)), (8, (4, 9)), (9, (9, END_OF_METHOD)), (50, (9, END_OF_METHOD))],
)
def test_range_reaches_to_the_next_statement(il_offset: int, expected: tuple[int, int]) -> None:
    assert statement_range(points((0, False), (4, False), (9, False)), il_offset) == expected


def test_hidden_code_after_a_statement_belongs_to_it() -> None:
    method = points((0, False), (4, True), (9, False))
    assert statement_range(method, 1) == (0, 9)
    assert statement_range(method, 5) == (0, 9)


def test_hidden_code_at_the_start_reaches_to_the_first_statement() -> None:
    assert statement_range(points((0, True), (6, False)), 2) == (0, 6)


def test_order_of_points_does_not_matter() -> None:
    assert statement_range(points((9, False), (0, False), (4, False)), 5) == (4, 9)


def test_place_before_any_point_has_no_range() -> None:
    assert statement_range(points((5, False)), 2) is None
    assert statement_range([], 2) is None


USING = placed((0, 7, 1), (4, 9, 1), (6, 0, 0), (10, 9, 1))
LOOP = placed((0, 3, 1), (4, 0, 0), (6, 5, 1), (9, 3, 9), (12, 3, 5))


@pytest.mark.parametrize(
    ("method", "il_offset", "statement", "line"),
    [
        (USING, 0, [(0, 4)], [(0, 4)]),
        (USING, 7, [(4, END_OF_METHOD)], [(4, END_OF_METHOD)]),
        (USING, 11, [(4, END_OF_METHOD)], [(4, END_OF_METHOD)]),
        (LOOP, 0, [(0, 6)], [(0, 6), (9, END_OF_METHOD)]),
        (LOOP, 10, [(9, 12)], [(0, 6), (9, END_OF_METHOD)]),
        (LOOP, 7, [(6, 9)], [(6, 9)]),
        ([], 3, [], []),
        (placed((0, 0, 0), (6, 1, 1)), 2, [(0, 6)], [(0, 6)]),
    ],
)
def test_same_piece_of_source_is_left_as_one(method, il_offset, statement, line) -> None:
    assert statement_ranges(method, il_offset) == statement
    assert line_ranges(method, il_offset) == line


# ldarg.0; brfalse.s 7; ldc.i4.1; br.s 8 | ldc.i4.2 | stloc.0; nop | ret: `if x then 1 else 2`, as F# writes it
BRANCHES = bytes.fromhex("02 2c 03 17 2b 01 18 0a 00 2a")


def module_of(il: bytes, method: list[Placed], handlers: tuple[int, ...] = ()) -> Any:
    from portablepdb.instructions import decode_instructions

    kept: dict[Any, Any] = {}
    clauses = tuple(SimpleNamespace(handler_offset=offset) for offset in handlers)
    body = SimpleNamespace(instructions=lambda: decode_instructions(il), exception_clauses=clauses)
    return SimpleNamespace(
        pdb=SimpleNamespace(sequence_points=lambda _: method),
        metadata=SimpleNamespace(method_body=lambda _: body),
        cached=lambda slot: kept.setdefault(slot, {}),
    )


def frame_at(il_offset: int, stack: int = 0x100) -> Frame:
    return Frame(0, FrameKind.IL, ModuleId(2), MethodToken(0x06000001), il_offset, MAPPING_EXACT, 0, stack)


@pytest.mark.parametrize(
    ("begun_in", "arrived_at", "expected"),
    [(3, 7, True), (3, 6, True), (0, 6, False), (0, 3, False), (6, 8, False)],
    ids=["midst", "its-beginning-as-the-runtime-gives-it", "other-branch", "first-branch", "next"],
)
def test_statement_that_is_branched_into_has_not_begun(begun_in: int, arrived_at: int, expected: bool) -> None:
    method = placed((0, 1, 1), (3, 1, 10), (6, 1, 20), (8, 2, 1))
    ranges = statement_ranges(method, begun_in)
    found = goes_on_elsewhere(module_of(BRANCHES, method), frame_at(arrived_at), frame_at(begun_in), ranges)
    assert found is expected


@pytest.mark.parametrize(
    ("il_offset", "stack", "expected"),
    [(4, 0x80, True), (4, 0x180, True), (5, 0x180, False)],
    ids=["finally", "after-finally", "call-of-the-same-method"],
)
def test_finally_of_the_same_piece_of_source_is_the_same_statement(il_offset: int, stack: int, expected: bool) -> None:
    method = placed((0, 1, 1), (2, 5, 1), (4, 5, 1), (6, 6, 1))
    ranges = statement_ranges(method, 2)
    found = goes_on_elsewhere(module_of(bytes(8), method), frame_at(il_offset, stack), frame_at(2), ranges)
    assert found is expected


@pytest.mark.parametrize(("il_offset", "expected"), [(5, True), (6, False)], ids=["finally", "midst-of-a-statement"])
def test_finally_in_the_midst_of_the_statement_is_the_same_statement(il_offset: int, expected: bool) -> None:
    method = placed((0, 1, 1), (4, 2, 1), (8, 0, 0))
    ranges = statement_ranges(method, 4)
    module = module_of(bytes(10), method, handlers=(5,))
    assert goes_on_elsewhere(module, frame_at(il_offset, 0x80), frame_at(4), ranges) is expected


# ldarg.0; brfalse.s 8; br.s 6 | br.s 9 | nop; nop | ldc.i4.1; nop: a rule of a `match` is tested, begins, the other
RULES = bytes.fromhex("02 2c 05 2b 01 00 00 00 17 00")


@pytest.mark.parametrize(
    ("left", "expected"), [(None, True), ([(5, 7)], False)], ids=["jumped-into", "through-hidden-code"]
)
def test_statement_that_is_come_to_through_hidden_code_has_begun(left, expected: bool) -> None:
    method = placed((0, 1, 1), (5, 0, 0), (7, 3, 1))  # hidden code leads from the rule's test to what it gives
    module = module_of(RULES, method)
    assert goes_on_elsewhere(module, frame_at(7), frame_at(0), [(0, 5)], left) is expected


def test_method_that_calls_itself_is_entered() -> None:
    method = placed((0, 5, 1), (4, 6, 1))
    ranges = statement_ranges(method, 0)
    assert not goes_on_elsewhere(module_of(bytes(8), method), frame_at(0, 0x80), frame_at(0), ranges)


def test_finally_of_another_piece_of_source_is_the_next_statement() -> None:
    method = placed((0, 1, 1), (2, 5, 1), (4, 7, 1), (6, 8, 1))
    there = frame_at(4, 0x80)
    assert not goes_on_elsewhere(module_of(bytes(8), method), there, frame_at(2), statement_ranges(method, 2))


# nop; nop; leave.s 5 | pop (a handler) | nop; ret
MACHINE = bytes.fromhex("00 00 de 01 26 00 2a")


@pytest.mark.parametrize(
    ("begun_in", "try_length", "expected"),
    [(5, 4, True), (0, 4, False), (5, 7, False)],
    ids=["closing-brace", "statement-before", "in-a-try"],
)
def test_end_of_a_method_is_behind_all_its_code(begun_in: int, try_length: int, expected: bool) -> None:
    method = placed((0, 1, 1), (4, 0, 0), (5, 2, 1))
    module = module_of(MACHINE, method)
    clause = SimpleNamespace(try_offset=0, try_length=try_length, handler_offset=4)
    module.metadata.method_body(None).exception_clauses = (clause,)
    assert is_end(module, frame_at(begun_in), statement_ranges(method, begun_in)) is expected


def test_branch_back_is_not_the_end_of_a_method() -> None:
    method = placed((0, 1, 1), (1, 2, 1))  # nop | br.s 0
    assert not is_end(module_of(bytes.fromhex("00 2b fd"), method), frame_at(1), statement_ranges(method, 1))
