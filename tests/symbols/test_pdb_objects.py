"""The objects that a PDB gives: documents, import scopes, entries of debug information. Needs no .NET."""

from __future__ import annotations

import pytest

from portablepdb import Assembly, ImportScope, NoSuchEntryError, PortablePdb, PortablePdbError, Token
from portablepdb.tables_ecma import InterfaceImplRow
from portablepdb.tables_pdb import DocumentRow, ImportScopeRow

from . import encoder
from .assembly_maker import AssemblyMaker
from .maker import Maker
from .sample_files import sample_image, sample_pdb


def test_points_have_their_document():
    with PortablePdb.open(sample_pdb()) as pdb:
        shop = pdb.documents[0]
        points = pdb.sequence_points(1)
        assert all(point.document is shop for point in points)
        assert pdb.bind(shop, 12)[0].point.document is shop
        assert pdb.visible_point_at(1, 12).document.name == "/src/shop/Shop.cs"
        assert [point.document for _, found in pdb.all_sequence_points() for point in found] == [shop] * 9


def test_points_that_change_the_document_have_the_other_one():
    maker = Maker()
    for path in ("/a.cs", "/b.cs"):
        maker.document(path)
    maker.method([encoder.visible(0, 1, 1, 1, 9, 1), encoder.visible(4, 7, 1, 7, 9, 2)], column=0)
    with maker.open() as pdb:
        a, b = pdb.documents
        assert [point.document for point in pdb.sequence_points(1)] == [a, b]
        assert pdb.methods_of_document(a) == pdb.methods_of_document(b) == [0x06000001]
        assert [hit.point.document.name for hit in pdb.bind(b, 7)] == ["/b.cs"]


def test_point_of_a_document_that_does_not_exist_says_so_when_the_document_is_asked():
    maker = Maker()
    maker.document("/a.cs")
    maker.method([encoder.visible(0, 1, 1, 1, 9, 7)], column=0)
    with maker.open() as pdb:
        (point,) = pdb.sequence_points(1)
        assert point.document.row_id == 7
        with pytest.raises(NoSuchEntryError):
            assert point.document.name
        assert "row 7 of the Document table was asked for" in repr(point)


def test_a_pdb_has_one_object_for_each_document():
    with PortablePdb.open(sample_pdb()) as pdb:
        first, second = pdb.documents
        ways = [
            pdb.documents[0],
            pdb.documents[:1][0],
            pdb.documents.by_row(1),
            *pdb.documents_matching("/home/me/shop/Shop.cs"),
            *pdb.documents_ending_with("Shop.cs"),
        ]
        assert all(way is first for way in ways)
        assert first != second
        assert {first, second, *ways} == {first, second}


def test_documents_of_two_pdbs_are_equal_by_row_and_name():
    maker = Maker()
    for path in ("/src/shop/Shop.cs", "/other.cs"):
        maker.document(path)
    with PortablePdb.open(sample_pdb()) as one, PortablePdb.open(sample_pdb()) as again, maker.open() as other:
        assert list(one.documents) == list(again.documents)
        assert list(one.all_sequence_points()) == list(again.all_sequence_points())
        assert one.documents[0] == other.documents[0]
        assert hash(one.documents[0]) == hash(other.documents[0])
        assert one.documents[1] not in (other.documents[1], 2, "/other.cs")


def test_two_documents_of_one_name_in_one_pdb_are_two():
    maker = Maker()
    for _ in range(2):
        maker.document("/a.cs")
    with maker.open() as pdb:
        assert len(set(pdb.documents)) == 2


def test_document_with_a_damaged_name_shows_what_is_wrong():
    maker = Maker()
    maker.add(0x30, DocumentRow(maker.heaps.blob(b"\x80"), 0, 0, 0))
    with maker.open() as pdb:
        assert "separator" in repr(pdb.documents[0])
        with pytest.raises(PortablePdbError):
            assert pdb.documents[0].name


def test_scope_has_its_import_scope_which_has_a_parent():
    maker = Maker()
    maker.method(None)
    outer = maker.add(
        0x35, ImportScopeRow(0, maker.heaps.blob(b"\1" + encoder.compressed(maker.heaps.blob(b"System"))))
    )
    inner = maker.add(0x35, ImportScopeRow(outer, 0))
    maker.scope(1, 0, 20, inner)
    maker.scope(1, 5, 10)
    with maker.open() as pdb:
        first, nested = pdb.scopes(1)
        assert isinstance(first.import_scope, ImportScope)
        assert (first.import_scope.row_id, first.import_scope.imports) == (inner, [])
        around = first.import_scope.parent
        assert around is not None
        assert ([entry.namespace for entry in around.imports], around.parent) == (["System"], None)
        assert around == first.import_scope.parent
        assert around != first.import_scope
        assert len({around, first.import_scope, first.import_scope.parent}) == 2
        assert nested.import_scope is None
        assert pdb.imports_at(1, 7) == [first.import_scope.imports, around.imports]


def test_import_scope_that_does_not_exist_is_said_to_be_missing():
    maker = Maker()
    maker.method(None)
    maker.scope(1, 0, 20, 9)
    with maker.open() as pdb, pytest.raises(NoSuchEntryError, match="ImportScope"):
        assert pdb.scopes(1)[0].import_scope


def test_entries_of_debug_information_name_documents():
    maker = Maker()
    for path in ("/a.cs", "/b.cs"):
        maker.document(path)
    maker.info(0x30000002, "embedded_source", bytes(4) + b"text")
    maker.info(0x02000002, "type_documents", b"\2\1")
    with maker.open(referenced={2: 2}) as pdb:
        about, types = pdb.custom_debug_information()
        assert about.document is pdb.documents[1]
        assert types.document is None
        assert types.decoded == [pdb.documents[1], pdb.documents[0]]


def test_methods_of_a_pdb_are_tokens():
    with PortablePdb.open(sample_pdb()) as pdb:
        assert pdb.methods == [0x06000001 + number for number in range(5)]
        assert all(isinstance(method, Token) for method in pdb.methods)
        assert [str(method) for method in pdb.methods if pdb.kickoff_method(method)] == ["0x06000005"]


def test_interfaces_are_types():
    maker = AssemblyMaker()
    runtime = maker.assembly_ref("System.Runtime")
    disposable = maker.type_ref("IDisposable", "System", runtime)
    own = maker.type("IOwn", "N")
    shop = maker.type("Shop", "N")
    for interface in (disposable, own):
        maker.add(0x09, InterfaceImplRow(shop & 0xFFFFFF, interface))
    found = maker.metadata().type_def(shop).interfaces
    assert found == [disposable, own]
    assert [interface.full_name for interface in found] == ["System.IDisposable", "N.IOwn"]
    with Assembly.open(sample_image()) as assembly:
        assert assembly.metadata.types[1].interfaces == []
