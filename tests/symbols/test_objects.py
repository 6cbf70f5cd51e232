"""The objects of types, members and references: what a program can ask of them. Needs no .NET."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from portablepdb import Assembly, MemberRef, Metadata, NoSuchEntryError, PortablePdb, TypeDef
from portablepdb.disassembler import Disassembler
from portablepdb.tables_ecma import EventMapRow, EventRow, MethodSpecRow, PropertyMapRow, PropertyRow

from .assembly_maker import AssemblyMaker
from .sample_files import sample_image, sample_pdb


@pytest.fixture
def sample() -> Iterator[Metadata]:
    with Assembly.open(io.BytesIO(sample_image())) as assembly:
        yield assembly.metadata


def test_types_and_methods_are_sequences(sample: Metadata):
    types = sample.types
    assert len(types) == 3
    assert [type_.name for type_ in types] == [type_.name for type_ in types] == ["<Module>", "Shop", "<WaitAsync>d__1"]
    assert isinstance(types[1], TypeDef)
    assert types[1] == types[-2] == sample.find_type("N.Shop")
    assert [type_.name for type_ in types[1:]] == ["Shop", "<WaitAsync>d__1"]
    assert sample.methods[0].full_name == "N.Shop.Sell"
    assert types[1] in types
    with pytest.raises(IndexError):
        types[3]
    assert repr(types) == "<3 rows of TYPE_DEF>"


def test_every_member_of_a_type_knows_its_type_and_full_name(sample: Metadata):
    shop = sample.find_type("N.Shop")
    assert shop is not None
    for member in (*shop.fields, *shop.methods, *shop.properties):
        assert member.declaring_type == shop
        assert member.full_name == f"N.Shop.{member.name}"


def test_properties_and_events_of_several_types_know_their_type():
    maker = AssemblyMaker()
    names = {}
    maps = ((0x15, 0x17, PropertyMapRow, PropertyRow), (0x14 - 2, 0x14, EventMapRow, EventRow))
    for map_table, table, map_row, row in maps:
        for type_name, members in (("A", 2), ("B", 0), ("C", 1)):
            type_ = maker.type(f"{type_name}{table}", "N")
            maker.add(map_table, map_row(type_ & 0xFFFFFF, maker.count(table) + 1))
            for number in range(members):
                last = maker.heaps.blob(b"\x28\0\x08") if table == 0x17 else 0x02000001
                token = table << 24 | maker.add(table, row(0, maker.heaps.string(f"M{number}"), last))
                names[token] = f"N.{type_name}{table}.M{number}"
    metadata = maker.metadata()
    assert {token: metadata.entity(token).full_name for token in names} == names
    assert metadata.display_type(metadata.property(0x17000001).type) == "int"


def test_property_that_no_type_has_says_so():
    maker = AssemblyMaker()
    maker.add(0x17, PropertyRow(0, maker.heaps.string("P"), maker.heaps.blob(b"\x28\0\x08")))
    with pytest.raises(NoSuchEntryError, match="no type has 0x17000001"):
        _ = maker.metadata().property(0x17000001).declaring_type


def test_full_names_of_references_are_those_that_find_method_takes():
    maker = AssemblyMaker()
    runtime = maker.assembly_ref("System.Runtime")
    list_ = maker.type_ref("List`1", "System.Collections.Generic", runtime)
    of_int = maker.type_spec(b"\x15\x12" + bytes([(list_ & 0xFFFFFF) << 2 | 1]) + b"\1\x08")
    own = maker.type("Own", "N")
    method = maker.method("Do", b"\x10\1\0\1")
    tokens = [maker.member_ref(parent, "Add", b"\x20\0\1") for parent in (list_, of_int, own, method)]
    spec = 0x2B000000 | maker.add(0x2B, MethodSpecRow(method, maker.heaps.blob(b"\x0a\1\x08")))
    metadata = maker.metadata()
    generic = "System.Collections.Generic.List`1.Add"
    assert [metadata.entity(token).full_name for token in tokens] == [generic, generic, "N.Own.Add", "N.Own.Do"]
    assert metadata.entity(spec).full_name == "N.Own.Do"
    parent = metadata.entity(tokens[2])
    assert isinstance(parent, MemberRef)
    assert isinstance(parent.parent, TypeDef)


def test_what_has_no_flags_says_so(sample: Metadata):
    with pytest.raises(AttributeError, match="a MemberRef has no flags"):
        _ = sample.member_refs[0].flags
    assert not hasattr(sample.type_refs[0], "flags")


def test_instruction_shows_its_token_in_hexadecimal(sample: Metadata):
    body = sample.methods[0].body
    assert body is not None
    instructions = list(body.instructions())
    shown = [repr(instruction) for instruction in instructions]
    assert shown[1] == "<Instruction IL_0005 call 0x0a000001>"
    assert shown[2] == "<Instruction IL_000a nop>"
    assert repr(instructions[1].token) == "Token(0x0a000001)"
    assert instructions[2].token is None


@pytest.fixture
def pdb() -> Iterator[PortablePdb]:
    with PortablePdb.open(sample_pdb()) as opened:
        yield opened


METHOD, DOCUMENT = "a Method, its token or row id is wanted, not str", "a Document or its row id is wanted, not str"


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda pdb: pdb.sequence_points("N.Shop.Sell"), METHOD),
        (lambda pdb: pdb.locals_at("N.Shop.Sell", 0), METHOD),
        (lambda pdb: pdb.kickoff_method("N.Shop.Sell"), METHOD),
        (lambda pdb: pdb.bind("Shop.cs", 12), DOCUMENT),
        (lambda pdb: pdb.methods_of_document("Shop.cs"), DOCUMENT),
        (lambda pdb: pdb.embedded_source("Shop.cs"), DOCUMENT),
        (lambda pdb: pdb.documents_matching(b"Shop.cs"), "a path as str is wanted, not bytes"),
        (lambda _: PortablePdb.open(sample_pdb(), limits=5), "limits are a Limits or None, not int"),
    ],
)
def test_wrong_kind_of_argument_is_a_type_error_that_says_what_is_wanted(
    pdb: PortablePdb, ask: Callable[[Any], object], says: str
):
    with pytest.raises(TypeError, match=says):
        ask(pdb)


@pytest.mark.parametrize("wrong", [None, "N.Shop"])
def test_name_for_a_token_is_a_type_error_that_says_what_takes_names(sample: Metadata, wrong: Any):
    for ask in (sample.entity, sample.display):
        with pytest.raises(TypeError, match="find_type and find_method take names"):
            ask(wrong)


def test_disassembler_of_something_else_says_what_it_wants():
    with pytest.raises(TypeError, match=r"as Assembly\.metadata, not Assembly"):
        Disassembler(Assembly.open(sample_image()))  # type: ignore[arg-type]


def test_words_that_are_not_known_are_value_errors(pdb: PortablePdb):
    with pytest.raises(ValueError, match="'ignore'"):
        PortablePdb.open(sample_pdb(), text_errors="ignore")
    with pytest.raises(ValueError, match=r"'sources' is no kind .* embedded_source"):
        pdb.custom_value(1, "sources")


def test_negative_method_is_named_as_it_was_given(pdb: PortablePdb):
    with pytest.raises(NoSuchEntryError, match="-1 is not a method"):
        pdb.sequence_points(-1)


def test_document_is_a_parent_of_debug_information(pdb: PortablePdb):
    (entry,) = pdb.custom_debug_information(pdb.documents[0])
    assert entry.kind == "embedded_source"
    assert pdb.custom_value(pdb.documents[0], "embedded_source") == entry.value


def test_documents_are_found_by_a_path_object(pdb: PortablePdb):
    assert pdb.documents_matching(PurePosixPath("/home/me/shop/Shop.cs")) == [pdb.documents[0]]
    assert pdb.documents_ending_with(PurePosixPath("shop/Shop.cs")) == [pdb.documents[0]]


@pytest.mark.parametrize("wrong", [None, 5, b"N.Shop"])
def test_what_is_no_name_is_a_type_error(sample: Metadata, wrong: Any):
    for find in (sample.find_type, sample.find_method, sample.find_methods):
        with pytest.raises(TypeError, match="a full name is wanted, not"):
            find(wrong)


def test_nested_types_are_found_as_stack_traces_write_them():
    maker = AssemblyMaker()
    outer = maker.type("Outer", "N")
    maker.type("Inner", "", outer=outer)
    maker.method("Run", b"\0\0\1", (), il=b"\x2a")
    found = maker.metadata().find_method("N.Outer.Inner.Run")
    assert found is not None
    assert found.full_name == "N.Outer+Inner.Run"


def test_dots_mean_a_namespace_before_they_mean_nesting():
    maker = AssemblyMaker()
    outer = maker.type("Outer", "N")
    maker.type("Inner", "", outer=outer)
    maker.method("Run", b"\0\0\1", (), il=b"\x2a")
    maker.type("Inner", "N.Outer")
    exact = maker.method("Run", b"\0\0\1", (), il=b"\x2a")
    assert maker.metadata().find_methods("N.Outer.Inner.Run") == [exact]


def test_indexer_is_displayed_with_its_parameters(sample: Metadata):
    (indexer,) = sample.types[1].properties
    assert sample.display(indexer) == "N.Shop.this[int index]"


def test_generic_parameters_have_names_where_the_member_is_given(compiled):
    with Assembly.open(compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG")) as assembly:
        metadata = assembly.metadata
        (method,) = (method for method in metadata.methods if method.name == "Other" and method.generic_parameters)
        make = method.signature.parameters[0]
        assert metadata.display_type(make, method) == "System.Func<T>"
        assert metadata.display_type(make) == "System.Func<!!0>"
        inner = metadata.find_type("Features.Outer`1+Inner`1")
        for field in inner.fields:
            assert "!" not in metadata.display_type(field.signature, inner)


def test_what_is_no_type_of_a_signature_is_not_displayed_as_one(sample: Metadata):
    method = sample.methods[0]
    for wrong in (method, method.signature, sample.types[1], None):
        with pytest.raises(TypeError, match="the type in a signature is wanted"):
            sample.display_type(wrong)  # type: ignore[arg-type]
    assert sample.display_type(method.signature.return_type) == "int"


def test_pdb_is_looked_for_in_one_folder_given_alone(tmp_path: Path):
    image, folder = tmp_path / "a" / "sample.dll", tmp_path / "symbols"
    for made in (image.parent, folder):
        made.mkdir()
    image.write_bytes(sample_image())
    (folder / "sample.pdb").write_bytes(sample_pdb())
    with Assembly.open(image) as assembly:
        for where in (folder, str(folder), [folder]):
            found = assembly.find_pdb(where)
            assert found.path == str(folder / "sample.pdb")
            assert found.pdb is not None
            found.pdb.close()
