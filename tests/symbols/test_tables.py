"""The tables: the quick path agrees with the construct declarations, widths follow the specification's rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from portablepdb import Assembly, MalformedError, NoSuchEntryError, PortablePdb, TableNumber
from portablepdb.root import MetadataImage
from portablepdb.row_layouts import PDB_FAMILY, ecma_family
from portablepdb.schema import CodedIndex, IndexSizes, RowLayout, TableIndex, declared_struct
from portablepdb.source import Region

from . import encoder

ALL_ROW_TYPES = {**PDB_FAMILY.row_types, **ecma_family().row_types}


def image_of(data: bytes) -> MetadataImage:
    return MetadataImage(Region(data, 0, len(data), 0, "synthetic"))


def assert_paths_agree(image: MetadataImage, most_rows: int = 200) -> int:
    checked = 0
    for number, count in enumerate(image.row_counts):
        if not count:
            continue
        table = image.table(number)
        declared = declared_struct(table.layout.row_type)
        sizes = image.sizes if number >= 0x30 else image.sizes._replace(row_counts=image.row_counts)
        columns = {name: table.column(name) for name in table.layout.names}
        rows = list(table)
        assert len(rows) == count
        for row_id in range(1, min(count, most_rows) + 1):
            begin = table.region.start + (row_id - 1) * table.row_size
            parsed = declared.parse(table.region.data[begin : begin + table.row_size], sizes=sizes)
            row = table.row(row_id)
            for name in table.layout.names:
                wanted = parsed[name]
                assert getattr(row, name) == wanted, (table.name, row_id, name)
                assert table.value(row_id, name) == wanted
                assert columns[name][row_id - 1] == wanted
            assert rows[row_id - 1] == row
            assert declared.build(row._asdict(), sizes=sizes) == table.region.data[begin : begin + table.row_size]
            checked += 1
    return checked


def test_tables_of_an_assembly_agree_with_the_declarations(compiled):
    assembly = compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    with Assembly.open(assembly) as opened:
        assert assert_paths_agree(opened.metadata.image) > 500
    with PortablePdb.open(assembly.with_suffix(".pdb")) as pdb:
        assert assert_paths_agree(pdb.image) > 100


def test_tables_of_the_core_library_agree_with_the_declarations(framework: Path):
    with Assembly.open(framework / "System.Private.CoreLib.dll") as opened:
        assert assert_paths_agree(opened.metadata.image, 60) > 1000


def test_every_table_of_the_specifications_is_declared():
    assert sorted(ALL_ROW_TYPES) == sorted(TableNumber)


@pytest.mark.parametrize("number", sorted(ALL_ROW_TYPES), ids=lambda number: TableNumber(number).name)
@pytest.mark.parametrize("wide", [False, True], ids=["narrow", "wide"])
def test_row_of_each_table_round_trips_through_construct_and_struct(number: int, wide: bool):
    row_type = ALL_ROW_TYPES[number]
    counts = [0x10000 if wide else 3] * 64
    width = 4 if wide else 2
    sizes = IndexSizes(width, width, width, tuple(counts))
    values = {}
    for position, (name, hint) in enumerate(row_type.__annotations__.items()):
        kind = hint.__metadata__[0]
        values[name] = (
            next(t for t in kind.tables if t is not None) << 24 | 2
            if isinstance(kind, CodedIndex)
            else 2 + position % 5
        )
    raw = declared_struct(row_type).build(values, sizes=sizes)
    layout = RowLayout(row_type, sizes)
    assert layout.size == len(raw)
    assert declared_struct(row_type).parse(raw, sizes=sizes) == values
    unpacked = list(layout.unpacker.unpack(raw))
    for index, coded in layout.coded:
        unpacked[index] = coded.decode(unpacked[index])
    assert dict(zip(layout.names, unpacked, strict=True)) == values


def sizes_with(counts: dict[int, int], minimal_delta: bool = False) -> IndexSizes:
    return IndexSizes(2, 2, 2, tuple(counts.get(number, 0) for number in range(64)), minimal_delta)


@pytest.mark.parametrize(("rows", "width"), [(0xFFFF, 2), (0x10000, 4)])
def test_table_index_is_wide_from_65536_rows(rows: int, width: int):
    assert TableIndex(TableNumber.DOCUMENT).width(sizes_with({0x30: rows})) == width


@pytest.mark.parametrize(("bits", "rows", "width"), [(5, 0x7FF, 2), (5, 0x800, 4), (1, 0x7FFF, 2), (1, 0x8000, 4)])
def test_coded_index_loses_its_tag_bits(bits: int, rows: int, width: int):
    coded = CodedIndex("Test", bits, (TableNumber.FIELD, None, TableNumber.PARAM))
    assert coded.width(sizes_with({TableNumber.PARAM: rows})) == width


def test_every_index_of_a_minimal_delta_is_wide():
    assert TableIndex(TableNumber.DOCUMENT).width(sizes_with({}, True)) == 4
    assert CodedIndex("Test", 1, (TableNumber.FIELD,)).width(sizes_with({}, True)) == 4


def test_pointer_table_decides_the_width_of_a_list():
    index = TableIndex(TableNumber.FIELD, TableNumber.FIELD_PTR)
    assert index.width(sizes_with({TableNumber.FIELD_PTR: 0x10000})) == 4


def test_unassigned_tag_is_malformed_and_names_table_and_row():
    coded = CodedIndex("Test", 2, (TableNumber.FIELD,))
    with pytest.raises(MalformedError, match="Test"):
        coded.decode(3)


def test_row_outside_the_table_is_refused(compiled):
    with Assembly.open(compiled("first.cs", "-debug:portable", "-deterministic+")) as assembly:
        table = assembly.metadata.image.table(TableNumber.TYPE_DEF)
        for row_id in (0, -1, table.row_count + 1):
            with pytest.raises(NoSuchEntryError, match="TypeDef"):
                table.row(row_id)


def documents(count: int, heaps: encoder.Heaps) -> list:
    from portablepdb.tables_pdb import DocumentRow

    return [DocumentRow(heaps.name(f"/src/{number % 7}/file{number}.cs"), 0, 0, 0) for number in range(count)]


@pytest.mark.parametrize("wide_heaps", [False, True])
@pytest.mark.parametrize("methods", [40, 70_000])
def test_columns_scans_and_searches_agree(wide_heaps: bool, methods: int):
    from portablepdb.tables_pdb import MethodDebugInformationRow

    heaps = encoder.Heaps()
    rows = documents(300, heaps)
    blobs = [heaps.blob(encoder.points_blob([encoder.visible(0, line, 1, line, 5)], 0, 1)) for line in range(1, 10)]
    points = [
        MethodDebugInformationRow(number * 7 % 301, blobs[number % 9] if number % 3 else 0) for number in range(methods)
    ]
    image = image_of(encoder.pdb({0x30: rows, 0x31: points}, heaps, wide_heaps=wide_heaps))
    table = image.table(0x31)
    assert table.raw_column("document") == [row.document for row in points]
    assert table.raw_column("sequence_points") == [row.sequence_points for row in points]
    for value in (0, 1, 255, 256, 299, 300, 301, 70_000):
        wanted = [number for number, row in enumerate(points, 1) if row.document == value]
        assert table.rows_equal("document", value) == wanted
    wanted = [number for number, row in enumerate(points, 1) if not row.document and row.sequence_points]
    assert table.rows_zero_and_not("document", "sequence_points") == wanted


@pytest.mark.parametrize("declared", [True, False], ids=["declared sorted", "not declared sorted"])
def test_rows_with_a_key_are_found_with_and_without_the_sorted_bit(declared: bool):
    from portablepdb.tables_pdb import LocalScopeRow

    heaps = encoder.Heaps()
    scopes = [LocalScopeRow(method, 0, 1, 1, 0, method) for method in (1, 1, 3, 7, 7, 7, 9)]
    data = encoder.pdb({0x32: scopes}, heaps, referenced={6: 9})
    image = image_of(data)
    image.sorted_tables = -1 if declared else 0
    table = image.table(0x32)
    for _ in range(40):  # in place at first, in a copy of the column after many searches
        found = [list(table.rows_with("method", key)) for key in (0, 1, 2, 3, 7, 9, 10)]
        assert found == [[], [1, 2], [], [3], [4, 5, 6], [7], []]


def test_rows_with_is_right_for_every_column_of_a_sorted_table(compiled):
    path = compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    with Assembly.open(path) as assembly, PortablePdb.open(path.with_suffix(".pdb")) as pdb:
        checked = 0
        for image in (assembly.metadata.image, pdb.image):
            for number, count in enumerate(image.row_counts):
                if not count or not image.sorted_tables >> number & 1:
                    continue
                table = image.table(number)
                for name in table.layout.names:
                    column = table.column(name)
                    for value in set(column):
                        wanted = [row_id for row_id, found in enumerate(column, 1) if found == value]
                        assert list(table.rows_with(name, value)) == wanted, (table.name, name, value)
                        checked += 1
        assert checked > 500


def test_keys_of_sorted_tables_are_sorted_in_real_images(compiled):
    path = compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    with Assembly.open(path) as assembly, PortablePdb.open(path.with_suffix(".pdb")) as pdb:
        keys = 0
        for image in (assembly.metadata.image, pdb.image):
            for number, count in enumerate(image.row_counts):
                key = image.table(number).layout.key if count else None
                if key is not None:
                    raw = image.table(number).raw_column(key)
                    assert raw == sorted(raw), key
                    keys += 1
        assert keys > 10


def test_table_that_no_specification_has_is_an_error():
    image = image_of(encoder.pdb({}, encoder.Heaps()))
    for number in (0x2D, 0x2F, 0x38, 64, -1):
        with pytest.raises(NoSuchEntryError, match="there is no metadata table"):
            image.table(number)
