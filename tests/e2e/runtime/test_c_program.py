"""The C program of the documentation: built from the header and the installed library alone, it does what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import dap_dotnet
from dap_dotnet.runtime._shim import VERSION
from tests.e2e.runtime.harness import Process, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the library needs the sanitizer's own loader")
def test_c_program_of_the_documentation_prints_stacks_and_leaves(runtime: Runtime, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = next(Path(path) for path in dap_dotnet.__path__ if list(Path(path).glob("libcordebug_shim.so.*")))
    program = tmp_path / "attach_and_print"
    include = REPOSITORY / "cordebug_shim" / "include"
    source = REPOSITORY / "docs" / "attach_and_print.c"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(include)]
    library = ["-L", str(folder), f"-l:libcordebug_shim.so.{VERSION}"]
    subprocess.run([compiler, *flags, "-o", str(program), str(source), *library], check=True)
    with Process(build(runtime), "forever") as process:
        process.wait_until_ready()
        done = subprocess.run(
            [str(program), str(process.pid)],
            env={**os.environ, "LD_LIBRARY_PATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert f"thread {process.pid}\n" in done.stdout
        assert " IL offset " in done.stdout
        assert process.loops()
