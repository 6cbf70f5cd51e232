"""The declared structures: construct's own parsing and the quick way derived from the declaration agree."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import construct
import pytest

from portablepdb import PortablePdb, pe_structs, root, root_structs, row_counts
from portablepdb.dump_asm import assembly_records
from portablepdb.dump_pdb import pdb_records
from portablepdb.schema import FixedStruct, HeapIndex, declared_struct, format_of

from .assembly_maker import AssemblyMaker
from .encoder import visible
from .maker import Maker
from .test_opening import small_pdb

STRUCTS = {
    name: declared
    for module in (pe_structs, root_structs)
    for name, declared in vars(module).items()
    if isinstance(declared, FixedStruct)
}


@pytest.mark.parametrize("name", STRUCTS)
def test_fixed_struct_reads_as_construct_does(name: str):
    declared = STRUCTS[name]
    plain = declared_struct(declared.record)
    rng = random.Random(name)
    assert declared.size == declared.sizeof() == plain.sizeof()
    for data in (bytes(declared.size), b"\xff" * declared.size, *(rng.randbytes(declared.size) for _ in range(50))):
        quick, slow = declared.parse(data), plain.parse(data)
        assert type(quick) is declared.record
        assert quick._asdict() == {field: slow[field] for field in declared.record._fields}
        assert declared.at(b"before" + data, len(b"before")) == quick
        assert declared.build(quick._asdict()) == data


def test_stream_headers_read_at_once_are_those_read_one_by_one():
    widths = (4, 12, 8)
    data = random.Random(1).randbytes(sum(widths) + 8 * len(widths))
    at_once = root_structs.stream_headers(widths)
    found, position = [], 0
    for width in widths:
        found += [*root_structs.STREAM_HEADER.parse(data[position:]), data[position + 8 : position + 8 + width]]
        position += 8 + width
    assert at_once.size == position
    assert [*at_once.parse(data)] == [*at_once.at(data, 0)] == found


def test_every_structure_of_the_specifications_is_among_them():
    assert len(STRUCTS) == 18


def test_array_of_fixed_structs_is_read_by_construct():
    declared = root_structs.STREAM_HEADER
    assert declared.each(bytes(range(24))) == [declared.parse(bytes(range(at, at + 8))) for at in (0, 8, 16)]


def test_short_data_is_construct_s_own_error():
    with pytest.raises(construct.StreamError):
        root_structs.METADATA_ROOT.parse(b"BSJB")


@pytest.mark.parametrize(
    "kind",
    [
        construct.Int32ub,
        construct.Int16ub,
        construct.Float32b,
        construct.Enum(construct.Int32ul, one=1),
        construct.FlagsEnum(construct.Int32ul, one=1),
        construct.Flag,
        construct.Const(b"MZ"),
        construct.Array(3, construct.Int32ul),
        construct.Bytes(construct.this.size),
        construct.PaddedString(8, "utf8"),
        construct.BytesInteger(4),
        construct.VarInt,
        construct.Struct("a" / construct.Int32ul),
        HeapIndex("blob"),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_quick_way_refuses_what_it_would_read_otherwise(kind):
    with pytest.raises(TypeError):
        format_of(kind, None)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (construct.Int8ub, (1, "B")),
        (construct.Int16ul, (2, "H")),
        (construct.Int64sl, (8, "q")),
        (construct.Float64l, (8, "d")),
        (construct.Bytes(20), (20, "20s")),
    ],
)
def test_quick_way_of_what_it_knows(kind, expected):
    assert format_of(kind, None) == expected


def test_headers_of_files_are_parsed_by_construct(monkeypatch: pytest.MonkeyPatch):
    parsed: list[str] = []
    original = construct.Construct.parse_stream

    def counting(self, stream, **context):
        parsed.append(type(self).__name__)
        return original(self, stream, **context)

    monkeypatch.setattr(construct.Construct, "parse_stream", counting)
    monkeypatch.setattr(root, "_directories", {})
    row_counts.table_stream_head.cache_clear()
    maker = AssemblyMaker()
    maker.code_view(bytes(20), "a.pdb")
    maker.embed(small_pdb())
    maker.type("T")
    method = maker.method("m", b"\0\0\1", il=b"\0" * 70 + b"\x2a")
    with maker.open() as assembly:
        assert assembly.codeview is not None
        assert assembly.metadata.method_body(method).max_stack == 8
        assert assembly.embedded_pdb() is not None
    # DOS, COFF, optional header, directories, sections, CLI, debug directory; the two roots with their parts; the rest.
    assert parsed.count("FixedStruct") >= 14
    assert parsed.count("Array") == 3
    parsed.clear()
    root._directories.clear()
    row_counts.table_stream_head.cache_clear()
    # The root in two parts, its streams, #Pdb and the table stream.
    with PortablePdb.open(small_pdb()) as pdb:
        assert parsed.count("FixedStruct") == 4 + len(pdb.image.streams)
    parsed.clear()
    with PortablePdb.open(small_pdb()):
        assert not parsed, "an image that begins as one before is read by what is derived from the structures"


def parsed_over(monkeypatch: pytest.MonkeyPatch, dump: Callable[[], int]) -> tuple[Counter[str], int]:
    """How often construct parses each declared structure, and how many records the dump has."""
    parsed: Counter[str] = Counter()
    original = FixedStruct._parse  # construct calls it for each, those of arrays too

    def counting(self, stream, context, path):
        parsed[self.record.__name__] += 1
        return original(self, stream, context, path)

    root._directories.clear()
    row_counts.table_stream_head.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(FixedStruct, "_parse", counting)
        return parsed, dump()


def dump_image(methods: int) -> int:
    maker = AssemblyMaker()
    maker.code_view(bytes(20), "a.pdb")
    maker.embed(small_pdb())
    maker.type("T")
    for number in range(methods):
        maker.field(f"f{number}", b"\x08")
        maker.method(f"m{number}", b"\0\0\1", il=b"\0" * (70 if number == 0 else 3) + b"\x2a")
    with maker.open() as assembly:
        return sum(1 for _ in assembly_records(assembly))


def dump_pdb(methods: int) -> int:
    maker = Maker()
    document = maker.document("/a.cs")
    for line in range(1, methods + 1):
        maker.method([visible(0, line, 1, line, 5)], document)
        maker.scope(line, 0, 1)
    with maker.open() as pdb:
        return sum(1 for _ in pdb_records(pdb))


@pytest.mark.parametrize("dump", [dump_image, dump_pdb])
def test_dump_parses_headers_by_construct_and_rows_by_what_is_derived(monkeypatch, dump: Callable[[int], int]):
    few, few_records = parsed_over(monkeypatch, lambda: dump(10))
    many, many_records = parsed_over(monkeypatch, lambda: dump(500))
    assert many_records > few_records + 490
    assert many == few, "construct's calls are as many as there are headers, whatever the rows"
    assert sum(many.values()) < 60
    headers = {"MetadataRoot", "MetadataRootTail", "TableStream"}
    if dump is dump_image:
        headers |= {"DosHeader", "CoffHeader", "OptionalHeader64", "DataDirectory", "SectionHeader", "CliHeader"}
        headers |= {"DebugDirectoryEntry", "RsdsRecord", "EmbeddedPdbHead", "FatMethodHeader"}
    else:
        headers |= {"PdbStream"}
    assert headers <= set(many), sorted(many)
