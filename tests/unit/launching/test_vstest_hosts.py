"""The host of a test run: found in the output of `dotnet test`, and told apart from executables of tests."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.vstest_hosts import HostAnnouncements, await_host, dotnet_test, filter_arguments, runs_itself
from dap_dotnet.runtime.events import OutputWritten
from tests.unit.launching.helpers import DEADLINE_SECONDS, shell

WAITING = "import sys; sys.stdin.read()"


@pytest.fixture
def host():
    """A process that looks like a test host."""
    process = subprocess.Popen([sys.executable, "-c", WAITING, "/somewhere/testhost.dll"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def stranger():
    process = subprocess.Popen([sys.executable, "-c", WAITING], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


class Announced:
    def __init__(self) -> None:
        self.passed_on: list[str] = []
        self.others: list[int] = []
        self.announcements = HostAnnouncements(lambda event: self.passed_on.append(event.text), self.others.append)

    def write(self, *texts: str, is_error: bool = False) -> None:
        for text in texts:
            self.announcements(OutputWritten(is_error=is_error, text=text))


def test_host_is_found_across_chunks_and_its_request_for_a_debugger_is_not_passed_on(host):
    announced = Announced()
    number = str(host.pid)
    announced.write("Starting\n\nBitte ", "hängen Sie einen Debugger an.\nProcess")
    announced.write(f" Id: {number[:-1]}", number[-1], ", Na", "me: dotnet")
    assert announced.announcements.wait(0) == host.pid
    announced.write("\nmore", " and more\n")
    assert "".join(announced.passed_on) == "Starting\n\nmore and more\n"


def test_output_of_a_run_without_a_host_is_passed_on_to_its_last_word():
    announced = Announced()
    announced.write("build.proj : error", " X1: no\n", "The end\nNo line", is_error=False)
    announced.write("bad\n", is_error=True)
    assert announced.passed_on == ["build.proj : error X1: no\n", "bad\n"]
    announced.announcements.pass_all()
    announced.write(", but a word")
    assert "".join(announced.passed_on) == "build.proj : error X1: no\nbad\nThe end\nNo line, but a word"


def test_what_tests_write_is_no_announcement(host, stranger):
    announced = Announced()
    announced.write(f"Process Id: {stranger.pid}, Name: x\n", "Process Id: 999999999, Name: y\n")
    announced.write(f"Process Id: {host.pid}, Name: x\n", is_error=True)
    assert announced.announcements.wait(0) is None


def test_second_host_is_told(host):
    announced = Announced()
    announced.write(f"Process Id: {host.pid}, Name: dotnet\n" * 2)
    assert announced.announcements.wait(0) == host.pid
    assert announced.others == [host.pid]


def test_run_that_ends_without_a_host(start):
    launcher = start(*shell("exit 3"))
    launcher.open_gate()
    assert await_host(launcher, Announced().announcements, DEADLINE_SECONDS, lambda: False) is None
    assert not launcher.is_alive()


def test_host_that_dies_before_its_managed_code_runs(start, host):
    launcher = start(*shell("sleep 100"))
    launcher.open_gate()
    announced = Announced()
    announced.write(f"Process Id: {host.pid}, Name: dotnet\n")
    host.kill()
    assert await_host(launcher, announced.announcements, DEADLINE_SECONDS, lambda: False) is None


def test_nobody_waits_for_a_host_that_is_not_wanted_or_too_late(start):
    launcher = start(*shell("sleep 100"))
    launcher.open_gate()
    assert await_host(launcher, Announced().announcements, DEADLINE_SECONDS, lambda: True) is None
    assert await_host(launcher, Announced().announcements, 0.05, lambda: False) is None


@pytest.mark.parametrize(
    ("beside", "is_program"),
    [
        (["testhost.dll"], False),
        (["Microsoft.Testing.Platform.dll"], True),
        (["testhost.dll", "Microsoft.Testing.Platform.dll"], False),
        (["testhost.dll", "xunit.v3.core.dll"], True),
    ],
)
def test_executables_run_their_tests_themselves(tmp_path, beside, is_program):
    for name in beside:
        (tmp_path / name).touch()
    assert runs_itself(tmp_path / "Tests.dll") is is_program


def test_library_without_tests_is_refused(tmp_path):
    with pytest.raises(LaunchError, match=r"Lib\.dll has no test host beside it\. Add the package"):
        runs_itself(tmp_path / "Lib.dll")


def test_filter_of_an_executable(tmp_path):
    assembly = tmp_path / "Tests.dll"
    assert filter_arguments(assembly, "") == []
    assert filter_arguments(assembly, "Name=A") == ["--filter", "Name=A"]
    (tmp_path / "xunit.v3.core.dll").touch()
    assert filter_arguments(assembly, "") == []
    with pytest.raises(LaunchError, match="xunit v3 do not take"):
        filter_arguments(assembly, "Name=A")


def test_run_is_patient_unless_its_user_is_not(tmp_path):
    spec = dotnet_test(tmp_path / "dotnet", "a.dll", ["--filter", "x"], "/", {"A": "1"})
    assert spec.command == (str(tmp_path / "dotnet"), "test", "a.dll", "--filter", "x")
    assert spec.has_test_host
    assert spec.environment["VSTEST_HOST_DEBUG"] == spec.environment["A"] == "1"
    assert int(spec.environment["VSTEST_CONNECTION_TIMEOUT"]) > 3600
    own = dotnet_test(tmp_path, "a.dll", [], "/", {"VSTEST_CONNECTION_TIMEOUT": "5", "VSTEST_HOST_DEBUG": "0"})
    assert (own.environment["VSTEST_CONNECTION_TIMEOUT"], own.environment["VSTEST_HOST_DEBUG"]) == ("5", "1")
    assert "VSTEST_HOST_DEBUG" not in os.environ
