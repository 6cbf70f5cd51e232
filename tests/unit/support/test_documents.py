"""What documents may not say."""

from __future__ import annotations

import re

from tests.support.paths import REPOSITORY

KINDS = (".md", ".py", ".ts", ".json", ".toml")
FOLDERS = ("docs", "dap_dotnet", "pdb", "scripts", "vscode-extension")
BY_NAME = re.compile(r"\b(pip|pipx|uv|pip3)( tool)? install (-\S+ )*dap-dotnet\b")


def test_no_document_installs_by_name_what_is_not_published():
    files = [file for folder in FOLDERS for file in (REPOSITORY / folder).rglob("*")] + list(REPOSITORY.glob("*.md"))
    texts = [file for file in files if file.suffix in KINDS and file.is_file() and "node_modules" not in file.parts]
    assert len(texts) > 100
    assert [file for file in texts if BY_NAME.search(file.read_text(encoding="utf-8", errors="replace"))] == []
