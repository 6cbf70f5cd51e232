"""The package on its own: its examples on every Python found, its version, its public names. Needs no .NET."""

from __future__ import annotations

import os
import pydoc
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import construct
import pytest

import portablepdb
from portablepdb.cli import main

from . import examples
from .sample_files import write_samples

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "pdb"
PUBLIC_MODULES = ("custom_attributes", "custom_debug_info", "disassembler", "flags", "signatures", "source_link")
INNER = {"BlobReader", "Budget"}  # what members that are no queries give: blobs to decode, budgets to spend


def pythons() -> list[str]:
    """One interpreter of each version from 3.10 on that this machine has."""
    found = {sys.version_info[:2]: sys.executable}
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(10, 16):
        places = [*map(str, managed.glob(f"3.{minor}.*/bin/python3.{minor}")), shutil.which(f"python3.{minor}")]
        for place in filter(None, places):
            if (3, minor) not in found and _runs(place):
                found[3, minor] = place
    return [found[version] for version in sorted(found)]


def _runs(place: str) -> bool:
    """False for a stand-in that only says how to get the interpreter."""
    return subprocess.run([place, "-c", "pass"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    write_samples(folder)
    return folder


@pytest.mark.parametrize("python", pythons(), ids=lambda place: Path(place).name)
def test_examples_print_what_they_say(python: str, samples: Path, tmp_path: Path):
    shutil.copytree(PACKAGE / "portablepdb", tmp_path / "portablepdb", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(construct.__file__).parent, tmp_path / "construct")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['', {str(samples)!r}]; import runpy;"
        f"runpy.run_path({examples.__file__!r}, run_name='__main__')"
    )
    done = subprocess.run([python, "-I", "-S", "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_twenty_examples_and_the_one_of_the_readme():
    assert len(examples.examples()) == 21


def test_version_is_one(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"portablepdb {portablepdb.__version__}\n"
    assert f"## {portablepdb.__version__}" in (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")


def test_public_names_exist_and_are_documented():
    for name in portablepdb.__all__:
        assert getattr(portablepdb, name).__doc__, name
    assert portablepdb.__all__ == sorted(portablepdb.__all__)


def test_help_and_completion_show_every_public_name():
    shown = pydoc.plain(pydoc.render_doc(portablepdb))
    for name in portablepdb.__all__:
        assert name in dir(portablepdb)
        if isinstance(getattr(portablepdb, name), type):
            assert re.search(rf"^    class {name}\(", shown, re.MULTILINE), name


def test_what_public_members_give_is_public():
    """So that nobody has to import the type of a result from a module that may change."""
    public = {*portablepdb.__all__}
    for module in PUBLIC_MODULES:
        public |= {name for name in vars(import_module(f"portablepdb.{module}")) if name[0] != "_"}
    own = set()
    for path in (PACKAGE / "portablepdb").glob("*.py"):
        own |= set(re.findall(r"^class ([A-Z]\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    missing = {}
    for name in portablepdb.__all__:
        kind = getattr(portablepdb, name)
        for member, value in vars(kind).items() if isinstance(kind, type) else ():
            function = value.fget if isinstance(value, property) else value
            returned = getattr(function, "__annotations__", {}).get("return", "")
            for mentioned in re.findall(r"\b[A-Z]\w+", str(returned)):
                if member[0] != "_" and mentioned in own - public - INNER:
                    missing[f"{name}.{member}"] = mentioned
    assert not missing


def test_package_needs_what_it_declares():
    declared = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dependencies = ["construct>=2.10.70"]' in declared
    whole = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    assert '"construct>=2.10.70"' in whole
    imported = set()
    for path in (PACKAGE / "portablepdb").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        imported |= set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE))
    assert {name for name in imported if name not in sys.stdlib_module_names} == {"construct"}
