"""Checks or packages the VS Code extension: `make check` and `make vsix` run it. Needs Node 18 and npm.

Node's packages are installed only when package-lock.json changed, as npm's own stamp in node_modules says. The package
carries the adapter (carried_wheels.py) for one platform, this machine's unless another is named.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from scripts import bootstrap, build_wheel, carried_wheels

FOLDER = bootstrap.REPOSITORY / "vscode-extension"
OLDEST_NODE = 18
# What of the folder goes into the package as it is.
PARTS = ("package.json", "LICENSE", "icon.png", "set_up_adapter.py", "out/extension.js")
IMAGE = re.compile(r'"out/images/([^"]+)"')  # of the walkthrough
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^):]+\.png)\)")
LINK = re.compile(r" \(\[[^\]]*\]\([^):]+\)\)")


def main() -> int:
    """`check` type-checks and runs the unit tests; `package` makes the .vsix file."""
    parser = argparse.ArgumentParser(description="Check or package the VS Code extension.")
    parser.add_argument("action", choices=("check", "package"))
    parser.add_argument("--target", choices=carried_wheels.TARGETS, help="the platform; this machine's if not given")
    parser.add_argument("--wheel", type=Path, help="the wheel for that platform; built if not given")
    options = parser.parse_args()
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None or node_version(node) < OLDEST_NODE:
        print(
            f"error: the VS Code extension needs Node {OLDEST_NODE} and npm: install them (Debian: apt install npm)",
            file=sys.stderr,
        )
        return 1
    lock = (FOLDER / "package-lock.json").read_bytes()
    key = hashlib.sha256(lock).hexdigest()
    stamp = FOLDER / "node_modules" / ".installed"
    if not stamp.exists() or stamp.read_text() != key:
        print("\N{BULLET} installing the Node packages of the VS Code extension", flush=True)
        if run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error") != 0:
            return 1
        stamp.write_text(key)
    if options.action == "check":
        return run(npm, "run", "--silent", "test")
    try:
        target = options.target or carried_wheels.this_target()
        carried_wheels.fill(FOLDER / "carried", options.wheel or own_wheel(), target)
    except carried_wheels.CarriedWheelsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return package(npm, node, target)


def package(npm: str, node: str, target: str) -> int:
    """Makes the .vsix file of what belongs into it, brought together in a folder of its own."""
    if run(npm, "run", "--silent", "check") != 0 or run(npm, "run", "--silent", "bundle") != 0:
        return 1
    for old in FOLDER.glob("*.vsix"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="dap-dotnet-vsix-") as name:
        staged = Path(name)
        for part in PARTS:
            (staged / part).parent.mkdir(exist_ok=True)
            shutil.copy(FOLDER / part, staged / part)
        shutil.copytree(FOLDER / "carried", staged / "carried")
        (staged / "out" / "images").mkdir()
        for image in set(IMAGE.findall((FOLDER / "package.json").read_text(encoding="utf-8"))):
            shutil.copy(bootstrap.REPOSITORY / "docs" / "images" / image, staged / "out" / "images")
        # The editor shows no picture and follows no link that is a path.
        readme = PICTURE.sub(embedded, (FOLDER / "README.md").read_text(encoding="utf-8"))
        (staged / "README.md").write_text(readme, encoding="utf-8")
        changelog = (bootstrap.REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
        (staged / "CHANGELOG.md").write_text(LINK.sub("", changelog), encoding="utf-8")
        vsce = [node, str(FOLDER / "node_modules" / "@vscode" / "vsce" / "vsce"), "package", "--target", target]
        vsce += ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links", "--out", str(FOLDER)]
        return subprocess.run(vsce, cwd=staged, stdin=subprocess.DEVNULL, check=False).returncode


def embedded(picture: re.Match[str]) -> str:
    """A picture of a Markdown file as one that carries its contents."""
    contents = base64.b64encode((FOLDER / picture[2]).read_bytes()).decode()
    return f"![{picture[1]}](data:image/png;base64,{contents})"


def own_wheel() -> Path:
    """The wheel for this machine's platform, built from the sources as they are; not again when they are unchanged."""
    sources = bootstrap.fingerprint(bootstrap.source_files())
    stamp = build_wheel.DIST / ".sources"
    if not stamp.exists() or stamp.read_text() != sources:
        if build_wheel.main() != 0:
            raise carried_wheels.CarriedWheelsError("the wheel could not be built")
        stamp.write_text(sources)
    (wheel,) = build_wheel.DIST.glob("*.whl")
    return wheel


def node_version(node: str) -> int:
    """The major version; 0 when it does not say."""
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = said.strip().lstrip("v").partition(".")[0]
    return int(major) if major.isdigit() else 0


def run(*command: str) -> int:
    """The exit code of a command that runs in the extension's folder."""
    return subprocess.run(command, cwd=FOLDER, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
