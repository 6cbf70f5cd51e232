"""Installs portablepdb alone into an empty environment for every Python found, and runs its examples there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "pdb")]

from tests.symbols.sample_files import write_samples  # noqa: E402
from tests.symbols.test_package import pythons  # noqa: E402


def check(python: str, folder: Path) -> None:
    """One Python. Raises CalledProcessError when something does not work."""
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    own = folder / "venv" / "bin" / "python"
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([own, "-m", "pip", "install", *quiet, REPOSITORY / "pdb"], check=True)
    write_samples(folder)
    subprocess.run([own, "-I", REPOSITORY / "tests" / "symbols" / "examples.py", folder], check=True)
    subprocess.run([own.with_name("portablepdb"), "--version"], check=True)
    subprocess.run([own.with_name("portablepdb"), "bind", folder / "sample.dll", "Shop.cs", "12"], check=True)


def main() -> int:
    """The exit code: 1 when a Python failed."""
    failed = 0
    for python in pythons():
        print(python, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(python, Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"failed: {error}")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
