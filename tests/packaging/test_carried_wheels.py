"""What the VS Code extension carries, set up as it does on a machine without a network. Run by `make wheel-test`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import carried_wheels
from tests.support.paths import REPOSITORY

pytestmark = pytest.mark.packaging

SET_UP_S = 120
ANSWER_S = 30
# Nobody listens there.
NO_NETWORK = dict.fromkeys(("PIP_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9/")
MISLEADING = {"PYTHONPATH": "/nonsense", "PIP_TARGET": "/nowhere", "PIP_REQUIRE_VIRTUALENV": "1"}


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (wheel,) = (REPOSITORY / "dist").glob("*.whl")
    folder = tmp_path_factory.mktemp("extension") / "carried"
    carried_wheels.fill(folder, wheel, carried_wheels.this_target())
    return folder


def test_carried_wheels_become_an_adapter_without_a_network(carried: Path, tmp_path: Path) -> None:
    script = REPOSITORY / "vscode-extension" / "set_up_adapter.py"
    environment = tmp_path / "the user's storage" / "adapter" / "key"
    base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    variables = {**os.environ, **NO_NETWORK, **MISLEADING}
    subprocess.run(
        [base, "-I", str(script), str(carried), str(environment)], env=variables, check=True, timeout=SET_UP_S
    )
    request = {"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "dap-dotnet"}}
    body = json.dumps(request).encode()
    done = subprocess.run(
        [str(environment / "dap-dotnet")], input=b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
        env=variables, cwd=tmp_path, capture_output=True, timeout=ANSWER_S, check=False,
    )  # fmt: skip
    response = json.loads(done.stdout.partition(b"\r\n\r\n")[2].partition(b"Content-Length")[0])
    assert (response["command"], response["success"]) == ("initialize", True), done.stderr
    native = [str(environment / "bin" / "python"), "-I", "-c", "import capstone"]
    subprocess.run(native, env=variables, check=True, timeout=ANSWER_S)


@pytest.mark.parametrize("python", carried_wheels.PYTHONS)
def test_carried_wheels_are_for_every_python_that_they_name(carried: Path, tmp_path: Path, python: str) -> None:
    contents = json.loads((carried / "contents.json").read_text())
    assert python in contents["pythons"]
    abis = [word for abi in (f"cp{python.replace('.', '')}", "abi3", "none") for word in ("--abi", abi)]
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--find-links", str(carried)]
    pip += [
        "--only-binary=:all:",
        "--target",
        str(tmp_path),
        "--implementation",
        "cp",
        "--python-version",
        python,
        *abis,
    ]
    subprocess.run([*pip, contents["requirement"]], env={**os.environ, **NO_NETWORK}, check=True, timeout=SET_UP_S)
