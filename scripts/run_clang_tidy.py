"""Runs clang-tidy on every file of the shim that the last build compiled, several at once; `make check` runs it.

What is checked stands in .clang-tidy; how each file is compiled, in the build's compile_commands.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SHIM = REPOSITORY / "cordebug_shim"
CLANG_TIDY = Path(sys.executable).with_name("clang-tidy")


def main() -> int:
    """0 when there is nothing to complain about."""
    databases = sorted((REPOSITORY / "build").glob("*/compile_commands.json"), key=lambda path: path.stat().st_mtime)
    if not databases:
        print("error: no build/*/compile_commands.json: run `make build` first", file=sys.stderr)
        return 1
    build = databases[-1].parent
    entries = json.loads(databases[-1].read_text(encoding="utf-8"))
    compiled = {(Path(entry["directory"]) / entry["file"]).resolve() for entry in entries}
    files = sorted(file for file in compiled if file.is_relative_to(SHIM))
    if not files:
        print(f"error: {databases[-1]} has no file of cordebug_shim: run `make clean build`", file=sys.stderr)
        return 1
    print(f"\N{BULLET} clang-tidy on {len(files)} files", flush=True)
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
        results = list(workers.map(lambda file: check(file, build), files))
    for output in filter(None, results):
        print(output)
    return 1 if any(results) else 0


def check(file: Path, build: Path) -> str:
    """What clang-tidy complains about in a file; empty when nothing."""
    # Warning options that only the build's own compiler knows are not worth a warning here.
    options = ["--quiet", "--warnings-as-errors=*", "--extra-arg=-Wno-unknown-warning-option"]
    command = [str(CLANG_TIDY), "-p", str(build), *options, str(file)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
