"""`envFile`: variables for the program, one NAME=VALUE a line."""

from __future__ import annotations

import re
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.plain_files import open_to_read

_EXPORT = re.compile(r"export\s+(?=[^\s=#])")
_LARGEST_BYTES = 1 << 20


def read_env_file(path: Path) -> dict[str, str]:
    r"""The variables of a file, in its order; empty lines and those that begin with # are passed over.

    A value in double quotes may contain \n, \" and \\; one in single quotes is taken as it stands; what follows the
    closing quote is left out. Raises LaunchError when the file cannot be read or has a line that is none of these.
    """
    try:
        with open_to_read(path) as file:
            content = file.read(_LARGEST_BYTES + 1)
        if len(content) > _LARGEST_BYTES:
            raise LaunchError(f"The envFile {path} has more than 1 MB. Name a file of NAME=VALUE lines.")
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise LaunchError(
            f"The envFile {path} cannot be read: {error.strerror}. Correct envFile, or remove it."
        ) from error
    except UnicodeDecodeError as error:
        raise LaunchError(f"The envFile {path} is not a text in UTF-8. Name a file of NAME=VALUE lines.") from error
    found = {}
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        export = _EXPORT.match(line)
        name, equals, value = line[export.end() if export is not None else 0 :].partition("=")
        if not name.strip() or not equals or "\0" in line:
            raise LaunchError(f"Line {number} of the envFile {path} is not NAME=VALUE: {line[:80]!r}.")
        found[name.rstrip()] = _unquoted(value.lstrip())
    return found


def _unquoted(value: str) -> str:
    single = re.match(r"'([^']*)'", value)
    if single is not None:
        return single[1]
    double = re.match(r'"((?:[^"\\]|\\.)*)"', value)
    if double is not None:
        return re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), double[1])
    return value
