"""Node packages for tests, installed once into `.cache`."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.locks import file_lock
from tests.support.paths import CACHE


def install(project: Path, what: str) -> Path:
    """A copy of a project's folder with its packages; skips the test where they cannot be had. `what` names them."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip(f"npm and node are not installed: {what} runs on them")
    files = sorted(file for file in project.iterdir() if file.is_file())
    key = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    folder = CACHE / f"node-client-{key}"
    with file_lock(CACHE / "node-client.lock"):
        if not (folder / ".complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for file in files:
                shutil.copy(file, folder)
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            done = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False
            )
            if done.returncode != 0:
                pytest.skip(f"npm could not install {what}: {done.stderr.strip()[:300]}")
            (folder / ".complete").touch()
    return folder
