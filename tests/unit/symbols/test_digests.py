"""The checksums of sources are those of hashlib, whichever of Python's modules makes them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dap_dotnet.symbols import checksums


@pytest.mark.parametrize("own_modules", [checksums._OWN_MODULES, {}, {"sha256": ("no_such_module", "os")}])
@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5", "sha384", "sha512"])
def test_digests_are_those_of_hashlib(
    algorithm: str, own_modules: dict[str, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checksums, "_OWN_MODULES", own_modules)
    source = tmp_path / "Program.cs"
    source.write_bytes(b"one\r\ntwo\n")
    expected = {hashlib.new(algorithm, text).digest() for text in (b"one\r\ntwo\n", b"one\ntwo\n", b"one\r\ntwo\r\n")}
    assert checksums._digests(str(source), algorithm) == expected
