"""Text of primitives. Expected floats were printed by .NET 10's ToString."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.runtime.model import ElementType
from dap_dotnet.values.primitives import (
    decode,
    format_decimal,
    format_float,
    format_primitive,
    one_line,
    quote,
    quote_char,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (0.0, "0"),
        (-0.0, "-0"),
        (100.0, "100"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.00001, "1E-05"),
        (1e14, "100000000000000"),
        (1e15, "1000000000000000"),
        (1e16, "10000000000000000"),
        (1e17, "1E+17"),
        (123456789012345678.0, "1.2345678901234568E+17"),
        (1e20, "1E+20"),
        (1234567890123456.0, "1234567890123456"),
        (1.7976931348623157e308, "1.7976931348623157E+308"),
        (5e-324, "5E-324"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_double_is_shown_as_dotnet_does(value: float, text: str) -> None:
    assert format_float(value, single=False) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (3.14, "3.14"),
        (16777216.0, "16777216"),
        (1e10, "1E+10"),
        (1.5e-7, "1.5E-07"),
        (1e8, "100000000"),
        (1e9, "1E+09"),
        (123456789.0, "123456790"),
    ],
)
def test_single_is_shown_as_dotnet_does(value: float, text: str) -> None:
    single = struct.unpack("<f", struct.pack("<f", value))[0]
    assert format_float(single, single=True) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_double_text_reads_back_the_same(value: float) -> None:
    assert float(format_float(value, single=False)) == value


@pytest.mark.parametrize(
    ("element_type", "raw", "text"),
    [
        (ElementType.BOOLEAN, b"\x01", "true"),
        (ElementType.BOOLEAN, b"\x00", "false"),
        (ElementType.CHAR, b"a\x00", "97 'a'"),
        (ElementType.CHAR, b"\n\x00", "10 '\\n'"),
        (ElementType.CHAR, b"\x3d\xd8", "55357 '\\ud83d'"),
        (ElementType.I1, b"\xff", "-1"),
        (ElementType.U1, b"\xff", "255"),
        (ElementType.I4, b"\x00\x00\x00\x80", "-2147483648"),
        (ElementType.U8, b"\xff" * 8, "18446744073709551615"),
        (ElementType.I, b"\xff" * 8, "-1"),
        (ElementType.I, b"\xff" * 4, "-1"),
    ],
)
def test_primitive_text(element_type: ElementType, raw: bytes, text: str) -> None:
    value = decode(element_type, raw)
    assert value is not None
    assert format_primitive(element_type, value) == text


def test_hexadecimal_has_the_width_of_the_type() -> None:
    assert format_primitive(ElementType.I4, -1, hexadecimal=True) == "0xffffffff"
    assert format_primitive(ElementType.U1, 10, hexadecimal=True) == "0x0a"
    assert format_primitive(ElementType.I8, 1, hexadecimal=True) == "0x0000000000000001"
    assert format_primitive(ElementType.CHAR, 97, hexadecimal=True) == "0x0061 'a'"


def test_short_read_is_not_decoded() -> None:
    assert decode(ElementType.I4, b"\x00\x00") is None
    assert decode(ElementType.CLASS, b"\x00" * 8) is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((0, 0, 0, 0), "0"),
        ((0x0002_0000, 0, 150, 0), "1.50"),
        ((0x8003_0000, 0, 1, 0), "-0.001"),
        ((0, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), "79228162514264337593543950335"),
    ],
)
def test_decimal_keeps_trailing_zeroes(words: tuple[int, int, int, int], text: str) -> None:
    assert format_decimal(struct.pack("<IIII", *words)) == text


def test_bytes_that_are_no_decimal_are_refused() -> None:
    assert format_decimal(b"\x00" * 8) is None
    assert format_decimal(struct.pack("<IIII", 0x00FF_0000, 0, 1, 0)) is None


def test_string_is_quoted_with_escapes() -> None:
    assert quote('a"b\\c\n\t\0') == '"a\\"b\\\\c\\n\\t\\0"'
    assert quote("\ud83d") == '"\\ud83d"'
    assert quote("grüße 日本") == '"grüße 日本"'
    assert quote_char("'") == "'\\''"
    assert quote_char('"') == "'\"'"


def test_a_text_is_on_one_line_and_else_as_it_is() -> None:
    plain = 'C:\\new "é" \u00a0\U0001f600'
    assert one_line(plain) == plain
    assert one_line("a\r\n\tb\0\x1b\x85\u2028") == r"a\r\n\tb\0\u001b\u0085\u2028"
    assert one_line(one_line("a\nb")) == r"a\nb"
