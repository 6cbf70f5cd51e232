"""The developers' documents name what exists: every name in backticks is looked up in the tree."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
DOCUMENTS = ("docs/architecture.md", "docs/extending.md", "CONTRIBUTING.md")
SOURCES = ("dap_dotnet", "pdb", "tests", "scripts", "benchmarks")
OTHERS = (
    "Makefile",
    "pyproject.toml",
    ".ci/run",
    "cordebug_shim/include/cordebug_shim.h",
    "vscode-extension/package.json",
)
pytestmark = pytest.mark.xdist_group("names")  # one process reads the sources

FOREIGN = {
    "Error",
    "LOG",
    "git",
    "manylinux_2_28",
    "manylinux_2_34",
    "tag",
    "vX",
    "NewType",
    "ValueError",
    "exec",
    "linux",
    "python",
    "x64",
}
"""Names of others: Python's own, and words of commands."""
MADE = (".cache", ".venv", "build", "artifacts", "dist")
"""Folders that the build makes."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]+")
FILE = re.compile(r"[\w.-]+\.(py|md|h|c|cpp|toml|json|yml|ts|js|el|lua|cs|txt)")


@cache
def files() -> frozenset[str]:
    return frozenset(
        path.name
        for folder in (*SOURCES, "docs", "cordebug_shim", "vscode-extension/src")
        for path in (REPOSITORY / folder).rglob("*.*")
    ) | {path.name for path in REPOSITORY.iterdir()}


@cache
def defined() -> frozenset[str]:
    """Names of modules, classes, functions, parameters, variables and attributes; in other files, every word."""
    names: set[str] = {*SOURCES, *FOREIGN}
    for folder in SOURCES:
        for path in (REPOSITORY / folder).rglob("*.py"):
            names.update(path.relative_to(REPOSITORY).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            names.update(re.findall(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b", text))  # environment variables, too
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    names.add(node.name)
                elif isinstance(node, ast.arg):
                    names.add(node.arg)
                elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                    names.add(node.id if isinstance(node, ast.Name) else node.attr)
    for name in OTHERS:
        names.update(IDENTIFIER.findall((REPOSITORY / name).read_text(encoding="utf-8")))
    schema = json.loads((REPOSITORY / "tests/support/debugAdapterProtocol.json").read_text(encoding="utf-8"))
    names.update(IDENTIFIER.findall(json.dumps(schema["definitions"])))
    return frozenset(names)


def quoted(document: str) -> list[str]:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return sorted(set(re.findall(r"`([^`\n]+)`", prose)))


def missing(name: str) -> str | None:
    """What of a quoted name does not exist; None when all of it does."""
    target = re.match(r"make ([a-z]+)", name)
    if target:
        makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
        return None if re.search(rf"^{target[1]}:", makefile, re.MULTILINE) else name
    if name.startswith(("dap-dotnet/", *MADE)):  # a request of our own, what a build makes
        return None
    if FILE.fullmatch(name):
        return None if name in files() else name
    if "/" in name and re.fullmatch(r"[\w./-]+", name):
        return None if any(found(name)) else name
    words = IDENTIFIER.findall(re.sub(r"<\w+>|\w*…", "", name))
    known = defined() | files()
    return next((word for word in words if word not in known and not word.endswith("_")), None)


def found(path: str) -> list[Path]:
    """What a path may mean: from the repository, or from one of the debugger's packages."""
    package = REPOSITORY / "dap_dotnet"
    roots = [REPOSITORY, package, *(child for child in package.iterdir() if child.is_dir())]
    return [root / name for root in roots for name in (path, f"{path}.py") if (root / name).exists()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_name_in_backticks_exists(document):
    lost = {name: part for name in quoted(document) if (part := missing(name)) is not None}
    assert lost == {}


@pytest.mark.parametrize(
    "name", ["Session.leave_to_end", "dap_dotnet/reactions.py", "deferred.py", "make nothing", "Notices", "cds_no_such"]
)
def test_names_that_do_not_exist_are_found(name):
    assert missing(name) is not None


@pytest.mark.parametrize("document", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_arrows_are_those_of_the_contract(document):
    contract = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8").split('name = "Imports point one way"')[1]
    layers = re.search(r"layers = \[(.*?)\]", contract, re.DOTALL)
    assert layers is not None
    expected = [layer.split(" | ") for layer in re.findall(r'"(.+?)"', layers[1])]
    arrows = re.search(r"Imports point one way: (.*?)\.\s", (REPOSITORY / document).read_text("utf-8"), re.DOTALL)
    assert arrows is not None
    assert [re.findall(r"`(\w+)`", layer) for layer in arrows[1].split("→")] == expected
