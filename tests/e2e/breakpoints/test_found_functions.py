"""Which methods of a compiled program and of the framework a name means; no process runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.breakpoints.functions import resolver as function_resolver
from dap_dotnet.breakpoints.model import FunctionPlace
from dap_dotnet.breakpoints.resolution import Resolution
from tests.support.programs import Program

pytestmark = pytest.mark.e2e


class Finder:
    """Asks for functions."""

    def __init__(self, modules) -> None:
        self.modules = modules

    def resolve(self, name: str) -> Resolution:
        return self.modules.resolver.resolve(FunctionPlace(name), None)

    def names(self, name: str) -> list[str]:
        found = []
        for site in self.resolve(name).sites:
            metadata = self.modules.get(site.location.module).metadata
            found.append(metadata.display_method(site.location.method).replace("Places.", ""))
        return sorted(found)


@pytest.fixture
def finder(modules, places: Program, framework) -> Finder:
    modules.load(framework("System.Private.CoreLib.dll"))
    modules.load(framework("System.Console.dll"))
    modules.load(places.dll)
    return Finder(modules)


TAKES = [
    "Overloads.Take(System.Collections.Generic.List<int> list)",
    "Overloads.Take(int number)",
    "Overloads.Take(string text)",
    "Overloads.Take<T>(T value, int? second, out string result)",
]
SHAPES = ["Shapes.Shapes()", "Shapes.Shapes(int first)", "Shapes.Shapes(string text)"]
GRID = ["Grid.this[int x, int y].get", "Grid.this[int x, int y].set"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Places.Shapes.Lines", ["Shapes.Lines()"]),
        ("Shapes.Lines", ["Shapes.Lines()"]),
        ("Lines", ["Shapes.Lines()"]),
        ("Places!Lines", ["Shapes.Lines()"]),
        ("places.dll!Places.Shapes.Lines()", ["Shapes.Lines()"]),
        ("System.Console!Lines", []),
        ("lines", []),
        ("Shape.Lines", []),
        ("hapes.Lines", []),
        ("Overloads.Take", TAKES),
        ("Take(int)", TAKES[1:2]),
        ("Take(System.Int32)", TAKES[1:2]),
        ("Take(string)", TAKES[2:3]),
        ("Take(List<int>)", TAKES[:1]),
        ("Take(List<string>)", []),
        ("Take<T>", TAKES[3:]),
        ("Take(T, int?, out string)", TAKES[3:]),
        ("Take<long>(long, int?, out string)", TAKES[3:]),
        ("Take()", []),
        ("Outer<T>.Inner<U>.Name", ["Outer<T>.Inner<U>.Name(T value)"]),
        ("Outer`1+Inner`1.Name", ["Outer<T>.Inner<U>.Name(T value)"]),
        ("Outer.Inner.Name", ["Outer<T>.Inner<U>.Name(T value)"]),
        ("Outer<int>.Inner<string>.Name(int)", ["Outer<T>.Inner<U>.Name(T value)"]),
        ("Outer<A, B>.Inner<U>.Name", []),
        ("Money.operator +", ["Money.operator +(Money left, Money right)"]),
        ("Money.op_Addition", ["Money.operator +(Money left, Money right)"]),
        ("operator *(Money, int)", ["Money.operator *(Money left, int factor)"]),
        ("Money.explicit operator int", ["Money.explicit operator int(Money money)"]),
        ("Money.explicit operator long", []),
        ("Shapes..ctor", SHAPES),
        ("Shapes.Shapes", SHAPES),
        ("Shapes.Shapes(string)", SHAPES[2:]),
        ("Shapes..cctor", ["static Shapes.Shapes()"]),
        ("Shapes.Sum", ["Shapes.Sum.get", "Shapes.Sum.set"]),
        ("Shapes.get_Sum", ["Shapes.Sum.get"]),
        ("Shapes.Sum.set", ["Shapes.Sum.set"]),
        ("Grid.this[int, int]", GRID),
        ("Grid.Item", GRID),
        ("this[int, int].set", GRID[1:]),
        ("Grid.get_Item", GRID[:1]),
        ("Button.Pressed", ["Button.Pressed.add", "Button.Pressed.remove"]),
        ("Pressed.add", ["Button.Pressed.add"]),
        ("Doubled", ["Program.Main.Doubled(int x)"]),
        ("Main.Doubled", ["Program.Main.Doubled(int x)"]),
        ("Program.Main", ["Program.Main(string[] args)"]),
        ("Local", ["Sequences.Later.Local(int x)"]),
        ("Sequences.Later.Local(int)", ["Sequences.Later.Local(int x)"]),
        ("Sequences.Later", ["Sequences.Later(int value)"]),
        ("Numbers", ["Sequences.Numbers(int count)"]),
        ("Press.lambda", ["Button.Press.lambda(object sender, System.EventArgs arguments)"]),
        ("IShape.Area", ["Circle.IShape.Area()"]),
        ("Circle.Area", ["Circle.IShape.Area()"]),
        ("Overloads.Ta*", TAKES),
        ("Overloads.T?ke", TAKES),
        ("Overloads.*x*", []),
        (
            "Console.WriteLine(string)",
            ["Internal.Console.WriteLine(string s)", "System.Console.WriteLine(string value)"],
        ),
        ("System.Console.WriteLine(string)", ["System.Console.WriteLine(string value)"]),
        ("string.Concat(string, string)", ["System.String.Concat(string str0, string str1)"]),
        ("List<T>.Add(T)", ["System.Collections.Generic.List<T>.Add(T item)"]),
        ("List`1.Add(T)", ["System.Collections.Generic.List<T>.Add(T item)"]),
        ("String.this[int]", ["System.String.this[int index].get"]),
        ("WriteLine", []),
        ("MoveNext", []),
    ],
)
def test_name_means_these_methods(finder: Finder, name: str, expected: list[str]) -> None:
    assert finder.names(name) == expected


@pytest.mark.parametrize(
    ("name", "line"),
    [("Sequences.Later", "await"), ("Numbers", "yield"), ("Shapes.Lines", "statement-begin"), ("Arm", "switch")],
)
def test_breakpoint_goes_to_the_first_visible_statement(finder: Finder, places: Program, name: str, line: str) -> None:
    (site,) = finder.resolve(name).sites
    assert site.path is not None
    assert Path(site.path) == places.source_dir / "Program.cs"
    assert 0 <= places.line(line, "Program.cs") - site.span.line <= 3


def test_framework_method_has_no_source(finder: Finder) -> None:
    (site,) = finder.resolve("System.Console.WriteLine(int)").sites
    assert (site.span, site.path, site.location.il_offset) == (None, None, 0)


def test_method_without_code_is_reported(finder: Finder) -> None:
    resolution = finder.resolve("Abstract.Nothing")
    assert (resolution.sites, resolution.failed) == ((), True)
    assert "Places.Abstract.Nothing() has no IL code" in resolution.reason


def test_other_overloads_are_named(finder: Finder) -> None:
    assert "There is Places.Shapes.Loop(int count)." in finder.resolve("Shapes.Loop(string)").reason


def test_bare_name_says_where_it_is_looked_up(finder: Finder) -> None:
    assert "looked up only in modules with symbols" in finder.resolve("WriteLine").reason


def test_name_that_means_too_many_methods_is_limited_and_says_so(
    finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(function_resolver, "MOST_METHODS", 10)
    resolution = finder.resolve("Places!*")
    assert len(resolution.sites) == 10
    assert "is set in the first 10 of them" in resolution.note


def test_every_method_of_the_framework_can_be_meant(finder: Finder) -> None:
    resolution = finder.resolve("System.Private.CoreLib!*")
    assert len(resolution.sites) == function_resolver.MOST_METHODS
    assert "is set in the first 1,000 of them" in resolution.note


def test_module_that_is_loaded_later_is_searched_alone(modules, places: Program, framework) -> None:
    finder = Finder(modules)
    assert "binds when a module with it is loaded" in finder.resolve("Places.Shapes.Lines").reason
    console = modules.load(framework("System.Console.dll"))
    assert modules.resolver.resolve(FunctionPlace("Places.Shapes.Lines"), console.id) == Resolution()
    module = modules.load(places.dll)
    assert len(modules.resolver.resolve(FunctionPlace("Places.Shapes.Lines"), module.id).sites) == 1
