"""The IL range that a step has to leave."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, MethodToken, ModuleId
from dap_dotnet.stepping.ranges import goes_on_elsewhere, is_end
from dap_dotnet.symbols.statements import Statements

Placed = namedtuple("Placed", "il_offset start_line start_column is_hidden document end_line end_column")


def placed(*entries: tuple[int, int, int]) -> list[Placed]:
    """Points with their lines and columns; those of line 0 are hidden."""
    return [Placed(offset, line, column, line == 0, 1, line, column + 1) for offset, line, column in entries]


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
    ranges = Statements(method).ranges_at(begun_in)
    found = goes_on_elsewhere(module_of(BRANCHES, method), frame_at(arrived_at), frame_at(begun_in), ranges)
    assert found is expected


@pytest.mark.parametrize(
    ("il_offset", "stack", "expected"),
    [(4, 0x80, True), (4, 0x180, True), (5, 0x180, False)],
    ids=["finally", "after-finally", "call-of-the-same-method"],
)
def test_finally_of_the_same_piece_of_source_is_the_same_statement(il_offset: int, stack: int, expected: bool) -> None:
    method = placed((0, 1, 1), (2, 5, 1), (4, 5, 1), (6, 6, 1))
    ranges = Statements(method).ranges_at(2)
    found = goes_on_elsewhere(module_of(bytes(8), method), frame_at(il_offset, stack), frame_at(2), ranges)
    assert found is expected


@pytest.mark.parametrize(("il_offset", "expected"), [(5, True), (6, False)], ids=["finally", "midst-of-a-statement"])
def test_finally_in_the_midst_of_the_statement_is_the_same_statement(il_offset: int, expected: bool) -> None:
    method = placed((0, 1, 1), (4, 2, 1), (8, 0, 0))
    ranges = Statements(method).ranges_at(4)
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
    ranges = Statements(method).ranges_at(0)
    assert not goes_on_elsewhere(module_of(bytes(8), method), frame_at(0, 0x80), frame_at(0), ranges)


def test_finally_of_another_piece_of_source_is_the_next_statement() -> None:
    method = placed((0, 1, 1), (2, 5, 1), (4, 7, 1), (6, 8, 1))
    there = frame_at(4, 0x80)
    assert not goes_on_elsewhere(module_of(bytes(8), method), there, frame_at(2), Statements(method).ranges_at(2))


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
    assert is_end(module, frame_at(begun_in), Statements(method).ranges_at(begun_in)) is expected


def test_branch_back_is_not_the_end_of_a_method() -> None:
    method = placed((0, 1, 1), (1, 2, 1))  # nop | br.s 0
    assert not is_end(module_of(bytes.fromhex("00 2b fd"), method), frame_at(1), Statements(method).ranges_at(1))
