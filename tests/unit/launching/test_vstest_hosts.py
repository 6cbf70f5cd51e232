"""Tests in the test platform's host, told apart from executables of tests; and where the platform is."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.vstest_hosts import filter_arguments, platform_command, runs_itself


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


def test_platform_is_that_of_the_newest_sdk(tmp_path):
    root = tmp_path / "dotnet"
    for version in ("8.0.100", "10.0.100", "11.0.100"):
        (root / "sdk" / version).mkdir(parents=True)
        if version != "11.0.100":
            (root / "sdk" / version / "vstest.console.dll").touch()
    (root / "shared").mkdir()
    (root / "dotnet").write_bytes(b"\x7fELF")
    (root / "dotnet").chmod(0o755)
    expected = (str(root / "dotnet"), str(root / "sdk" / "10.0.100" / "vstest.console.dll"))
    assert platform_command({"DOTNET_ROOT": str(root)}) == expected


def test_platform_needs_an_sdk(monkeypatch):
    monkeypatch.setattr("dap_dotnet.launching.vstest_hosts.find_hosts", lambda environment: iter(()))
    with pytest.raises(LaunchError, match=r"No \.NET SDK was found to run the tests with"):
        platform_command({})
