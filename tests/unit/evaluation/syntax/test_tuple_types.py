"""Names of tuples' elements in types: kept by the tree, also where the grammar takes the types for something else."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.tree import TupleTypeSyntax, parts_of

NAMED = [
    ("default((int A, string B))", [("A", "B")]),
    ("default((int, string @in))", [(None, "in")]),
    ("default((int, string))", [()]),
    ("(((int A, (int X, int Y) In))t).A", [("A", "In"), ("X", "Y")]),
    ("new (int A, int B)[1]", [("A", "B")]),
    ("new List<(int A, int B)>()", [("A", "B")]),
    ("new List<(int A, int B)> { (1, 2) }", [("A", "B")]),
    ("new List<(Foo A, Bar B)> { (1, 2) }", [("A", "B")]),
    ("1 + new A.List<(Foo A, Bar B)> { (1, 2) }", [("A", "B")]),
    ("new Box<(int A,int B)>((1, 2)).V", [("A", "B")]),
    ("Id<(int A, int B)>(x).B", [("A", "B")]),
    ("1 + this.Id<(int A, int B)>(x).B", [("A", "B")]),
    ("new Dictionary<int, (List<(int X, int Y)> A, int[,] B)?[]> { }", [("A", "B"), ("X", "Y")]),
    ("new List<((int X, int Y), int)> { }", [("X", "Y"), ()]),
    ("x is List<(A.B P, global::C<int>.D Q)> y", [("P", "Q")]),
]


@pytest.mark.parametrize(("text", "names"), NAMED)
def test_names_of_elements_are_kept(text: str, names: list[tuple[str | None, ...]]) -> None:
    found = [part.names for part in parts_of(parse(text)) if isinstance(part, TupleTypeSyntax)]
    assert sorted(found, key=str) == sorted(names, key=str)


@pytest.mark.parametrize("text", ["a < (b, c)", "f(x, (int a, int b) => a < b, c > d)"])
def test_comparisons_stay_comparisons(text: str) -> None:
    assert any(isinstance(part, syntax.Binary) for part in parts_of(parse(text)))
    assert not any(isinstance(part, TupleTypeSyntax) for part in parts_of(parse(text)))


@pytest.mark.parametrize(
    "text", ["1 + new List<Foo> { 2 }", '"a" + new A.List <Foo[]> { }', "a < new T<B, C<D>> { X = 1 }.X"]
)
def test_types_of_new_objects_are_types_behind_operators(text: str) -> None:
    tree = parse(text)
    assert isinstance(tree, syntax.Binary)
    made = next(part for part in parts_of(tree) if isinstance(part, syntax.New))
    assert isinstance(made.type, syntax.NamedTypeSyntax)
    assert made.type.parts[-1].arguments
    assert made.initializer is not None


def test_places_in_hidden_types_are_those_of_the_text() -> None:
    tree = parse('"ä" + new List<(int A, Nope B)> { }')
    named = [part for part in parts_of(tree) if isinstance(part, syntax.NamedTypeSyntax)]
    assert {part.parts[0].name: part.at.start for part in named} == {"List": 10, "Nope": 23}


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("default((int A, int A))", "CS8127: Tuple element names must be unique.", 21),
        ("default((int Item2, int B))", "CS8125: .*'Item2' is only allowed at position 2.", 14),
        ("new List<(int A, int ToString)> { }", "CS8126: .*'ToString' is disallowed at any position.", 22),
    ],
)
def test_names_that_elements_cannot_have_are_refused(text: str, said: str, column: int) -> None:
    with pytest.raises(EvaluationError, match=said) as caught:
        parse(text)
    assert caught.value.column == column
