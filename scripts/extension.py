"""Checks or packages the VS Code extension: `make check` and `make vsix` run it. Needs Node 18 and npm.

Node's packages are installed only when package-lock.json changed, as npm's own stamp in node_modules says.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "vscode-extension"
OLDEST_NODE = 18


def main() -> int:
    """`check` type-checks and runs the unit tests; `package` makes the .vsix file."""
    actions = {"check": ["test"], "package": ["package"]}
    if sys.argv[1:] not in (["check"], ["package"]):
        print(f"usage: {Path(sys.argv[0]).name} check|package", file=sys.stderr)
        return 2
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
    return max(run(npm, "run", "--silent", script) for script in actions[sys.argv[1]])


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
