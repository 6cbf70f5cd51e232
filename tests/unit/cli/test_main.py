"""The command as a user starts it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dap_dotnet import __version__
from dap_dotnet.client import DapClient, adapter_command
from tests.support.schema import validate_message


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        adapter_command(arguments), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )


def test_main_shows_version_and_help():
    assert run("--version").stdout == f"dap-dotnet {__version__}\n"
    done = run("--interpreter=vscode", "--help")
    assert "attach" in done.stdout
    assert done.returncode == 0
    assert "--max-stops" in run("run", "--help").stdout


@pytest.mark.parametrize("arguments", [["fly"], ["--fly"], ["run"], ["run", "-b", "x", "y"], ["ps", "x"], ["--log"]])
def test_main_exits_with_2_on_a_wrong_command_line(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr
    assert done.stdout == ""


def test_main_says_that_the_log_cannot_be_written(tmp_path):
    done = run("--log", str(tmp_path / "no" / "a.log"))
    assert done.returncode == 2
    assert "cannot write the log file" in done.stderr


def test_adapter_ends_with_0_when_its_input_ends():
    done = run("--interpreter=vscode")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_adapter_logs_every_message(tmp_path):
    log = tmp_path / "a.log"
    with DapClient.spawn(
        adapter_command(["--log", str(log)]), on_message=lambda recorded: validate_message(recorded.message)
    ) as client:
        client.initialize()
        client.wait_for("initialized")
    text = log.read_text()
    for recorded in client.messages:
        arrow = "<-" if recorded.sender == "client" else "->"
        assert any(
            json.loads(line.partition(f" {arrow} ")[2]) == recorded.message
            for line in text.splitlines()
            if f" {arrow} " in line
        )


def test_adapter_imports_neither_the_command_line_nor_the_client():
    code = (
        "import sys; from dap_dotnet.__main__ import main; main([]); "
        "print([name for name in sys.modules if name.startswith(('argparse', 'dap_dotnet.cl'))], file=sys.stderr)"
    )
    root = adapter_command()[2].partition("append(")[2].partition(")")[0]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({root}); {code}"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_adapter_ends_in_order_on_a_signal(signal_name, tmp_path):
    import signal

    with DapClient.spawn(adapter_command(["--log", str(tmp_path / "log")])) as client:
        client.initialize()
        client.wait_for("initialized")
        subprocess.run(["kill", f"-{signal_name[3:]}", str(client.process.process_id)], check=True)
        assert client.process.wait(10) == 128 + getattr(signal, signal_name)
        assert client.process.error_output == ""
