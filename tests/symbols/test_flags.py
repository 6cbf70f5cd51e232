"""Flags: values within a mask are one value, and are named, found and listed as such."""

from __future__ import annotations

from enum import IntFlag

import pytest

from portablepdb import flags
from portablepdb.flags import (
    FieldAttributes,
    FileAttributes,
    GenericParamAttributes,
    MethodAttributes,
    MethodImplAttributes,
    PInvokeAttributes,
    TypeAttributes,
)

from .assembly_maker import AssemblyMaker

PUBLIC_STATIC = MethodAttributes(150)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (PUBLIC_STATIC, "<MethodAttributes.PUBLIC|STATIC|HIDE_BY_SIG: 150>"),
        (MethodAttributes(3), "<MethodAttributes.ASSEMBLY: 3>"),
        (MethodAttributes(5), "<MethodAttributes.FAM_OR_ASSEM: 5>"),
        (MethodAttributes(0), "<MethodAttributes.COMPILER_CONTROLLED: 0>"),
        (MethodAttributes.STATIC, "<MethodAttributes.STATIC: 16>"),
        (MethodAttributes(7), "<MethodAttributes.ACCESS_MASK: 7>"),
        (FieldAttributes(0x4006), "<FieldAttributes.PUBLIC|0x4000: 16390>"),
        (TypeAttributes(0x100007), "<TypeAttributes.NESTED_FAM_OR_ASSEM|BEFORE_FIELD_INIT: 1048583>"),
        (PInvokeAttributes(0x346), "<PInvokeAttributes.CHAR_SET_AUTO|CALL_CONV_STDCALL|SUPPORTS_LAST_ERROR: 838>"),
        (PInvokeAttributes(0), "<PInvokeAttributes.0: 0>"),
        (MethodImplAttributes(3), "<MethodImplAttributes.RUNTIME: 3>"),
        (GenericParamAttributes(2), "<GenericParamAttributes.CONTRAVARIANT: 2>"),
        (FileAttributes(0), "<FileAttributes.CONTAINS_METADATA: 0>"),
    ],
)
def test_flags_are_shown_by_the_names_of_their_values(value: IntFlag, shown: str):
    assert repr(value) == shown
    assert str(value) == f"{value}" == shown[1:].partition(":")[0]
    assert f"{value:04x}" == f"{int(value):04x}"


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        (MethodAttributes.PUBLIC, PUBLIC_STATIC, True),
        (MethodAttributes.FAMILY, PUBLIC_STATIC, False),
        (MethodAttributes.FAM_AND_ASSEM, PUBLIC_STATIC, False),
        (MethodAttributes.COMPILER_CONTROLLED, PUBLIC_STATIC, False),
        (MethodAttributes.COMPILER_CONTROLLED, MethodAttributes.STATIC, True),
        (MethodAttributes.STATIC, PUBLIC_STATIC, True),
        (MethodAttributes.STATIC | MethodAttributes.PUBLIC, PUBLIC_STATIC, True),
        (MethodAttributes.STATIC | MethodAttributes.FAMILY, PUBLIC_STATIC, False),
        (MethodAttributes.FINAL, PUBLIC_STATIC, False),
        (TypeAttributes.PUBLIC, TypeAttributes.NESTED_PRIVATE, False),
        (TypeAttributes.NOT_PUBLIC, TypeAttributes.SEALED, True),
        (PInvokeAttributes.CALL_CONV_CDECL, PInvokeAttributes(0x300), False),
        (FileAttributes.CONTAINS_METADATA, FileAttributes.CONTAINS_NO_METADATA, False),
    ],
)
def test_value_is_in_flags_that_have_it_and_no_other_one_in_the_mask(flag: IntFlag, value: IntFlag, expected: bool):
    assert (flag in value) is expected


def test_int_is_in_no_flags():
    with pytest.raises(TypeError, match="a MethodAttributes is wanted, not int"):
        _ = 6 in PUBLIC_STATIC


def test_flags_are_gone_through_value_by_value():
    assert list(PUBLIC_STATIC) == [MethodAttributes.PUBLIC, MethodAttributes.STATIC, MethodAttributes.HIDE_BY_SIG]
    assert len(PUBLIC_STATIC) == 3
    assert MethodAttributes.PUBLIC.name == "PUBLIC"


def test_completion_knows_every_value():
    for kind in vars(flags).values():
        if isinstance(kind, type) and issubclass(kind, IntFlag) and kind is not IntFlag:
            assert set(kind.__members__) <= set(dir(kind))
    assert {"PUBLIC", "ASSEMBLY", "FAM_OR_ASSEM"} <= set(dir(MethodAttributes))


def test_members_say_who_may_use_them():
    maker = AssemblyMaker()
    outer = maker.type("T", "N", flags=0x100101)
    maker.field("f", b"\x08", flags=0x13)
    maker.method("M", b"\0\0\1", flags=0x96)
    maker.type("Inner", "", flags=0x5, outer=outer)
    metadata = maker.metadata()
    type_, inner = metadata.types[1:]
    assert type_.access is TypeAttributes.PUBLIC
    assert inner.access is TypeAttributes.NESTED_ASSEMBLY
    assert type_.fields[0].access is FieldAttributes.ASSEMBLY
    assert type_.methods[0].access is MethodAttributes.PUBLIC
