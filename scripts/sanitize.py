"""`make sanitize`: builds the shim with sanitizers and runs its tests on it.

First the native tests (`cordebug_shim/tests`, no .NET), with the address and undefined-behaviour sanitizers and with
the thread sanitizer; then the tests on real runtimes with the first two. `--native` runs only the first. The builds
are in `build`, next to the installed one. The sanitizers' runtime is loaded into the tests' Python only; programs under
test run without it. Other arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = REPOSITORY / "build" / "sanitized"
TESTS = ["tests/e2e/runtime"]
ADDRESS = "address,undefined"
NATIVE = [ADDRESS, "thread"]
OPTIONS = {
    # Python and mscordbi keep memory until the process ends, on purpose.
    # .NET 9's own libmscordbi frees with `delete` what it has from `new[]`, when it lets go of a copy.
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:alloc_dealloc_mismatch=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}


def main() -> int:
    """Build, then run; the exit code is that of the first part that fails."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    arguments = sys.argv[1:]
    for sanitizers in NATIVE:
        if (code := run_native_tests(sanitizers, environment)) != 0:
            return code
    if "--native" in arguments:
        return 0
    print("\N{BULLET} building the shim with the sanitizers", flush=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-build-isolation", "--no-deps"),
            *("--target", str(TARGET)),
            f"--config-settings=cmake.define.CDS_SANITIZE={ADDRESS}",
            "--config-settings=build-dir=build/sanitize-{wheel_tag}",
            str(REPOSITORY),
        ],
        check=True,
        cwd=REPOSITORY,
        env=environment,
    )
    compiler = environment.get("CXX", "c++")
    # With the C++ library: the sanitizer looks for its functions when it is loaded, which is before the shim is.
    libraries = [library(compiler, name) for name in ("libasan.so", "libstdc++.so")]
    environment |= {
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONPATH": str(TARGET),
        **OPTIONS,
    }
    # Not `python -m pytest`: it would import the package from its sources, which have no native part.
    command = [str(Path(sys.executable).parent / "pytest"), "-q", *TESTS, *arguments]
    return subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode


def run_native_tests(sanitizers: str, environment: dict[str, str]) -> int:
    """Build the tests that need no .NET with some sanitizers, and run them; returns their exit code."""
    print(f"\N{BULLET} native tests with -fsanitize={sanitizers}", flush=True)
    folder = REPOSITORY / "build" / f"native-{sanitizers.replace(',', '-')}"
    settings = ["-DCDS_TESTS=ON", f"-DCDS_SANITIZE={sanitizers}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    configure = ["cmake", "-S", str(REPOSITORY / "cordebug_shim"), "-B", str(folder), *settings]
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    build = ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 2)]
    subprocess.run(build, check=True, env=environment, stdout=subprocess.DEVNULL)
    program = folder / "tests" / "cordebug_shim_tests"
    return subprocess.run([str(program)], env={**environment, **OPTIONS}, check=False).returncode


def library(compiler: str, name: str) -> str:
    """Where the compiler has one of its own libraries."""
    asked = [compiler, f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
