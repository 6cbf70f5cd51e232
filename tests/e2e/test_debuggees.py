"""The test programs themselves, without a debugger: each builds and does what it says on every runtime found."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.markers import read_markers
from tests.support.paths import PROGRAMS

pytestmark = pytest.mark.e2e


def test_program_runs_on_its_runtime(runtime: Runtime) -> None:
    program = programs.build("Hello", runtime)
    done = program.run("7", "x y", env={"HELLO_VARIABLE": "set"})
    lines = done.stdout.decode().splitlines()
    assert lines[:4] == ["Hello, world", "argument: 7", "argument: x y", "HELLO_VARIABLE=set"]
    assert done.stderr == b"to standard error\n"
    assert done.returncode == 7


def test_program_apphost_starts_the_same_program(runtime: Runtime) -> None:
    program = programs.build("Hello", runtime)
    assert program.apphost is not None
    command = [program.apphost, "5"]
    done = subprocess.run(command, capture_output=True, env=program.environment(), timeout=60, check=False)
    assert (done.returncode, done.stderr) == (5, b"to standard error\n")


def test_program_is_built_once(newest_runtime: Runtime) -> None:
    first = programs.build("Hello", newest_runtime)
    built_at_ns = first.dll.stat().st_mtime_ns
    assert programs.build("Hello", newest_runtime).dll.stat().st_mtime_ns == built_at_ns
    assert programs.build("Hello", newest_runtime, optimize=True).dll != first.dll


def test_program_that_does_not_compile_is_reported(newest_runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "Program.cs").write_text("class Program { static void Main() { nonsense } }")
    with pytest.raises(programs.BuildError, match="error CS1002"):
        programs.build(tmp_path, newest_runtime)


@pytest.mark.parametrize("folder", sorted(PROGRAMS.iterdir()), ids=lambda folder: folder.name)
def test_markers_of_a_program_are_unique(folder: Path) -> None:
    for source in programs.sources_of(folder):
        read_markers(source)  # raises MarkerError where two are the same


@pytest.mark.parametrize(
    ("name", "arguments", "expected", "exit_code"),
    [
        ("Loop", ["10"], "total 285\n", 0),
        ("Values", [], "done 11\n", 0),
        ("Threads", [], "all started\nall ended\n", 0),
        ("Deep", ["200"], "reached 200\n", 0),
        ("Crash", ["caught"], "about to crash: caught\ncaught: caught\nsurvived\n", 0),
        ("Output", ["unended"], "no newline at the end", 0),
        ("Output", ["utf8"], "naïve 日本 🎉\n", 0),
        ("Stdin", [], "line: one\nline: two\nend of input after 2 lines\n", 2),
        ("ExitCode", ["9", "exit"], "", 9),
    ],
)
def test_program_does_what_it_says(
    runtime: Runtime, name: str, arguments: list[str], expected: str, exit_code: int
) -> None:
    done = programs.build(name, runtime).run(*arguments, stdin=b"one\ntwo")
    assert (done.stdout.decode(), done.returncode) == (expected, exit_code)


def test_steps_program_runs_to_its_end(runtime: Runtime) -> None:
    done = programs.build("Steps", runtime).run()
    assert (done.stdout.decode().splitlines()[-1], done.returncode) == ("answer 42", 0)


def test_crash_program_crashes(runtime: Runtime) -> None:
    done = programs.build("Crash", runtime).run()
    assert done.returncode == -signal.SIGABRT
    assert b"System.InvalidOperationException: unhandled in Main" in done.stderr


def test_signals_program_dies_of_its_signal(runtime: Runtime) -> None:
    assert programs.build("Signals", runtime).run("15").returncode in {-signal.SIGTERM, 128 + signal.SIGTERM}
    assert programs.build("Signals", runtime).run("9").returncode == -signal.SIGKILL


def test_spin_program_ends_when_its_file_appears(runtime: Runtime, tmp_path: Path) -> None:
    program = programs.build("Spin", runtime)
    stop = tmp_path / "stop"
    command = [*program.command, str(stop), "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=program.environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"READY {process.pid}\n".encode()
        stop.touch()
        assert process.stdout.read() in {b"rounds some\n", b"rounds none\n"}
    assert process.returncode == 0


def test_late_load_program_loads_and_unloads(runtime: Runtime) -> None:
    library = programs.build("Library", runtime, target="library")
    done = programs.build("LateLoad", runtime).run(str(library.dll), "2")
    load = "hello caller {} (1)\nunloaded\n"
    assert done.stdout.decode() == "before load\n" + load.format(0) + load.format(1)


@pytest.mark.parametrize("debug", ["portable", "embedded", "none"])
def test_debug_information_goes_where_it_is_wanted(newest_runtime: Runtime, debug: programs.Debug) -> None:
    program = programs.build("Hello", newest_runtime, debug=debug)
    assert program.dll.with_suffix(".pdb").exists() == (debug == "portable") == (program.pdb is not None)
    # An embedded PDB begins with this, in the debug directory of the assembly.
    assert (b"MPDB" in program.dll.read_bytes()) == (debug == "embedded")


def test_referenced_library_lies_beside_the_program(newest_runtime: Runtime, tmp_path: Path) -> None:
    library = programs.build("Library", newest_runtime, target="library")
    source = 'class P { static void Main() { System.Console.Write(new Library.Greeter().Greet("you")); } }'
    (tmp_path / "P.cs").write_text(source)
    program = programs.build(tmp_path, newest_runtime, references=[library])
    assert program.run().stdout == b"hello you (1)"
    assert (program.dll.parent / "Library.pdb").exists()
