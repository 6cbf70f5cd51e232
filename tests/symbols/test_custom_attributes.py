"""Custom attributes with enums of other assemblies, whose width the blob does not say."""

from __future__ import annotations

import struct

import pytest

from portablepdb import MemberRef, Method, NoSuchEntryError, TypeDef, TypeRef
from portablepdb.custom_attributes import NotDecoded, enums_of

from .assembly_maker import AssemblyMaker
from .encoder import compressed

INSTANCE_VOID = b"\x20"
STRING = b"\x0e"


def text(value: str) -> bytes:
    return compressed(len(value)) + value.encode()


def with_attribute(*parameters: bytes | str, value: bytes):
    """The one attribute of a type, whose constructor takes the parameters: signatures, or names of foreign enums."""
    maker = AssemblyMaker()
    library = maker.assembly_ref("Lib")
    coded = []
    for parameter in parameters:
        if isinstance(parameter, str):
            token = maker.type_ref(parameter, "E", library)
            coded.append(b"\x11" + compressed((token & 0xFFFFFF) << 2 | 1))
        else:
            coded.append(parameter)
    attribute = maker.type_ref("MarkAttribute", "N", library)
    signature = INSTANCE_VOID + bytes([len(coded)]) + b"\x01" + b"".join(coded)
    constructor = maker.member_ref(attribute, ".ctor", signature)
    marked = maker.type("Marked")
    maker.attribute(marked, constructor, value)
    metadata = maker.metadata()
    (found,) = metadata.type_def(marked).attributes
    return metadata, found


def library(**enums: int):
    """The metadata of an assembly with enums of the given element types."""
    maker = AssemblyMaker("Lib")
    for name, code in enums.items():
        maker.type(name, "E")
        maker.field("value__", bytes([code]))
    return maker.metadata()


BYTE_THEN_TEXT = b"\1\0" + b"\x07" + text("seven") + b"\0\0"


def test_enum_of_another_assembly_is_as_wide_as_it_is_there():
    metadata, attribute = with_attribute("Small", STRING, value=BYTE_THEN_TEXT)
    metadata.resolve_enum = enums_of(library(Small=0x05))
    assert [argument.value for argument in attribute.fixed_arguments] == [7, "seven"]
    assert attribute.unknown_enum is None


def test_resolver_is_asked_with_type_and_assembly():
    metadata, attribute = with_attribute("Small", STRING, value=BYTE_THEN_TEXT)
    asked: list[str] = []
    metadata.resolve_enum = lambda name: asked.append(name) or 0x05
    assert attribute.fixed_arguments[1].value == "seven"
    assert asked == ["E.Small, Lib"]


@pytest.mark.parametrize(
    ("layout", "number"), [("<b", -3), ("<h", -300), ("<i", 1 << 30), ("<q", -(1 << 40))], ids=["1", "2", "4", "8"]
)
def test_only_width_that_makes_sense_of_the_blob_is_taken(layout: str, number: int):
    raw = struct.pack(layout, number)
    _, attribute = with_attribute("Unknown", STRING, value=b"\1\0" + raw + text("after") + b"\0\0")
    (first, second) = attribute.fixed_arguments
    assert first.value == (number if layout != "<b" else number & 0xFF)
    assert second.value == "after"


def test_enum_that_several_widths_fit_is_not_decoded():
    value = b"\1\0" + b"\1\2\3\4\5" + b"\0\0"  # one and four bytes, or four and one
    _, attribute = with_attribute("First", "Second", value=value)
    assert [argument.value for argument in attribute.fixed_arguments] == [NotDecoded("E.First", b"\1\2\3\4\5\0\0")] * 2
    assert attribute.unknown_enum == "E.First"


def test_values_before_an_unknown_enum_are_kept():
    value = b"\1\0" + text("kept") + b"\1\2\3\4\5" + b"\0\0"
    _, attribute = with_attribute(STRING, "First", "Second", value=value)
    assert attribute.fixed_arguments[0].value == "kept"
    assert isinstance(attribute.fixed_arguments[1].value, NotDecoded)


def test_named_enum_of_another_assembly_by_its_qualified_name():
    name = "E.Wide, Lib, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null"
    named = b"\x54\x55" + text(name) + text("Mode") + struct.pack("<q", 1 << 40)
    more = b"\x54\x0e" + text("Title") + text("end")
    metadata, attribute = with_attribute(value=b"\1\0\2\0" + named + more)
    metadata.resolve_enum = enums_of(library(Wide=0x0A))
    assert [(n.name, n.argument.value) for n in attribute.named_arguments] == [("Mode", 1 << 40), ("Title", "end")]


def test_named_enum_that_is_not_known_says_so():
    name = "E.Odd, Lib"
    arrays = b"\x54\x1d\x55" + text(name) + text("Values") + struct.pack("<I", 2) + bytes(20)
    _, attribute = with_attribute(value=b"\1\0\1\0" + arrays)
    (named,) = attribute.named_arguments
    assert isinstance(named.argument.value, NotDecoded)
    assert attribute.unknown_enum == "E.Odd"


def test_enum_of_the_same_module_needs_no_resolver():
    maker = AssemblyMaker()
    library_ref = maker.assembly_ref("Lib")
    constructor = maker.member_ref(maker.type_ref("MarkAttribute", "N", library_ref), ".ctor", b"\x20\0\x01")
    marked = maker.type("Marked")
    maker.type("Tiny", "E")
    maker.field("value__", b"\x06")
    named = b"\x53\x55" + text("E.Tiny") + text("Size") + b"\xff\xff"
    own = b"\x53\x55" + text("E.Tiny, Sample, Version=1.2.3.4") + text("Own") + b"\2\0"
    maker.attribute(marked, constructor, b"\1\0\2\0" + named + own)
    (attribute,) = maker.metadata().type_def(marked).attributes
    assert [n.argument.value for n in attribute.named_arguments] == [-1, 2]


def test_debuggable_is_known_without_a_resolver():
    maker = AssemblyMaker()
    runtime = maker.assembly_ref("System.Runtime")
    attribute = maker.type_ref("DebuggableAttribute", "System.Diagnostics", runtime)
    modes = maker.type_ref("DebuggingModes", "", attribute)
    signature = b"\x20\x01\x01\x11" + compressed((modes & 0xFFFFFF) << 2 | 1)
    constructor = maker.member_ref(attribute, ".ctor", signature)
    maker.attribute(0x20000001, constructor, b"\1\0\x07\1\0\0\0\0")
    assert maker.open().debuggable == (True, True)


def test_members_of_an_attribute_are_objects():
    _, attribute = with_attribute(STRING, value=b"\1\0" + text("x") + b"\0\0")
    assert isinstance(attribute.parent, TypeDef)
    assert attribute.parent.name == "Marked"
    assert isinstance(attribute.constructor, MemberRef)
    assert attribute.constructor.name == ".ctor"
    assert isinstance(attribute.type, TypeRef)
    assert attribute.type.full_name == attribute.type_name == "N.MarkAttribute"


def test_type_of_an_attribute_of_the_same_module_is_its_definition():
    maker = AssemblyMaker()
    mark = maker.type("MarkAttribute", "N")
    constructor = maker.method(".ctor", INSTANCE_VOID + b"\0\1")
    marked = maker.type("Marked")
    maker.attribute(0x20000001, constructor, b"\1\0\0\0")  # the table is sorted by the coded parent
    maker.attribute(marked, constructor, b"\1\0\0\0")
    metadata = maker.metadata()
    (attribute,) = metadata.type_def(marked).attributes
    assert isinstance(attribute.type, TypeDef)
    assert attribute.type == mark
    assert isinstance(attribute.constructor, Method)
    (on_assembly,) = metadata.attributes_of(0x20000001)
    assert on_assembly.parent == 0x20000001, "an assembly has no object: its token"
    with pytest.raises(NoSuchEntryError):
        metadata.object_of(0x02000099)


def test_char_is_a_str_of_one_character_as_in_constants():
    _, attribute = with_attribute(b"\x03", b"\x1c", b"\x1d\x03", value=b"\1\0\xac\x20\x03x\0\1\0\0\0\0\xd8\0\0")
    char, boxed, array = attribute.fixed_arguments
    assert (char.value, boxed.value) == ("\u20ac", "x")
    assert [item.value for item in array.value] == ["\ud800"]


def test_enum_over_char_stays_a_number():
    metadata, attribute = with_attribute("Small", value=b"\1\0\x41\0\0\0")
    metadata.resolve_enum = enums_of(library(Small=0x03))
    assert attribute.fixed_arguments[0].value == 0x41


def test_dump_writes_a_char_as_its_number():
    from portablepdb.dump_metadata import _argument

    _, attribute = with_attribute(b"\x03", value=b"\1\0\xac\x20\0\0")
    assert _argument(attribute.fixed_arguments[0]) == ["char", 0x20AC]
