"""The blob codecs: the specification's examples, and round trips with the encoder of the tests."""

from __future__ import annotations

import struct
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portablepdb import MalformedError, PortablePdbError, TruncatedError, sequence_points
from portablepdb import custom_debug_info as cdi
from portablepdb import signatures as sig
from portablepdb.blob_reader import BlobReader
from portablepdb.compressed import BlobError
from portablepdb.constants import decode_constant
from portablepdb.spans import quick_bounds

from . import encoder


def must_have_offset(error: PortablePdbError) -> None:
    assert error.offset is not None


# ECMA-335 II.23.2, the examples for unsigned and signed compressed integers.
UNSIGNED = (
    (0x03, "03"),
    (0x7F, "7f"),
    (0x80, "8080"),
    (0x2E57, "ae57"),
    (0x3FFF, "bfff"),
    (0x4000, "c0004000"),
    (0x1FFFFFFF, "dfffffff"),
)
SIGNED = (
    (3, "06"),
    (-3, "7b"),
    (64, "8080"),
    (-64, "01"),
    (8192, "c0004000"),
    (-8192, "8001"),
    (268435455, "dffffffe"),
    (-268435456, "c0000001"),
)


@pytest.mark.parametrize(("value", "raw"), UNSIGNED)
def test_compressed_integer_examples_of_the_specification(value: int, raw: str):
    assert BlobReader(bytes.fromhex(raw)).compressed() == value
    assert encoder.compressed(value).hex() == raw


@pytest.mark.parametrize(("value", "raw"), SIGNED)
def test_signed_compressed_integer_examples_of_the_specification(value: int, raw: str):
    assert BlobReader(bytes.fromhex(raw)).compressed_signed() == value
    assert encoder.compressed_signed(value).hex() == raw


@given(st.integers(0, 0x1FFFFFFF))
def test_compressed_integer_round_trip(value: int):
    reader = BlobReader(encoder.compressed(value))
    assert reader.compressed() == value
    assert reader.remaining == 0


@given(st.integers(-(1 << 28), (1 << 28) - 1))
def test_signed_compressed_integer_round_trip(value: int):
    assert BlobReader(encoder.compressed_signed(value)).compressed_signed() == value


def test_type_def_or_ref_example_of_the_specification():
    # II.23.2.8: TypeRef 0x12 is encoded as 0x49.
    assert BlobReader(b"\x49").type_def_or_ref() == 0x01000012


@st.composite
def methods_points(draw: st.DrawFn) -> list[encoder.Point]:
    """The points of a method: any spans, hidden ones, changes of document."""
    offset = draw(st.integers(0, 300))
    document = draw(st.integers(1, 300))
    points = []
    for _ in range(draw(st.integers(1, 30))):
        if draw(st.booleans()) and draw(st.booleans()):
            document = draw(st.integers(1, 300))
        if draw(st.integers(0, 3)) == 0:
            points.append(encoder.hidden(offset, document))
        else:
            line = draw(st.one_of(st.integers(1, 400), st.integers(0, 0xFEEFEC)))
            end_line = draw(st.one_of(st.just(line), st.integers(line, min(line + 300, 0xFEEFED))))
            column = draw(st.integers(0, 0xFFFE))
            low = column + 1 if end_line == line else 0
            end_column = draw(st.one_of(st.integers(low, min(low + 60, 0xFFFF)), st.integers(low, 0xFFFF)))
            points.append(encoder.visible(offset, line, column, end_line, end_column, document))
        offset += draw(st.one_of(st.integers(1, 60), st.integers(1, 100_000)))
    return points


# Their own row ids stand for documents here.
decode_points = partial(sequence_points.decode_points, document_of=int)
points_on_line = partial(sequence_points.points_on_line, document_of=int)


@settings(max_examples=400)
@given(methods_points(), st.integers(0, 70000), st.booleans())
def test_sequence_points_round_trip(points: list[encoder.Point], local_signature: int, has_column: bool):
    column = points[0][5] if has_column else 0
    blob = encoder.points_blob(points, local_signature, column)
    assert [tuple(point) for point in decode_points(blob, column)] == points
    assert_bounds_hold(blob, column, points)


@settings(max_examples=400)
@given(methods_points(), st.data())
def test_sequence_points_of_a_cut_blob_raise_or_end_early(points: list[encoder.Point], data: st.DataObject):
    blob = encoder.points_blob(points)
    cut = blob[: data.draw(st.integers(1, len(blob) - 1))]
    places: list[int] = []
    try:
        found = [tuple(point) for point in decode_points(cut, 0)]
    except BlobError as error:
        places.append(error.position)
    else:
        assert found == points[: len(found)]
    assert all(place <= len(cut) for place in places)


def assert_bounds_hold(blob: bytes, column: int, points: list) -> None:
    bounds = quick_bounds(blob) if column else None
    if bounds is not None:
        for _, line, _, end_line, _, _, is_hidden in points:
            assert is_hidden or bounds[0] <= line <= end_line <= bounds[1]


@settings(max_examples=600)
@given(st.one_of(st.binary(max_size=60), st.lists(st.integers(0, 127), max_size=60).map(bytes)), st.integers(1, 3))
def test_quick_bounds_hold_for_any_bytes_that_decode(blob: bytes, column: int):
    try:
        points = decode_points(blob, column)
    except BlobError:
        quick_bounds(blob)
        return
    assert_bounds_hold(blob, column, points)


def test_quick_bounds_know_an_extent_as_long_as_what_stands_for_long_ones():
    blob = b"\0\0\x80\x80\0\0\0\1\0\0\1\x81\0\0\2\0"
    assert decode_points(blob, 1)[-1].end_line == 257
    assert quick_bounds(blob) is None


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.binary(max_size=60), st.lists(st.integers(0, 127), max_size=60).map(bytes)),
    st.integers(0, 3),
    st.integers(1, 130),
)
def test_points_on_a_line_are_those_among_all_points(blob: bytes, column: int, line: int):
    try:
        points = decode_points(blob, column)
    except BlobError:
        with pytest.raises(BlobError):
            points_on_line(blob, column, line)
        return
    here = [point for point in points if point.start_line == line and point.document == column]
    assert points_on_line(blob, column, line) == [point for point in here if not point.is_hidden]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=40), st.lists(st.integers(0, 127), max_size=60).map(bytes)), st.integers(1, 3))
def test_short_sequence_points_blobs_decode_as_long_ones_do(blob: bytes, column: int):
    def decoded() -> object:
        try:
            return decode_points(blob, column)
        except BlobError as error:
            return error.rule, error.position, error.kind

    quick = decoded()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_points, "_SHORT", -1)
        assert decoded() == quick


def test_sequence_points_header_without_records_is_refused():
    with pytest.raises(BlobError) as raised:
        decode_points(b"\x05", 1)
    assert raised.value.kind is TruncatedError


@pytest.mark.parametrize(
    "point",
    [
        encoder.visible(0, 0xFEEFED, 1, 0xFEEFEE, 2),  # the end line is the hidden line
        encoder.visible(0, 5, 0xFFFF, 5, 0x10000),
    ],
)
def test_sequence_points_outside_lines_and_columns_are_refused(point: encoder.Point):
    with pytest.raises(BlobError):
        decode_points(encoder.points_blob([point]), 0)


PRIMITIVE = st.sampled_from(sorted(sig.PRIMITIVES)).map(lambda code: (bytes([code]), sig.PrimitiveType(code)))
TOKENS = st.tuples(st.sampled_from((0x02, 0x01)), st.integers(1, 0xFFFFFF))


def coded(table: int, row: int) -> bytes:
    return encoder.compressed(row << 2 | {0x02: 0, 0x01: 1, 0x1B: 2}[table])


def types(children: st.SearchStrategy) -> st.SearchStrategy:
    """Encoded types paired with what they decode to."""
    named = st.tuples(st.booleans(), TOKENS).map(
        lambda v: (bytes([0x11 if v[0] else 0x12]) + coded(*v[1]), sig.NamedType(v[1][0] << 24 | v[1][1], v[0]))
    )

    def method(parts: tuple) -> tuple[bytes, sig.MethodSignature]:
        header, result, parameters = parts
        raw = bytes([header]) + encoder.compressed(len(parameters)) + result[0] + b"".join(p[0] for p in parameters)
        return raw, sig.MethodSignature(header, 0, result[1], tuple(p[1] for p in parameters), len(parameters))

    def array(parts: tuple) -> tuple[bytes, sig.ArrayType]:
        element, rank, sizes, bounds = parts
        raw = b"\x14" + element[0] + encoder.compressed(rank)
        raw += encoder.compressed(len(sizes)) + b"".join(map(encoder.compressed, sizes))
        raw += encoder.compressed(len(bounds)) + b"".join(map(encoder.compressed_signed, bounds))
        return raw, sig.ArrayType(element[1], rank, tuple(sizes), tuple(bounds))

    signed = st.integers(-1000, 100000)
    return st.one_of(
        children.map(lambda v: (b"\x1d" + v[0], sig.SzArrayType(v[1]))),
        children.map(lambda v: (b"\x0f" + v[0], sig.PointerType(v[1]))),
        children.map(lambda v: (b"\x10" + v[0], sig.ByRefType(v[1]))),
        children.map(lambda v: (b"\x45" + v[0], sig.PinnedType(v[1]))),
        st.integers(0, 70000).map(lambda n: (b"\x13" + encoder.compressed(n), sig.TypeParameter(n))),
        st.integers(0, 70000).map(lambda n: (b"\x1e" + encoder.compressed(n), sig.MethodParameter(n))),
        st.tuples(children, st.booleans(), TOKENS).map(
            lambda v: (
                bytes([0x1F if v[1] else 0x20]) + coded(*v[2]) + v[0][0],
                sig.ModifiedType(v[0][1], v[2][0] << 24 | v[2][1], v[1]),
            )
        ),
        st.tuples(named, st.lists(children, min_size=1, max_size=3)).map(
            lambda v: (
                b"\x15" + v[0][0] + encoder.compressed(len(v[1])) + b"".join(a[0] for a in v[1]),
                sig.GenericInstance(v[0][1], tuple(a[1] for a in v[1])),
            )
        ),
        st.tuples(
            children, st.integers(0, 40), st.lists(st.integers(0, 70000), max_size=3), st.lists(signed, max_size=3)
        ).map(array),
        st.tuples(st.sampled_from((0, 1, 2, 3, 4, 5, 9, 0x20, 0x60)), children, st.lists(children, max_size=3))
        .map(method)
        .map(lambda v: (b"\x1b" + v[0], sig.FunctionPointerType(v[1]))),
        named,
    )


TYPES = st.recursive(PRIMITIVE, types, max_leaves=12)


@settings(max_examples=400)
@given(TYPES)
def test_type_signature_round_trip(pair):
    raw, wanted = pair
    reader = BlobReader(raw)
    assert sig.decode_type(reader) == wanted
    assert reader.remaining == 0
    assert sig.decode_field(BlobReader(b"\x06" + raw)) == wanted
    assert sig.decode_locals(BlobReader(b"\x07\x02" + raw + raw)) == (wanted, wanted)
    assert sig.decode_method_spec(BlobReader(b"\x0a\x01" + raw)) == (wanted,)


@given(TYPES, st.lists(TYPES, max_size=4), st.integers(0, 4))
def test_vararg_signature_keeps_where_the_sentinel_stands(result, parameters, required):
    required = min(required, len(parameters))
    raws = [p[0] for p in parameters]
    if required < len(raws):
        raws.insert(required, b"\x41")
    raw = b"\x05" + encoder.compressed(len(parameters)) + result[0] + b"".join(raws)
    found = sig.decode_method(BlobReader(raw))
    assert found.parameters == tuple(p[1] for p in parameters)
    assert found.required_count == required


def test_signature_that_nests_without_end_is_refused():
    with pytest.raises(PortablePdbError):
        sig.decode_type(BlobReader(b"\x1d" * 5000 + b"\x08"))


@given(st.binary(max_size=80))
def test_signatures_of_any_bytes_raise_only_errors_of_the_package(raw: bytes):
    for decode in (sig.decode_type, sig.decode_method, sig.decode_field, sig.decode_locals, sig.decode_method_spec):
        try:
            decode(BlobReader(raw))
        except PortablePdbError as error:
            must_have_offset(error)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("0201", True),
        ("034100", "A"),
        ("033dd8", "\ud83d"),
        ("04ff", -1),
        ("05ff", 255),
        ("06feff", -2),
        ("08fdffffff", -3),
        ("0a0000000000000080", -(1 << 63)),
        ("0bffffffffffffffff", (1 << 64) - 1),
        ("0c0000c03f", 1.5),
        ("0d000000000000f0ff", float("-inf")),
        ("0eff", None),
        ("0e", ""),
        ("0e6800e9003dd8", "h\u00e9\ud83d"),
        ("1c", None),
        ("1206", None),
        ("110603dc05000000000000" + "00" * 2, None),
    ],
)
def test_constant_of_each_kind(raw: str, value: object):
    if raw.startswith("1106"):
        raw = "110603dc050000" + "00" * 8
        value = Decimal("1.500")
    found = decode_constant(bytes.fromhex(raw))
    assert found.value == value
    assert type(found.value) is type(value)


def test_constant_of_an_enum_has_its_type_after_the_value():
    found = decode_constant(bytes.fromhex("08050000000d"))
    assert (found.value, found.type_token) == (5, 0x01000003)


def test_constant_of_a_date_is_ticks():
    found = decode_constant(b"\x11\x09" + struct.pack("<q", 630822816000000000))
    assert (found.type_token, found.value) == (0x01000002, 630822816000000000)


def test_constant_with_modifiers_keeps_their_order():
    found = decode_constant(bytes.fromhex("1f0520090811000000"))
    assert found.modifiers == ((True, 0x01000001), (False, 0x01000002))
    assert found.value == 17


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**18), max_value=10**18))
def test_decimal_constant_round_trip(number: Decimal):
    sign, digits, exponent = number.as_tuple()
    raw = bytes([sign << 7 | -exponent]) + int("".join(map(str, digits))).to_bytes(12, "little")
    found = decode_constant(b"\x11\x06" + raw).value
    assert found.as_tuple() == number.as_tuple()


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))))
def test_hoisted_scopes_round_trip(scopes):
    raw = b"".join(struct.pack("<II", *scope) for scope in scopes)
    assert [tuple(scope) for scope in cdi.decode_hoisted_scopes(BlobReader(raw))] == scopes


@given(
    st.integers(-1, 70000),
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(1, 0xFFFFFF))),
)
def test_async_stepping_round_trip(catch, awaits):
    raw = struct.pack("<I", catch + 1)
    raw += b"".join(struct.pack("<II", y, r) + encoder.compressed(m) for y, r, m in awaits)
    found = cdi.decode_async_stepping(BlobReader(raw))
    assert found.catch_offset == (None if catch < 0 else catch)
    assert [(a.yield_offset, a.resume_offset, a.resume_method & 0xFFFFFF) for a in found.awaits] == awaits


@given(
    st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
    )
)
def test_tuple_names_round_trip(names):
    raw = b"".join((name or "").encode() + b"\0" for name in names)
    assert cdi.decode_tuple_names(BlobReader(raw)) == names


@given(st.integers(0, 300), st.lists(st.tuples(st.integers(-100, 3000), st.integers(0, 3000))))
def test_enc_states_round_trip(baseline, states):
    raw = encoder.compressed(len(states))
    if states:
        raw += encoder.compressed(baseline)
        raw += b"".join(encoder.compressed_signed(s) + encoder.compressed(o) for s, o in states)
    found = cdi.decode_enc_states(BlobReader(raw))
    assert [(state, offset + baseline) for state, offset in found] == states


@given(
    st.integers(-1, 200),
    st.integers(0, 300),
    st.lists(st.integers(0, 3000)),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(-2, 300))),
)
def test_enc_lambdas_round_trip(ordinal, baseline, closures, lambdas):
    raw = encoder.compressed(ordinal + 1) + encoder.compressed(baseline) + encoder.compressed(len(closures))
    raw += b"".join(map(encoder.compressed, closures))
    raw += b"".join(encoder.compressed(o) + encoder.compressed(c + 2) for o, c in lambdas)
    found = cdi.decode_enc_lambdas(BlobReader(raw))
    assert found.method_ordinal == ordinal
    assert [offset + baseline for offset in found.closure_syntax_offsets] == closures
    assert [(item.syntax_offset + baseline, item.closure_ordinal) for item in found.lambdas] == lambdas


def test_enc_local_slots_with_baseline_ordinal_and_short_lived_ones():
    raw = b"\xff\x05" + b"\x00" + b"\x02\x07" + b"\x83\x09\x04"
    assert cdi.decode_enc_local_slots(BlobReader(raw)) == [None, (1, 2, 0), (2, 4, 4)]


def test_primary_constructor_and_dynamic_flags():
    assert cdi.decode_dynamic(BlobReader(b"\x05")) == [True, False, True, False, False, False, False, False]


@pytest.mark.parametrize(
    "decode", [cdi.decode_compilation_options, cdi.decode_tuple_names, cdi.decode_metadata_references]
)
def test_text_without_its_zero_is_refused(decode):
    with pytest.raises(MalformedError):
        decode(BlobReader(b"abc"))


@given(st.binary(max_size=60))
def test_custom_debug_information_of_any_bytes_raises_only_errors_of_the_package(raw: bytes):
    for name in dir(cdi):
        if name.startswith("decode_"):
            try:
                getattr(cdi, name)(BlobReader(raw))
            except PortablePdbError as error:
                must_have_offset(error)
