"""A later update of a runtime, imitated by copies of its libraries in which one import has another name.

The accelerator stays out, says so, and the debugger goes its ordinary way.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from tests.e2e.accelerator.test_accelerator import MAJORS_WITH_HASH_CHUNK, PAGES, is_supported, record, stops
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not is_supported, reason="not made for this system")]

DEBUGGER, DATA_ACCESS = "libmscordbi.so", "libmscordaccore.so"
COPIED = (DEBUGGER, DATA_ACCESS, "libcoreclr.so")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
DYNSYM = 11
# The later C library: what has lost its first letter does what it did.
LATER = """
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
ssize_t ead(int file, void *buffer, size_t size) { return read(file, buffer, size); }
ssize_t read64(int file, void *buffer, size_t size, off64_t offset) { return pread64(file, buffer, size, offset); }
int unmap(void *address, size_t size) { return munmap(address, size); }
"""


def shorten_import(library: Path, name: str) -> None:
    """Take the first letter from the name of a function that a library imports."""
    data = bytearray(library.read_bytes())
    start, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3C)[0]
    sections = [SECTION.unpack_from(data, start + number * SECTION.size) for number in range(count)]
    (symbols,) = (section for section in sections if section[1] == DYNSYM)
    strings = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], SYMBOL.size):
        offset, _, _, section, _, _ = SYMBOL.unpack_from(data, place)
        if section == 0 and data.startswith(name.encode() + b"\0", strings + offset):
            struct.pack_into("<I", data, place, offset + 1)
            library.write_bytes(data)
            return
    raise AssertionError(f"{library} does not import {name}")


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The later C library."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source = tmp_path / "later.c"
    source.write_text(LATER)
    library = tmp_path / "later.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


def update(runtime: Runtime, place: Path, imports: dict[str, str]) -> Path:
    """An installation with this runtime, whose native libraries are copies: in some, one import has another name."""
    root = place / "dotnet"
    folder = root / runtime.directory.relative_to(runtime.root)
    folder.mkdir(parents=True)
    for file in runtime.directory.iterdir():
        copy = folder / file.name
        shutil.copy2(file, copy) if file.name in COPIED else copy.symlink_to(file)
    for library, name in imports.items():
        shorten_import(folder / library, name)
    shutil.copy2(runtime.root / "dotnet", root / "dotnet")
    (root / "host").symlink_to(runtime.root / "host")
    return root


def record_updated(program: programs.Program, root: Path, later: Path):
    _, *arguments = program.command
    return record([str(root / "dotnet"), *arguments, "3"], **program.env, LD_PRELOAD=str(later))


def test_libraries_that_import_other_functions_are_left_as_they_are(runtime, later, tmp_path):
    program = programs.build("Deep", runtime)
    root = update(runtime, tmp_path, {DEBUGGER: "read", DATA_ACCESS: "munmap"})
    seen, end = record_updated(program, root, later)
    stock, _ = record([*program.command, "3"], **program.env)
    assert len(stops(seen)) >= 3
    assert seen == stock
    assert end["state"] == end["cached_reads"] == 0
    assert "libmscordbi.so imports no read and write" in end["reasons"]["page cache"]
    has_hash_chunk = runtime.major in MAJORS_WITH_HASH_CHUNK
    expected = "libmscordaccore.so imports no munmap" if has_hash_chunk else "not known to help"
    assert expected in end["reasons"]["kept hash table"]


def test_data_access_that_reads_in_another_way_is_not_cached(newest_runtime, later, tmp_path):
    root = update(newest_runtime, tmp_path, {DATA_ACCESS: "pread64"})
    seen, end = record_updated(programs.build("Deep", newest_runtime), root, later)
    assert len(stops(seen)) >= 3
    assert end["state"] & PAGES == end["cached_reads"] == 0
    assert "libmscordaccore.so imports no pread64" in end["reasons"]["page cache"]
