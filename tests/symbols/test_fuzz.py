"""Damaged files: only PortablePdbError may come out, with the file and mostly the offset; in bounded time and memory.

``DAP_DOTNET_FUZZ_CASES`` sets the number of cases (8,000 by default: always the same ones, `make fuzz` takes many),
``DAP_DOTNET_FUZZ_SEED`` the seed.
"""

from __future__ import annotations

import io
import os
import random
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from portablepdb import Assembly, PortablePdb, PortablePdbError
from portablepdb.cli import main
from portablepdb.disassembler import Disassembler
from portablepdb.dump_asm import assembly_records
from portablepdb.dump_pdb import bind_record, pdb_records
from portablepdb.dump_records import line

CASES = int(os.environ.get("DAP_DOTNET_FUZZ_CASES", "1200"))
SEED = int(os.environ.get("DAP_DOTNET_FUZZ_SEED", "20240607"))
MOST_MEMORY = 200 << 20
CHUNKS = 8


def walk_pdb(data: bytes) -> None:
    """Ask a PDB everything."""
    with PortablePdb.open(data, name="case.pdb", text_errors="strict") as pdb:
        for record in pdb_records(pdb):
            line(record)
        for document in pdb.documents:
            pdb.methods_of_document(document.row_id)
            pdb.bind(document.row_id, 20)
            pdb.embedded_source(document.row_id)
        bind_record(pdb, "first.cs", 50, 3)
        assert pdb.source_link is None or isinstance(pdb.source_link, str)
        for row in range(1, min(pdb.method_count, 40) + 1):
            for ask in (pdb.locals_at, pdb.constants_at, pdb.imports_at, pdb.point_at):
                attempt(ask, row, 3)
            for question in (pdb.async_info, pdb.hoisted_scopes, pdb.kickoff_method, pdb.state_machine_of):
                attempt(question, row)


def walk_assembly(data: bytes) -> None:
    """Ask an image everything."""
    with Assembly.open(data, name="case.dll", text_errors="strict") as assembly:
        attempt(lambda: assembly.pdb_id)
        attempt(lambda: assembly.pdb_checksums)
        attempt(assembly.embedded_pdb)
        attempt(lambda: assembly.debuggable)
        for record in assembly_records(assembly):
            line(record)
        metadata = assembly.metadata
        disassembler = Disassembler(metadata)
        for row in range(1, min(metadata.image.row_counts[6], 30) + 1):
            attempt(metadata.display_method, 0x06000000 | row)
            attempt(lambda row=row: list(disassembler.method(0x06000000 | row)))
        attempt(metadata.find_type, "First.Program")
        attempt(lambda: [a.named_arguments for a in metadata.attributes_of(0x20000001)])


def walk_commands(data: bytes) -> None:
    """Print a file by the commands ``il`` and ``lines``: an exit code comes out, and no other error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.bin"
        path.write_bytes(data)
        for command in ("il", "lines"):
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
                code = main([command, str(path)])
            assert code in (0, 1, 2), code
            assert code == 0 or said.getvalue(), f"{command} says nothing of why it failed"


def attempt(ask: Callable[..., object], *arguments: object) -> None:
    """One question, whose PortablePdbError does not end the others."""
    try:
        ask(*arguments)
    except PortablePdbError as error:
        check(error)


def check(error: PortablePdbError) -> None:
    assert error.file
    assert error.rule
    assert error.offset is None or error.offset >= 0


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Flip, overwrite, cut or splice."""
    damaged = bytearray(data)
    kind = rng.randrange(10)
    if kind < 6:
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            # Headers and tables decide most: half of all hits go to the first quarter.
            limit = len(damaged) if rng.random() < 0.5 else max(len(damaged) // 4, 1)
            at = rng.randrange(limit)
            damaged[at] = rng.choice(
                (0, 0xFF, 0x7F, 0x80, 0xC0, 0xDF, 0xE0, rng.randrange(256), damaged[at] ^ 1 << rng.randrange(8))
            )
    elif kind == 6:
        at = rng.randrange(max(len(damaged) - 4, 1))
        damaged[at : at + 4] = rng.choice(
            (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff\xff\xff\0")
        )
    elif kind == 7:
        del damaged[rng.randrange(len(damaged)) :]
    elif kind == 8:
        at = rng.randrange(len(damaged))
        del damaged[at : at + rng.choice((1, 2, 4, 64))]
    else:
        at, begin = rng.randrange(len(damaged)), rng.randrange(len(other))
        size = rng.randrange(1, 256)
        damaged[at : at + size] = other[begin : begin + size]
    return bytes(damaged)


@pytest.fixture(scope="module")
def seeds(compiled) -> list[tuple[Callable[[bytes], None], bytes]]:
    """Small files of each kind."""
    plain = compiled("first.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    embedded = compiled("first.cs", "-debug:embedded", "-embed", "-deterministic+", "-pathmap:/=/_/")
    external = compiled("external.vb", "-debug:portable", "-target:library", '-define:_MyType=\\"Empty\\"')
    pdb = plain.with_suffix(".pdb").read_bytes()
    return [
        (walk_pdb, pdb),
        (walk_pdb, external.with_suffix(".pdb").read_bytes()),
        (walk_assembly, plain.read_bytes()),
        (walk_pdb, pdb),
        (walk_assembly, embedded.read_bytes()),
        (walk_pdb, embedded.read_bytes()),
        (walk_commands, embedded.read_bytes()),
        (walk_commands, pdb),
    ]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_fuzz_only_portable_pdb_errors_come_out(chunk: int, seeds):
    rng = random.Random(SEED * CHUNKS + chunk)
    refused = 0
    for number in range(CASES // CHUNKS):
        walk, data = seeds[number % len(seeds)]
        damaged = mutate(data, seeds[rng.randrange(len(seeds))][1], rng)
        try:
            walk(damaged)
        except PortablePdbError as error:
            check(error)
            refused += 1
        except Exception as error:
            Path(os.environ.get("DAP_DOTNET_FUZZ_KEEP", os.devnull)).write_bytes(damaged)
            raise AssertionError(f"case {number} of chunk {chunk}, seed {SEED}, {walk.__name__}: {error!r}") from error
    assert refused > CASES // CHUNKS // 20


def test_fuzz_memory_is_bounded(seeds):
    rng = random.Random(SEED)
    tracemalloc.start()
    try:
        for number in range(100):
            walk, data = seeds[number % len(seeds)]
            tracemalloc.reset_peak()
            attempt(walk, mutate(data, data, rng))
            assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
