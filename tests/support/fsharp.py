"""Builds a program in F# with the newest SDK found, and keeps what was built.

The compiler is called directly, as in `programs`. F# 6, of SDK 6, is the first with `task`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support import dotnet
from tests.support.dotnet import Runtime
from tests.support.locks import file_lock
from tests.support.paths import CACHE
from tests.support.programs import COMPILE_TIMEOUT_S, BuildError, Program, framework_references, runtime_configuration

_FIRST_SDK = 6
# Part of every cache key: raise it when this module builds differently.
RECIPE = 2


def build(source: Path, runtime: Runtime | None = None, *, optimize: bool = False) -> Program | None:
    """Builds a program of one source file, or finds it built; None where no SDK can. Raises BuildError.

    `runtime`: None for the newest one. `optimize` makes it a Release build.
    """
    installation = dotnet.find()
    sdk = installation.sdks[-1]
    runtime = runtime or installation.runtimes[-1]
    compiler = sdk.directory / "FSharp" / "fsc.dll"
    if dotnet.version_key(sdk.version)[0] < _FIRST_SDK or not compiler.exists():
        return None
    name = source.stem
    what = f"{RECIPE}\0{sdk.root}\0{sdk.version}\0{runtime.root}\0{runtime.version}\0{source}\0{optimize}\0"
    key = hashlib.sha256(what.encode() + source.read_bytes()).hexdigest()[:20]
    place = CACHE / "programs" / key / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(place.parent.with_suffix(".lock")):
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
                made = Path(scratch) / name
                made.mkdir()
                library = compiler.with_name("FSharp.Core.dll")
                options = ["--nologo", "--noframework", "--targetprofile:netcore", "--debug:portable"]
                options += ["--optimize+"] if optimize else ["--optimize-", "--tailcalls-"]  # as the SDK does
                options += [f"-r:{path}" for path in (*framework_references(runtime), library)]
                response = Path(scratch) / "options.rsp"
                response.write_text("\n".join([*options, f"--out:{made / name}.dll", str(source)]), encoding="utf-8")
                done = subprocess.run(
                    [sdk.dotnet, "exec", compiler, f"@{response}"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env={
                        **os.environ,
                        **dotnet.environment(sdk.root, sdk.version),
                        "DOTNET_gcServer": "0",
                        "COMPlus_gcServer": "0",
                    },
                    timeout=COMPILE_TIMEOUT_S,
                    check=False,
                )
                if done.returncode != 0:
                    raise BuildError(f"{source}: the F# compiler said\n{done.stdout.decode(errors='replace')}")
                (made / f"{name}.runtimeconfig.json").write_text(runtime_configuration(runtime), encoding="utf-8")
                shutil.copy(library, made)
                made.rename(place)
    return Program(
        name=name,
        runtime=runtime,
        dll=place / f"{name}.dll",
        pdb=place / f"{name}.pdb",
        apphost=None,
        source_dir=source.parent,
        env=dotnet.environment(runtime.root, runtime.version),
    )
