"""Types and methods in C#'s words, by signatures that compilers write. Needs no .NET."""

from __future__ import annotations

import pytest

from portablepdb import TypeSpec
from portablepdb import signatures as sig

from .assembly_maker import AssemblyMaker
from .encoder import compressed

VOID, INT, STRING, BYREF, GENERIC, MODREQ, FNPTR, SZARRAY, VALUETYPE, CLASS = (
    0x01,
    0x08,
    0x0E,
    0x10,
    0x15,
    0x1F,
    0x1B,
    0x1D,
    0x11,
    0x12,
)


def coded(token: int) -> bytes:
    """TypeDefOrRef (II.23.2.8)."""
    return compressed((token & 0xFFFFFF) << 2 | {0x02: 0, 0x01: 1, 0x1B: 2}[token >> 24])


@pytest.fixture
def maker() -> AssemblyMaker:
    made = AssemblyMaker()
    made.scope = made.assembly_ref("System.Runtime")  # type: ignore[attr-defined]
    return made


def reference(maker: AssemblyMaker, name: str, namespace: str) -> bytes:
    return coded(maker.type_ref(name, namespace, maker.scope))  # type: ignore[attr-defined]


def shown(maker: AssemblyMaker, blob: bytes) -> str:
    token = maker.type_spec(blob)
    return maker.metadata().display(token)


@pytest.mark.parametrize(
    ("convention", "text"),
    [
        (0, "delegate*<int, void>"),
        (1, "delegate* unmanaged[Cdecl]<int, void>"),
        (2, "delegate* unmanaged[Stdcall]<int, void>"),
        (3, "delegate* unmanaged[Thiscall]<int, void>"),
        (4, "delegate* unmanaged[Fastcall]<int, void>"),
        (9, "delegate* unmanaged<int, void>"),
    ],
)
def test_function_pointers_say_how_they_are_called(maker, convention, text):
    assert shown(maker, bytes([FNPTR, convention, 1, VOID, INT])) == text


def test_reference_that_is_only_read_says_so(maker):
    modifier = reference(maker, "InAttribute", "System.Runtime.InteropServices")
    result = bytes([MODREQ]) + modifier + bytes([BYREF, INT])
    assert shown(maker, bytes([FNPTR, 0, 0]) + result) == "delegate*<ref readonly int>"
    other = reference(maker, "IsVolatile", "System.Runtime.CompilerServices")
    assert shown(maker, bytes([FNPTR, 0, 0, MODREQ]) + other + bytes([BYREF, INT])) == "delegate*<ref int>"


def tuple_of(maker: AssemblyMaker, elements: list[bytes]) -> bytes:
    if len(elements) > 7:
        elements = [*elements[:7], tuple_of(maker, elements[7:])]
    generic = reference(maker, f"ValueTuple`{len(elements)}", "System")
    return bytes([GENERIC, VALUETYPE]) + generic + bytes([len(elements)]) + b"".join(elements)


@pytest.mark.parametrize("count", [2, 7, 8, 9, 15, 20])
def test_tuples_are_written_flat(maker, count):
    blob = tuple_of(maker, [bytes([INT])] * (count - 1) + [bytes([STRING])])
    assert shown(maker, blob) == "(" + "int, " * (count - 1) + "string)"


def test_eighth_element_that_is_no_tuple_is_not_taken_for_one(maker):
    generic = reference(maker, "ValueTuple`8", "System")
    blob = bytes([GENERIC, VALUETYPE]) + generic + bytes([8]) + bytes([INT] * 8)
    assert shown(maker, blob) == "System.ValueTuple<" + ", ".join(["int"] * 8) + ">"


def test_parameters_that_are_only_read_are_in_or_ref_readonly(maker):
    maker.type("P")
    location = maker.type_ref("RequiresLocationAttribute", "System.Runtime.CompilerServices", maker.scope)
    constructor = maker.member_ref(location, ".ctor", bytes([0x20, 0, VOID]))
    modifier = reference(maker, "InAttribute", "System.Runtime.InteropServices")
    plain = bytes([BYREF, INT])
    modified = bytes([MODREQ]) + modifier + plain
    method = maker.method("M", bytes([0, 4, VOID]) + plain + plain + modified + plain, parameters=tuple("abcd"))
    maker.tables[0x08] = [
        row._replace(flags=flags) for row, flags in zip(maker.tables[0x08], (1, 1, 1, 2), strict=True)
    ]
    maker.attribute(0x08000002, constructor, b"\1\0\0\0")
    assert maker.metadata().display(method) == "N.P.M(in int a, ref readonly int b, in int c, out int d)"


def test_instance_of_a_generic_type_knows_it(maker):
    own = maker.type("Own`1")
    one = maker.type_spec(bytes([GENERIC, CLASS]) + coded(own) + bytes([1, INT]))
    array = maker.type_spec(bytes([SZARRAY, INT]))
    metadata = maker.metadata()
    instance = metadata.entity(one)
    assert isinstance(instance, TypeSpec)
    assert isinstance(instance.signature, sig.GenericInstance)
    assert instance.definition == metadata.type_def(own)
    assert metadata.entity(array).definition is None


def test_nested_types_are_found_by_dots_too(maker):
    outer = maker.type("Outer`1")
    inner = maker.type("Inner", "", outer=outer)
    metadata = maker.metadata()
    assert metadata.find_type("N.Outer`1+Inner") == inner
    assert metadata.find_type("N.Outer`1.Inner") == inner
    assert metadata.find_type("N.Outer`1") == outer
    assert metadata.find_type("Outer`1.Inner") is None
