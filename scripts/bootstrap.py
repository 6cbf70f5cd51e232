"""Sets the repository up: `.venv`, what pyproject.toml depends on, and the wheel built and installed into it.

`make build` and `make dev` run it; each step is done only when what it depends on changed, so a second call takes no
time. Several calls at once are safe. Needs Python 3.10 with venv, and a C++ compiler; CMake and Ninja are installed
where they are missing.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
VENV = REPOSITORY / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / ".stamps"
# What goes into the wheel.
SOURCES = ("dap_dotnet", "pdb", "cordebug_shim", "pyproject.toml", "README.md", "LICENSE")
OLDEST_CMAKE = (3, 18)
# The lines of pip's and Ninja's words that show how far they are.
PROGRESS = re.compile(r"\s*(Downloading \S+( \([^)]*\))?|\[\d+/\d+\] .*)")

READ_REQUIREMENTS = """
import json, sys
try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
print(json.dumps({
    "build": project["build-system"]["requires"],
    "run": project["project"]["dependencies"],
    "dev": project["project"]["optional-dependencies"]["dev"],
    "mcp": project["project"]["optional-dependencies"]["mcp"],
}))
"""


class SetupError(Exception):
    """The machine lacks something; the message is one line and says what to do."""


def say(text: str) -> None:
    """One line of progress."""
    print(f"\N{BULLET} {text}", flush=True)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Set up .venv, then build and install the wheel into it.")
    parser.add_argument("--dev", action="store_true", help="also install what the tests and checks need")
    parser.add_argument("--no-wheel", action="store_true", help="install dependencies only")
    options = parser.parse_args()
    lock = REPOSITORY / ".cache" / "bootstrap.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another build of this repository")
            fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            sources = fingerprint(source_files())
            build = not options.no_wheel and not (venv_is_current() and stamped("wheel", sources))
            if build:
                find_compiler()
            make_venv()
            install_requirements("base", ["build", "run"], extra=missing_build_tools())
            if options.dev:
                install_requirements("dev", ["dev", "mcp"], extra=[])
            if build:
                build_wheel()
                stamp("wheel", sources)
        except SetupError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


def venv_is_current() -> bool:
    """Whether `.venv` is there and was made by the Python that runs this."""
    return PYTHON.exists() and stamped("python", python_identity())


def python_identity() -> str:
    """The release of the Python that runs this, and where it is installed."""
    return f"{sys.version_info.major}.{sys.version_info.minor} {sys.base_prefix}"


def make_venv() -> None:
    """Create `.venv`, again when it is out of date."""
    if venv_is_current():
        return
    say(f"creating .venv with Python {sys.version.split()[0]}")
    if VENV.exists():
        shutil.rmtree(VENV)
    # Its output names a command for Debian's users that does not help whoever runs `make`; it is left out.
    done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        raise SetupError(
            "Python cannot make virtual environments; install its venv module "
            "(on Debian and Ubuntu: apt install python3-venv), or set PYTHON to another Python"
        )
    stamp("python", python_identity())


def missing_build_tools() -> list[str]:
    """CMake and Ninja where the system has none (or too old ones), to be installed from packages."""
    missing = []
    cmake = shutil.which("cmake")
    if cmake is None or cmake_version(cmake) < OLDEST_CMAKE:
        missing.append("cmake")
    if not any(shutil.which(name) for name in ("ninja", "ninja-build", "samu")):
        missing.append("ninja")
    return missing


def cmake_version(cmake: str) -> tuple[int, ...]:
    """The version of a CMake; (0,) when it does not say."""
    done = subprocess.run([cmake, "--version"], capture_output=True, text=True, check=False)
    words = done.stdout.split()
    return tuple(int(part) for part in words[2].split(".")[:2] if part.isdigit()) if len(words) > 2 else (0,)


def install_requirements(name: str, groups: list[str], extra: list[str]) -> None:
    """Installs the groups of requirements of pyproject.toml, when they are others than last time."""
    key = hashlib.sha256((REPOSITORY / "pyproject.toml").read_bytes() + " ".join(extra).encode()).hexdigest()
    if stamped(f"requirements-{name}", key):
        return
    reader = [str(PYTHON), "-c", READ_REQUIREMENTS]
    done = subprocess.run(reader, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(f"pyproject.toml cannot be read ({last_line(done)}); correct it")
    lists = json.loads(done.stdout)
    wanted = [requirement for group in groups for requirement in lists[group]] + extra
    say(f"installing {len(wanted)} Python packages{' for tests and checks' if name == 'dev' else ''}")
    pip_install(
        wanted, "pip could not install the packages that pyproject.toml names; its output is above. Check the network"
    )
    stamp(f"requirements-{name}", key)


def build_wheel() -> None:
    """Builds the wheel and installs it."""
    say("building dap-dotnet")
    pip_install(
        # Verbose, for the lines of the C++ build.
        ["--verbose", "--no-build-isolation", "--no-deps", "--force-reinstall", "."],
        "dap-dotnet could not be built; the output of the compiler or CMake is above",
    )


def find_compiler() -> None:
    """Raises SetupError when there is no C++ or no C compiler."""
    kinds = (("C++", "CXX", ("c++", "g++", "clang++"), "g++"), ("C", "CC", ("cc", "gcc", "clang"), "gcc"))
    for language, variable, names, package in kinds:
        chosen = os.environ.get(variable, "").split()[:1]
        if not any(shutil.which(name) for name in (chosen or names)):
            what = f"{variable}={chosen[0]} is not a program" if chosen else f"no {language} compiler"
            raise SetupError(
                f"{what}; install one (on Debian and Ubuntu: apt install {package}) or set {variable} to it"
            )


def pip_install(arguments: list[str], failure: str) -> None:
    """Runs pip, shows what it works on line by line, and all of its words when it fails."""
    quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar=off"]
    command = [str(PYTHON), "-m", "pip", "install", *quiet, *arguments]
    # Programs of .venv first (CMake, Ninja); clang-tidy wants to know how each file was compiled.
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environment = {**os.environ, "PATH": path, "CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}
    started = time.monotonic()
    words: list[str] = []
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as pip:  # fmt: skip
        assert pip.stdout is not None
        for line in pip.stdout:
            words.append(line)
            shown = PROGRESS.match(line)
            if shown:
                print(f"    {shown[0].strip()}", flush=True)
    if pip.returncode != 0:
        sys.stdout.writelines(words)
        raise SetupError(failure)
    print(f"    done in {time.monotonic() - started:.0f} s", flush=True)


def source_files() -> Iterable[Path]:
    """The files that go into the wheel."""
    for name in SOURCES:
        path = REPOSITORY / name
        if path.is_dir():
            yield from (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        elif path.is_file():
            yield path


def fingerprint(files: Iterable[Path]) -> str:
    """A hash of names and contents: touching a file or changing branches there and back builds nothing."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(REPOSITORY)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def stamped(name: str, key: str) -> bool:
    """Whether the step `name` was last done for `key`."""
    file = STAMPS / name
    return file.exists() and file.read_text() == key


def stamp(name: str, key: str) -> None:
    """Notes that the step `name` was done for `key`."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    (STAMPS / name).write_text(key)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The last words of a program that failed."""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
