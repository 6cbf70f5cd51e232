"""Tests under the debugger: the host of a test run, which needs no package but what an SDK has."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import dotnet, programs
from tests.support.dotnet import Installation, Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

RUN_TIMEOUT_S = 60.0
SOURCES = Path(__file__).parent / "Sums.TestAdapter"
PLATFORM = (
    *("testhost.*", "Newtonsoft.Json.dll"),
    *("Microsoft.TestPlatform.*.dll", "Microsoft.VisualStudio.TestPlatform.*.dll"),
)


@dataclass(frozen=True)
class Sums:
    """An assembly of tests with its host beside it, as Microsoft.NET.Test.Sdk would put it there."""

    dll: Path
    program: Program
    environment: dict[str, str]

    def launch(self, session: Session, *, stop_at: str = "two", **attributes: object) -> None:
        breakpoints = {str(self.program.source): [self.program.line(stop_at)]}
        session.launch(None, testProject=str(self.dll), breakpoints=breakpoints, **attributes)  # type: ignore[arg-type]


@pytest.fixture
def tests(runtime: Runtime, tmp_path: Path, installation: Installation) -> Sums:
    sdk = installation.sdk_for(runtime)
    platform = sdk.root / "sdk" / sdk.version
    model = platform / "Microsoft.VisualStudio.TestPlatform.ObjectModel.dll"
    if not (platform / "testhost.dll").is_file():
        pytest.skip(f"the SDK {sdk.version} has no test host for .NET; a package has")
    reference = Program(model.stem, runtime, model, None, None, model.parent, {})
    program = programs.build(SOURCES, runtime, target="library", references=[reference])
    folder = tmp_path / "tests ä"
    shutil.copytree(program.dll.parent, folder)
    for pattern in PLATFORM:
        for file in platform.glob(pattern):
            shutil.copy(file, folder)
    configuration = folder / f"{program.name}.runtimeconfig.json"
    configuration.write_text(programs.runtime_configuration(runtime), encoding="utf-8")
    environment = {**dotnet.environment(sdk.root, sdk.version), "DOTNET_ROOT": str(sdk.root)}
    return Sums(folder / program.dll.name, program, environment)


@pytest.fixture
def newest_tests(tests: Sums, newest_runtime: Runtime) -> Sums:
    if tests.program.runtime != newest_runtime:
        pytest.skip("once is enough")
    return tests


def test_breakpoint_in_a_test_and_the_result_of_the_run(tests: Sums, open_session: Callable[..., Session]) -> None:
    session = open_session(env=tests.environment, timeout_s=RUN_TIMEOUT_S)
    tests.launch(session, stop_at="three")
    assert session.wait_for_stop().reason == "breakpoint"
    assert session.locals()["sum"].value == "2"
    session.continue_()
    assert session.wait_for_exit() == 1
    assert "Failed Sums.Three" in session.output()
    assert "Passed:     1" in session.output()
    assert "Process Id" not in session.output()
    assert "attach debugger" not in session.output()


def test_filtered_run_passes(newest_tests: Sums, open_session: Callable[..., Session]) -> None:
    session = open_session(env=newest_tests.environment, timeout_s=RUN_TIMEOUT_S)
    newest_tests.launch(session, testFilter="FullyQualifiedName=Sums.Two")
    session.wait_for_stop()
    session.continue_()
    assert session.wait_for_exit() == 0


def test_host_that_is_killed_ends_the_run(newest_tests: Sums, open_session: Callable[..., Session]) -> None:
    session = open_session(env=newest_tests.environment, timeout_s=RUN_TIMEOUT_S)
    newest_tests.launch(session)
    session.wait_for_stop()
    (process,) = session.events("process")
    os.kill(process["systemProcessId"], signal.SIGKILL)
    assert session.wait_for_exit() == 1


def test_run_is_ended_with_the_session(newest_tests: Sums, open_session: Callable[..., Session]) -> None:
    session = open_session(env=newest_tests.environment, timeout_s=RUN_TIMEOUT_S)
    newest_tests.launch(session)
    session.wait_for_stop()
    session.disconnect()  # `Place` sees to it that nothing is left


def test_run_that_cannot_begin_is_refused_with_its_words(
    newest_tests: Sums, open_session: Callable[..., Session]
) -> None:
    session = open_session(env=newest_tests.environment, timeout_s=RUN_TIMEOUT_S)
    with pytest.raises(DapRequestError, match="The option --nonsense of dotnet test is not supported"):
        newest_tests.launch(session, args=["--nonsense"])
