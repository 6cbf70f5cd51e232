"""`make demo`, the first command that README has for newcomers: it checks by itself all that it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.dotnet import Runtime

pytestmark = pytest.mark.e2e

DEMO = Path(__file__).parents[3] / "scripts" / "demo.py"
TIMEOUT_S = 90


def test_demo_shows_what_it_says(newest_runtime: Runtime) -> None:
    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert newest_runtime.version in done.stdout
