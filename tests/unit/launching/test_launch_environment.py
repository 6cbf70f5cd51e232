"""The environment of a launched program: ours, envFile, env."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.env_file import read_env_file
from dap_dotnet.launching.launch_environment import launch_environment


def environment(**attributes: Any) -> dict[str, str]:
    return launch_environment(LaunchArguments.model_validate({"program": "/a.dll", **attributes}), {"OLD": "1"})


def test_env_wins_over_env_file_over_ours(tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text("OLD=2\nB=file\nC=file\n")
    found = environment(envFile="a.env", cwd=str(tmp_path), env={"B": "env", "C": None})
    assert found == {"OLD": "2", "B": "env"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("A=b c ", "b c"),
        ("  export A = b", "b"),
        ("A=", ""),
        ("A=x=y#z", "x=y#z"),
        ('A="b\\n\\"c\\"" # why', 'b\n"c"'),
        ("A='b\\n' # why", "b\\n"),
        ("A=export B=c", "export B=c"),
        (f"A=b{' ' * 500_000}c", f"b{' ' * 500_000}c"),
    ],
)
def test_lines_of_an_env_file(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / ".env"
    path.write_bytes(b"\xef\xbb\xbf# first\r\n\r\n" + line.encode() + b"\r\n")
    assert read_env_file(path) == {"A": expected}


@pytest.mark.parametrize("content", [b"A", b"=b", b"A=\0", b"A=\xff", b"A" + b" " * 500_000 + b"B"])
def test_wrong_env_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / ".env"
    path.write_bytes(content)
    with pytest.raises(LaunchError, match="envFile"):
        read_env_file(path)


def test_missing_env_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="No such file"):
        environment(envFile=str(tmp_path / "none"))
