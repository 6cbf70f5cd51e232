"""Programs that cannot be launched: each gets an answer that says what to do, and nothing is left behind."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.fixture
def hello(newest_runtime: Runtime, tmp_path: Path) -> Path:
    """A folder with a copy of the built program Hello, to be spoilt."""
    built = programs.build("Hello", newest_runtime)
    folder = tmp_path / "Hello"
    shutil.copytree(built.dll.parent, folder)
    return folder


@pytest.fixture
def refuse(session: Session, newest_runtime: Runtime) -> Callable[..., str]:
    """Launches what cannot be launched, sees the session to its end, and returns what the user reads."""

    def launch(program: str | Path, *wanted: str, env: dict[str, str | None] | None = None, **attributes: Any) -> str:
        environment = {**programs.build("Hello", newest_runtime).env, **(env or {})}
        session.initialize()
        session.send("launch", {"program": str(program), "env": environment, **attributes})
        launching = session.messages[-1].message["seq"]
        session.wait_until(
            lambda: any(entry.message.get("request_seq") == launching for entry in session.messages), "it"
        )
        response = next(entry.message for entry in session.messages if entry.message.get("request_seq") == launching)
        assert not response["success"]
        text = DapRequestError("launch", response).text
        assert response["body"]["error"]["showUser"]
        for part in wanted:
            assert part in text
        assert "Internal error" not in text
        session.disconnect()
        assert session.process.wait(5) == 0
        return text

    return launch


def test_program_that_does_not_exist(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Helo.dll", "no program", "Hello.dll", "Build the project")


def test_program_in_a_folder_that_does_not_exist(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "bin" / "Debug" / "Hello.dll", "does not exist either", "Build the project")


def test_program_that_is_a_folder(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello, "is a folder", "Hello.dll")


def test_program_that_is_source(refuse: Callable[..., str], hello: Path) -> None:
    (hello / "Program.fs").touch()
    refuse(hello / "Program.fs", "is source", "dotnet build")


def test_program_that_is_empty(refuse: Callable[..., str]) -> None:
    refuse("", "program")


def test_program_that_is_no_assembly(refuse: Callable[..., str], hello: Path) -> None:
    (hello / "Hello.dll").write_bytes(b"This is a text." * 100)
    refuse(hello / "Hello.dll", "neither a .NET assembly nor an executable")


@pytest.mark.parametrize("length", [0, 1, 2, 64, 128, 200, 300, 400])
def test_program_that_is_cut_short(refuse: Callable[..., str], hello: Path, length: int) -> None:
    dll = hello / "Hello.dll"
    dll.write_bytes(dll.read_bytes()[:length])
    refuse(dll)


def test_program_that_is_native(refuse: Callable[..., str]) -> None:
    refuse(shutil.which("true"), "without starting a .NET runtime", "Specify a .NET program")


def test_program_that_is_a_library(refuse: Callable[..., str], newest_runtime: Runtime) -> None:
    refuse(programs.build("Library", newest_runtime, target="library").dll, "class library", "OutputType")


def test_assembly_for_another_architecture(refuse: Callable[..., str], hello: Path) -> None:
    dll = hello / "Hello.dll"
    image = bytearray(dll.read_bytes())
    (pe_offset,) = struct.unpack_from("<I", image, 0x3C)
    struct.pack_into("<H", image, pe_offset + 4, 0xAA64 if os.uname().machine == "x86_64" else 0x8664)
    dll.write_bytes(image)
    refuse(dll, "compiled for", "AnyCPU")


def test_executable_for_another_architecture(refuse: Callable[..., str], hello: Path) -> None:
    image = bytearray((hello / "Hello").read_bytes())
    struct.pack_into("<H", image, 18, 183 if os.uname().machine == "x86_64" else 62)
    (hello / "Hello").write_bytes(image)
    refuse(hello / "Hello", "but this machine is", "Build it for this machine")


def test_executable_that_is_not_executable(refuse: Callable[..., str], hello: Path) -> None:
    (hello / "Hello").chmod(0o644)
    refuse(hello / "Hello", "chmod +x")


@pytest.mark.parametrize("name", ["Hello.dll", "Hello"])
def test_runtimeconfig_that_is_missing(refuse: Callable[..., str], hello: Path, name: str) -> None:
    (hello / "Hello.runtimeconfig.json").unlink()
    refuse(hello / name, "Hello.runtimeconfig.json is missing", "dotnet build")


def test_runtimeconfig_that_is_damaged(refuse: Callable[..., str], hello: Path) -> None:
    (hello / "Hello.runtimeconfig.json").write_text('{"runtimeOptions": {"frame')
    refuse(hello / "Hello.dll", "runtimeconfig.json")


def test_runtime_that_is_not_installed(refuse: Callable[..., str], hello: Path) -> None:
    config = hello / "Hello.runtimeconfig.json"
    options = json.loads(config.read_text())
    options["runtimeOptions"]["framework"]["version"] = "99.0.0"
    config.write_text(json.dumps(options))
    refuse(hello / "Hello.dll", "needs Microsoft.NETCore.App 99.0.0", "not installed", "Install")


def test_diagnostics_that_are_disabled(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Hello.dll", "EnableDiagnostics", env={"DOTNET_EnableDiagnostics": "0"})


def test_working_folder_that_does_not_exist(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Hello.dll", "working directory", "Correct cwd", cwd=str(hello / "nowhere"))


def test_temporary_folder_that_does_not_exist(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Hello.dll", "temporary folder", "TMPDIR", env={"TMPDIR": str(hello / "nowhere")})


def test_assembly_whose_metadata_is_damaged(session: Session, hello: Path, newest_runtime: Runtime) -> None:
    dll = hello / "Hello.dll"
    image = bytearray(dll.read_bytes())
    start = image.index(b"BSJB")
    image[start : start + 4] = b"XXXX"
    dll.write_bytes(image)
    # Only the runtime finds that out.
    session.launch(str(dll), env=dict(programs.build("Hello", newest_runtime).env))
    while session.wait_for({"stopped", "terminated"}).event != "terminated":
        session.request("continue", {"threadId": 1})
    assert session.events("exited")[0]["exitCode"] != 0
    assert "BadImageFormat" in session.output("stderr") or "0x8007000B" in session.output("stderr")


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({}, "program"),
        ({"program": 5}, "program"),
        ({"program": "x.dll", "args": {"a": 1}}, "args"),
        ({"program": "x.dll", "args": "'unended"}, "args"),
        ({"program": "x.dll", "env": ["A=1"]}, "env"),
        ({"program": "x.dll", "env": {"A": {"B": 1}}}, "env"),
        ({"program": "x.dll", "cwd": [7]}, "cwd"),
        ({"program": "x.dll", "stopAtEntry": "perhaps"}, "stopAtEntry"),
    ],
)
def test_attributes_of_the_wrong_type(session: Session, attributes: dict[str, Any], wanted: str) -> None:
    session.initialize()
    with pytest.raises(DapRequestError, match=wanted):
        session.request("launch", attributes)
    session.disconnect()


def test_arguments_with_a_zero_byte(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Hello.dll", "args", args=["a\0b"])


def test_environment_that_is_too_big(refuse: Callable[..., str], hello: Path) -> None:
    refuse(hello / "Hello.dll", "args and env", env={"BIG": "x" * (4 << 20)})


# Symbols


def stop_at_entry_of(session: Session, folder: Path, built: Program, **attributes: Any) -> dict[str, Any]:
    """Launches the spoilt copy, which must run all the same, sets a breakpoint in it; the breakpoint's last state."""
    program = str(folder / "Hello.dll")
    line = built.line("hello")
    (made,) = session.launch(
        program, breakpoints={str(built.source): [line]}, env=dict(built.env), exception_filters=[], **attributes
    )
    assert session.wait_for_exit() == 0
    assert session.events("stopped") == []
    assert session.output().startswith("Hello, world")
    states = [body["breakpoint"] for body in session.events("breakpoint") if body["breakpoint"]["id"] == made.id]
    assert not any(state["verified"] for state in states)
    (module,) = [body["module"] for body in session.events("module") if body["module"]["name"] == "Hello.dll"]
    return {"module": module["symbolStatus"], "breakpoint": (states or [{"message": made.message}])[-1]["message"]}


def test_pdb_that_is_missing(session: Session, hello: Path, newest_runtime: Runtime) -> None:
    built = programs.build("Hello", newest_runtime)
    (hello / "Hello.pdb").unlink()
    # The compiler's own path is looked at too: this one was never there.
    dll = hello / "Hello.dll"
    dll.write_bytes(dll.read_bytes().replace(b"Hello.pdb", b"Gone1.pdb"))
    body = stop_at_entry_of(session, hello, built)
    assert "missing" in body["module"]


def test_pdb_of_another_build(session: Session, hello: Path, newest_runtime: Runtime) -> None:
    built = programs.build("Hello", newest_runtime)
    other = programs.build("Hello", newest_runtime, optimize=True)
    assert other.pdb is not None
    shutil.copy(other.pdb, hello / "Hello.pdb")
    body = stop_at_entry_of(session, hello, built)
    assert "another build" in body["module"] or "does not match" in body["module"]


def test_pdb_that_is_damaged(session: Session, hello: Path, newest_runtime: Runtime) -> None:
    built = programs.build("Hello", newest_runtime)
    pdb = hello / "Hello.pdb"
    pdb.write_bytes(pdb.read_bytes()[:200])
    body = stop_at_entry_of(session, hello, built)
    assert body["module"] != "Symbols loaded."
