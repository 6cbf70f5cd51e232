"""Builds the C# programs of tests/programs, for one runtime each, and keeps what was built.

The compiler is called directly (a second faster than `dotnet build`), against the reference pack of the runtime's
release. A built program lies in `.cache/programs/` under a hash of all that went into it, so an edit of a source, of an
option or of the compiler makes a new one. Two test workers that want the same program build it once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support import dotnet, markers
from tests.support.dotnet import Installation, Runtime, Sdk
from tests.support.locks import file_lock
from tests.support.paths import CACHE, PROGRAMS

Debug = Literal["portable", "embedded", "none"]
Target = Literal["exe", "library"]

COMPILE_TIMEOUT_S = 300
COMPILER_STAYS_S = 20
"""How long a compiler waits for the next program before it ends."""
# What an apphost of the SDK holds in the place of its program's name: the SHA-256 of "foobar", in hex.
APPHOST_PLACEHOLDER = hashlib.sha256(b"foobar").hexdigest().encode()
APPHOST_NAME_LIMIT = 1024
FIRST_NEW_COMPILER = (5,)
"""The first SDK whose C# is newer than 8."""
WEB_FRAMEWORK = "Microsoft.AspNetCore.App"
# Part of every cache key: raise it when this module builds differently.
RECIPE = 1


class BuildError(Exception):
    """A program could not be built; the message has the compiler's output."""


class NewerCompilerNeededError(BuildError, unittest.SkipTest):
    """The program's C# is newer than that of the only SDKs found. A test that raises this is skipped by pytest."""


@dataclass(frozen=True)
class Program:
    """A built program (or library): where everything is and how to run it."""

    name: str
    runtime: Runtime
    dll: Path
    # None where there is no such file: an embedded PDB or none at all; a library.
    pdb: Path | None
    apphost: Path | None
    source_dir: Path
    # Variables to add to the environment, for running it.
    env: Mapping[str, str] = dataclasses.field(hash=False)

    @property
    def dotnet(self) -> Path:
        """The muxer of the root whose runtime this was built for."""
        return self.runtime.dotnet

    @property
    def source(self) -> Path:
        """The source file of a program that has only one; raises ValueError when it has more."""
        (only,) = sources_of(self.source_dir)
        return only

    @property
    def command(self) -> list[str]:
        """The command line that runs it, without arguments."""
        return [str(self.dotnet), str(self.dll)]

    def line(self, marker: str, file: str | None = None) -> int:
        """The line (1-based) of the comment `// @marker` in the source file (`file` names one of several)."""
        return markers.line_of(self.source_dir / file if file else self.source, marker)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """This process's environment, with what the program needs and `extra` added."""
        return {**os.environ, **self.env, **(extra or {})}

    def run(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 60
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs it to its end without a debugger; raises subprocess.TimeoutExpired (and kills it) past `timeout_s`."""
        command = [*self.command, *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, env=self.environment(env), timeout=timeout_s, check=False
        )


def sources_of(folder: Path) -> list[Path]:
    """The C# files of a program, in a fixed order."""
    return sorted(folder.rglob("*.cs"))


def build(
    program: str | Path,
    runtime: Runtime,
    *,
    optimize: bool = False,
    debug: Debug = "portable",
    defines: Iterable[str] = (),
    target: Target = "exe",
    references: Iterable[Program] = (),
    is_web: bool = False,
    features: str = "",
    installation: Installation | None = None,
) -> Program:
    """Builds a program for `runtime`, or finds it built; raises BuildError.

    Raises NewerCompilerNeededError where the only SDKs are those of .NET Core, which `make test` fetches, and cannot
    compile it.

    `program` is a name in tests/programs, or a folder of C# sources; its last part is the assembly's name. `optimize`
    makes it a Release build, `debug` says where the PDB goes, `defines` are preprocessor symbols (DEBUG, NET8_0,
    NET8_0_OR_GREATER… are defined anyhow), `references` are libraries made by this function, copied beside it.
    `is_web`: against ASP.NET Core as well, which `web_folder` finds. `features`: of the compiler's, as `a=on;b=on`.
    """
    folder = PROGRAMS / program
    name = folder.name
    sources = sources_of(folder)
    if not sources:
        known = ", ".join(sorted(entry.name for entry in PROGRAMS.iterdir()))
        raise BuildError(f"{folder} has no C# source; the programs of tests/programs are {known}")
    found = installation or dotnet.find()
    sdk = found.sdk_for(runtime)
    libraries = list(references)
    options = [
        f"-target:{target}",
        f"-optimize{'+' if optimize else '-'}",
        f"-debug{'-' if debug == 'none' else ':' + debug}",
        "-define:" + ";".join(_defines(runtime, optimize=optimize, extra=defines)),
        "-langversion:latest",
        "-deterministic+",
        "-checksumalgorithm:SHA256",
        "-unsafe+",
        "-warn:0",
        *([f"-features:{features}"] if features else []),
    ]
    host = _apphost_template(runtime, sdk) if target == "exe" else None
    what = [name, runtime.root, runtime.version, sdk.root, sdk.version, *options]
    web = web_folder(runtime) if is_web else None
    if is_web and web is None:
        raise BuildError(f"{runtime.root} has no ASP.NET Core of {runtime.major}")
    place = CACHE / "programs" / _key(what, [*sources, *(library.dll for library in libraries)]) / name
    with file_lock(place.parent.with_suffix(".lock")):
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
                made = Path(scratch) / name
                made.mkdir()
                references_used = [*framework_references(runtime), *(library.dll for library in libraries)]
                if web is not None:
                    listed = {path.name for path in references_used}
                    references_used += [path for path in sorted(web.glob("Microsoft.*.dll")) if path.name not in listed]
                try:
                    _compile(sdk, options, references_used, sources, made / f"{name}.dll")
                except BuildError as error:
                    if any(dotnet.version_key(other.version) >= FIRST_NEW_COMPILER for other in found.sdks):
                        raise
                    reason = str(error).splitlines()[1:2]
                    raise NewerCompilerNeededError(
                        f"{name} is of a newer C# than that of SDK {sdk.version}, the only SDK: {reason}"
                    ) from error
                if target == "exe":
                    (made / f"{name}.runtimeconfig.json").write_text(
                        runtime_configuration(runtime, web), encoding="utf-8"
                    )
                if host:
                    make_apphost(host, made / dotnet.executable_name(name), f"{name}.dll")
                for library in libraries:
                    for file in filter(None, (library.dll, library.pdb)):
                        (made / file.name).write_bytes(file.read_bytes())
                made.rename(place)
    return Program(
        name=name,
        runtime=runtime,
        dll=place / f"{name}.dll",
        pdb=place / f"{name}.pdb" if debug == "portable" else None,
        apphost=place / dotnet.executable_name(name) if host else None,
        source_dir=folder,
        env=dotnet.environment(runtime.root, runtime.version),
    )


def make_apphost(template: Path, destination: Path, dll: str) -> None:
    """Writes an executable that starts `dll` (a file name, beside it); raises BuildError when the template is none."""
    image = template.read_bytes()
    name = dll.encode()
    if image.count(APPHOST_PLACEHOLDER) != 1 or len(name) > APPHOST_NAME_LIMIT:
        raise BuildError(f"{template} is not an apphost template, or {dll} is too long a name")
    padding = b"\0" * max(0, len(APPHOST_PLACEHOLDER) - len(name))
    start = image.index(APPHOST_PLACEHOLDER)
    destination.write_bytes(image[:start] + name + padding + image[start + len(name + padding) :])
    destination.chmod(0o755)


def _compile(sdk: Sdk, options: list[str], references: list[Path], sources: list[Path], dll: Path) -> None:
    # A response file: the reference pack alone makes a command line of 20 kB.
    response = dll.with_suffix(".rsp")
    lines = [*options, *(f"-reference:{path}" for path in references), f"-out:{dll}", *map(str, sources)]
    response.write_text("\n".join(f'"{line}"' for line in lines), encoding="utf-8")
    # The compiler asks for the server GC, whose heaps are more than a machine with two cores needs; and it is over
    # before code would pay for being measured first. Nobody is to find it among the programs that can be attached to.
    leaner = {
        f"{prefix}_{name}": "0"
        for prefix in ("DOTNET", "COMPlus")
        for name in ("gcServer", "TieredPGO", "EnableDiagnostics")
    }
    # A compiler that stays for a moment, one for each SDK, takes a sixth of the time; where none can be had, this one
    # compiles itself.
    shared = [f"-shared:dap-dotnet-{_key([sdk.csc, CACHE], ())}", f"-keepalive:{COMPILER_STAYS_S}"]
    done = subprocess.run(
        [sdk.dotnet, sdk.csc, *shared, "-noconfig", "-nostdlib+", "-nologo", "-utf8output", f"@{response}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={
            **os.environ,
            **dotnet.environment(sdk.root, sdk.version),
            **leaner,
            "DOTNET_HOST_PATH": str(sdk.dotnet),
            "LD_PRELOAD": "",  # a sanitizer's: it is not the compiler that is looked at
        },
        timeout=COMPILE_TIMEOUT_S,
        check=False,
    )
    response.unlink()
    if done.returncode != 0:
        output = done.stdout.decode(errors="replace").strip()
        raise BuildError(f"{dll.name}: the C# compiler of SDK {sdk.version} ended with {done.returncode}:\n{output}")


def _key(what: Iterable[object], files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for text in (RECIPE, *what):
        digest.update(f"{text}\0".encode())
    # A PDB holds the paths of its sources: the same text elsewhere is another program.
    for file in files:
        digest.update(f"{file}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _defines(runtime: Runtime, *, optimize: bool, extra: Iterable[str]) -> list[str]:
    major, minor = runtime.major.split(".")
    # As the SDK's own: NET8_0_OR_GREATER and all before it.
    reached = [f"NET{release}_0_OR_GREATER" for release in range(5, int(major) + 1)]
    return [*([] if optimize else ["DEBUG"]), "TRACE", f"NET{major}_{minor}", *reached, *extra]


def framework_references(runtime: Runtime) -> list[Path]:
    """The newest reference pack of the release; the runtime's own assemblies where there is none."""
    packs = runtime.root / "packs" / "Microsoft.NETCore.App.Ref"
    if packs.is_dir():
        release = [pack for pack in packs.iterdir() if pack.name.startswith(runtime.major + ".")]
        for pack in sorted(release, key=lambda pack: dotnet.version_key(pack.name), reverse=True):
            assemblies = sorted((pack / "ref" / runtime.target_framework).glob("*.dll"))
            if assemblies:
                return assemblies
    # On Windows native libraries lie among the assemblies; their names say so.
    managed = re.compile(r"(System|Microsoft|mscorlib|netstandard|WindowsBase)(?!.*Native).*\.dll")
    return [file for file in sorted(runtime.directory.iterdir()) if managed.fullmatch(file.name)]


def _apphost_template(runtime: Runtime, sdk: Sdk) -> Path | None:
    """The apphost of the runtime's release, else the SDK's own (it starts any release); None when there is none."""
    candidates = [
        pack / "runtimes" / pack.parent.name.rpartition("Host.")[2] / "native" / dotnet.executable_name("apphost")
        for pack in (runtime.root / "packs").glob(f"Microsoft.NETCore.App.Host.*/{runtime.major}.*")
    ]
    candidates.append(sdk.directory / "AppHostTemplate" / dotnet.executable_name("apphost"))
    return next((path for path in candidates if path.is_file()), None)


def web_folder(runtime: Runtime) -> Path | None:
    """The newest ASP.NET Core of the runtime's release, beside it; None when there is none."""
    shared = runtime.root / "shared" / WEB_FRAMEWORK
    found = shared.glob(f"{runtime.major}.*") if shared.is_dir() else ()
    return max(found, key=lambda folder: dotnet.version_key(folder.name), default=None)


def runtime_configuration(runtime: Runtime, web: Path | None = None) -> str:
    """The text of a .runtimeconfig.json; `web` is the folder of ASP.NET Core, if the program needs it."""
    frameworks = [{"name": "Microsoft.NETCore.App", "version": runtime.version}]
    if web is not None:
        frameworks.append({"name": WEB_FRAMEWORK, "version": web.name})
    named = {"frameworks": frameworks} if web is not None else {"framework": frameworks[0]}
    # Exactly this version, or the test would be of another runtime without saying so.
    options = {"tfm": runtime.target_framework, "rollForward": "Disable", **named}
    return json.dumps({"runtimeOptions": options}, indent=2) + "\n"
