"""Attaching loads a library from beside another process's runtime: only one that nobody else could have written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.launching.test_attach import refusal

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

NOBODY = 65534

# A process that has mapped a file of the runtime's name and made pipes of the names that a runtime makes.
PRETENDER = """
import mmap, os, sys, time
with open(sys.argv[1], "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
start = open("/proc/self/stat").read().rpartition(")")[2].split()[19]
for direction in ("in", "out"):
    getattr(os, sys.argv[2])(f"{os.environ.get('TMPDIR') or '/tmp'}/clr-debug-pipe-{os.getpid()}-{start}-{direction}")
print("ready", flush=True)
time.sleep(60)
"""
EVIL = """
#include <stdio.h>
__attribute__((constructor)) static void act(void) { FILE *proof = fopen(PROOF, "w"); if (proof) fclose(proof); }
"""


@pytest.fixture
def runtime_folder(tmp_path: Path) -> Path:
    """A folder with a false runtime, whose debugger library leaves a proof that it was loaded."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o755)
    (folder / "libcoreclr.so").write_bytes(bytes(4096))
    source = tmp_path / "evil.c"
    source.write_text(EVIL)
    library = folder / "libmscordbi.so"
    proof = f'-DPROOF="{tmp_path / "proof"}"'
    subprocess.run([compiler, "-shared", "-fPIC", proof, "-o", str(library), str(source)], check=True)
    shutil.copy(library, folder / "libmscordaccore.so")
    return folder


@pytest.fixture
def pretender(runtime_folder: Path) -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()
        for pipe in Path(os.environ.get("TMPDIR") or "/tmp").glob(f"clr-debug-pipe-{process.pid}-*"):
            pipe.rmdir() if pipe.is_dir() else pipe.unlink()


def start(folder: Path, started: list[subprocess.Popen[str]], *, pipe: str = "mkfifo") -> int:
    command = [sys.executable, "-c", PRETENDER, str(folder / "libcoreclr.so"), pipe]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process.pid


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have two users")
def test_library_of_another_user_is_not_loaded(play, runtime_folder, pretender, tmp_path):
    process_id = start(runtime_folder, pretender)
    os.chown(runtime_folder / "libmscordbi.so", NOBODY, NOBODY)
    code, message = refusal(play, process_id)
    assert code == "UNTRUSTED_RUNTIME"
    assert f"belongs to user {NOBODY}" in message
    assert "DAP_DOTNET_TRUST_RUNTIME=1" in message
    assert not (tmp_path / "proof").exists()


def test_library_that_everybody_may_write_is_not_loaded(play, runtime_folder, pretender, tmp_path):
    process_id = start(runtime_folder, pretender)
    runtime_folder.chmod(0o777)
    code, message = refusal(play, process_id)
    assert code == "UNTRUSTED_RUNTIME"
    assert f"{runtime_folder} is not only yours: everybody may write to it" in message
    assert not (tmp_path / "proof").exists()


def test_trusted_library_is_loaded(play, runtime_folder, pretender, tmp_path):
    process_id = start(runtime_folder, pretender)
    runtime_folder.chmod(0o777)
    code, _ = refusal(play, process_id, env={"DAP_DOTNET_TRUST_RUNTIME": "1"})
    assert code == "NO_RUNTIME_DEBUGGER"  # it is no debugger library
    assert (tmp_path / "proof").exists()


def test_file_in_the_place_of_a_pipe_is_not_used(play, runtime_folder, pretender):
    process_id = start(runtime_folder, pretender, pipe="mkdir")
    code, _ = refusal(play, process_id, timeout_ms=300)
    assert code == "NO_DIAGNOSTICS"


def test_runtime_that_was_replaced_is_said(play, runtime_folder, pretender):
    process_id = start(runtime_folder, pretender)
    (runtime_folder / "libcoreclr.so").unlink()
    code, message = refusal(play, process_id)
    assert code == "RUNTIME_REPLACED"
    assert "Restart the process" in message
