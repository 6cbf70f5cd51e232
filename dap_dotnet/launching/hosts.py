"""Where .NET is installed: the `dotnet` host programs that can be found, and the shared frameworks beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from dap_dotnet.launching.images import ImageKind, inspect_image, machine_architecture

HOST_NAME = "dotnet"
"""The file name of the host program on Unix."""
_INSTALL_LOCATION_FOLDER = Path("/etc/dotnet")
_DEFAULT_ROOTS = ("/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet", "/usr/local/share/dotnet")


class DotnetHost(Struct, frozen=True):
    """A `dotnet` program. `root` is the folder with `shared` and `host` beside it, None where that is not known."""

    executable: Path
    root: Path | None

    def architecture(self) -> str | None:
        """What the host is compiled for; None when it is not an ELF program."""
        try:
            return inspect_image(self.executable).architecture
        except OSError:
            return None

    def installed(self, framework: str) -> list[str]:
        """Versions of a shared framework such as Microsoft.NETCore.App, oldest first."""
        if self.root is None:
            return []
        try:
            versions = [
                entry.name for entry in (self.root / "shared" / framework).iterdir() if entry.name[:1].isdigit()
            ]
        except OSError:
            return []
        return sorted(versions, key=version_key)

    def sdks(self) -> list[str]:
        """Versions of the SDKs beside it, oldest first."""
        if self.root is None:
            return []
        try:
            versions = [entry.name for entry in (self.root / "sdk").iterdir() if entry.name[:1].isdigit()]
        except OSError:
            return []
        return sorted(versions, key=version_key)


def version_key(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Sorts versions such as 10.0.0-rc.1.2; a pre-release comes before its release."""
    numbers, _, label = version.partition("-")
    return tuple(int(part) if part.isdigit() else 0 for part in numbers.split(".")), not label, label


def root_variables() -> tuple[str, str]:
    """The variables that say where .NET is, for an apphost, the stronger one first."""
    return f"DOTNET_ROOT_{machine_architecture().upper()}", "DOTNET_ROOT"


def find_hosts(environment: Mapping[str, str], own_environment: Mapping[str, str] = os.environ) -> Iterator[DotnetHost]:
    """All `dotnet` programs found, the one that counts most first, each once.

    In order: DOTNET_ROOT and PATH of the program's environment, then of our own, then what /etc/dotnet says, the usual
    folders, and ~/.dotnet.
    """
    seen: set[Path] = set()
    for path in _candidates(environment, own_environment):
        if not (os.path.isfile(path) and os.access(path, os.X_OK)):
            continue
        real = path.resolve()
        if real not in seen:
            seen.add(real)
            yield DotnetHost(path, _root_of(real))


def apphost_root(environment: Mapping[str, str]) -> Path | None:
    """Where an apphost started with this environment looks for .NET; None where it finds nothing."""
    for variable in root_variables():
        if environment.get(variable):
            return Path(environment[variable])
    for root in (*_registered_roots(), *map(Path, _DEFAULT_ROOTS[:2])):
        if os.path.isdir(root / "host" / "fxr"):
            return root
    return None


def _candidates(environment: Mapping[str, str], own_environment: Mapping[str, str]) -> Iterator[Path]:
    for variables in (environment, own_environment):
        for name in root_variables():
            if variables.get(name):
                yield Path(variables[name]) / HOST_NAME
        for folder in variables.get("PATH", "").split(os.pathsep):
            if folder:
                yield Path(folder) / HOST_NAME
    for root in _registered_roots():
        yield root / HOST_NAME
    for default in _DEFAULT_ROOTS:
        yield Path(default) / HOST_NAME
    home = environment.get("HOME") or own_environment.get("HOME")
    if home:
        yield Path(home) / ".dotnet" / HOST_NAME


def _registered_roots() -> Iterator[Path]:
    for name in (f"install_location_{machine_architecture()}", "install_location"):
        try:
            text = (_INSTALL_LOCATION_FOLDER / name).read_text(encoding="utf-8").strip()
        except OSError:
            continue
        if text:
            yield Path(text.splitlines()[0])


def _root_of(real_executable: Path) -> Path | None:
    """A wrapper script stands for a root that only it knows."""
    root = real_executable.parent
    if os.path.isdir(root / "host" / "fxr") or os.path.isdir(root / "shared"):
        return root
    try:
        is_script = inspect_image(real_executable).kind is ImageKind.SCRIPT
    except OSError:
        is_script = True
    return None if is_script else root
