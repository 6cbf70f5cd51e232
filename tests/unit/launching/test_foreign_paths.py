"""Paths of configurations that were written on Windows."""

from __future__ import annotations

import pytest

from dap_dotnet.launching.foreign_paths import local_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/ws\\src\\App.csproj", "/ws/src/App.csproj"),
        ("bin\\Debug\\App.dll", "bin/Debug/App.dll"),
        ("/ws/src/App.csproj", "/ws/src/App.csproj"),
        ("a\\b\0c", "a\\b\0c"),
        ("", ""),
    ],
)
def test_separators_become_those_of_this_system(path, expected):
    assert local_path(path) == expected


def test_file_with_a_backslash_in_its_name_is_meant(tmp_path):
    (tmp_path / "a\\b.dll").touch()
    assert local_path("a\\b.dll", str(tmp_path)) == "a\\b.dll"
    assert local_path(str(tmp_path / "a\\b.dll")) == str(tmp_path / "a\\b.dll")
