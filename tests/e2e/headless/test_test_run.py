"""`dap-dotnet test` with real tests of xunit: results one by one, with and without the debugger."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.e2e.headless.test_test_list import SCHEMA
from tests.support import markers, xunit_project
from tests.support.dotnet import Installation, Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400), pytest.mark.xdist_group("xunit")]
Lines = list[dict[str, Any]]
RunTests = Callable[..., tuple[int, Lines]]
RUN_S = 100


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, installation: Installation, newest_runtime: Runtime) -> Path:
    return xunit_project.make(tmp_path_factory.mktemp("tests of mine"), installation, newest_runtime)


@pytest.fixture
def run_tests(project: Path, installation: Installation, newest_runtime: Runtime) -> RunTests:
    program = Path(sys.executable).with_name("dap-dotnet")
    environment = xunit_project.environment(installation, newest_runtime)

    def run(*options: str, filter: str = "") -> tuple[int, Lines]:
        selected = ["--filter", filter] if filter else []
        done = subprocess.run(
            [program, "test", "--json", *options, *selected, project],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_S, check=False,
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            jsonschema.validate(line, SCHEMA)
        return done.returncode, lines

    return run


def of_kind(lines: Lines, kind: str) -> Lines:
    return [line for line in lines if line["kind"] == kind]


def output(lines: Lines) -> str:
    return "".join(line["output"] for line in of_kind(lines, "output"))


@pytest.mark.parametrize("mode", [[], ["--no-debug"]], ids=["debugger", "no-debug"])
def test_each_result_is_told(run_tests: RunTests, project: Path, mode: list[str]) -> None:
    code, lines = run_tests(*mode, filter="FullyQualifiedName~CartTests")
    assert code == 1
    results = {line["displayName"].removeprefix("Shop.Tests.CartTests."): line for line in of_kind(lines, "testResult")}
    assert {name: (line["id"].rpartition(".")[2], line["outcome"]) for name, line in results.items()} == {
        "Adds": ("Adds", "passed"),
        "Names": ("Names", "failed"),
        "Doubles(value: 1, expected: 2)": ("Doubles", "passed"),
        "Doubles(value: 2, expected: 5)": ("Doubles", "failed"),
        "Throws": ("Throws", "passed"),
        "Later": ("Later", "skipped"),
    }
    failed = results["Names"]
    assert (failed["expected"], failed["actual"]) == ("one\nthree", "one\ntwo")
    source = project / "Tests.cs"
    assert (failed["file"], failed["line"]) == (str(source), markers.line_of(source, "fails"))
    assert results["Adds"]["output"] == "written by Adds\n"
    assert results["Later"]["message"] == "not today"
    assert "the console of Adds\n" in output(lines)
    (end,) = of_kind(lines, "testRun")
    assert (end["passed"], end["failed"], end["skipped"], end["unfinished"]) == (3, 2, 1, [])
    kinds = [line["kind"] for line in lines]
    assert kinds.index("testResult") < kinds.index("testRun") - 8  # while it runs, not at its end
    stops = of_kind(lines, "stopped")
    assert all("Assert.Equal() Failure" in stop["text"] for stop in stops)
    # The asynchronous one, too, and not what an assertion expects to be thrown.
    functions = {stop["location"]["function"].partition("(")[0].rpartition(".")[2] for stop in stops}
    assert functions == (set() if mode else {"Names", "Doubles"})


def test_host_that_dies_and_the_next_run(run_tests: RunTests) -> None:
    code, lines = run_tests("--no-debug", filter="FullyQualifiedName~Dies")
    assert code == 1
    (end,) = of_kind(lines, "testRun")
    assert end["error"].startswith("The test host was killed by signal 6")
    assert "this ends the host" in output(lines)
    code, lines = run_tests("--no-debug", filter="FullyQualifiedName=Shop.Tests.CartTests.Adds")
    assert (code, of_kind(lines, "testRun")[0]["passed"]) == (0, 1)


def test_test_that_hangs_is_ended_in_time(run_tests: RunTests) -> None:
    code, lines = run_tests("--no-debug", "--timeout", "8", filter="FullyQualifiedName~Hangs")
    assert code == 124
    assert "it hangs" in output(lines)
    (end,) = of_kind(lines, "testRun")
    assert end["error"].startswith("The run was ended")


def test_filter_in_a_file_and_one_that_selects_nothing(run_tests: RunTests, tmp_path: Path) -> None:
    file = tmp_path / "filter"
    file.write_text("FullyQualifiedName=Shop.Tests.CartTests.Adds|FullyQualifiedName=Shop.Tests.CartTests.Later\n")
    _, lines = run_tests("--no-debug", filter=f"@{file}")
    assert {line["id"].rpartition(".")[2] for line in of_kind(lines, "testResult")} == {"Adds", "Later"}
    code, lines = run_tests("--no-debug", filter="FullyQualifiedName=Nothing")
    assert (code, of_kind(lines, "testResult")) == (0, [])
    assert "No test matches the given testcase filter" in output(lines)


def test_build_that_fails_is_told_with_its_errors(run_tests: RunTests, project: Path) -> None:
    source = project / "Broken.cs"
    source.write_text("class Broken { nonsense }\n")
    try:
        code, lines = run_tests("--no-debug")
    finally:
        source.unlink()
    assert code == 125
    assert of_kind(lines, "error")[0]["code"] == "BUILD_FAILED"
    placed = [line for line in of_kind(lines, "output") if "source" in line]
    assert [(line["source"]["path"], line["line"]) for line in placed] == [(str(source), 1)]
