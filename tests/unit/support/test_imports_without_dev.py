"""`make demo` and the product import nothing that only the group `dev` of pyproject.toml installs."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.paths import REPOSITORY

DISTRIBUTION = "dap-dotnet"
# What `make demo` starts, before and after the installation: see Makefile.
DEMO = ("tests.support.dotnet", "scripts.bootstrap", "scripts.demo")
WITH_EXTRAS = {"dap_dotnet.mcp": {"mcp"}}
"""The packages of the product that need groups of their own, which their users install."""

IMPORT_ALL = """
import importlib, json, sys
repository, modules, refused = json.loads(sys.argv[1])
sys.path.append(repository)  # behind what is installed, as the scripts have it: the sources have no shim

class Refuse:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"only the group dev of pyproject.toml has {name}", name=name)

sys.meta_path.insert(0, Refuse())
for name in modules:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(f"{name}: {error}")
"""


def _requirements(distribution: str, extras: frozenset[str]) -> list[Requirement]:
    """What `distribution` asks for here, on its own and with these groups of its own."""
    try:
        declared = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return []  # of another system, or of another Python
    requirements = map(Requirement, declared)
    return [
        requirement
        for requirement in requirements
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]


def _installed_with(extras: Iterable[str]) -> set[str]:
    """The distributions that an installation with these groups brings, each with all that it needs itself."""
    waiting, installed = [Requirement(f"{DISTRIBUTION}[{','.join(extras)}]")], set[str]()
    followed = set[tuple[str, frozenset[str]]]()
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key not in followed:
            followed.add(key)
            installed.add(key[0])
            waiting += _requirements(*key)
    return installed


def _imported_without_dev(modules: Iterable[str], extras: Iterable[str] = ()) -> str:
    """A line for each module that cannot be imported where only these groups are installed."""
    there = _installed_with(extras)
    refused = [
        package
        for package, distributions in importlib.metadata.packages_distributions().items()
        if not there.intersection(map(canonicalize_name, distributions))
    ]
    assert "pytest" in refused
    command = [sys.executable, "-c", IMPORT_ALL, json.dumps([str(REPOSITORY), list(modules), refused])]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=60, check=True).stdout


def _modules_of(package: str) -> list[str]:
    """The names of all modules of an installed package."""
    module = importlib.import_module(package)
    (folder,) = map(Path, module.__path__)
    names = (file.relative_to(folder.parent).with_suffix("") for file in folder.rglob("*.py"))
    return sorted(".".join(name.parts).removesuffix(".__init__") for name in names if name.name != "__main__")


def test_the_demo_imports_nothing_that_only_dev_has() -> None:
    assert _imported_without_dev(DEMO) == ""


@pytest.mark.parametrize("package", ["dap_dotnet", "portablepdb"])
def test_the_product_imports_nothing_that_only_dev_has(package: str) -> None:
    modules = _modules_of(package)
    assert len(modules) > 20
    for room, extras in WITH_EXTRAS.items():
        inside = [name for name in modules if name == room or name.startswith(f"{room}.")]
        modules = [name for name in modules if name not in inside]
        assert _imported_without_dev(inside, extras) == ""
    assert _imported_without_dev(modules) == ""


def test_an_import_of_what_only_dev_has_is_named() -> None:
    assert _imported_without_dev(["tests.support.node"]) == (
        "tests.support.node: only the group dev of pyproject.toml has pytest\n"
    )
