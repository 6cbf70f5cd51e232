"""The examples of docs/portablepdb.md run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import portablepdb

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "portablepdb.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=[str(number) for number in range(1, len(EXAMPLES) + 1)])
def test_documentation_example_runs(example: str, compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    made = compiled("first.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    shutil.copy(made, tmp_path / "app.dll")
    shutil.copy(made.with_suffix(".pdb"), tmp_path / "app.pdb")
    (tmp_path / "app.dll.config").write_text("<configuration/>")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/portablepdb.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out or "embedded_source" in example


def test_documentation_names_every_module():
    folder = Path(portablepdb.__file__).parent
    internal = {
        *(
            "__init__",
            "__main__",
            "assembly",
            "blob_reader",
            "cli",
            "commands",
            "dump_asm",
            "dump_members",
            "dump_metadata",
            "dump_pdb",
        ),
        *(
            "dump_records",
            "dump_values",
            "errors",
            "handles",
            "ilasm_keywords",
            "limits",
            "memory",
            "metadata",
            "pdb_search",
        ),
        *("pdb_search", "portable_pdb", "source", "version"),
    }
    table = PAGE[PAGE.index("## What covers what") :]
    for path in folder.glob("*.py"):
        assert path.stem in internal or f"`{path.stem}`" in table, path.stem


def test_package_imports_in_an_empty_environment_without_the_debugger(tmp_path: Path):
    import construct

    folder = Path(portablepdb.__file__).parent
    shutil.copytree(folder, tmp_path / "portablepdb", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(construct.__file__).parent, tmp_path / "construct")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import portablepdb.tables_ecma, portablepdb.cli;"
        "from portablepdb import *; assert not any('dap_dotnet' in name for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, cwd=tmp_path)
