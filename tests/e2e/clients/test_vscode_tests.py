"""Tests in the editor's test views: found in what is built, run and debugged from the tree, the gutter and the lens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.recording import adapter_program
from tests.e2e.clients.vscode import Editor, run_code_server
from tests.support import markers, xunit_project
from tests.support.dotnet import Installation, Runtime
from tests.support.processes import command_line, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
RUN_S = 120
NAME = "Shop.Tests"


@pytest.fixture
def workspace(tmp_path: Path, installation: Installation, newest_runtime: Runtime) -> Path:
    """A folder with a project of tests, not built."""
    folder = tmp_path / "work"
    xunit_project.write(folder, installation, newest_runtime, name=NAME)
    return folder


@pytest.fixture
def source(workspace: Path) -> Path:
    return workspace / NAME / "Tests.cs"


@pytest.fixture
def tests(
    code_server: str,
    extension: Path,
    editor_environment: dict[str, str],
    browser: Browser,
    workspace: Path,
) -> Iterator[TestView]:
    folder = workspace.with_name("server")
    settings = {"dap-dotnet.adapterPath": adapter_program(), "testing.automaticallyOpenTestResults": "neverOpen"}
    with run_code_server(code_server, extension, folder, editor_environment, settings) as address:
        yield TestView(Editor(browser, address, workspace))


class TestView:
    """The test views, by what a person sees and clicks on."""

    __test__ = False
    _ROWS = "[...document.querySelectorAll('.test-explorer .monaco-list-row')]"

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.browser = editor.browser

    def show(self) -> None:
        """Bring the tree of tests to the front."""
        self.browser.click(
            "[...document.querySelectorAll('.activitybar a.action-label')]"
            ".find(each => (each.getAttribute('aria-label') || '').startsWith('Testing'))",
            "the beaker",
            RUN_S,
        )

    def wait_for_row(self, text: str, timeout_s: float = 30.0) -> str:
        labels = f"{self._ROWS}.map(row => row.getAttribute('aria-label') || '')"
        found = f"{labels}.find(label => label.includes({json.dumps(text)}))"
        return str(self.browser.wait_for(found, f"{text!r} among the tests", timeout_s))

    def expand(self, text: str) -> None:
        """Open the row that contains the text."""
        row = f"{self._ROWS}.find(row => (row.getAttribute('aria-label') || '').includes({json.dumps(text)}))"
        state = self.browser.wait_for(f"{row}.getAttribute('aria-expanded')", f"the row {text!r}, with something below")
        if state == "false":  # a click on the row may have opened it
            self.browser.click(f"{row}.querySelector('.monaco-tl-twistie')", f"the mark before {text!r}")
        self.browser.wait_for(f"{row}.getAttribute('aria-expanded') === 'true'", f"the row {text!r}, open")

    def act(self, text: str, action: str) -> None:
        """Click on a button of the row that contains the text, which it has under the mouse."""
        row = f"{self._ROWS}.find(row => (row.getAttribute('aria-label') || '').includes({json.dumps(text)}))"
        self.browser.hover(row, f"the row {text!r}")
        label = f"each => (each.getAttribute('aria-label') || '').startsWith({json.dumps(action)})"
        self.browser.click(f"[...{row}.querySelectorAll('a.action-label')].find({label})", f"{action!r} of {text!r}")

    def stop(self) -> None:
        """Click on the button that ends the run."""
        label = "each => (each.getAttribute('aria-label') || '').startsWith('Cancel Test Run')"
        self.browser.click(f"[...document.querySelectorAll('a.action-label')].find({label})", "the button to stop")

    def wait_for_count(self, count: str, timeout_s: float = 30.0) -> None:
        """Until the last run, as far as it has come, has passed so many of so many tests."""
        shown = "[...document.querySelectorAll('.test-explorer .result-summary')].map(it => it.innerText).join()"
        self.browser.wait_for(f"{shown}.split(/\\s/).includes({json.dumps(count)})", f"the count {count}", timeout_s)

    def lens(self, number: int, word: str) -> None:
        """Click on one of the lenses of the source, from 0, from above."""
        lenses = "[...document.querySelectorAll('.codelens-decoration a')]"
        downwards = "(one, other) => one.getBoundingClientRect().y - other.getBoundingClientRect().y"
        of_word = f"{lenses}.filter(each => each.innerText.includes({json.dumps(word)})).sort({downwards})"
        # They come one by one.
        of_word = f"(all => all.length > {max(number + 1, 1)} ? all.at({number}) : null)({of_word})"
        self.browser.click(of_word, f"the lens {word!r}", 60)

    def wait_for_glyph(self, kind: str, timeout_s: float = 30.0) -> None:
        """Until the gutter shows a test that has passed, failed or not run."""
        self.browser.wait_for(
            f"document.querySelector('.editor-instance .codicon-testing-{kind}-icon, "
            f".editor-instance .testing-run-glyph.codicon-testing-{kind}-icon') !== null",
            f"the mark {kind!r} in the gutter",
            timeout_s,
        )


def test_project_that_is_not_built_is_run_by_its_lens_and_then_known(tests: TestView, source: Path) -> None:
    tests.show()
    tests.wait_for_row("not built yet", 60)
    tests.editor.open_at(source, markers.line_of(source, "adds"))
    tests.lens(0, "Run")
    tests.wait_for_row("Failed", RUN_S)
    tests.wait_for_glyph("passed")
    tests.editor.wait_for_page("one two != one three")
    tests.expand(NAME)
    tests.expand("CartTests")
    tests.expand("Doubles")
    tests.wait_for_row("(value: 2, expected: 5) (Failed)")
    assert tests.wait_for_row("(value: 1, expected: 2)").startswith("(value: 1, expected: 2) (Passed)")
    assert not tests.editor.has_dialog
    tests.editor.command("Test: Rerun Failed Tests")
    tests.editor.wait_for_page("0/2", RUN_S)


def test_test_is_debugged_from_its_lens_and_a_failing_assertion_stops(tests: TestView, source: Path) -> None:
    tests.show()
    tests.editor.open_at(source, markers.line_of(source, "sum"))
    tests.editor.browser.press("F9")
    tests.lens(1, "Debug")
    tests.editor.wait_for_row("Paused on breakpoint", RUN_S)
    tests.editor.browser.press("F5")
    tests.editor.wait_for_page("Passed!  - Failed:     0, Passed:     1", RUN_S)
    tests.wait_for_glyph("passed")
    tests.editor.open_at(source, markers.line_of(source, "fails"))
    tests.editor.command("Test: Debug Test at Cursor")
    tests.editor.wait_for_page("Assert.Equal() Failure: Strings differ", RUN_S)
    tests.editor.browser.press("Shift+F5")
    assert not tests.editor.has_dialog


ROUTES = """\
using System;
using Xunit;
namespace Web.Tests
{
    public class RouteTests
    {
        [Fact]
        public void Answers() => Assert.True(true);
        [Fact]
        public void IsNew() => Assert.Equal(NEWEST, Environment.Version.Major);
    }
}
"""


@pytest.fixture
def second_project(workspace: Path, installation: Installation, newest_runtime: Runtime) -> list[str]:
    """A second project of tests, for two target frameworks, and these; the second is the newer one."""
    older = [runtime for runtime in installation.runtimes if 8 <= float(runtime.major) < float(newest_runtime.major)]
    if not older:
        pytest.skip("needs two runtimes from .NET 8 on")
    frameworks = [older[-1].target_framework, newest_runtime.target_framework]
    place = xunit_project.write(workspace, installation, newest_runtime, name="Web.Tests")
    project = place / "Web.Tests.csproj"
    one = f"<TargetFramework>{newest_runtime.target_framework}</TargetFramework>"
    several = f"<TargetFrameworks>{';'.join(frameworks)}</TargetFrameworks>"
    project.write_text(project.read_text().replace(one, several))
    (place / "Tests.cs").unlink()
    (place / "RouteTests.cs").write_text(ROUTES.replace("NEWEST", newest_runtime.major.partition(".")[0]))
    return frameworks


def hosts_in(folder: Path) -> list[int]:
    """The test hosts that run the tests of a workspace."""
    processes = [int(process.name) for process in Path("/proc").glob("[0-9]*")]
    lines = {process: command_line(process) for process in processes}
    return [process for process, line in lines.items() if "testhost" in line and str(folder) in line]


def test_two_projects_several_frameworks_and_tests_that_misbehave(
    second_project: list[str], tests: TestView, source: Path, workspace: Path
) -> None:
    older, newer = second_project
    tests.show()
    tests.wait_for_row("not built yet", 60)
    # A project of several frameworks runs in each, without a question.
    tests.act("Web.Tests", "Run Test")
    tests.wait_for_count("3/4", RUN_S)
    tests.wait_for_row("Web.Tests (Failed)")
    tests.expand("Web.Tests")
    tests.wait_for_row(f"{older} (Failed)")
    tests.wait_for_row(f"{newer} (Passed)")
    assert tests.wait_for_row("not built yet") == "not built yet (Not yet run)"  # the other project
    # A test that hangs is stopped, and its host with it.
    tests.editor.open_at(source, markers.line_of(source, "hangs"))
    tests.lens(-1, "Run")
    wait_until(lambda: hosts_in(workspace) != [], "the host of the test that hangs", RUN_S)
    tests.stop()
    wait_until(lambda: hosts_in(workspace) == [], "the end of the host", 30)
    # One that ends its host is to blame, the others are not; the next run works.
    tests.expand(NAME)
    tests.wait_for_row("BadTests (Not yet run)")
    tests.editor.command("Test: Run Tests in Current File")
    tests.wait_for_row("BadTests (Errored)", RUN_S)
    tests.editor.wait_for_page("The test host was killed by signal 6")
    tests.expand("CartTests")
    tests.editor.open_at(source, markers.line_of(source, "doubles"))
    tests.editor.command("Test: Run Test at Cursor")
    tests.wait_for_row("Doubles (Failed)", RUN_S)
    # A row of data by itself.
    tests.expand("Doubles")
    tests.act("(value: 1, expected: 2)", "Run Test")
    tests.wait_for_count("1/1", RUN_S)
    # With each save, once that is turned on.
    tests.act("Adds", "Turn on Continuous Run")
    tests.editor.open_at(source, markers.line_of(source, "sum"))
    tests.editor.browser.type("Assert.Equal(3, 1 + 1);\n")
    tests.editor.browser.press("Control+S")
    tests.wait_for_row("Adds (Failed)", RUN_S)
    assert not tests.editor.has_dialog


def test_errors_of_the_build_are_said_of_the_tests(tests: TestView, source: Path) -> None:
    tests.show()
    tests.wait_for_row("not built yet", 60)
    (source.parent / "Broken.cs").write_text("class Broken { nonsense }\n")
    tests.editor.command("Test: Run All Tests")
    tests.wait_for_row("Errored", RUN_S)
    tests.editor.command("Problems: Focus on Problems View")
    tests.editor.wait_for_page("Broken.cs")
    (source.parent / "Broken.cs").unlink()
    tests.editor.browser.press("Control+J")  # the panel away, so that all lenses are in view
    tests.editor.open_at(source, markers.line_of(source, "sum"))
    tests.lens(1, "Run")  # the next run works
    tests.wait_for_glyph("passed", RUN_S)
