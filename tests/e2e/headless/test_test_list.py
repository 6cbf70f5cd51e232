"""`dap-dotnet test --list`: tests that a compiler has just made, by their metadata and symbols."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dap_dotnet.__main__ import main
from dap_dotnet.test_discovery.discovery import DiscoveredTest, discover
from tests.support import fsharp, markers, programs
from tests.support.dotnet import Runtime
from tests.support.paths import PROGRAMS, REPOSITORY
from tests.support.programs import Program

pytestmark = pytest.mark.e2e
SCHEMA = json.loads((REPOSITORY / "docs" / "headless-json.schema.json").read_text())
SOURCE = PROGRAMS / "Declared" / "Tests.cs"


@pytest.fixture(scope="module")
def declared(newest_runtime: Runtime) -> Program:
    return programs.build("Declared", newest_runtime, target="library")


@pytest.fixture(scope="module")
def discovered(declared: Program) -> dict[str, DiscoveredTest]:
    return {test.id: test for test in discover(str(declared.dll)).tests}


def listed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    assert main(["test", "--list", "--json", *arguments]) == code
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        jsonschema.validate(line, SCHEMA)
    return lines


def test_tests_of_each_framework(discovered: dict[str, DiscoveredTest]) -> None:
    assert {(test.id, test.framework.value) for test in discovered.values()} == {
        ("Declared.Ms.Orders.Pays", "mstest"),
        ("Declared.Ms.Orders.Named", "mstest"),
        ("Declared.Ms.Orders.Counts", "mstest"),
        ("Declared.Ms.Orders.Later", "mstest"),
        ("Declared.N.Carts.Adds", "nunit"),
        ("Declared.N.Carts.Sums", "nunit"),
        ("Declared.N.Carts.Later", "nunit"),
        ("Declared.N.Sized.Fits", "nunit"),
        ("Declared.N.Of.Holds", "nunit"),
        ("Declared.T.Clocks.Ticks", "tunit"),
        ("Declared.T.Clocks.Strikes", "tunit"),
        ("Declared.T.Clocks.Rings", "tunit"),
        ("Declared.X.Derived.Inherited", "xunit"),
        ("Declared.X.Derived.Overridden", "xunit"),
        ("Declared.X.Derived.Slow", "xunit"),
        ("Declared.X.Derived+Nested.Deep", "xunit"),
        ("Declared.X.Statics.Alone", "xunit"),
    }


def test_names_reasons_and_rows(discovered: dict[str, DiscoveredTest]) -> None:
    names = {test.id.rpartition(".")[2]: test.name for test in discovered.values() if test.name != test.method}
    assert names == {"Named": "With a name", "Strikes": "Strikes twelve", "Deep": "down here"}
    reasons = {test.id: test.skip for test in discovered.values() if test.skip}
    assert reasons == {
        "Declared.Ms.Orders.Later": "ignored",
        "Declared.N.Carts.Later": "not today",
        "Declared.T.Clocks.Rings": "broken",
        "Declared.X.Statics.Alone": "never",
    }
    assert {test.method for test in discovered.values() if test.has_rows} == {"Counts", "Sums", "Slow"}
    nested = discovered["Declared.X.Derived+Nested.Deep"]
    assert (nested.namespace, nested.class_name) == ("Declared.X", "Derived+Nested")


def test_places(discovered: dict[str, DiscoveredTest]) -> None:
    for marker, test in {
        "Pays": "Declared.Ms.Orders.Pays",
        "Counts": "Declared.Ms.Orders.Counts",
        "Inherited": "Declared.X.Derived.Inherited",
        "Overridden": "Declared.X.Derived.Overridden",
    }.items():
        place = discovered[test].place
        assert place is not None
        assert (place.file, place.line) == (str(SOURCE), markers.line_of(SOURCE, marker))
        assert SOURCE.read_text().splitlines()[place.line - 1][place.column - 1 :].startswith(marker)
    counts = discovered["Declared.Ms.Orders.Counts"].place
    assert counts is not None
    assert counts.end_line == markers.line_of(SOURCE, "Counts-end")  # of the state machine


def test_assembly_without_symbols_has_its_tests(newest_runtime: Runtime) -> None:
    bare = discover(str(programs.build("Declared", newest_runtime, target="library", debug="none").dll))
    assert len(bare.tests) == 17
    assert not bare.has_symbols
    assert {test.place for test in bare.tests} == {None}


def test_two_thousand_tests_take_less_than_a_second(newest_runtime: Runtime, tmp_path: Path) -> None:
    folder = tmp_path / "Many"
    folder.mkdir()
    shutil.copy(SOURCE.with_name("Frameworks.cs"), folder)
    for number in range(100):
        methods = [
            f"    [Xunit.Fact]\n    public void M{each}()\n    {{\n        Run();\n    }}\n" for each in range(20)
        ]
        body = "".join(["    void Run() { }\n", *methods])
        (folder / f"C{number}.cs").write_text(f"public class C{number}\n{{\n{body}}}\n")
    program = programs.build(folder, newest_runtime, target="library")
    before = time.process_time()
    many = discover(str(program.dll))
    assert time.process_time() - before < 1
    assert len(many.tests) == 2000
    assert len(many.classes) == 100


def test_fsharp(newest_runtime: Runtime, tmp_path: Path) -> None:
    source = PROGRAMS / "Declared" / "FSharpTests.fs"
    program = fsharp.build(source, newest_runtime)
    if program is None:
        pytest.skip("needs an SDK with F# 6")
    tests = {test.id: test for test in discover(str(program.dll)).tests}
    assert set(tests) == {"FSharpTests.Sums.adds two numbers", "FSharpTests.Sums.Waits"}
    place = tests["FSharpTests.Sums.adds two numbers"].place
    assert place is not None
    assert place.line == markers.line_of(source, "adds")


def test_what_cannot_be_read_is_said_and_the_rest_is_listed(
    declared: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "Damaged.dll"
    damaged.write_bytes(declared.dll.read_bytes()[:3000])
    project = tmp_path / "New" / "New.csproj"
    project.parent.mkdir()
    project.write_text("<Project />")
    (text := tmp_path / "text.dll").write_text("no assembly")
    lines = listed(capsys, str(damaged), str(text), str(project), str(tmp_path / "missing"), code=1)
    assert [(line["kind"], line["code"]) for line in lines] == [
        ("error", "INVALID_FILE"),
        ("error", "INVALID_FILE"),
        ("error", "NOT_BUILT"),
        ("error", "LAUNCH_FAILED"),
    ]
    assert "Build its project again" in lines[0]["message"]
    assert "New.csproj has not been built yet" in lines[2]["message"]


def test_project_lists_its_newest_build(declared: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "bin" / "Debug" / "net10.0"
    shutil.copytree(declared.dll.parent, output)
    (output / "testhost.dll").touch()
    (tmp_path / "Mine.csproj").write_text(
        "<Project><PropertyGroup><AssemblyName>Declared</AssemblyName></PropertyGroup></Project>"
    )
    first, *others = listed(capsys, str(tmp_path))
    assert first == {
        "kind": "testAssembly",
        "path": str(output / "Declared.dll"),
        "project": str(tmp_path / "Mine.csproj"),
        "targetFramework": "",
        "hasSymbols": True,
        "runsItself": False,
        "tests": 17,
    }
    orders = next(line for line in others if line["kind"] == "testClass" and line["name"] == "Declared.Ms.Orders")
    assert orders["line"] == markers.line_of(SOURCE, "Orders")
    pays = next(line for line in others if line["kind"] == "test" and line["method"] == "Pays")
    assert (pays["filter"], pays["class"]) == ("FullyQualifiedName=Declared.Ms.Orders.Pays", "Orders")
    assert main(["test", "--list", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Declared.dll: 17 tests\n")
    assert f"  Declared.X.Statics.Alone  {SOURCE}:" in said
    assert "(skipped: never)" in said
