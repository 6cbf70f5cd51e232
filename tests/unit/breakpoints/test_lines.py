"""What a line and a column mean, on points written down by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.breakpoints.lines.declarations import Declaration
from dap_dotnet.breakpoints.lines.document_lines import DocumentLines, Fit, Point
from dap_dotnet.breakpoints.lines.messages import columns_text, moved_note, outside_text
from dap_dotnet.breakpoints.lines.origins import Origin, origin_of
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.spans import Span


def point(method: int, line: int, column: int, end_column: int, *, end_line: int = 0, il: int = 0) -> Point:
    return Point(line, column, end_line or line, end_column, MethodToken(method), il)


def document(*points: Point, names: dict[int, Origin] | None = None) -> DocumentLines:
    origins = names or {}
    return DocumentLines(points, lambda method: origins.get(method, Origin(f"M{method}", False)))


def where(lines: DocumentLines, line: int, column: int | None = None) -> list[tuple[int, int, int]]:
    """(method, line, column) of what a place means."""
    return [(found.method, found.line, found.column) for found in lines.find(line, column).points]


FOR = document(
    point(1, 5, 9, 10, il=0), point(1, 6, 14, 23, il=1), point(1, 6, 32, 35, il=9), point(1, 6, 25, 30, il=5)
)
# 10: f = n => n * n; g = m => m;
LAMBDAS = document(point(1, 10, 9, 24), point(1, 10, 25, 36, il=7), point(2, 10, 18, 23), point(3, 10, 34, 35))


def test_line_means_its_first_statement_in_the_source():
    assert where(FOR, 6) == [(1, 6, 14)]
    assert where(LAMBDAS, 10) == [(1, 10, 9)]
    assert FOR.find(6).fit is Fit.EXACT


@pytest.mark.parametrize(
    ("column", "expected"),
    [(14, (1, 6, 14)), (22, (1, 6, 14)), (25, (1, 6, 25)), (29, (1, 6, 25)), (32, (1, 6, 32)), (34, (1, 6, 32))],
)
def test_column_means_the_statement_that_contains_it(column, expected):
    assert where(FOR, 6, column) == [expected]
    assert FOR.find(6, column).fit is Fit.EXACT


def test_column_in_a_lambda_means_the_lambda():
    assert where(LAMBDAS, 10, 19) == [(2, 10, 18)]
    assert where(LAMBDAS, 10, 34) == [(3, 10, 34)]
    assert where(LAMBDAS, 10, 16) == [(1, 10, 9)]


@pytest.mark.parametrize(
    ("column", "expected"), [(1, 14), (13, 14), (23, 14), (24, 25), (31, 32), (35, 32), (10_000, 32), (0, 14), (-5, 14)]
)
def test_column_in_no_statement_means_the_nearest(column, expected):
    found = FOR.find(6, column)
    assert (found.points[0].column, found.fit) == (expected, Fit.NEAREST_COLUMN)


def test_column_of_a_line_without_code_is_as_without_column():
    lines = document(point(1, 3, 5, 6), point(1, 5, 5, 6))
    assert where(lines, 4, 7) == [(1, 5, 5)]
    assert lines.find(4, 7).fit is Fit.NEXT_STATEMENT


def test_line_without_code_moves_to_the_next_statement_of_the_same_method():
    outer_and_lambda = document(
        point(1, 1, 5, 6),
        point(1, 2, 9, 11, end_line=6),
        point(2, 3, 9, 10),
        point(2, 5, 13, 20),
        point(2, 6, 9, 10),
        point(1, 9, 9, 20),
        names={2: Origin("M1", True)},
    )
    assert where(outer_and_lambda, 4) == [(2, 5, 13)]
    assert where(outer_and_lambda, 8) == [(1, 9, 9)]
    assert outer_and_lambda.find(8).fit is Fit.NEXT_STATEMENT


def test_line_within_a_statement_of_several_lines_means_that_statement():
    lines = document(point(1, 1, 5, 6), point(1, 2, 9, 11, end_line=5), point(1, 7, 9, 20))
    assert where(lines, 4) == [(1, 2, 9)]
    assert lines.find(4).fit is Fit.CONTAINING


def test_statement_after_a_lambda_of_several_lines_stays_in_reach():
    # A local function between the statements does not end the method.
    lines = document(point(1, 1, 5, 6), point(2, 4, 9, 10), point(2, 5, 9, 10), point(1, 8, 5, 6))
    local = document(*lines.points, names={2: Origin("M1", True)})
    assert where(local, 7) == [(1, 8, 5)]
    assert where(lines, 7) == []


def test_line_between_the_members_around_a_constructor_is_outside():
    # A field initialiser (line 2), a method (4 to 6), the constructor (9 to 11).
    initialiser, body = point(1, 2, 5, 20), (point(1, 9, 9, 10), point(1, 10, 9, 20), point(1, 11, 9, 10))
    lines = document(initialiser, *body, point(2, 4, 9, 10), point(2, 6, 9, 10))
    assert where(lines, 3) == []
    assert where(lines, 7) == []
    assert where(lines, 5) == [(2, 6, 9)]


def test_field_initialiser_is_bound_in_every_constructor():
    lines = document(point(1, 2, 5, 20), point(2, 2, 5, 20), point(1, 4, 9, 10), point(2, 8, 9, 10))
    assert where(lines, 2) == [(1, 2, 5), (2, 2, 5)]
    assert where(lines, 6) == []


def test_switch_expression_is_bound_once_in_its_method():
    # The arms lie between the point of the whole and its repetition.
    whole, arms = (9, 60), [(30, 35), (40, 45)]
    lines = document(
        point(1, 3, *whole, il=0),
        *(point(1, 3, *arm, il=10 + index) for index, arm in enumerate(arms)),
        point(1, 3, *whole, il=30),
    )
    assert [found.il_offset for found in lines.find(3).points] == [0]


def test_copies_of_a_statement_elsewhere_in_the_method_are_all_bound():
    lines = document(point(1, 3, 9, 20, il=0), point(1, 5, 9, 20, il=10), point(1, 3, 9, 20, il=30))
    assert [found.il_offset for found in lines.find(3).points] == [0, 30]


def test_statements_that_start_at_one_place_mean_the_longest():
    # A record: its primary constructor, and the one that copies it.
    lines = document(point(1, 3, 9, 14), point(2, 3, 9, 30))
    assert where(lines, 3) == [(2, 3, 9)]
    assert where(lines, 3, 9) == [(2, 3, 9)]
    assert lines.within((3, 0), (3, 99)) == [Span(3, 9, 3, 30)]


def test_locations_are_limited_by_lines_and_columns():
    assert FOR.within((6, 0), (6, 0xFFFF)) == [Span(6, 14, 6, 23), Span(6, 25, 6, 30), Span(6, 32, 6, 35)]
    assert FOR.within((6, 15), (6, 25)) == [Span(6, 25, 6, 30)]
    assert [span.line for span in FOR.within((1, 0), (100, 0))] == [5, 6, 6, 6]
    assert FOR.within((7, 0), (100, 0)) == []


@pytest.mark.parametrize("line", [-1, 0, 7, 10**9])
def test_line_outside_of_all_methods_means_nothing(line):
    found = FOR.find(line)
    assert (found.points, found.fit) == ((), Fit.NONE)
    assert FOR.nearest_lines(line) == [5, 6]


def test_nearest_lines_are_the_nearest():
    lines = document(*(point(1, line, 5, 6) for line in (1, 2, 10, 20, 21, 22, 30, 1000)))
    assert lines.nearest_lines(20) == [10, 20, 21, 22, 30]
    assert lines.nearest_lines(10**9) == [20, 21, 22, 30, 1000]


def nested_functions() -> DocumentLines:
    """A method (lines 1 to 20) with a local function (5 to 9), in that another (6 to 7), and a lambda (12 to 14)."""
    return document(
        *(point(1, line, 5, 6) for line in (1, 2, 11, 16, 20)),
        *(point(2, line, 9, 10) for line in (5, 8, 9)),
        *(point(3, line, 13, 14) for line in (6, 7)),
        *(point(4, line, 13, 14) for line in (12, 14)),
        names={number: Origin("M1", True) for number in (2, 3, 4)},
    )


@pytest.mark.parametrize(
    ("line", "method", "to", "fit"),
    [
        (3, 2, 5, Fit.BEGINNING),  # its header, or above it
        (10, 1, 11, Fit.NEXT_STATEMENT),
        (13, 4, 14, Fit.NEXT_STATEMENT),
        (15, 1, 16, Fit.NEXT_STATEMENT),
        (17, 1, 20, Fit.NEXT_STATEMENT),
    ],
)
def test_line_above_a_nested_function_means_that_when_it_comes_next(line: int, method: int, to: int, fit: Fit) -> None:
    found = nested_functions().find(line)
    assert (found.points[0].method, found.points[0].line, found.fit) == (method, to, fit)


def test_next_statement_is_that_of_the_method_around() -> None:
    lines = nested_functions()
    assert [found.line for found in lines.next_statement(3).points] == [11]
    assert lines.next_statement(21).points == ()


def test_first_place_of_a_declaration_leaves_out_what_stands_within_it() -> None:
    lines = nested_functions()
    local = ((5, 1), (9, 20))
    assert [found.line for found in lines.declared(2, Declaration((20, 6), (local,))).points] == [11]
    assert lines.declared(2, Declaration((20, 6), (local,))).fit is Fit.NEXT_STATEMENT
    assert [found.line for found in lines.declared(3, Declaration(local[1])).points] == [5]
    assert lines.declared(3, Declaration((5, 9))).points == ()  # ends are exclusive
    assert [found.line for found in lines.declared(0, Declaration((4, 1))).points] == [1]
    assert lines.declared(0, Declaration((4, 1))).fit is Fit.BEGINNING


def test_functions_that_are_written_before_a_methods_own_statement_are_not_its_beginning() -> None:
    # F#: a closure has all that the PDB knows of lines 2 to 4.
    lines = document(point(2, 3, 9, 10), point(1, 5, 5, 9), names={2: Origin(None, True)})
    assert [found.line for found in lines.declared(1, Declaration((6, 1))).points] == [5]
    assert [found.line for found in lines.declared(2, Declaration((4, 1))).points] == [3]


def test_header_of_a_type_means_its_constructor() -> None:
    names = {1: Origin("get_A", False), 2: Origin(".ctor", False)}
    lines = document(point(1, 2, 9, 14), point(2, 3, 11, 20), names=names)
    assert [found.method for found in lines.declared(1, Declaration((4, 1), is_type=True)).points] == [2]


def test_finally_of_an_iterator_is_part_of_it() -> None:
    machine = "<It>d__0"
    lines = document(
        *(point(1, line, 9, 10) for line in (1, 3, 9)),
        *(point(2, line, 9, 10) for line in (5, 6)),
        names={1: Origin("It", False, machine), 2: Origin("It", False, machine)},
    )
    assert (lines.find(4).points[0].line, lines.find(4).fit) == (5, Fit.NEXT_STATEMENT)
    assert (lines.find(7).points[0].line, lines.find(7).fit) == (9, Fit.NEXT_STATEMENT)


@pytest.mark.parametrize(
    ("method", "type_name", "expected"),
    [
        ("Run", "App", Origin("Run", False)),
        (".ctor", "App", Origin(".ctor", False)),
        ("<Run>b__0_1", "<>c", Origin("Run", True)),
        ("<Run>g__Local|0_0", "App", Origin("Run", True)),
        ("MoveNext", "<Run>d__3", Origin("Run", False, "<Run>d__3")),
        ("<>m__Finally1", "<Run>d__3", Origin("Run", False, "<Run>d__3")),
        ("MoveNext", "<<Run>g__Local|0_0>d", Origin("Run", True, "<<Run>g__Local|0_0>d")),
        ("MoveNext", "<<Run>b__0_0>d", Origin("Run", True, "<<Run>b__0_0>d")),
        ("<Main>$", "Program", Origin("<Main>$", False)),
        ("MoveNext", "<<Main>$>d__0", Origin("<Main>$", False, "<<Main>$>d__0")),
        ("<<Main>$>b__0_0", "<>c", Origin("<Main>$", True)),
        ("MoveNext", "VB$StateMachine_2_Run", Origin("Run", False, "VB$StateMachine_2_Run")),
        ("MoveNext", "VB$StateMachine___Lambda$__1-0", Origin(None, True, "VB$StateMachine___Lambda$__1-0")),
        ("_Lambda$__1-0", "_Closure$__", Origin(None, True)),
        ("Invoke", "clo@12-1", Origin(None, True)),
        ("inner@43", "Program", Origin(None, True)),
        ("MoveNext", "Enumerator", Origin("MoveNext", False)),
    ],
)
def test_origin_is_read_from_the_compilers_names(method, type_name, expected):
    assert origin_of(method, type_name) == expected


def test_messages_say_what_was_moved():
    assert moved_note(6, None, FOR.find(6), FOR.columns(6)) == ""
    note = moved_note(6, 24, FOR.find(6, 24), FOR.columns(6))
    assert note == (
        "Column 24 of line 6 is not within a statement; moved to column 25. "
        "Breakpoints on this line can be at columns 14-22, 25-29, 32-34."
    )
    lines = document(point(1, 2, 9, 11, end_line=5), point(1, 9, 9, 20))
    assert moved_note(4, None, lines.find(4), []) == "Line 4 is within the statement that begins on line 2."
    moved = "Line 7 has no code; moved to line 9, the next statement of the same method."
    assert moved_note(7, None, lines.find(7), []) == moved
    begun = "Line 3 has no code; moved to line 5, the beginning of a function."
    assert moved_note(3, None, nested_functions().find(3), []) == begun
    assert columns_text(4, lines.columns(4)) == "column line 2 column 9-line 5"


def test_message_names_the_nearest_lines():
    assert outside_text(3, "a.cs", [5, 9]) == (
        "No code at line 3 of a.cs: it is outside any method. The nearest lines that can have a breakpoint are 5 and 9."
    )
    assert outside_text(3, "a.cs", [5]).endswith("The nearest line that can have a breakpoint is 5.")
    assert outside_text(3, "a.cs", []).endswith("No line of the file has code.")


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 30), st.integers(1, 9), st.integers(0, 3)), max_size=25),
    st.integers(-2, 40),
    st.one_of(st.none(), st.integers(-2, 15)),
)
def test_any_place_in_any_document_means_one_statement_or_none(shapes, line, column):
    points = [
        point(method, start, col, col + 2, end_line=start + more, il=il)
        for il, (method, start, col, more) in enumerate(shapes)
    ]
    lines = document(*points)
    found = lines.find(line, column)
    assert set(found.points) <= set(points)
    assert len({one.span for one in found.points}) == (0 if found.fit is Fit.NONE else 1)
    if any(one.line == line for one in points):
        assert found.points
        if column is None:
            assert found.points[0][:2] == min(one[:2] for one in points if one.line == line)
    for one in points:  # a location that is offered is met
        assert lines.find(one.line, one.column).points[0][:2] == one[:2]
