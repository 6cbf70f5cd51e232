"""What the VS Code extension ships, and the settings that the documents name."""

from __future__ import annotations

import json
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
EXTENSION = REPOSITORY / "vscode-extension"


def test_extension_ships_the_license_itself() -> None:
    assert (EXTENSION / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


def test_documents_name_settings_that_exist() -> None:
    contributes = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]
    known = {*contributes["configuration"]["properties"], *(entry["command"] for entry in contributes["commands"])}
    documents = [*REPOSITORY.glob("docs/*.md"), REPOSITORY / "README.md", EXTENSION / "README.md"]
    named = {name for path in documents for name in re.findall(r"`(dap-dotnet\.[a-zA-Z.]+)`", path.read_text("utf-8"))}
    assert named
    assert named <= known


def test_pictures_are_there_and_small() -> None:
    documents = [*REPOSITORY.glob("docs/*.md"), EXTENSION / "README.md"]
    pictures = {
        (path.parent / name).resolve()
        for path in documents
        for name in re.findall(r"!\[[^]]+\]\(([^)]+)\)", path.read_text("utf-8"))
    }
    contributes = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]
    steps = [step for walkthrough in contributes["walkthroughs"] for step in walkthrough["steps"]]
    pictures |= {REPOSITORY / "docs" / "images" / Path(step["media"]["image"]).name for step in steps}
    assert pictures
    assert [picture for picture in pictures if not picture.is_file() or picture.stat().st_size > 150_000] == []
