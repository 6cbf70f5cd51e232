"""Builds what is published, into `dist`: a source distribution, and from it a wheel for any Python from 3.10 on.

The wheel's tag says how old a glibc may be (`manylinux`): auditwheel finds it out from the symbols that our binaries
use, so that it depends on the system that builds. Run it in `.venv` (`make wheel` does).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DIST = REPOSITORY / "dist"


def main() -> int:
    """Build both; on failure the tool that failed has said why."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    environment.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory(prefix="dap-dotnet-wheel-") as folder:
        built = Path(folder, "built")
        # The wheel is built from the source distribution, which proves that nothing is missing there.
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(REPOSITORY)]
        wheels = Path(folder, "wheels")
        try:
            subprocess.run(build, env=environment, check=True, stdin=subprocess.DEVNULL)
            (plain,) = built.glob("*.whl")
            repair = [str(programs / "auditwheel"), "repair", "--strip", "--wheel-dir", str(wheels), str(plain)]
            subprocess.run(repair, env=environment, check=True, stdin=subprocess.DEVNULL)
        except subprocess.CalledProcessError as error:
            print(f"error: {Path(error.cmd[0]).name} failed; its output is above", file=sys.stderr)
            return 1
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for file in (*built.glob("*.tar.gz"), *wheels.glob("*.whl")):
            shutil.copy(file, DIST)
            print(f"dist/{file.name}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
