"""Bad input: each kind gets an error of the package that names file, offset and rule, and says what to do."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from pathlib import Path

import pytest

from portablepdb import (
    Assembly,
    LimitError,
    MalformedError,
    NoSuchEntryError,
    PortablePdb,
    PortablePdbError,
    TruncatedError,
    UnknownFormatError,
    UnreadableError,
    WindowsPdbError,
)
from portablepdb.root import MetadataImage
from portablepdb.source import Region
from portablepdb.tables_pdb import DocumentRow, ImportScopeRow, LocalScopeRow, MethodDebugInformationRow

from . import encoder


def simple_pdb(**options: object) -> bytes:
    heaps = encoder.Heaps()
    document = DocumentRow(heaps.name("/src/a.cs"), 0, 0, 0)
    blob = heaps.blob(encoder.points_blob([encoder.visible(0, 3, 1, 3, 9)], 0, 1))
    return encoder.pdb({0x30: [document], 0x31: [MethodDebugInformationRow(1, blob)]}, heaps, **options)


def test_synthetic_pdb_is_read():
    with PortablePdb.open(simple_pdb()) as pdb:
        assert [encoder.encoded(point) for point in pdb.sequence_points(1)] == [encoder.visible(0, 3, 1, 3, 9)]
        assert pdb.documents[0].name == "/src/a.cs"


def test_missing_file_is_unreadable(tmp_path: Path):
    with pytest.raises(UnreadableError, match="No such file") as raised:
        PortablePdb.open(tmp_path / "none.pdb")
    assert raised.value.file == str(tmp_path / "none.pdb")


def test_folder_is_unreadable(tmp_path: Path):
    with pytest.raises(UnreadableError):
        PortablePdb.open(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_named_pipe_does_not_hang(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PortablePdbError):
        PortablePdb.open(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"hello, world", "68 65 6c 6c"),
        (gzip.compress(simple_pdb()), "gzip"),
        (b"PK\x03\x04" + bytes(40), "zip"),
        (b"MSCF" + bytes(40), "cabinet"),
        (b"\x7fELF" + bytes(40), "ELF"),
    ],
)
def test_other_formats_are_named(data: bytes, words: str):
    with pytest.raises(UnknownFormatError, match=words) as raised:
        PortablePdb.open(data, name="thing.pdb")
    assert (raised.value.file, raised.value.offset) == ("thing.pdb", 0)


@pytest.mark.parametrize(
    "magic", [b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", b"Microsoft C/C++ program database 2.00\r\n\x1aJG"]
)
def test_windows_pdb_says_what_it_is_and_how_to_get_a_portable_one(magic: bytes):
    with pytest.raises(WindowsPdbError, match="portable"):
        PortablePdb.open(magic + bytes(1000))


def test_every_cut_of_a_pdb_is_refused():
    data = simple_pdb()
    for size in range(len(data)):
        with pytest.raises((TruncatedError, UnknownFormatError, MalformedError)):
            PortablePdb.open(data[:size])


def test_assembly_without_its_end_is_refused(compiled):
    data = compiled("first.cs", "-debug:portable", "-deterministic+").read_bytes()
    for size in (0, 1, 63, 64, 100, 200, 300, 500):
        with pytest.raises(PortablePdbError), Assembly.open(data[:size]) as assembly:
            assert assembly.metadata.module_name


def with_row_count(count: int) -> bytes:
    data = bytearray(simple_pdb())
    heaps = data.index(struct.pack("<II", 1, 1), data.index(b"#Blob"))
    data[heaps : heaps + 4] = struct.pack("<I", count)
    return bytes(data)


@pytest.mark.parametrize("count", [0x7FFFFFFF, 0xFFFFFFFF, 0x1000000])
def test_row_count_beyond_a_token_is_refused(count: int):
    with pytest.raises(LimitError, match="rows"):
        PortablePdb.open(with_row_count(count))


def test_row_count_beyond_the_stream_is_refused():
    with pytest.raises(TruncatedError, match="row counts"):
        PortablePdb.open(with_row_count(0xFFFFFF))


def test_metadata_without_pdb_stream_is_refused():
    heaps = encoder.Heaps()
    data = encoder.pdb({}, heaps, order=("#~", "#Strings", "#GUID", "#Blob"))
    with pytest.raises(MalformedError, match="#Pdb"):
        PortablePdb.open(data)


def test_metadata_without_table_stream_is_refused():
    with pytest.raises(MalformedError, match="table stream"):
        PortablePdb.open(encoder.metadata([("#Pdb", bytes(32))]))


def test_unknown_tables_are_refused():
    stream = struct.pack("<IBBBBQQI", 0, 2, 0, 0, 1, 1 << 60, 0, 1)
    with pytest.raises(MalformedError, match="unknown tables"):
        PortablePdb.open(encoder.metadata([("#Pdb", bytes(32)), ("#~", stream + bytes(64))]))


def test_overlong_blob_is_refused():
    heaps = encoder.Heaps()
    heaps.blobs += b"\xdf\xff\xff\xff"
    row = MethodDebugInformationRow(1, len(heaps.blobs) - 4)
    with PortablePdb.open(encoder.pdb({0x31: [row]}, heaps)) as pdb, pytest.raises(TruncatedError, match="536870911"):
        pdb.sequence_points(1)


def test_blob_offset_outside_the_heap_is_refused():
    data = encoder.pdb({0x31: [MethodDebugInformationRow(1, 5000)]}, encoder.Heaps())
    with PortablePdb.open(data) as pdb, pytest.raises(NoSuchEntryError, match="5000"):
        pdb.sequence_points(1)


def test_invalid_utf8_is_refused_or_replaced_as_asked():
    heaps = encoder.Heaps()
    name = heaps.blob(b"/" + encoder.compressed(heaps.blob(b"a\xff.cs")))
    data = encoder.pdb({0x30: [DocumentRow(name, 0, 0, 0)]}, heaps)
    with PortablePdb.open(data) as pdb, pytest.raises(MalformedError, match="UTF-8") as raised:
        assert pdb.documents[0].name
    assert data[raised.value.offset] == 0xFF
    with PortablePdb.open(data, text_errors="replace") as pdb:
        assert pdb.documents[0].name == "a\ufffd.cs"


def test_invalid_utf8_in_a_name_of_the_strings_heap_is_refused():
    from portablepdb.tables_pdb import LocalVariableRow

    heaps = encoder.Heaps()
    variable = LocalVariableRow(0, 0, heaps.string(b"x\xc3"))
    scope = LocalScopeRow(1, 0, 1, 1, 0, 10)
    data = encoder.pdb({0x31: [MethodDebugInformationRow(0, 0)], 0x32: [scope], 0x33: [variable]}, heaps)
    with PortablePdb.open(data) as pdb, pytest.raises(MalformedError, match="UTF-8"):
        pdb.locals_at(1, 0)


def test_document_name_that_multiplies_is_refused():
    heaps = encoder.Heaps()
    part = encoder.compressed(heaps.blob(b"x" * 16000))
    name = heaps.blob(b"/" + part * 10000)
    data = encoder.pdb({0x30: [DocumentRow(name, 0, 0, 0)]}, heaps, wide_heaps=True)
    with PortablePdb.open(data) as pdb, pytest.raises(LimitError, match="document name"):
        assert pdb.documents[0].name


def test_cycle_of_import_scopes_is_refused():
    scopes = [ImportScopeRow(2, 0), ImportScopeRow(1, 0)]
    tables = {0x31: [MethodDebugInformationRow(0, 0)], 0x32: [LocalScopeRow(1, 1, 1, 1, 0, 9)], 0x35: scopes}
    with PortablePdb.open(encoder.pdb(tables, encoder.Heaps())) as pdb, pytest.raises(LimitError, match="cycle"):
        pdb.imports_at(1, 0)


def test_cycle_of_nested_types_is_refused():
    from portablepdb.metadata import Metadata
    from portablepdb.schema import IndexSizes
    from portablepdb.tables_ecma import NestedClassRow, TypeDefRow

    heaps = encoder.Heaps()
    row = TypeDefRow(0, heaps.string("A"), 0, 0x02000000, 1, 1)
    tables = {2: [row, row], 0x29: [NestedClassRow(1, 2), NestedClassRow(2, 1)]}
    counts = tuple({2: 2, 0x29: 2}.get(number, 0) for number in range(64))
    stream = encoder.table_stream(tables, IndexSizes(2, 2, 2, counts))
    data = encoder.metadata([("#~", stream), ("#Strings", bytes(heaps.strings))], "v4")
    metadata = Metadata(MetadataImage(Region(data, 0, len(data), 0, "cycle")))
    with pytest.raises(LimitError, match="cycle"):
        metadata.type_name(0x02000001)


def test_dump_refuses_runs_that_overlap():
    from portablepdb.dump_pdb import pdb_records
    from portablepdb.tables_pdb import LocalVariableRow

    heaps = encoder.Heaps()
    name = heaps.string("v")
    scopes = [LocalScopeRow(1, 0, 1 + number % 2 * 3000, 1, 0, 9) for number in range(3000)]
    variables = [LocalVariableRow(0, 0, name)] * 3000
    data = encoder.pdb({0x31: [MethodDebugInformationRow(0, 0)], 0x32: scopes, 0x33: variables}, heaps)
    with PortablePdb.open(data) as pdb, pytest.raises(LimitError, match="variable_list"):
        list(pdb_records(pdb))


def embedded(size: int, packed: bytes) -> bytes:
    return b"MPDB" + struct.pack("<I", size) + packed


def test_embedded_pdb_entry_by_itself_is_read():
    data = simple_pdb()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    with PortablePdb.open(embedded(len(data), packed)) as pdb:
        assert pdb.method_count == 1
    for wrong in (len(data) - 1, len(data) + 1):
        with pytest.raises(MalformedError, match="inflates"):
            PortablePdb.open(embedded(wrong, packed))
    with pytest.raises(LimitError):
        PortablePdb.open(embedded(0x7FFFFFFF, packed))
    with pytest.raises(MalformedError, match="deflate"):
        PortablePdb.open(embedded(len(data), b"\xff" * len(packed)))


def test_native_image_is_not_an_assembly(compiled):
    data = bytearray(compiled("first.cs", "-debug:portable", "-deterministic+").read_bytes())
    optional = struct.unpack_from("<I", data, 60)[0] + 24
    struct.pack_into("<II", data, optional + 96 + 14 * 8, 0, 0)
    with Assembly.open(bytes(data)) as assembly:
        assert not assembly.has_metadata
        with pytest.raises(UnknownFormatError, match="CLI header"):
            assert assembly.metadata


def test_method_of_another_assembly_is_refused():
    with PortablePdb.open(simple_pdb()) as pdb:
        for token in (0, 2, 0x06000002, 0x02000001):
            with pytest.raises(NoSuchEntryError):
                pdb.sequence_points(token)


def test_memory_reader_that_fails_is_unreadable():
    def read(offset: int, size: int) -> bytes:
        raise OSError("process is gone")

    with pytest.raises(UnreadableError, match="process is gone"):
        PortablePdb.open(read)


def test_memory_reader_that_ends_is_truncated():
    data = simple_pdb()
    with pytest.raises(TruncatedError):
        PortablePdb.open(lambda offset, size: data[:90][offset : offset + size])


def test_library_opens_nothing_it_does_not_close(tmp_path: Path):
    path = tmp_path / "large.pdb"
    heaps = encoder.Heaps()
    heaps.blob(bytes(400_000))
    path.write_bytes(encoder.pdb({0x31: [MethodDebugInformationRow(0, 0)]}, heaps, wide_heaps=True))
    for _ in range(3):
        with PortablePdb.open(path) as pdb:
            assert pdb.sequence_points(1) == ()
        path.write_bytes(path.read_bytes())
