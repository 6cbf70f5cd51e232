"""Assignments through what properties and indexers return by reference, and to the references that spans hold."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

EXPRESSIONS = [
    ("cells.First = 7", "7"),
    ("cells.First += 10", "17"),
    ("cells.First++", "17"),
    ("cells.Numbers[0]", "18"),
    ('cells.Name = "named"', '"named"'),
    ('cells.Name += "!"', '"named!"'),
    ("cells.Names[1]", '"named!"'),
    ("cells[1] = cells[1] + 40", "42"),
    ("cells.Numbers[1]", "42"),
    ('cells["x"] = "by name"', '"by name"'),
    ("cells.Names[1]", '"by name"'),
    ("cells.Whole.X = 4", "4"),
    ('cells.Whole.Name = "whole"', '"whole"'),
    ("cells.Points[1].Name + cells.Points[1].X", '"whole4"'),
    ('cells.Whole = new RefReturns.Point { X = 9, Name = "new" }', "{Point}"),
    ("cells.Points[1].Name + cells.Points[1].X", '"new9"'),
    ("RefReturns.Cells.Shared = 8", "8"),
    ("RefReturns.Cells.Shared", "8"),
    ("cells.Reads", "0"),
    ("cells.Counted = 5", "5"),
    ("cells.Counted += 5", "10"),
    ("cells.Numbers[2] * 10 + cells.Reads", "102"),
    ('cells.CountedName = "c" + 1', '"c1"'),
    ("cells.Names[0] + cells.Reads", '"c13"'),
    ('cells.CountedName += "d"', "!The program has run since"),
    ("cells.Names[0] + cells.Reads", '"c14"'),
    ("more.Counted = 60", "60"),
    ("((RefReturns.More)more).Other + more.Reads", "70"),
    ("cells.Fixed = 4", "!CS8331"),
    ('names[0] = "first"', '"first"'),
    ("names[^1] += names[0]", '"qfirst"'),
    ("names[0] + names[1]", '"firstqfirst"'),
    ("names[2] = null", "!IndexOutOfRange"),
    ("objects[1] = 5", "5"),
    ('objects[2] = "o"', '"o"'),
    ('"" + objects[0] + objects[1] + objects[2]', '"5o"'),
    ('points[1] = new RefReturns.Point { X = 3, Name = "n" }', "{Point}"),
    ("points[1].X += 1", "4"),
    ("points[1].Name + points[1].X", '"n4"'),
    ('only[0] = "no"', "!CS8331"),
    ("cells.At(1) = 70", "70"),
    ("cells.At(1) += 2", "72"),
    ("cells.At(index: 1)++", "72"),
    ("cells.Numbers[1]", "73"),
    ('cells.Pick(cells.Names, 1) = "picked"', '"picked"'),
    ("cells.Names[1]", '"picked"'),
    ("RefReturns.Cells.Common() = 12", "12"),
    ("RefReturns.Cells.Shared", "12"),
    ("cells.Only(0) = 1", "!CS8331"),
    ("cells.Plain(cells.Numbers[0] = 90) = 1", "!CS0131"),
    ("cells.Numbers[0] == 90", "false"),
    ("pointed.First", "9"),
    ("pointed.Fixed == 9", "true"),
    ("pointed.Whole.X", "5"),
    ("pointed.Whole.Sum()", "82"),
    ("pointed.Part", "77"),
    ("pointed.OfAny", "9"),
    ("pointed.OfAddress", "9"),
    ("pointed.OfTwice", "9"),
    ("*pointed.Pointer", "9"),
    ("pointed.Size", "Large"),
    ("pointed.Local", "9"),
    ("pointed.OfCall", "9"),
    ("pointed.Value", "18"),
    ("pointed.IsSmall", "false"),
    ("pointed.AsRef", "9"),
    ("pointed.OfSpan", "10"),
    ("pointed.At(1).Y", "78"),
    ("RefReturns.Pointed.Through(numbers)", "9"),
    ("RefReturns.Pointed.Any1(pairs).X", "5"),
    ("pointed.First = 12", "12"),
    ("pointed.Whole.X += 2", "7"),
    ("pointed.At(1).X = 60", "60"),
    ("*numbers + pairs->X + pointed.At(1).X", "79"),
    ("nowhere.First", "!NullReferenceException"),
    ("nowhere.AsRef", "!NullReferenceException"),
    ("nowhere.Whole.X", "!NullReferenceException"),
    ("((int*)any)[0]", "12"),
    ("((int*)any)[1]", "10"),
    ("((RefReturns.Pair*)pairs)->Y", "77"),
    ("pairs[1].Y", "78"),
    ("pairs[1].Sum()", "138"),
    ("pairs[1].X = 61", "61"),
    ("((int*)any)[0] = 13", "13"),
    ("*numbers + pairs[1].X", "74"),
    ("2 * *(int*)any + **(int**)pointed.Twice", "39"),
    ("*(int*)any = 20", "20"),
    ("(*(RefReturns.Pair*)pairs).X += 1", "8"),
    ("*numbers * pairs->X", "160"),
    ("*(int*)8", "!0x0000000000000008 cannot be read"),
]
"""What is evaluated in turn, and what it gives; `!` before the words of a refusal."""


def test_assignments_go_through_references(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("RefReturns", runtime), "here")
    wrong = []
    for expression, wanted in EXPRESSIONS:
        try:
            found = session.evaluate(expression).result
        except DapRequestError as error:
            found = f"!{error.text}"
        if found != wanted and not (wanted.startswith("!") and wanted[1:] in found and found.startswith("!")):
            wrong.append(f"{expression}: {wanted}, evaluated {found}")
    assert not wrong, "\n".join(wrong)


POINTER_CALLS = {
    "larger(1, 2)": "2",
    "larger((byte)1, 'a') + 1": "98",
    'told("a", new RefReturns.Point { X = 5, Name = "n" }, 7)': '"an57"',
    "told(null, default, null)": '"0"',
    "point().Name + point().X": '"made6"',
    "RefReturns.Pointers.Counted": "1",
    "counts(4)": "{void}",
    "RefReturns.Pointers.Counted ": "5",
    'throws("12")': "12",
}
REFUSED_CALLS = {
    "larger(1)": "CS1593",
    'larger(1, "x")': "CS0029",
    "refers(ref i)": "are not called",
    "nowhere2(1)": "NullReferenceException",
    'throws("x")': "FormatException",
}


def test_function_pointers_are_called(runtime: Runtime, session: Session) -> None:
    if runtime.major == "3.1":
        pytest.skip("its compiler does not know function pointers")
    session.stop_in(programs.build("RefReturns", runtime), "here")
    assert {expression: session.evaluate(expression).result for expression in POINTER_CALLS} == POINTER_CALLS
    for expression, said in REFUSED_CALLS.items():
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(expression)
