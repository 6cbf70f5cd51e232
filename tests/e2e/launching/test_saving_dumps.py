"""Dumps of running programs: what is in them, that the program goes on, and each reason why there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.saving_dumps import save_dump
from dap_dotnet.runtime.cordebug import describe_core
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import SpinProcess, spinning

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

OFF = {"DOTNET_EnableDiagnostics": "0", "COMPlus_EnableDiagnostics": "0"}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount or to be somebody else")


@pytest.fixture
def process(runtime: Runtime, tmp_path: Path) -> Iterator[SpinProcess]:
    with spinning(programs.build("Spin", runtime), tmp_path, {}) as running:
        yield running


def refusal(process_id: int, path: Path | str, kind: str = "heap") -> LaunchError:
    with pytest.raises(LaunchError) as refused:
        save_dump(process_id, str(path), kind)  # type: ignore[arg-type]
    return refused.value


def save_until(process_id: int, folder: Path, is_unwanted: Callable[[], bool]) -> None:
    """Until a dump has taken long enough to be asked about."""
    for _ in range(50):
        save_dump(process_id, str(folder), "full", is_unwanted=is_unwanted)


def core(path: str, *options: str) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "dap_dotnet", "core", "--json", *options, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd="/")
    return [json.loads(line) for line in done.stdout.splitlines()]


def stop_in(path: str) -> dict[str, object]:
    (stop,) = (record for record in core(path, "--stack", "9", "--locals") if record["kind"] == "stopped")
    return stop


@pytest.mark.parametrize("kind", ["mini", "triage", "heap", "full"])
def test_dump_has_the_place_where_the_program_is(process: SpinProcess, kind: str, tmp_path: Path) -> None:
    saved = save_dump(process.process_id, str(tmp_path / "100% p.dmp"), kind)  # type: ignore[arg-type]
    assert saved.path == str(tmp_path / "100% p.dmp")
    assert saved.bytes == os.path.getsize(saved.path) > 1_000_000
    assert os.stat(saved.path).st_mode & 0o777 == 0o600
    assert describe_core(saved.path).process_id == process.process_id
    if process.program.runtime.major not in ("3.1", "5.0", "6.0", "7.0"):
        frames = [str(frame) for frame in stop_in(saved.path)["stack"]]  # type: ignore[attr-defined]
        assert any("Spin.Program.Main" in frame for frame in frames)
    assert list(tmp_path.glob(".dap-dotnet-*")) == []
    process.stop()


def test_each_dump_in_a_folder_has_a_name_of_its_own(process: SpinProcess, tmp_path: Path) -> None:
    paths = {save_dump(process.process_id, str(tmp_path), "mini").path for _ in range(3)}
    assert len(paths) == 3
    assert all(Path(path).name.startswith(f"Spin.{process.process_id}.20") for path in paths)


def test_runtime_without_diagnostics_is_dumped_by_us(runtime: Runtime, tmp_path: Path) -> None:
    with spinning(programs.build("Spin", runtime), tmp_path, OFF) as process:
        saved = save_dump(process.process_id, str(tmp_path), "heap")
        assert describe_core(saved.path).process_id == process.process_id


def test_places_that_cannot_be_written(process: SpinProcess, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    assert "exists already" in refusal(process.process_id, tmp_path / "there").message
    assert (tmp_path / "there").read_text() == "mine"
    assert "exists already" in refusal(process.process_id, "/dev/null").message
    assert "There is no folder" in refusal(process.process_id, tmp_path / "none" / "x.dmp").message
    assert "cannot be written" in refusal(process.process_id, "/proc/x.dmp", "mini").message


@needs_root
@pytest.mark.parametrize("kind", ["heap", "mini"])
def test_full_disk(process: SpinProcess, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        message = refusal(process.process_id, folder / "x.dmp", kind).message
        assert str(folder) in message
        assert "disk" in message
        assert "kind mini" in message
        assert list(folder.iterdir()) == []
    finally:
        subprocess.run(["umount", folder], check=True)


def test_process_that_is_not_there_or_not_of_dotnet(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert refusal(ended.pid, tmp_path).code == "NO_PROCESS"
    with subprocess.Popen(["sleep", "60"]) as other:
        error = refusal(other.pid, tmp_path)
        other.kill()
    assert error.code == "NOT_DOTNET"
    assert "is not a .NET process" in error.message


def test_process_that_ends_meanwhile(runtime: Runtime, tmp_path: Path) -> None:
    with SpinProcess(programs.build("Spin", runtime), tmp_path, {}) as process:

        def kill() -> bool:
            os.kill(process.process_id, 9)
            return False

        with pytest.raises(LaunchError) as refused:
            save_until(process.process_id, tmp_path, kill)
    assert refused.value.code in ("NO_PROCESS", "DUMP_FAILED")
    assert list(tmp_path.glob(".dap-dotnet-*")) == []


def test_dump_that_nobody_waits_for_is_gone(process: SpinProcess, tmp_path: Path) -> None:
    with pytest.raises(LaunchError) as refused:
        save_until(process.process_id, tmp_path, lambda: True)
    assert refused.value.code == "CANCELLED"
    assert list(tmp_path.glob(".dap-dotnet-*")) == []
    process.stop()


def test_runtime_without_createdump(runtime: Runtime, tmp_path: Path) -> None:
    if runtime.major == "3.1":
        pytest.skip("its host starts no program then")
    root = tmp_path / "dotnet"
    folder = root / "shared" / "Microsoft.NETCore.App" / runtime.version
    shutil.copytree(runtime.directory, folder, ignore=shutil.ignore_patterns("createdump"))
    shutil.copytree(runtime.root / "host", root / "host")
    shutil.copy(runtime.dotnet, root)
    program = replace(programs.build("Spin", runtime), runtime=Runtime(root, runtime.version))
    for environment in ({}, OFF):
        with spinning(program, tmp_path, environment) as process:
            message = refusal(process.process_id, tmp_path).message
            assert f"there is no {folder}/createdump" in message
            assert f"gcore {process.process_id}" in message
        (tmp_path / "stop-spin").unlink()


@needs_root
def test_createdump_that_others_could_write_is_not_started(runtime: Runtime, tmp_path: Path) -> None:
    root = tmp_path / "dotnet"
    folder = root / "shared" / "Microsoft.NETCore.App" / runtime.version
    shutil.copytree(runtime.directory, folder)
    shutil.copytree(runtime.root / "host", root / "host")
    shutil.copy(runtime.dotnet, root)
    (folder / "createdump").write_text(f"#!/bin/sh\ntouch {tmp_path}/proof\n")
    os.chown(folder / "createdump", 65534, 65534)
    program = replace(programs.build("Spin", runtime), runtime=Runtime(root, runtime.version))
    with spinning(program, tmp_path, OFF) as process:
        message = refusal(process.process_id, tmp_path).message
    assert "belongs to user 65534" in message
    assert "DAP_DOTNET_TRUST_RUNTIME=1" in message
    assert not (tmp_path / "proof").exists()


@needs_root
def test_process_with_a_temporary_folder_of_its_own(runtime: Runtime, tmp_path: Path) -> None:
    program = programs.build("Spin", runtime)
    script = 'mount -t tmpfs none /tmp && exec "$@"'
    command = ["unshare", "--mount", "/bin/sh", "-c", script, "sh", *program.command, "/tmp/stop", "60"]
    environment = program.environment({"TMPDIR": "/tmp"})
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        if not process.stdout.readline().startswith(b"READY"):
            pytest.skip("no namespace can be made here")
        try:
            saved = save_dump(process.pid, str(tmp_path / "inside.dmp"), "heap")
            left = list(Path(f"/proc/{process.pid}/root/tmp").glob(".dap-dotnet-*"))
        finally:
            process.kill()
    assert describe_core(saved.path).process_id == process.pid
    assert left == []


@needs_root
def test_process_of_another_user(runtime: Runtime, tmp_path: Path) -> None:
    program = programs.build("Spin", runtime)
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        shutil.copytree(program.dll.parent, folder / "program")
        shutil.copytree(runtime.directory, folder / "shared" / "Microsoft.NETCore.App" / runtime.version)
        shutil.copytree(runtime.root / "host", folder / "host")
        shutil.copy(runtime.dotnet, folder)
        command = [
            *as_nobody,
            str(folder / "dotnet"),
            str(folder / "program" / program.dll.name),
            f"{folder}/stop",
            "60",
        ]
        environment = {**program.environment(), "TMPDIR": name, "HOME": name, "DOTNET_ROOT": name}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, env=environment, **pipes) as process:  # type: ignore[call-overload]
            try:
                if not process.stdout.readline().startswith(b"READY"):
                    pytest.skip("nobody cannot run a program here")
                saved = save_dump(process.pid, str(tmp_path / "theirs.dmp"), "heap")
            finally:
                process.kill()
        assert list(folder.glob(".dap-dotnet-*")) == []
    assert describe_core(saved.path).process_id == process.pid
    assert (os.stat(saved.path).st_uid, os.stat(saved.path).st_mode & 0o777) == (os.geteuid(), 0o600)


def test_command_line(process: SpinProcess, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dap_dotnet", "dump"]
    done = subprocess.run(
        [*command, "--kind", "mini", "--json", str(process.process_id)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    (record,) = (json.loads(line) for line in done.stdout.splitlines())
    assert (record["kind"], record["dumpType"]) == ("dumpSaved", "mini")
    assert Path(record["path"]).parent == tmp_path
    refused = subprocess.run(
        [*command, "-o", record["path"], str(process.process_id)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert refused.returncode == 125
    assert "exists already" in refused.stderr
