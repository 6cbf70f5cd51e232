"""The objects of types, members and references: what a program can ask of them. Needs no .NET."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from portablepdb import Assembly, MemberRef, Metadata, NoSuchEntryError, TypeDef
from portablepdb.tables_ecma import EventMapRow, EventRow, MethodSpecRow, PropertyMapRow, PropertyRow

from .assembly_maker import AssemblyMaker
from .sample_files import sample_image


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
    shown = [repr(instruction) for instruction in body.instructions()]
    assert shown[1] == "<Instruction IL_0005 call 0x0a000001>"
    assert shown[2] == "<Instruction IL_000a nop>"
