"""Users' documents: links lead somewhere, and guides name only options and attributes that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.launching import arguments

REPOSITORY = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*REPOSITORY.glob("docs/**/*.md"), REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"])
GUIDES = [
    path for path in DOCUMENTS if path.name.startswith("howto-") or path.stem in ("getting-started", "troubleshooting")
]
COMMANDS = REPOSITORY / "docs" / "command-line.md"


def anchors(document: Path) -> set[str]:
    """As GitHub makes them of headings."""
    text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(document: Path) -> list[str]:
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", document.read_text("utf-8"))
    lost = []
    for link in links:
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    assert broken(document) == []


def test_guides_use_options_that_exist() -> None:
    known = set(re.findall(r"`(--?[a-z][a-z-]*)", COMMANDS.read_text("utf-8")))
    known |= set(re.findall(r"--[a-z-]+", COMMANDS.read_text("utf-8").split("```")[1]))
    for document in GUIDES:
        lines = re.findall(r"dap-dotnet (?:run|test|attach|core|ps|doctor)\b([^`\n|]*)", document.read_text("utf-8"))
        used = {
            option for line in lines for option in re.findall(r"(?<= )(--?[a-z][a-z-]*)", re.sub(r"'[^']*'", "", line))
        }
        assert used <= known, document.name


def test_guides_name_attributes_that_exist() -> None:
    known = names_of(arguments.LaunchArguments) | names_of(arguments.AttachArguments)
    # Of launchSettings.json and of VS Code.
    foreign = {"applicationUrl", "serverReadyAction", "uriFormat", "launchBrowser", "launchUrl"}
    for document in GUIDES:
        text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        named = set(re.findall(r"`([a-z]+(?:[A-Z][a-z]+)+)[`:]", text))
        assert named <= known | foreign, document.name


def names_of(model: Any) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_guide_is_true_to_its_program() -> None:
    text = (REPOSITORY / "docs" / "getting-started.md").read_text("utf-8")
    (program,) = re.findall(r"^```csharp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert program.splitlines()[15].strip() == "Total += Discounted(price);"
    assert set(re.findall(r"Program\.cs:(\d+)", text)) == {"16"}
