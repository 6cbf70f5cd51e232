"""What the VS Code extension carries: the wheel of dap-dotnet, those of what it needs, and pip's, for one platform.

`scripts/extension.py package` writes them into `vscode-extension/carried`; `set_up_adapter.py` there installs them on
the user's machine. Run by the Python of `.venv`, whose pip chooses the newest wheels that pyproject.toml allows.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
CACHE = REPOSITORY / ".cache" / "carried-wheels"
# The releases of Python for which all that we need has wheels.
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# VS Code's names of platforms, and the processor as wheels name it.
TARGETS = {"linux-x64": "x86_64", "linux-arm64": "aarch64"}
# The oldest glibc that wheels of today name: manylinux2014.
OLDEST_MINOR = 17
EXTRA = "native"


class CarriedWheelsError(Exception):
    """The wheels cannot be brought together; the message says what to do."""


def this_target() -> str:
    """VS Code's name of this machine's platform. Raises CarriedWheelsError where there is none."""
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        for target, processor in TARGETS.items():
            if processor == platform.machine():
                return target
    raise CarriedWheelsError(f"no package is made for this platform; name one with TARGET: {', '.join(TARGETS)}")


def fill(folder: Path, wheel: Path, target: str) -> None:
    """Put the wheels for a platform into a folder, with `contents.json`, in place of what is there."""
    named = re.findall(rf"[-.]manylinux_2_(\d+)_{TARGETS[target]}(?=\.)", wheel.name)
    if not named:
        raise CarriedWheelsError(
            f"{wheel.name} is not for {target}; build it there (`make wheel`) and give it as WHEEL"
        )
    glibc_minor = min(map(int, named))
    others = download(wheel, TARGETS[target], glibc_minor)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(others, folder)
    shutil.copy(wheel, folder)
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    contents = {
        "requirement": f"dap-dotnet[{EXTRA}]=={wheel.name.split('-')[1]}",
        "pythons": PYTHONS,
        "glibc": f"2.{glibc_minor}",
        "key": digest.hexdigest()[:12],
    }
    (folder / "contents.json").write_text(json.dumps(contents) + "\n", encoding="utf-8")


def download(wheel: Path, processor: str, glibc_minor: int) -> Path:
    """The folder with the wheels of all that `wheel` needs, for every Python; kept until its requirements change."""
    requirements = requirements_of(wheel)
    platforms = [f"manylinux_2_{minor}_{processor}" for minor in range(OLDEST_MINOR, glibc_minor + 1)]
    key = hashlib.sha256(json.dumps([requirements, platforms, PYTHONS]).encode()).hexdigest()[:12]
    kept = CACHE / f"{processor}-{key}"
    if kept.exists():
        return kept
    print("\N{BULLET} fetching the wheels that the extension carries", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as fetched:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
        pip += ["--dest", fetched]
        for python in PYTHONS:
            tags = [f"cp{python.replace('.', '')}", "abi3", "none"]
            options = ["--implementation", "cp", "--python-version", python]
            options += [word for tag in tags for word in ("--abi", tag)]
            options += [word for name in platforms for word in ("--platform", name)]
            run(pip + options + requirements)
        run([*pip, "--no-deps", "pip"])
        Path(fetched).rename(kept)
        Path(fetched).mkdir()  # for TemporaryDirectory to remove
    kept.chmod(0o755)
    return kept


def requirements_of(wheel: Path) -> list[str]:
    """What a wheel needs besides itself, as its metadata says, with those of the extra."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = archive.read(name).decode().partition("\n\n")[0].splitlines()
    needed = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    plain = [requirement for requirement in needed if ";" not in requirement]
    optional = [re.fullmatch(rf"([^;]+);\s*extra == ['\"]{EXTRA}['\"]", requirement) for requirement in needed]
    return plain + [found[1].strip() for found in optional if found]


def run(command: list[str]) -> None:
    """Run pip; its words are shown when it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CarriedWheelsError(f"pip could not fetch the wheels:\n{done.stdout}{done.stderr}")
