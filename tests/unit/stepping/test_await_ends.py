"""Where a method goes on behind an `await` that ends its statement."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.stepping.async_.await_ends import AwaitEnd, end_of_await
from portablepdb import Await, Token
from portablepdb.il import CATCH, FINALLY, ExceptionClause
from tests.unit.stepping.test_ranges import Placed, module_of, placed

METHOD = MethodToken(0x06000001)
# 0: ldc.i4.0; brtrue.s 9 | 3: ldc.i4.0; pop (yields); leave.s 15 | 7: nop; nop (resumes) | 9: nop; nop | 11: the next
# statement, nop; leave.s 15 | 14: pop (a handler) | 15: ret
IL = bytes.fromhex("16 2d 06 16 26 de 08 00 00 00 00 00 de 01 26 2a")
AWAIT = Await(5, 7, Token(METHOD))
POINTS = placed((0, 1, 1), (3, 0, 0), (11, 2, 1), (14, 0, 0), (15, 3, 1))
RANGES = [(0, 11)]


def found(il: bytes = IL, points: list[Placed] = POINTS, clauses: tuple[ExceptionClause, ...] = ()) -> AwaitEnd | None:
    module: Any = module_of(il, points)
    module.metadata.method_body(METHOD).exception_clauses = clauses
    return end_of_await(module, METHOD, RANGES, AWAIT)


def clause(kind: int, handler: int, begin: int = 0) -> ExceptionClause:
    return ExceptionClause(kind, begin, 13, handler, 1, None, None)


def test_await_ends_at_the_next_statement() -> None:
    assert found() == AwaitEnd(resume=7, next_statement=11, handlers=())


def test_await_that_throws_ends_at_one_of_the_catches_around_it() -> None:
    catches = (clause(CATCH, 14), clause(CATCH, 12), clause(CATCH, 13, begin=9))
    end = found(clauses=catches)
    assert end is not None
    assert end.handlers == (14, 12)


def replaced(at: int, *values: int) -> bytes:
    return IL[:at] + bytes(values) + IL[at + len(values) :]


@pytest.mark.parametrize(
    ("il", "points", "clauses"),
    [
        (replaced(9, 0x2B, 0x02), POINTS, ()),
        (IL, placed((0, 1, 1), (3, 0, 0), (14, 2, 1)), ()),
        (IL, placed((0, 1, 1)), ()),
        (IL, POINTS, (clause(FINALLY, 14),)),
        (replaced(12, 0x2B, 0xFD), POINTS, ()),
    ],
    ids=[
        "goes-on-elsewhere",
        "into-the-midst-of-a-statement",
        "last-statement",
        "finally",
        "reached-by-a-loop-too",
    ],
)
def test_await_has_no_single_end(il: bytes, points: list[Placed], clauses: tuple[ExceptionClause, ...]) -> None:
    assert found(il, points, clauses) is None
