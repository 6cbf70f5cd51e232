"""The modules that a start imports come from one file, as long as Python would find and compile the same ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dap_dotnet.client import DapClient, adapter_command

_SCRIPT = """
import sys
sys.dont_write_bytecode = WITHOUT
sys.path.insert(0, sys.argv[1])
from dap_dotnet.startup.kept_modules import KeptModules
kept = KeptModules(sys.argv[2])
kept.serve()
import importlib, inspect, traceback
import plain, group.inner
EXTRA
for module in (plain, group, group.inner):
    assert module.__spec__.origin == module.__file__ and module.__cached__.endswith(".pyc"), module.__spec__
assert list(group.__path__) == [sys.argv[1] + "/group"] and group.__spec__.parent == "group"
assert inspect.getsource(plain.fail).startswith("def fail")
try:
    plain.fail()
except ValueError:
    assert 'raise ValueError("here")' in traceback.format_exc()
loaders = (type(one.__loader__).__name__.lstrip("_") for one in (plain, group, group.inner))
print(*loaders, plain.VALUE, group.inner.VALUE)
kept.write()
"""
_BY_PYTHON, _BY_FILE = "SourceFileLoader", "KeptLoader"


def test_adapter_leaves_its_modules_to_the_next_one(tmp_path: Path) -> None:
    loaders = [_adapters_loader(tmp_path) for _ in range(2)]
    assert loaders == [_BY_PYTHON, _BY_FILE]
    assert [file.stat().st_size > 1 << 20 for file in (tmp_path / "cache/dap-dotnet/modules").iterdir()] == [True]


def _adapters_loader(folder: Path) -> str:
    """Who has loaded the adapter's module of sessions, as `python -v` says it."""
    wanted = {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONVERBOSE": "1"}
    environment = {**os.environ, **wanted}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = ["/bin/sh", "-c", 'exec "$@" 2>errors', "sh", *adapter_command()]
    with DapClient.spawn(command, cwd=str(folder), env=environment, timeout_s=60) as client:
        assert client.process is not None
        client.process.kill_after_s = 60  # a busy machine may take its time to write
        client.initialize()
        client.disconnect()
    said = (folder / "errors").read_text(encoding="utf-8")
    (loader,) = re.findall(r"import 'dap_dotnet\.session\.session' # <[\w.]*?_?(\w+) object", said)
    return loader


class Modules:
    """A folder with a module, and a package with another one; and the file that keeps them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "searched"
        self.file = folder / "cache" / "modules" / "file"
        self.write("plain.py", 'VALUE = 1\n\n\ndef fail():\n    raise ValueError("here")\n')
        self.write("group/__init__.py", "")
        self.write("group/inner.py", "VALUE = 2\n")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def run(self, extra: str = "", *, without_bytecode: bool = False) -> list[str]:
        """Import them in a process of its own: who has loaded each of the three, and the two values."""
        script = _SCRIPT.replace("EXTRA", extra).replace("WITHOUT", str(without_bytecode))
        command = [sys.executable, "-c", script, str(self.folder), str(self.file)]
        done = subprocess.run(command, check=True, timeout=60, capture_output=True, text=True, cwd=self.folder.parent)
        return done.stdout.split()


@pytest.fixture
def modules(tmp_path: Path) -> Modules:
    made = Modules(tmp_path)
    assert made.run() == [_BY_PYTHON] * 3 + ["1", "2"]
    assert made.file.stat().st_mode & 0o777 == 0o600
    return made


def test_modules_come_from_the_file(modules: Modules) -> None:
    assert modules.run() == [_BY_FILE] * 3 + ["1", "2"]


def test_modules_can_be_imported_anew(modules: Modules) -> None:
    assert modules.run("importlib.reload(plain); importlib.reload(group)")[-2:] == ["1", "2"]


def test_module_that_has_changed_comes_from_its_source(modules: Modules) -> None:
    modules.write("group/inner.py", "VALUE = 23\n")
    assert modules.run() == [_BY_FILE, _BY_FILE, _BY_PYTHON, "1", "23"]
    assert modules.run() == [_BY_FILE] * 3 + ["1", "23"]  # it was one third of all: the file is written anew


def test_module_that_was_replaced_by_one_with_its_time_and_size_comes_from_its_source(modules: Modules) -> None:
    (modules.folder / "group/inner.py").unlink()
    modules.write("group/inner.py", "VALUE = 3\n")
    for cached in (modules.folder / "group/__pycache__").iterdir():
        cached.unlink()  # Python itself goes by time and size alone
    assert modules.run() == [_BY_FILE, _BY_FILE, _BY_PYTHON, "1", "3"]


def test_module_that_comes_to_stand_before_another_one_is_found(modules: Modules) -> None:
    modules.write("plain/__init__.py", 'VALUE = 5\n\n\ndef fail():\n    raise ValueError("here")\n')
    assert modules.run() == [_BY_PYTHON] * 3 + ["5", "2"]
    assert modules.run() == [_BY_FILE] * 3 + ["5", "2"]


def test_package_of_another_folder_has_its_own_modules(modules: Modules, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "inner.py").write_text("VALUE = 7\n", encoding="utf-8")
    elsewhere = f"del sys.modules['group.inner']; group.__path__[:] = [{str(other)!r}]; import group.inner"
    script = f"{elsewhere}; assert group.inner.VALUE == 7; group.__path__[:] = [sys.argv[1] + '/group']"
    assert modules.run(script) == [_BY_FILE, _BY_FILE, _BY_PYTHON, "1", "7"]


def test_few_new_modules_are_not_worth_writing(modules: Modules) -> None:
    for number in range(40):
        modules.write(f"more{number}.py", "")
    importing = "; ".join(f"import more{number}" for number in range(40))
    modules.run(importing)  # the folder has changed: all are written
    before = modules.file.read_bytes()
    modules.write("more1.py", "A = 1")
    modules.run(importing)
    assert modules.file.read_bytes() == before
    modules.run()  # not the half of them: those that other sessions have needed stay
    assert modules.file.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"\0" * 100, b"12345678" + (116).to_bytes(8, "little") + b"x" * 100])
def test_damaged_file_is_none(modules: Modules, damage: bytes) -> None:
    modules.file.write_bytes(damage)
    assert modules.run() == [_BY_PYTHON] * 3 + ["1", "2"]
    assert modules.run() == [_BY_FILE] * 3 + ["1", "2"]


def test_file_that_is_cut_off_is_none(modules: Modules) -> None:
    modules.file.write_bytes(modules.file.read_bytes()[:-1])
    assert modules.run() == [_BY_PYTHON] * 3 + ["1", "2"]


def test_file_that_others_may_write_is_not_trusted(modules: Modules) -> None:
    modules.file.chmod(0o620)
    assert modules.run() == [_BY_PYTHON] * 3 + ["1", "2"]


def test_nothing_is_written_into_a_folder_that_others_may_write(modules: Modules) -> None:
    modules.file.unlink()
    modules.file.parent.chmod(0o777)
    modules.run()
    assert not modules.file.exists()


def test_nothing_is_written_where_python_is_to_write_no_bytecode(modules: Modules) -> None:
    modules.file.unlink()
    modules.run(without_bytecode=True)
    assert not modules.file.exists()


def test_folder_that_cannot_be_made_is_no_error(modules: Modules) -> None:
    modules.file.unlink()
    modules.file.parent.rmdir()
    modules.file.parent.write_bytes(b"")
    assert modules.run() == [_BY_PYTHON] * 3 + ["1", "2"]


def test_files_of_pythons_that_may_be_gone_are_removed(modules: Modules) -> None:
    old, recent = modules.file.with_name("old"), modules.file.with_name("recent")
    old.write_bytes(b"")
    recent.write_bytes(b"")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    modules.file.unlink()
    modules.run()
    assert (old.exists(), recent.exists()) == (False, True)


@pytest.mark.parametrize(
    ("search_path", "home", "has_file"),
    [
        (["/usr/lib"], "/home/a/.cache", True),
        (["", "/usr/lib"], "/home/a/.cache", False),
        (["CURRENT", "/usr/lib"], "/home/a/.cache", False),
        (["/usr/lib"], "relative", False),
    ],
)
def test_file_stands_for_python_and_where_it_searches(
    search_path: list[str], home: str, has_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dap_dotnet.startup.kept_modules import kept_file

    monkeypatch.setenv("XDG_CACHE_HOME", home)
    searched = [os.getcwd() if folder == "CURRENT" else folder for folder in search_path]
    found = kept_file(searched)
    assert (found is not None) == has_file
    if found is not None:
        assert found.startswith(f"{home}/dap-dotnet/modules/")
        assert found != kept_file([*searched, "/opt/more"])
