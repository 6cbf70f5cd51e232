"""What real PDBs do that a reader's author may not expect: one observation a test, on synthetic or compiled files."""

from __future__ import annotations

import struct
import zlib
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from portablepdb import Assembly, MalformedError, PortablePdb, TruncatedError
from portablepdb.dump_asm import assembly_records
from portablepdb.dump_pdb import bind_record, pdb_records
from portablepdb.tables_pdb import (
    CustomDebugInformationRow,
    DocumentRow,
    ImportScopeRow,
    MethodDebugInformationRow,
    StateMachineMethodRow,
)

from . import encoder
from .encoder import encoded, hidden, visible
from .maker import Maker

LONG = "a" * 130
DEBUG = ("-debug:portable", "-optimize-", "-define:DEBUG")


def one_method(*points: encoder.Point) -> Maker:
    maker = Maker()
    maker.document("/src/a.cs")
    maker.method(list(points))
    return maker


def test_note_01_streams_in_any_order_and_without_user_strings():
    maker = one_method(visible(0, 3, 1, 3, 9))
    for order in (
        ("#Pdb", "#~", "#Strings", "#US", "#GUID", "#Blob"),
        ("#~", "#Strings", "#GUID", "#Blob", "#Pdb"),
    ):
        with maker.open(order=order) as pdb:
            assert [stream.name for stream in pdb.image.streams] == list(order)
            assert pdb.sequence_points(1)[0].start_line == 3


@pytest.mark.parametrize(
    ("referenced", "wide", "sizes"),
    [
        ({6: 4}, False, {0x30: 8, 0x31: 4, 0x32: 16, 0x33: 6, 0x34: 4, 0x35: 4, 0x36: 4, 0x37: 6}),
        ({6: 0x800}, False, {0x30: 8, 0x31: 4, 0x32: 16, 0x33: 6, 0x34: 4, 0x35: 4, 0x36: 4, 0x37: 8}),
        ({6: 0x10000}, True, {0x30: 16, 0x31: 6, 0x32: 18, 0x33: 8, 0x34: 8, 0x35: 6, 0x36: 8, 0x37: 12}),
    ],
)
def test_note_02_row_sizes_depend_on_the_rows_of_the_assembly(referenced, wide, sizes):
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.scope(1, 0, 9)
    maker.variable("v", 0)
    maker.constant("c", b"\x1c")
    maker.add(0x35, ImportScopeRow(0, 0))
    maker.add(0x36, StateMachineMethodRow(1, 1))
    maker.info(0x06000001, "primary_constructor", b"")
    with maker.open(referenced=referenced, wide_heaps=wide) as pdb:
        assert {number: pdb.image.table(number).row_size for number in sizes} == sizes
        assert pdb.locals_at(1, 3)[0].name == "v"
        assert pdb.kickoff_method(1) == 0x06000001
        assert pdb.custom_value(0x06000001, "primary_constructor") == b""


def test_note_03_methods_with_a_nil_document_column_are_found():
    maker = Maker()
    first, second = maker.document("/src/a.fs"), maker.document("/src/b.fs")
    maker.method([visible(0, 3, 1, 3, 9, first)])
    maker.method([visible(0, 5, 1, 5, 9, second)], column=0)  # F#: the head names one document, no switch follows
    maker.method([visible(0, 7, 1, 7, 9, first), visible(4, 8, 1, 8, 9, second)], column=0)  # a real switch
    maker.method(None)
    with maker.open() as pdb:
        assert pdb.methods_of_document(first) == [0x06000001, 0x06000003]
        assert pdb.methods_of_document(second) == [0x06000002, 0x06000003]
        assert [hit.method for hit in pdb.bind(second, 5)] == [0x06000002]
        assert [(hit.method, hit.point.document.row_id) for hit in pdb.bind(second, 8)] == [(0x06000003, second)]
        assert pdb.sequence_points(4) == ()


def test_note_04_first_visible_point_is_absolute_also_after_hidden_ones():
    points = [hidden(0), hidden(3), visible(5, 700, 9, 701, 2), hidden(9), visible(12, 3, 5, 3, 8)]
    with one_method(*points).open() as pdb:
        assert [encoded(point) for point in pdb.sequence_points(1)] == points


def test_note_05_nil_guid_and_a_guid_of_zeroes_differ():
    maker = Maker()
    maker.add(0x30, DocumentRow(maker.heaps.name("/a"), 0, 0, 0))
    zero = maker.heaps.guid(bytes(16))
    maker.add(0x30, DocumentRow(maker.heaps.name("/b"), zero, 0, zero))
    with maker.open() as pdb:
        assert [document.hash_algorithm for document in pdb.documents] == [None, UUID(int=0)]
        assert [document.hash for document in pdb.documents] == [b"", b""]
        records = [record for record in pdb_records(pdb) if record["k"] == "document"]
        assert [record["alg"] for record in records] == [None, "00000000-0000-0000-0000-000000000000"]


def test_note_06_head_without_a_record_and_spans_out_of_range_are_refused():
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.add(0x31, MethodDebugInformationRow(1, maker.heaps.blob(b"\0")))
    maker.add(
        0x31,
        MethodDebugInformationRow(
            1, maker.heaps.blob(encoder.points_blob([visible(0, 0xFEEFED, 1, 0xFEEFEE, 2)], 0, 1))
        ),
    )
    with maker.open() as pdb:
        with pytest.raises(TruncatedError):
            pdb.sequence_points(2)
        with pytest.raises(MalformedError):
            pdb.sequence_points(3)
        assert [hit.method for hit in pdb.bind(1, 3)] == [0x06000001]
        records = [record["sp"] for record in pdb_records(pdb) if record["k"] == "method_debug"]
        assert records[1:] == [{"error": 1}, {"error": 1}]


def test_note_07_the_last_byte_counts():
    data = one_method(visible(0, 3, 1, 3, 9)).data()
    with pytest.raises(TruncatedError, match="cut short"):
        PortablePdb.open(data[:-1])


def test_note_08_ids_and_checksums_of_a_build_agree(compiled):
    for options in (DEBUG, ("-debug:portable", "-optimize+", "-deterministic+", "-checksumalgorithm:SHA1")):
        path = compiled("features.cs", *options)
        with Assembly.open(path) as assembly, PortablePdb.open(path.with_suffix(".pdb")) as pdb:
            assert assembly.pdb_id == pdb.id
            assert pdb.method_count == assembly.metadata.image.row_counts[6]
            assert assembly.verify_checksum(path.with_suffix(".pdb").read_bytes()) in (True, None)
            for number, column in ((0x32, "method"), (0x37, "parent")):
                raw = pdb.image.table(number).raw_column(column)
                assert raw == sorted(raw)


def test_note_09_lines_go_backwards_and_repeat():
    points = [visible(0, 30, 1, 30, 9), visible(2, 10, 1, 10, 9), visible(5, 30, 1, 30, 9), visible(9, 20, 1, 20, 9)]
    with one_method(*points).open() as pdb:
        assert [p.start_line for p in pdb.sequence_points(1)] == [30, 10, 30, 20]
        assert [hit.point.il_offset for hit in pdb.bind(1, 30)] == [0, 5]
        assert [hit.point.start_line for hit in pdb.bind(1, 11)] == [20]


def test_note_10_methods_that_are_all_hidden_offer_nothing():
    maker = one_method(hidden(0), hidden(4))
    maker.method(None)
    with maker.open() as pdb:
        assert pdb.methods_of_document(1) == [0x06000001]
        assert pdb.bind(1, 1) == pdb.bind(1, 0xFEEFEE) == []
        assert pdb.point_at(1, 2).is_hidden
        assert pdb.visible_point_at(1, 2) is None
        assert pdb.sequence_points(2) == ()


def test_note_11_hidden_point_at_the_end_of_the_il_is_no_error():
    with one_method(visible(0, 3, 1, 3, 9), hidden(20)).open() as pdb:
        assert encoded(pdb.point_at(1, 20)) == hidden(20)
        assert encoded(pdb.point_at(1, 19)) == visible(0, 3, 1, 3, 9)


def test_note_12_clamped_columns():
    points = [visible(0, 1, 65533, 1, 65534), visible(3, 1, 65533, 1, 65534), visible(5, 2, 1, 2, 65534)]
    with one_method(*points).open() as pdb:
        assert [encoded(point) for point in pdb.sequence_points(1)] == points
        assert len(pdb.bind(1, 1, 65533)) == 2


def test_note_13_innermost_span_wins_inside_a_huge_statement():
    maker = one_method(visible(0, 10, 1, 1337, 9))
    maker.method([visible(0, 500, 20, 501, 30)])
    with maker.open() as pdb:
        assert [hit.method for hit in pdb.bind(1, 500)] == [0x06000002]
        assert [hit.method for hit in pdb.bind(1, 10)] == [0x06000001]


def test_note_14_external_source_silences_the_rest_of_a_vb_file(compiled):
    path = compiled("external.vb", "-debug:portable", "-target:library", '-define:_MyType=\\"Empty\\"')
    with Assembly.open(path) as assembly, PortablePdb.open(path.with_suffix(".pdb")) as pdb:
        named = {
            assembly.metadata.method(method).name: [p.start_line for p in points if not p.is_hidden]
            for method, points in pdb.all_sequence_points()
        }
        assert "Plain" not in named
        assert 8 in named["Mapped"]


def test_note_14_line_just_under_the_hidden_one():
    with one_method(visible(0, 0xFEEFED, 1, 0xFEEFED, 9)).open() as pdb:
        assert not pdb.sequence_points(1)[0].is_hidden
        assert len(pdb.bind(1, 0xFEEFED)) == 1


def test_note_15_one_line_binds_in_several_methods(compiled):
    path = compiled("features.cs", *DEBUG)
    source = (Path(__file__).parent / "sources" / "features.cs").read_text().splitlines()
    with PortablePdb.open(path.with_suffix(".pdb")) as pdb:
        (document,) = pdb.documents_ending_with("features.cs")
        initializer = next(n for n, text in enumerate(source, 1) if text.endswith("// initializer"))
        # One of the two constructors chains to the other; a line of lambdas has three methods.
        assert len({hit.method for hit in pdb.bind(document.row_id, initializer)}) == 1
        curry = next(n for n, text in enumerate(source, 1) if "curry = a =>" in text)
        assert len({hit.method for hit in pdb.bind(document.row_id, curry)}) == 3


@pytest.mark.parametrize(
    ("path", "separator"),
    [
        ("/_/src/x.cs", "/"),
        ("/_//src/x.cs", "/"),
        ("C:\\a\\x.cs", "\\"),
        ("C:/mixed\\dir/x.cs", "\\"),
        ("/", "/"),
        ("a//b/../x.cs", "/"),
        ("/dir/C:\\\\not\\\\escaped\\\\x.cs", "/"),
        ("no separator at all/x.cs", ""),
        ("", ""),
    ],
)
def test_note_16_document_names_are_kept_as_stored(path: str, separator: str):
    maker = Maker()
    maker.document(path, separator)
    with maker.open() as pdb:
        assert pdb.documents[0].name == path
        if path.endswith("x.cs"):
            assert pdb.documents_ending_with("x.cs") == [pdb.documents[0]]
            assert pdb.documents_matching(path) == [pdb.documents[0]]


@pytest.mark.parametrize("others", [3, 60], ids=["few documents", "many documents"])
def test_note_17_longest_suffix_tells_equal_file_names_apart(others: int):
    maker = Maker()
    for number in range(others):
        maker.document(f"/src/other{number}/unrelated{number}.cs")
    paths = [
        "/_/src/a/Thing.cs",
        "/_/src/b/Thing.cs",
        "/_/src/b/c/Thing.cs",
        "C:\\w\\b\\Thing.cs",
        "/x/weird\\b\\Thing.cs",
    ]
    rows = {}
    for path in paths:
        rows[path] = maker.document(path, "\\" if path[1] == ":" else "/")
    with maker.open(wide_heaps=True) as pdb:

        def match(path: str, **options: bool) -> list[str]:
            return [document.name for document in pdb.documents_matching(path, **options)]

        assert match("/home/me/src/a/Thing.cs") == [paths[0]]
        assert match("/_/src/b/Thing.cs") == [paths[1]]
        assert match("/_/src/./b/c/../Thing.cs") == [paths[1]]
        assert match("/somewhere/b/Thing.cs") == [paths[1], paths[3], paths[4]]
        assert match("Thing.cs") == paths
        assert match("thing.cs") == []
        assert match("thing.cs", ignore_case=True) == paths
        assert match("Nothing.cs") == match("hing.cs") == []
        assert [d.name for d in pdb.documents_ending_with("b/Thing.cs")] == [paths[1], paths[3], paths[4]]
        assert [d.name for d in pdb.documents_ending_with("\\c\\Thing.cs")] == [paths[2]]
        assert pdb.documents_ending_with("hing.cs") == []


def test_note_18_embedded_sources_raw_and_deflated():
    maker = Maker()
    rows = [maker.document(name) for name in ("/a.cs", "/b.cs", "/c.cs")]
    text = b"class C { }\n" * 100
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text) + packer.flush()
    maker.info(0x30000000 | rows[0], "embedded_source", struct.pack("<i", 0) + text)
    maker.info(0x30000000 | rows[1], "embedded_source", struct.pack("<i", len(text)) + packed)
    with maker.open() as pdb:
        assert [pdb.embedded_source(row) for row in rows] == [text, text, None]


def test_note_18_empty_document_name_is_legal():
    maker = Maker()
    maker.add(0x30, DocumentRow(0, 0, 0, 0))
    maker.add(0x30, DocumentRow(maker.heaps.blob(b"/"), 0, 0, 0))
    with maker.open() as pdb:
        assert [document.name for document in pdb.documents] == ["", ""]
        records = [record["name"] for record in pdb_records(pdb) if record["k"] == "document"]
        assert records == [None, ""]


@pytest.mark.parametrize(
    "style", ["thing.pdb", "/_/obj/thing.pdb", "C:\\build\\obj\\thing.pdb", "/tmp/Thing.76423e.pdb"]
)
def test_note_19_pdb_is_looked_for_beside_the_assembly_by_either_name(style: str, compiled, tmp_path: Path):
    path = compiled("first.cs", *DEBUG)
    data = bytearray(path.read_bytes())
    at = data.index(b"RSDS") + 24
    end = data.index(b"\0", at)
    assert len(style) <= end - at
    data[at:end] = style.encode() + bytes(end - at - len(style))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "moved.dll").write_bytes(data)
    beside = folder / ("thing.pdb" if "thing" in style else "moved.pdb")
    beside.write_bytes(path.with_suffix(".pdb").read_bytes())
    with Assembly.open(folder / "moved.dll") as assembly:
        found = assembly.find_pdb()
        assert found.pdb is not None, found.tried
        assert found.path == str(beside)
        found.pdb.close()


def test_note_20_names_may_repeat_in_a_scope_and_slots_in_nested_ones():
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.scope(1, 0, 40)
    maker.variable("data (shadowed)", 0)
    maker.variable("data (shadowed)", 1)
    maker.variable("data", 2)
    maker.variable("CS$<>8__locals0", 3, 1)
    maker.scope(1, 10, 20)
    maker.variable("inner", 2)
    with maker.open() as pdb:
        names = [(v.slot, v.name, v.is_debugger_hidden) for v in pdb.locals_at(1, 12)]
        assert names[:3] == [(0, "data (shadowed)", False), (1, "data (shadowed)", False), (2, "data", False)]
        assert names[3:] == [(3, "CS$<>8__locals0", True), (2, "inner", False)]
        assert len(pdb.locals_at(1, 30)) == 4


def test_note_21_scopes_without_imports_and_of_length_zero():
    maker = one_method(visible(0, 3, 1, 3, 9))
    empty = maker.add(0x35, ImportScopeRow(0, 0))
    blob = maker.heaps.blob(b"\x01" + encoder.compressed(maker.heaps.blob(b"System")))
    inner = maker.add(0x35, ImportScopeRow(empty, blob))
    maker.scope(1, 0, 40)
    maker.scope(1, 0, 40, inner)
    maker.scope(1, 5, 0)
    with maker.open() as pdb:
        chain = pdb.imports_at(1, 3)
        assert [[i.namespace for i in imports] for imports in chain] == [["System"], []]
        assert [scope.covers(5) for scope in pdb.scopes(1)] == [True, True, False]
        records = [record["imports"] for record in pdb_records(pdb) if record["k"] == "import"]
        assert records == [None, [[1, None, None, "System", None]]]


def test_note_22_constants_of_the_unusual_kinds():
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.scope(1, 0, 40)
    raws = {
        "decimal": bytes.fromhex("110682dc05000000000000000000000000")[:2] + bytes([2]) + (1500).to_bytes(12, "little"),
        "date": b"\x11\x09" + (630822816000000000).to_bytes(8, "little"),
        "null string": b"\x0e\xff",
        "null of a class": b"\x12\x05",
        "null of object": b"\x1c",
        "enum": b"\x11"[:0] + b"\x08\x05\0\0\0\x0d",
        "nint": b"\x18"[:0] + b"\x08\xf9\xff\xff\xff",
        "modified": b"\x20\x09\x08\x07\0\0\0",
    }
    for name, raw in raws.items():
        maker.constant(name, raw)
    with maker.open() as pdb:
        values = {constant.name: constant.value for constant in pdb.constants_at(1, 0)}
        assert values == {
            "decimal": Decimal("15.00"),
            "date": 630822816000000000,
            "null string": None,
            "null of a class": None,
            "null of object": None,
            "enum": 5,
            "nint": -7,
            "modified": 7,
        }
        decoded = [c.decoded for c in pdb.constants_at(1, 0)]
        assert decoded[5].type_token == 0x01000003
        assert decoded[7].modifiers == ((False, 0x01000002),)


def test_note_23_names_may_be_any_unicode_and_strings_lone_surrogates(compiled, capsys):
    from portablepdb.cli import main

    path = compiled("features.cs", *DEBUG)
    with Assembly.open(path) as assembly:
        texts = [record["text"] for record in assembly_records(assembly) if record["k"] == "userstring"]
    assert any("\ud83d" in text for text in texts)
    assert main(["dump", "asm", str(path)]) == 0
    assert main(["il", str(path), "Features.Code.Constants"]) == 0
    assert "\\ud83d" in capsys.readouterr().out
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.scope(1, 0, 9)
    maker.variable("\u00e9\U0001f600", 0)
    with maker.open() as pdb:
        assert pdb.locals_at(1, 0)[0].name == "\u00e9\U0001f600"


def test_note_24_field_signatures_in_stand_alone_sigs(compiled):
    path = compiled("functional.fs", "--debug:portable", "--optimize-")
    with Assembly.open(path) as assembly:
        sigs = [record["sig"] for record in assembly_records(assembly) if record["k"] == "standalonesig"]
    assert any(isinstance(text, str) and text.startswith("field ") for text in sigs)
    assert any(isinstance(text, list) for text in sigs)
    assert {"error": 1} not in sigs


def test_note_25_delta_pdb_has_wide_indices_and_its_own_heaps():
    from portablepdb.tables_ecma import EncMapRow

    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.scope(1, 0, 9)
    maker.variable("v", 0)
    maker.add(0x1F, EncMapRow(0x31000007))
    with maker.open(delta=True) as pdb:
        assert pdb.image.is_minimal_delta
        assert [pdb.image.table(number).row_size for number in (0x30, 0x31, 0x32, 0x33)] == [16, 8, 24, 8]
        assert pdb.sequence_points(1)[0].start_line == 3
        assert pdb.locals_at(1, 0)[0].name == "v"
        assert [r["tok"] for r in pdb_records(pdb) if r["k"] == "enc_map"] == ["31000007"]


def test_note_26_catch_offset_is_set_for_async_void_only(compiled):
    path = compiled("features.cs", *DEBUG)
    with Assembly.open(path) as assembly, PortablePdb.open(path.with_suffix(".pdb")) as pdb:
        catches = {}
        for row in range(1, pdb.method_count + 1):
            info = pdb.async_info(row)
            if info is not None:
                catches[assembly.metadata.method(pdb.kickoff_method(row)).name] = info.catch_offset
    assert catches["Forget"] is not None
    assert catches["Wait"] is None


def test_note_27_embedded_pdb_is_found_by_the_debug_directory_only(compiled):
    path = compiled("first.cs", "-debug:portable", "-deterministic+")
    with Assembly.open(path.read_bytes() + b"MPDB" + bytes(64)) as assembly:
        assert not assembly.has_embedded_pdb
        assert assembly.embedded_pdb() is None


def test_note_28_images_of_every_shape(compiled, framework: Path):
    shapes = {}
    for platform in ("anycpu", "x64", "x86"):
        with Assembly.open(compiled("first.cs", "-debug:portable", f"-platform:{platform}")) as assembly:
            shapes[platform] = assembly.pe.magic
            assert not assembly.is_ready_to_run
    assert shapes == {"anycpu": 267, "x64": 523, "x86": 267}
    with Assembly.open(framework / "System.Linq.dll") as assembly:
        assert assembly.is_ready_to_run
        method = next(m for t in assembly.metadata.find_types("System.Linq") for m in t.methods if m.rva)
        assert list(method.body.instructions())
    with Assembly.open(
        compiled("external.vb", "-debug:portable", "-target:module", '-define:_MyType=\\"Empty\\"')
    ) as module:
        assert module.metadata.assembly_name is None
        assert module.metadata.module_name


def test_note_29_kinds_of_custom_debug_information(compiled):
    kinds = {}
    for options in (DEBUG, ("-debug:portable", "-optimize+")):
        path = compiled("features.cs", *options)
        with PortablePdb.open(path.with_suffix(".pdb")) as pdb:
            entries = pdb.custom_debug_information()
            kinds[options] = {entry.kind for entry in entries}
            for entry in entries:
                if entry.kind in ("metadata_refs", "compilation_options"):
                    assert entry.parent == 0x00000001
                assert entry.decoded is not None
    debug, release = kinds.values()
    assert {"async_stepping", "hoisted_scopes", "dynamic", "tuple_names", "enc_local_slots", "enc_lambdas"} <= debug
    assert not {kind for kind in release if kind.startswith("enc_")}


def test_note_29_unknown_kinds_are_kept_as_bytes():
    maker = one_method(visible(0, 3, 1, 3, 9))
    maker.add(0x37, CustomDebugInformationRow(0x06000001, maker.heaps.guid(bytes(range(16))), maker.heaps.blob(b"xyz")))
    with maker.open() as pdb:
        (entry,) = pdb.custom_debug_information(0x06000001)
        assert (entry.kind, entry.decoded, entry.guid) == (None, b"xyz", UUID(bytes_le=bytes(range(16))))


@pytest.mark.parametrize("separator", ["/", "\\"])
def test_note_30_documents_are_found_by_their_last_part_as_by_their_names(separator: str):
    maker = Maker()
    maker.heaps.blob(b"x" * 120)  # so that some parts are named by one byte and some by two
    names = [
        "a.cs",
        "/a.cs",
        "/x/a.cs",
        "/x/ba.cs",
        "/x/a.cs/",
        "/x/y\\a.cs",
        "/x/a.cs/b",
        "C:/é.cs",
        "/",
        "x/" + "a" * 130,
    ]
    for name in names:
        maker.document(name, separator)
    plain = [name.replace("\\", "/") for name in names]
    with maker.open() as pdb:
        for suffix in ("a.cs", "é.cs", "b", "x", LONG, "/a.cs", "x/a.cs", "y\\a.cs"):
            wanted = suffix.replace("\\", "/")
            rows = [
                row for row, name in enumerate(plain, 1) if name == wanted or name.endswith("/" + wanted.lstrip("/"))
            ]
            assert [document.row_id for document in pdb.documents_ending_with(suffix)] == rows


def test_note_30_many_documents_are_searched_without_decoding_their_names():
    maker = Maker()
    for number in range(5000):
        maker.document(f"/src/dir{number % 50}/File{number}.cs")
    maker.method([visible(0, 3, 1, 3, 9, 4000)], column=4000)
    with maker.open(wide_heaps=True) as pdb:
        record = bind_record(pdb, "File3999.cs", 3, 0)
        assert [hit[0] for hit in record["hits"]] == ["06000001"]
        assert not pdb.documents._names._names
        assert pdb.bind_flat([1], 3) == []
