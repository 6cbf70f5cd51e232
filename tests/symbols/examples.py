"""Runs the examples of the package in a folder with the sample files: ``python examples.py FOLDER``.

Needs nothing but portablepdb and construct, so that any Python can run it. Prints what went wrong; exit code 1 then.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import traceback
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "pdb"
PAGES = ("README.md", "EXAMPLES.md")


def examples() -> list[tuple[str, str]]:
    """(program, what it prints) of the pages."""
    found = []
    for page in PAGES:
        text = (PACKAGE / page).read_text(encoding="utf-8")
        found += re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    return found


def run(program: str) -> str:
    """What a program prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(program, "<example>", "exec"), {"__name__": "example"})
    return out.getvalue()


def main() -> int:
    os.chdir(sys.argv[1])
    failed = 0
    for number, (program, expected) in enumerate(examples()):
        try:
            printed = run(program)
        except Exception:
            printed = traceback.format_exc()
        if printed != expected:
            print(f"example {number} on Python {sys.version.split()[0]} prints\n{printed}instead of\n{expected}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
