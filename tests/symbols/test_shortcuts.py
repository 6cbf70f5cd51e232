"""The shortcuts for what most images look like give what the long way gives, and refuse what it refuses."""

from __future__ import annotations

import gc
import struct
import weakref
from pathlib import Path

import pytest

from portablepdb import PortablePdb, PortablePdbError, TableNumber, TruncatedError
from portablepdb import root as root_module
from portablepdb.limits import Budgets, Limits
from portablepdb.method_points import MethodPoints
from portablepdb.root import MetadataImage
from portablepdb.row_layouts import PDB_FAMILY, Family, ecma_family
from portablepdb.schema import IndexSizes
from portablepdb.spans import DocumentSpans, Query

from .test_bad_input import simple_pdb
from .test_tables import image_of


def headers_of(image: MetadataImage) -> tuple[object, ...]:
    streams = [image.stream(stream.name) for stream in image.streams]
    places = [(region.start, region.size, region.origin) for region in streams if region is not None]
    return image.streams, places, image.pdb_id, image.row_counts, image.referenced_rows, image.version


@pytest.fixture
def directories(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, int], object]:
    """An empty memory of stream headers."""
    empty: dict[tuple[int, int], object] = {}
    monkeypatch.setattr(root_module, "_directories", empty)
    return empty


def test_remembered_stream_headers_give_the_same_streams(compiled, directories):
    for path in (compiled("first.cs", "-debug:portable"), compiled("features.cs", "-debug:portable")):
        data = path.with_suffix(".pdb").read_bytes()
        directories.clear()
        long_way = headers_of(image_of(data))
        assert len(directories) == 1
        assert headers_of(image_of(data)) == long_way


def test_streams_in_another_order_are_read_though_others_are_remembered(directories):
    first = image_of(simple_pdb())
    remembered = dict(directories)
    assert remembered
    data = simple_pdb()
    position = data.index(b"#Strings\0\0\0\0")
    renamed = data[:position] + b"#Surings\0\0\0\0" + data[position + 12 :]
    image = image_of(renamed)
    assert "#Surings" in [stream.name for stream in image.streams]
    assert [s.offset for s in image.streams] == [s.offset for s in first.streams]
    assert directories == remembered, "names that are not of the specification are not remembered"


@pytest.mark.parametrize("stream", ["#~", "#Blob", "#Pdb", "#GUID"])
def test_stream_past_the_end_is_refused_the_same_way_when_remembered(directories, stream: str):
    data = bytearray(simple_pdb())
    position = data.index(stream.encode() + b"\0") - 4
    struct.pack_into("<I", data, position, len(data))
    errors = []
    for remember in (False, True):
        directories.clear()
        if remember:
            image_of(simple_pdb())
        with pytest.raises(TruncatedError) as raised:
            image_of(bytes(data))
        errors.append(str(raised.value))
    assert errors[0] == errors[1]
    assert stream in errors[0]


@pytest.mark.parametrize("length", range(0, 300, 4))
def test_cut_image_is_refused_the_same_way_when_remembered(directories, length: int):
    outcomes = []
    for remember in (False, True):
        directories.clear()
        if remember:
            image_of(simple_pdb())
        try:
            outcomes.append(str(headers_of(image_of(simple_pdb()[:length]))))
        except PortablePdbError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("rows", [0, 1, 2047, 2048, 4095, 0xFFFF, 0x10000])
@pytest.mark.parametrize("family", [PDB_FAMILY, ecma_family()], ids=["pdb", "ecma"])
def test_layouts_by_heaps_alone_are_those_of_every_width(family: Family, rows: int):
    of_declaration = Family(family.row_types, family.sorted_by)
    of_declaration._few_rows = 0  # never by the heaps alone
    for number in range(64):
        counts = [0] * 64
        counts[number] = rows
        sizes = IndexSizes(2, 2, 4, tuple(counts))
        found, wanted = family.layouts(sizes), of_declaration.layouts(sizes)
        assert {n: layout.columns for n, layout in found.items()} == {n: item.columns for n, item in wanted.items()}


def test_few_methods_are_found_as_many_are(compiled, monkeypatch: pytest.MonkeyPatch):
    path = compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG").with_suffix(".pdb")
    answers = []
    for few in (1 << 30, 0):
        monkeypatch.setattr("portablepdb.spans._FEW_METHODS", few)
        with PortablePdb.open(path) as pdb:
            assert pdb.image.row_counts[TableNumber.METHOD_DEBUG_INFORMATION] > 10
            spans = [DocumentSpans(pdb.image, MethodPoints(pdb.documents), document) for document in pdb.documents]
            answers.append(
                [
                    found.overlapping(line, line, Query(Budgets(Limits(points=1 << 30), 0, "")))
                    for found in spans
                    for line in range(1, 400)
                ]
            )
    assert answers[0] == answers[1]
    assert any(answers[0])


def test_pdb_is_freed_without_the_garbage_collector(compiled):
    path: Path = compiled("first.cs", "-debug:portable").with_suffix(".pdb")
    gc.collect()
    gc.disable()
    try:
        with PortablePdb.open(path) as pdb:
            (document,) = pdb.documents_ending_with("first.cs")
            assert any(pdb.bind(document.row_id, line) for line in range(1, 60))
        reference = weakref.ref(pdb)
        del pdb, document
        assert reference() is None
    finally:
        gc.enable()
