"""Attach checks and process lists against a made-up /proc."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import attaching, procfs
from dap_dotnet.launching.attaching import check_attachable, explained, no_other_attaches, once_guardian_has_left
from dap_dotnet.launching.processes import DotnetProcess, find_by_name, list_processes, program_name
from tests.unit.launching.helpers import is_gone, wait_until

START_TIME = 4711
SHARED = "/usr/share/dotnet/shared/Microsoft.NETCore.App/9.0.18/libcoreclr.so"


@pytest.fixture
def proc(tmp_path, monkeypatch):
    """Stands for /proc; its processes have the folder tmp_path/tmp as TMPDIR."""
    folder = tmp_path / "proc"
    folder.mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(procfs, "PROC", folder)
    monkeypatch.setattr(attaching, "_YAMA", tmp_path / "ptrace_scope")
    return FakeProc(folder, tmp_path)


class FakeProc:
    def __init__(self, folder, outer):
        self.folder = folder
        self.outer = outer

    def add(self, process_id, *, command="dotnet\0/a/app.dll\0", library=SHARED, **options):
        process = self.folder / str(process_id)
        process.mkdir()
        inner_id = options.get("inner_id", process_id)
        variables = {"TMPDIR": str(self.outer / "tmp"), **options.get("variables", {})}
        fields = " ".join(str(number) for number in range(4, 22))
        (process / "stat").write_text(f"{process_id} (a ) b) {options.get('state', 'S')} {fields} {START_TIME} 0")
        owner = options.get("owner", os.geteuid())
        status = f"Name:\tx\nUid:\t{os.getuid()}\t{owner}\t0\t0\nNSpid:\t{process_id}\t{inner_id}\n"
        (process / "status").write_text(status)
        (process / "environ").write_text("".join(f"{name}={value}\0" for name, value in variables.items()))
        (process / "cmdline").write_text(command)
        lines = ["7f00-7f01 r-xp 00000000 08:01 12 /lib/libc.so.6"]
        if library:
            lines.append(f"7f10-7f11 r--p 00000000 08:01 13                         {library}")
        (process / "maps").write_text("\n".join(lines) + "\n")
        (process / "mem").touch()
        (process / "fd").mkdir()
        root = self.outer / options["root"] if "root" in options else Path("/")
        root.mkdir(exist_ok=True)
        (process / "root").symlink_to(root)
        if options.get("has_pipe", True):
            base = process / "root" / str(self.outer / "tmp").lstrip("/")
            base.mkdir(parents=True, exist_ok=True)
            for direction in ("in", "out"):
                (base / f"clr-debug-pipe-{inner_id}-{START_TIME}-{direction}").touch()
        return process


def refusal(process_id):
    with pytest.raises(LaunchError) as caught:
        check_attachable(process_id)
    return caught.value.code, caught.value.message


def test_process_of_dotnet_is_attachable(proc, tmp_path):
    proc.add(100)
    assert check_attachable(100) == str(tmp_path / "tmp")


def test_missing_process_is_said(proc):
    proc.add(100, state="Z")
    for process_id in (100, 101, 0, -1):
        code, message = refusal(process_id)
        assert code == "NO_PROCESS"
        assert f"There is no process {process_id}." in message
        assert "dap-dotnet ps" in message


def test_own_process_is_refused(proc):
    assert "is dap-dotnet itself" in refusal(os.getpid())[1]


def test_disabled_diagnostics_are_named(proc):
    proc.add(100, variables={"DOTNET_EnableDiagnostics": "0"}, has_pipe=False)
    code, message = refusal(100)
    assert code == "DIAGNOSTICS_DISABLED"
    assert "DOTNET_EnableDiagnostics=0 in the environment of process 100 disables debugging" in message


@pytest.mark.parametrize(
    "options",
    [{"library": None}, {"library": "/opt/dotnet/libcoreclr.so (deleted)"}, {"has_pipe": False}, {"root": "container"}],
)
def test_runtime_and_pipes_are_left_to_the_shim(proc, options):
    proc.add(100, **options)
    check_attachable(100)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("NOT_DOTNET", "Process 100 (bash) is not a .NET process, or has not started its runtime yet. `dap-dotnet ps`"),
        ("SINGLE_FILE", "Process 100 (bash) is a self-contained single-file program"),
        ("OTHER_NAMESPACE", "As the shim says. For example with docker exec."),
        ("UNTRUSTED_RUNTIME", "As the shim says. Change its owner and mode"),
        ("ALREADY_DEBUGGED", "As the shim says."),
    ],
)
def test_refusal_of_the_shim_gets_its_remedy(proc, code, expected):
    proc.add(100, command="/bin/bash\0-l\0")
    error = explained(100, LaunchError("As the shim says.", code=code))
    assert error.code == code
    assert error.message.startswith(expected)
    assert explained(101, LaunchError("As the shim says.", code="NOT_DOTNET")).message.startswith("Process 101 is not")


@pytest.mark.parametrize(
    "case",
    [
        (0, 1234, None, "Run dap-dotnet as root."),
        (1234, 1234, "1", "sudo sysctl kernel.yama.ptrace_scope=0"),
        (1234, 1234, "2", "Launch the program under dap-dotnet."),
        (1234, 1234, "3", "by a reboot"),
        (1234, 1234, "0", "SYS_PTRACE"),
        (1234, 0, None, "SYS_PTRACE"),
    ],
)
def test_missing_permission_is_explained(proc, tmp_path, monkeypatch, case):
    owner, own, scope, expected = case
    if scope is not None:
        (tmp_path / "ptrace_scope").write_text(scope + "\n")
    proc.add(100, owner=owner)
    monkeypatch.setattr(os, "geteuid", lambda: own)

    def refuse(process_id):
        raise PermissionError(process_id)

    monkeypatch.setattr(procfs, "runtime_library_of", refuse)
    code, message = refusal(100)
    assert code == "NO_PERMISSION"
    assert expected in message


def test_list_has_version_and_command_line(proc):
    proc.add(300, library="/opt/app/libcoreclr.so", command="/opt/app/app\0--serve\0")
    proc.add(100)
    proc.add(200, library=None)
    proc.add(400, has_pipe=False)
    assert list_processes() == [
        DotnetProcess(100, "9.0.18", ("dotnet", "/a/app.dll")),
        DotnetProcess(300, "unknown", ("/opt/app/app", "--serve")),
    ]
    assert [process.process_id for process in find_by_name("app")] == [100, 300]
    assert [process.process_id for process in find_by_name("app.dll")] == [100, 300]
    assert find_by_name("App") == []


def test_list_survives_a_process_that_vanishes(proc):
    proc.add(100)
    (proc.folder / "200").mkdir()
    assert [process.process_id for process in list_processes()] == [100]


@pytest.mark.parametrize(
    ("command_line", "expected"),
    [
        ((), ""),
        (("/usr/bin/dotnet", "exec", "--depsfile", "x.json", "/a/b.dll", "c.dll"), "b"),
        (("dotnet", "build"), "dotnet"),
        (("./app", "x.dll"), "app"),
    ],
)
def test_name_comes_from_the_command_line(command_line, expected):
    assert program_name(command_line) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_real_proc_is_read(tmp_path):
    process = subprocess.Popen(["/bin/sleep", "100"], env={"MARK": "ü=1", "EMPTY": ""})
    try:
        wait_until(lambda: procfs.command_line_of(process.pid) == ["/bin/sleep", "100"], "exec")
        assert procfs.environment_of(process.pid) == {"MARK": "ü=1", "EMPTY": ""}
        assert procfs.owner_of(process.pid) == os.geteuid()
        assert procfs.runtime_library_of(process.pid) is None
        assert not procfs.has_debugger_pipe(process.pid, str(tmp_path))  # not /tmp: others may have had this number
        assert check_attachable(process.pid) == "/tmp"
    finally:
        process.kill()
        process.wait()
    assert is_gone(process.pid)
    assert refusal(process.pid)[0] == "NO_PROCESS"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_other_users_process_is_refused():
    """Done for real: this test's process looks at its own as the user nobody."""
    script = """
import os, sys
from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.attaching import check_attachable, explained, no_other_attaches, once_guardian_has_left
import pwd
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    check_attachable(int(sys.argv[1]))
except LaunchError as error:
    print(error.code, error.message)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(os.getpid())], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("NO_PERMISSION")
    assert "belongs to user root" in done.stdout


def test_attaches_to_a_process_take_turns(monkeypatch):
    monkeypatch.setattr(attaching, "_ATTACH_S", 0.05)
    with (
        no_other_attaches(os.getpid()),
        no_other_attaches(os.getppid()),
        pytest.raises(LaunchError) as refused,
        no_other_attaches(os.getpid()),
    ):
        pass
    assert refused.value.code == "ALREADY_DEBUGGED"
    with no_other_attaches(os.getpid()):
        pass


def test_attach_waits_for_another_that_fails(monkeypatch):
    monkeypatch.setattr(attaching, "_ATTACH_S", 60.0)
    first = no_other_attaches(os.getpid())
    first.__enter__()
    monkeypatch.setattr(attaching.time, "sleep", lambda _: first.__exit__(None, None, None))
    with no_other_attaches(os.getpid()):
        pass


def test_no_lock_for_a_process_that_is_gone():
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    with pytest.raises(LaunchError) as refused, no_other_attaches(gone.pid):
        pass
    assert refused.value.code == "NO_PROCESS"


def refused(holder: str) -> LaunchError:
    return LaunchError(f"Process 5 is already being debugged by process 6 ({holder}).", code="ALREADY_DEBUGGED")


def test_attach_waits_for_the_guardian_of_a_debugger_that_was_killed():
    answers = iter([refused("dap-dotnet-launcher"), refused("dap-dotnet-launcher"), None])

    def attach() -> str:
        if (error := next(answers)) is not None:
            raise error
        return "attached"

    assert once_guardian_has_left(attach) == "attached"


@pytest.mark.parametrize("error", [refused("netcoredbg"), LaunchError("dap-dotnet-launcher", code="NO_PROCESS")])
def test_attach_does_not_wait_for_anybody_else(error):
    answers = iter([error])

    def attach() -> None:
        raise next(answers)

    with pytest.raises(LaunchError) as info:
        once_guardian_has_left(attach)
    assert info.value is error


def test_attach_does_not_wait_for_a_guardian_that_stays(monkeypatch):
    monkeypatch.setattr(attaching, "_LEAVE_S", 0.0)

    def attach() -> None:
        raise refused("dap-dotnet-launcher")

    with pytest.raises(LaunchError, match="already being debugged"):
        once_guardian_has_left(attach)
