"""Lines of sources are those that the compilers count."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.source_lines import read_source_lines, source_lines
from dap_dotnet.symbols.checksums import SourceFile


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029"])
def test_line_ends_where_the_compiler_ends_it(end: str) -> None:
    assert source_lines(f"a{end}{end}b") == ["a", "", "b"]


@pytest.mark.parametrize("blank", ["\f", "\v", "\x1c", "\x1d", "\x1e"])
def test_other_control_characters_are_within_a_line(blank: str) -> None:
    assert source_lines(f"a{blank}b\nc") == [f"a{blank}b", "c"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_file_is_read_by_its_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.cs"
    path.write_bytes("a\f\r\nä\u2028b".encode(encoding))
    assert read_source_lines(path) == SourceFile(str(path)).lines == ["a\f", "ä", "b"]


def test_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert read_source_lines(tmp_path / "none.cs") == []
    assert read_source_lines("a\0.cs") == []
