"""`make sanitize`: builds the shim with the address and undefined-behaviour sanitizers and runs its tests on it.

The build is in `build/sanitized`, next to the installed one. The sanitizers' runtime is loaded into the tests' Python
only; programs under test run without it. Arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = REPOSITORY / "build" / "sanitized"
TESTS = ["tests/e2e/runtime"]


def main() -> int:
    """Build, then run; the exit code is pytest's."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    print("\N{BULLET} building the shim with the sanitizers", flush=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-build-isolation", "--no-deps"),
            *("--target", str(TARGET)),
            "--config-settings=cmake.define.CDS_SANITIZE=ON",
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
        # Python and mscordbi keep memory until the process ends, on purpose.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    # Not `python -m pytest`: it would import the package from its sources, which have no native part.
    command = [str(Path(sys.executable).parent / "pytest"), "-q", *TESTS, *sys.argv[1:]]
    return subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode


def library(compiler: str, name: str) -> str:
    """Where the compiler has one of its own libraries."""
    asked = [compiler, f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
