"""What the tests stand on that needs no .NET: markers, versions, the finder's errors."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support import dotnet
from tests.support.dotnet import DotnetNotFoundError
from tests.support.markers import MarkerError, line_of


def test_marker_is_found_by_name(tmp_path: Path) -> None:
    source = tmp_path / "Program.cs"
    source.write_text('int a = 1; // @first @also\nstring b = "x@y.z";\nint c = 2; // words @second\n')
    assert [line_of(source, name) for name in ("first", "also", "second")] == [1, 1, 3]
    with pytest.raises(MarkerError, match="no marker @third; it has: also, first, second"):
        line_of(source, "third")


def test_marker_twice_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "Program.cs"
    source.write_text("// @same\n// @same\n")
    with pytest.raises(MarkerError, match="line 1 and on line 2"):
        line_of(source, "same")


@pytest.mark.parametrize(("earlier", "later"), [("3.1.2", "3.1.23"), ("9.0.20", "10.0.0"), ("10.0.0-rc.1", "10.0.0")])
def test_versions_sort_by_number(earlier: str, later: str) -> None:
    assert dotnet.version_key(earlier) < dotnet.version_key(later)


def test_listed_root_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(DotnetNotFoundError, match=f"names {tmp_path}, which has no `dotnet`"):
        dotnet.find({dotnet.ROOTS_VARIABLE: str(tmp_path)})


def test_no_dotnet_and_no_npm_is_one_line_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dotnet, "CACHE", tmp_path)
    with pytest.raises(DotnetNotFoundError) as caught:
        dotnet.find({"PATH": str(tmp_path)}, fetch=True)
    assert str(caught.value).startswith("no .NET SDK found")
    assert "install a .NET SDK and put `dotnet` on PATH" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_npm_that_fails_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dotnet, "CACHE", tmp_path / "cache")
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho npm error: no network >&2\nexit 1\n")
    npm.chmod(0o755)
    with pytest.raises(DotnetNotFoundError, match=r"npm could not fetch .* \(npm error: no network\)"):
        dotnet.find({"PATH": str(tmp_path)}, fetch=True)


def make_root(folder: Path, runtimes: tuple[str, ...], sdk: str | None = None) -> Path:
    """A folder laid out as a .NET root, without any program in it that runs."""
    for version in runtimes:
        (folder / "shared" / "Microsoft.NETCore.App" / version).mkdir(parents=True)
    (folder / dotnet.executable_name("dotnet")).touch(mode=0o755)
    if sdk:
        compiler = dotnet.Sdk(folder, sdk).csc
        compiler.parent.mkdir(parents=True)
        compiler.touch()
        configuration = {"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": runtimes[-1]}}}
        compiler.with_name("csc.runtimeconfig.json").write_text(json.dumps(configuration))
    return folder


def test_finder_takes_the_newest_of_each_release(tmp_path: Path) -> None:
    first = make_root(tmp_path / "first", ("3.1.2", "8.0.9", "8.0.31"), "8.0.100")
    second = make_root(tmp_path / "second", ("8.0.10", "10.0.0-rc.1", "10.0.0"), "10.0.100")
    found = dotnet.find({dotnet.ROOTS_VARIABLE: f"{first}{os.pathsep}{second}"})
    assert [(runtime.id, runtime.version, runtime.root) for runtime in found.runtimes] == [
        ("net3.1", "3.1.2", first),
        ("net8.0", "8.0.31", first),
        ("net10.0", "10.0.0", second),
    ]
    assert [found.sdk_for(runtime).version for runtime in found.runtimes] == ["8.0.100", "8.0.100", "10.0.100"]
    assert [runtime.target_framework for runtime in found.runtimes] == ["netcoreapp3.1", "net8.0", "net10.0"]


def test_finder_follows_the_link_on_path(tmp_path: Path) -> None:
    root = make_root(tmp_path / "root", ("9.0.1",), "9.0.100")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dotnet").symlink_to(root / "dotnet")
    assert dotnet.find({"PATH": str(tmp_path / "bin")}).roots == (root,)


def test_finder_asks_a_script_on_path_where_dotnet_is(tmp_path: Path) -> None:
    root = make_root(tmp_path / "root", ("9.0.1",), "9.0.100")
    script = tmp_path / "dotnet"
    script.write_text(f"#!/bin/sh\necho 'Microsoft.NETCore.App 9.0.1 [{root}/shared/Microsoft.NETCore.App]'\n")
    script.chmod(0o755)
    assert dotnet.find({"PATH": str(tmp_path)}).roots == (root,)


def test_compiler_without_its_runtime_is_not_used(tmp_path: Path) -> None:
    old = make_root(tmp_path / "old", ("9.0.1",))
    shutil.copytree(make_root(tmp_path / "new", ("10.0.0",), "10.0.100") / "sdk", old / "sdk")
    found = dotnet.find({dotnet.ROOTS_VARIABLE: f"{old}{os.pathsep}{tmp_path / 'new'}"})
    assert found.sdk_for(found.runtime("9.0")).root == tmp_path / "new"
