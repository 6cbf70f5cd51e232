"""`dap-dotnet doctor`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from dap_dotnet.cli import doctor_checks
from dap_dotnet.cli.doctor import doctor
from dap_dotnet.cli.doctor_checks import RUNTIME, Finding
from dap_dotnet.runtime.accelerator import Fit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An installation with a runtime that has the debugger's libraries, which are no libraries."""
    host = tmp_path / "dotnet"
    host.write_bytes(b"\x7fELF")
    host.chmod(0o755)
    (tmp_path / "host" / "fxr").mkdir(parents=True)
    folder = tmp_path / "shared" / RUNTIME / "9.0.1"
    folder.mkdir(parents=True)
    for name in ("libmscordbi.so", "libmscordaccore.so"):
        (folder / name).write_bytes(b"no library")
    return tmp_path


def of_runtime(root: Path) -> Finding:
    found = {finding.name: finding for finding in doctor_checks.runtimes({"DOTNET_ROOT": str(root)})}
    return found["debugger of 9.0.1"]


@pytest.mark.parametrize(
    ("fitted", "status", "expected"),
    [
        (Fit(parts={"page cache": "on"}), "ok", "found, loadable and trusted"),
        (Fit(problem="It cannot be loaded: no ELF."), "error", "libmscordbi.so: It cannot be loaded: no ELF."),
        (Fit(problem="Not only yours.", problem_code="UNTRUSTED_RUNTIME"), "warning", "Not only yours. Its programs"),
    ],
)
def test_libraries_are_tried(
    root: Path, monkeypatch: pytest.MonkeyPatch, fitted: Fit, status: str, expected: str
) -> None:
    monkeypatch.setattr(doctor_checks, "fit", lambda folder: fitted)
    finding = of_runtime(root)
    assert finding.status == status
    assert expected in finding.message
    assert bool(finding.remedy) == (status != "ok")


def test_accelerator_is_told_of_for_each_runtime(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"kept hash table": "on", "page cache": "not installed: a reason"}
    monkeypatch.setattr(doctor_checks, "fit", lambda folder: Fit(parts=parts))
    (finding,) = (
        one for one in doctor_checks.accelerator({"DOTNET_ROOT": str(root)}) if one.name == "accelerator for 9.0.1"
    )
    assert finding.message == "kept hash table: on; page cache: not installed: a reason"


def test_missing_library_is_named(root: Path) -> None:
    (root / "shared" / RUNTIME / "9.0.1" / "libmscordbi.so").unlink()
    finding = of_runtime(root)
    assert finding.status == "error"
    assert "lacks libmscordbi.so" in finding.message


@pytest.mark.parametrize(("folder", "status"), [("", "ok"), ("missing", "error"), ("x" * 80, "error")])
def test_temporary_folder(tmp_path: Path, folder: str, status: str) -> None:
    place = tmp_path / folder if folder else Path("/tmp")
    if folder.startswith("x"):
        place.mkdir()
    (finding,) = doctor_checks.temporary({"TMPDIR": str(place)})
    assert finding.status == status
    assert bool(finding.remedy) == (status != "ok")


def test_home_in_which_no_sdk_can_write(root: Path) -> None:
    (root / "sdk" / "10.0.100").mkdir(parents=True)
    findings = list(doctor_checks.sdks({"DOTNET_ROOT": str(root), "HOME": "/nowhere", "PATH": ""}))
    assert [(finding.name, finding.status) for finding in findings] == [("SDKs", "ok"), ("home", "warning")]
    assert "DOTNET_CLI_HOME" in findings[1].remedy


@pytest.mark.parametrize("full", [{"f_bavail": 0}, {"f_favail": 0}])
def test_full_file_systems_are_said(monkeypatch: pytest.MonkeyPatch, full: dict[str, int]) -> None:
    room = SimpleNamespace(**{"f_blocks": 9, "f_bavail": 9, "f_files": 9, "f_favail": 9, **full})
    monkeypatch.setattr(os, "statvfs", lambda folder: room)
    (shared,), (temporary,) = doctor_checks.shared_memory({}), doctor_checks.temporary({"TMPDIR": "/tmp"})
    assert (shared.status, temporary.status) == ("error", "warning")
    assert "full" in shared.message
    assert "full" in temporary.message
    room.f_blocks = room.f_files = 0  # a file system that does not count
    (shared,) = doctor_checks.shared_memory({})
    assert shared.status == "ok"


def test_switched_off_diagnostics_are_an_error() -> None:
    first, *_ = doctor_checks.switches({"DOTNET_EnableDiagnostics": "0"})
    assert (first.status, first.message) == ("error", "DOTNET_EnableDiagnostics=0 disables debugging")


@pytest.mark.parametrize(("status", "code"), [("ok", 0), ("warning", 0), ("error", 1)])
def test_report_is_written_for_people_and_machines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], status: doctor_checks.Status, code: int
) -> None:
    finding = Finding("thing", status, "as it is", "" if status == "ok" else "Do it.")
    monkeypatch.setattr("dap_dotnet.cli.doctor.all_findings", lambda environment: iter([finding]))
    assert doctor(["--json"]) == code
    record = json.loads(capsys.readouterr().out)
    assert record["status"] == status
    assert record.get("remedy", "") == finding.remedy
    assert doctor([]) == code
    assert "thing: as it is" in capsys.readouterr().out
