"""The checksums of sources, by every algorithm that a PDB may name."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dap_dotnet.symbols import checksums


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5", "sha384", "sha512"])
def test_digests_are_of_the_content_with_each_line_ending(algorithm: str, tmp_path: Path) -> None:
    source = tmp_path / "Program.cs"
    source.write_bytes(b"one\r\ntwo\n")
    expected = {hashlib.new(algorithm, text).digest() for text in (b"one\r\ntwo\n", b"one\ntwo\n", b"one\r\ntwo\r\n")}
    assert checksums._digests_of(source.read_bytes(), algorithm) == expected
