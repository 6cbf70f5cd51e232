"""A project of xunit tests that the newest SDK builds with the packages beside it; skipped where there are none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import dotnet
from tests.support.dotnet import Installation, Runtime
from tests.support.locks import file_lock
from tests.support.paths import CACHE, PROGRAMS

BUILD_S = 300
SOURCE = PROGRAMS / "XunitTests" / "Tests.cs"
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>{framework}</TargetFramework><IsPackable>false</IsPackable>
    <NoWarn>$(NoWarn);NETSDK1188;NU1603</NoWarn></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.NET.Test.Sdk" Version="18.0.1" />
    <PackageReference Include="xunit" Version="2.9.3" />
    <PackageReference Include="xunit.runner.visualstudio" Version="3.1.5" />
  </ItemGroup>
</Project>
"""
_SOURCES = (
    '<configuration><packageSources><clear /><add key="local" value="{folder}" /></packageSources></configuration>\n'
)


def environment(installation: Installation, runtime: Runtime) -> dict[str, str]:
    """The variables that the SDK needs, for the project's builds and runs."""
    sdk = installation.sdk_for(runtime)
    return {**os.environ, **dotnet.environment(sdk.root, sdk.version), "DOTNET_ROOT": str(sdk.root)}


def write(folder: Path, installation: Installation, runtime: Runtime, *, name: str = "Shop.Tests") -> Path:
    """A folder with the project and its source, not built. The test is skipped without the packages."""
    packages = installation.sdk_for(runtime).root / "packages"
    if not any(packages.glob("xunit.2.9.3.nupkg")):
        pytest.skip("needs the packages of xunit beside the SDK")
    place = folder / name
    place.mkdir(parents=True)
    (place / f"{name}.csproj").write_text(_PROJECT.format(framework=runtime.target_framework))
    (place / "nuget.config").write_text(_SOURCES.format(folder=packages))
    shutil.copy(SOURCE, place / "Tests.cs")
    return place


def make(folder: Path, installation: Installation, runtime: Runtime, *, name: str = "Shop.Tests") -> Path:
    """As `write`, and built."""
    place = write(folder, installation, runtime, name=name)
    sdk = installation.sdk_for(runtime)
    command = [str(sdk.dotnet), "build", "-v:q", "-p:UseSharedCompilation=false", "-nodeReuse:false"]
    with file_lock(CACHE / "xunit-packages.lock"):  # the first build unpacks the packages for all
        done = subprocess.run(
            command,
            cwd=place,
            env=environment(installation, runtime),
            capture_output=True,
            timeout=BUILD_S,
            check=False,
        )
    assert done.returncode == 0, done.stdout.decode()
    return place
