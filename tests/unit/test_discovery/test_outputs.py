"""What builds of a project have left."""

from __future__ import annotations

import os
from pathlib import Path

from dap_dotnet.test_discovery.outputs import built_assemblies


def make(path: Path, changed: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (changed, changed))
    return path


def test_newest_configuration_counts_and_not_reference_assemblies(tmp_path: Path) -> None:
    project = tmp_path / "Tests" / "Tests.csproj"
    make(project.parent / "bin" / "Debug" / "net8.0" / "Tests.dll", 100)
    release = make(project.parent / "bin" / "Release" / "net8.0" / "Tests.dll", 200)
    make(project.parent / "bin" / "Release" / "net8.0" / "ref" / "Tests.dll", 300)
    make(project.parent / "bin" / "Release" / "net8.0" / "publish" / "Tests.dll", 300)
    make(project.parent / "obj" / "Release" / "net8.0" / "Tests.dll", 300)
    assert built_assemblies(project, "Tests", []) == [release]


def test_each_framework_of_the_project_has_its_own(tmp_path: Path) -> None:
    project = tmp_path / "Tests.csproj"
    older = make(tmp_path / "bin" / "Debug" / "net8.0" / "Tests.dll", 100)
    newer = make(tmp_path / "bin" / "Debug" / "net9.0" / "Tests.dll", 200)
    make(tmp_path / "bin" / "Debug" / "net6.0" / "Tests.dll", 300)
    assert built_assemblies(project, "Tests", ["net8.0", "net9.0"]) == [newer, older]


def test_artifacts_of_a_repository(tmp_path: Path) -> None:
    project = tmp_path / "src" / "Tests" / "Tests.csproj"
    plain = make(tmp_path / "artifacts" / "bin" / "Tests" / "debug" / "Tests.dll", 1)
    assert built_assemblies(project, "Tests", []) == [plain]
    one = make(tmp_path / "artifacts" / "bin" / "Tests" / "debug_net8.0" / "Tests.dll", 3)
    other = make(tmp_path / "artifacts" / "bin" / "Tests" / "debug_net9.0" / "Tests.dll", 2)
    assert built_assemblies(project, "Tests", ["net8.0", "net9.0"]) == [one, other]


def test_nothing_is_built(tmp_path: Path) -> None:
    assert built_assemblies(tmp_path / "Tests.csproj", "Tests", []) == []
