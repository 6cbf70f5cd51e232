"""Where breakpoints bind in a compiled program, construct by construct; no process runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dap_dotnet.breakpoints.model import LinePlace
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.source_lines import read_source_lines
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program

pytestmark = pytest.mark.e2e


class Binder:
    """Asks for places in the program by the markers of its source."""

    def __init__(self, modules, program: Program) -> None:
        self.modules = modules
        self.program = program
        self.source = program.source_dir / "Program.cs"
        self.module = modules.load(program.dll)

    def line(self, marker: str) -> int:
        return self.program.line(marker, "Program.cs")

    def column(self, marker: str, text: str) -> int:
        return self.source.read_text().splitlines()[self.line(marker) - 1].index(text) + 1

    def at(self, marker: str, text: str | None = None, *, offset: int = 0) -> Resolution:
        column = None if text is None else self.column(marker, text)
        return self.modules.resolver.resolve(LinePlace(str(self.source), self.line(marker) + offset, column), None)

    def shown(self, resolution: Resolution) -> list[str]:
        """``method: source text`` of each site."""
        lines = self.source.read_text().splitlines()
        texts = []
        for site in resolution.sites:
            name = self.module.metadata.display_method(site.location.method).partition("(")[0]
            span = site.span
            last = span.end_column - 1 if span.line == span.end_line else None
            texts.append(f"{name.replace('Places.', '')}: {lines[span.line - 1][span.column - 1 : last]}")
        return texts


@pytest.fixture
def binder(modules, places: Program) -> Binder:
    return Binder(modules, places)


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("top-level", ['Program.Main: Console.WriteLine("top level");']),
        ("top-local", ["Program.Main.Doubled: x * 2"]),
        ("top-await", ["Program.Main: await Places.Calls.All();"]),
        (
            "static-field",
            ["static Shapes.Shapes: private static readonly int Started = Environment.TickCount != 0 ? 1 : 1;"],
        ),
        ("static-constructor", ["static Shapes.Shapes: Count = Started;"]),
        (
            "fields",
            ["Shapes.Shapes: private readonly List<int> _numbers = new List<int> { 1, 2 };"] * 2,
        ),
        ("constructor-one", ["Shapes.Shapes: Sum = _one;"]),
        ("constructor-chained", ["Shapes.Shapes: this(text.Length)"]),
        ("static-property", ["Shapes.Count.get: get;"]),
        ("property", ["Shapes.Sum.get: get;"]),
        ("statement-lambda", ["Shapes.Lines.lambda: n + 1"]),
        ("lambdas", ["Shapes.Lines: Func<int, int> square = n => n * n;"]),
        ("for", ["Shapes.Loop: var i = 0"]),
        ("foreach", ["Shapes.Loop: foreach"]),
        (
            "switch",
            ["Shapes.Arm: kind switch { 1 => One(), 2 => Two(), _ => 0 }"],
        ),
        ("two-methods", ["Shapes.One: 1"]),
        ("yield", ["Sequences.Numbers: yield return i;"]),
        ("await", ["Sequences.Later: await Task.Yield();"]),
        ("after-await", ["Sequences.Later: return value + Local(1);"]),
        ("local-function", ["Sequences.Later.Local: return x + 1;"]),
        ("record", ["Point.Point: Point(int X, int Y)"]),
        ("record-member", ["Point.Length.get: Math.Sqrt(X * X + Y * Y)"]),
        ("primary-constructor", ["Person.Person: Person(string name, int age)"]),
        ("primary-field", ["Person.Person: private readonly string _name = name.ToUpperInvariant();"]),
        ("generic", ["Outer<T>.Inner<U>.Name: typeof(U).Name + value"]),
        ("plus", ["Money.operator +: new Money(left._amount + right._amount)"]),
        ("conversion", ["Money.explicit operator int: money._amount"]),
        ("get", ["Grid.this[int x, int y].get: x * y"]),
        ("set", ["Grid.this[int x, int y].set: {"]),
        ("explicit", ["Circle.IShape.Area: 3"]),
        ("add", ["Button.Pressed.add: {"]),
    ],
)
def test_line_binds_its_first_statement(binder: Binder, marker: str, expected: list[str]) -> None:
    resolution = binder.at(marker)
    assert (binder.shown(resolution), resolution.note, resolution.code) == (expected, "", "")


@pytest.mark.parametrize(
    ("marker", "text", "expected"),
    [
        ("for", "i < count", "Shapes.Loop: i < count"),
        ("for", "i++", "Shapes.Loop: i++"),
        ("for", "total += i", "Shapes.Loop: total += i;"),
        ("foreach", "_numbers", "Shapes.Loop: _numbers"),
        ("foreach", "in _", "Shapes.Loop: in"),
        ("foreach", "var n", "Shapes.Loop: var n"),
        ("foreach", "total +=", "Shapes.Loop: total += n;"),
        ("lambdas", "n * n; Func", "Shapes.Lines.lambda: n * n"),
        ("lambdas", "var s", "Shapes.Lines.lambda: var s = n * n;"),
        ("lambdas", "return s", "Shapes.Lines.lambda: return s * n;"),
        (
            "lambdas",
            "Func<int, int> cube",
            "Shapes.Lines: Func<int, int> cube = n => { var s = n * n; return s * n; };",
        ),
        ("lambdas", "cube =", "Shapes.Lines: Func<int, int> cube = n => { var s = n * n; return s * n; };"),
        ("fields", "private readonly int", "Shapes.Shapes: private readonly int _one = 1;"),
        ("two-methods", "2;", "Shapes.Two: 2"),
        ("switch", "One()", "Shapes.Arm: One()"),
        ("switch", "Two()", "Shapes.Arm: Two()"),
        ("property", "private set", "Shapes.Sum.set: private set;"),
        ("static-property", "4;", "static Shapes.Shapes: 4"),
        ("statement-begin", "string.Join", "Shapes.Lines: var text = string.Join( // @statement-begin"),
    ],
)
def test_column_binds_the_statement_that_contains_it(binder: Binder, marker: str, text: str, expected: str) -> None:
    resolution = binder.at(marker, text)
    assert (set(binder.shown(resolution)), resolution.note, resolution.code) == ({expected}, "", "")


def test_property_of_a_record_is_bound_in_its_accessors(binder: Binder) -> None:
    assert binder.shown(binder.at("record", "Y)")) == ["Point.Y.get: int Y", "Point.Y.set: int Y"]


def test_column_in_no_statement_takes_the_nearest_and_lists_all(binder: Binder) -> None:
    resolution = binder.at("for", "// @for")
    assert binder.shown(resolution) == ["Shapes.Loop: total += i;"]
    assert resolution.code == "INVALID_COLUMN"
    columns = [binder.column("for", text) for text in ("var i", "i < count", "i++", "total +=")]
    for column in columns:
        assert f" {column}-" in resolution.note
    assert f"moved to column {columns[-1]}." in resolution.note


@pytest.mark.parametrize(
    ("marker", "offset", "to"),
    [
        ("comment", 0, "after-comment"),
        ("statement-begin", 1, "statement-begin"),
        ("two-methods", 0, "two-methods"),
        ("lines-return", 1, None),
    ],
)
def test_line_without_code_moves_within_its_method(binder: Binder, marker: str, offset: int, to: str | None) -> None:
    resolution = binder.at(marker, offset=offset)
    expected = binder.line(marker) + offset if to is None else binder.line(to)
    assert [site.span.line for site in resolution.sites] == [expected]
    assert bool(resolution.note) == (expected != binder.line(marker) + offset)


def test_blank_line_before_the_closing_brace_moves_to_it(binder: Binder) -> None:
    resolution = binder.at("loop-return", offset=1)
    assert binder.shown(resolution) == ["Shapes.Loop: }"]


@pytest.mark.parametrize(
    ("marker", "offset", "to"),
    [("constructor-one", -2, -2), ("after-comment", -6, -5), ("loop-return", -5, -4), ("static-constructor", -2, -1)],
)
def test_header_of_a_method_is_its_beginning(binder: Binder, marker: str, offset: int, to: int) -> None:
    resolution = binder.at(marker, offset=offset)
    assert {site.span.line for site in resolution.sites} == {binder.line(marker) + to}


@pytest.mark.parametrize(
    ("marker", "offset"), [("constructor-one", 2), ("property", 1), ("switch", 1), ("generic", -4)]
)
def test_line_between_members_is_outside(binder: Binder, marker: str, offset: int) -> None:
    resolution = binder.at(marker, offset=offset)
    assert (resolution.sites, resolution.failed, resolution.code) == ((), True, "INVALID_LINE")
    assert "The nearest lines that can have a breakpoint are " in resolution.reason


@pytest.mark.parametrize("line", [-(10**9), -1, 0, 10**9, 2**70])
def test_line_that_no_file_has_is_invalid(binder: Binder, line: int) -> None:
    resolution = binder.modules.resolver.resolve(LinePlace(str(binder.source), line), None)
    assert (resolution.sites, resolution.failed, resolution.code) == ((), True, "INVALID_LINE")


@pytest.mark.parametrize("column", [-(10**9), 0, 10**9, 2**70])
def test_column_that_no_line_has_is_moved(binder: Binder, column: int) -> None:
    place = LinePlace(str(binder.source), binder.line("for"), column)
    assert binder.modules.resolver.resolve(place, None).code == "INVALID_COLUMN"


def test_partial_class_binds_in_its_other_file(binder: Binder) -> None:
    other = binder.source.with_name("Other.cs")
    line = binder.program.line("partial", "Other.cs")
    resolution = binder.modules.resolver.resolve(LinePlace(str(other), line), None)
    assert [site.span.line for site in resolution.sites] == [line]


def test_line_directive_leads_to_the_file_that_it_names(binder: Binder) -> None:
    mapped = binder.source.with_name("Mapped.txt")
    resolution = binder.modules.resolver.resolve(LinePlace(str(mapped), 100), None)
    assert binder.shown(resolution)[0].startswith("Mapped.Value: ")
    column = binder.modules.resolver.lines.spans(str(mapped), (100, 0), (100, 999))[1].column
    second = binder.modules.resolver.resolve(LinePlace(str(mapped), 100, column), None)
    assert (second.sites[0].span.column, second.note) == (column, "")


def test_every_module_with_the_file_is_bound(modules, places: Program, tmp_path: Path) -> None:
    first = Binder(modules, places)
    copy = tmp_path / places.dll.name
    shutil.copy(places.dll, copy)
    shutil.copy(places.pdb, tmp_path / places.pdb.name)
    second = modules.load(copy)
    resolution = first.at("yield")
    assert {site.location.module for site in resolution.sites} == {first.module.id, second.id}
    only = modules.resolver.resolve(LinePlace(str(first.source), first.line("yield")), second.id)
    assert {site.location.module for site in only.sites} == {second.id}
    modules.unload(second)
    assert {site.location.module for site in first.at("yield").sites} == {first.module.id}


def test_optimized_code_is_bound_too(modules, newest_runtime: Runtime) -> None:
    binder = Binder(modules, programs.build("Places", newest_runtime, optimize=True))
    for marker in ("after-comment", "yield", "after-await", "local-function", "plus"):
        assert len(binder.at(marker).sites) == 1, marker


def test_locations_of_a_line_can_all_be_set(binder: Binder) -> None:
    resolver = binder.modules.resolver
    last = len(binder.source.read_text().splitlines())
    spans = resolver.lines.spans(str(binder.source), (1, 0), (last, 0xFFFF))
    assert len(spans) > 100
    for span in spans:
        resolution = resolver.resolve(LinePlace(str(binder.source), span.line, span.column), None)
        assert resolution.sites[0].span == span
        assert resolution.note == ""


def test_symbols_that_are_missing_are_named(modules, places: Program, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(places.dll, folder / places.dll.name)
    source = tmp_path / "Program.cs"
    source.write_text("class Nothing;")
    module = modules.load(folder / places.dll.name)
    (folder / "Places.pdb").unlink(missing_ok=True)
    if module.pdb is not None:
        pytest.skip("the PDB is found where it was built")
    resolution = modules.resolver.resolve(LinePlace(str(source), 1), None)
    assert "Places.dll is loaded without symbols" in resolution.reason


@pytest.mark.parametrize("optimize", [False, True])
def test_header_of_a_function_is_its_beginning(modules, newest_runtime: Runtime, optimize: bool) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("the program is written in newer C#")
    program = programs.build("Headers", newest_runtime, optimize=optimize)
    modules.load(program.dll)
    path = str(program.source)
    written = dict(enumerate(read_source_lines(program.source), 1))
    places = {mark: line for line, text in written.items() for mark in re.findall(r"[=+][\w-]+$|[=+][\w-]+(?= )", text)}
    wrong = {}
    for line, text in written.items():
        name = re.search(r">([\w-]+)$", text)
        if line < 4 or (name is None and not text.endswith("-")):
            continue
        resolution = modules.resolver.resolve(LinePlace(path, line), None)
        expected = []
        if name is not None:
            expected = [places.get(f"+{name[1]}" if optimize else "", places[f"={name[1]}"])]
        bound = [site.span.line for site in resolution.sites]
        if bound != expected or not (resolution.note or resolution.code == "INVALID_LINE"):
            wrong[line, text] = bound, expected, resolution.note
    assert not wrong
