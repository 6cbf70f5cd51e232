"""What can be opened, what is refused, and which PDB belongs to an image. Needs no .NET."""

from __future__ import annotations

import io
import mmap
from pathlib import Path

import pytest

from portablepdb import Assembly, NoSuchEntryError, PortablePdb

from . import encoder
from .assembly_maker import AssemblyMaker
from .maker import Maker

ID = bytes(range(20))


def small_pdb(pdb_id: bytes = ID) -> bytes:
    maker = Maker()
    maker.document("/src/a.cs")
    maker.method([encoder.visible(0, 5, 1, 5, 9), encoder.visible(3, 6, 1, 6, 9)])
    return maker.data(pdb_id=pdb_id)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.pdb"
    path.write_bytes(small_pdb())
    return path


def test_pdb_opens_from_everything_that_has_bytes(file: Path):
    data = file.read_bytes()
    with file.open("rb") as stream, file.open("rb") as other, mmap.mmap(other.fileno(), 0, prot=mmap.PROT_READ) as map_:
        sources = [file, str(file), data, bytearray(data), memoryview(data), map_, stream, io.BytesIO(data)]
        for source in (*sources, lambda offset, size: data[offset : offset + size]):
            with PortablePdb.open(source) as pdb:
                assert pdb.id == ID
                assert [point.start_line for point in pdb.sequence_points(1)] == [5, 6]
        assert not stream.closed
        assert map_[:4] == b"BSJB"


def test_stream_names_the_file_in_errors(file: Path):
    with file.open("rb") as stream, PortablePdb.open(stream) as pdb:
        assert pdb.file == str(file)


@pytest.mark.parametrize("source", [None, 5, 1.5, ["a"], {}], ids=repr)
@pytest.mark.parametrize("kind", [PortablePdb, Assembly])
def test_what_has_no_bytes_is_a_type_error(kind, source):
    with pytest.raises(TypeError, match="a path, bytes"):
        kind.open(source)


def test_text_stream_is_a_type_error(file: Path):
    with file.open(encoding="latin-1") as stream, pytest.raises(TypeError, match="binary mode"):
        PortablePdb.open(stream)


@pytest.mark.parametrize("row", [0, -1, 2, 9999])
def test_document_that_does_not_exist_is_an_error_in_every_query(row: int):
    with PortablePdb.open(small_pdb()) as pdb:
        for ask in (
            lambda: pdb.bind(row, 5),
            lambda: pdb.bind_flat([row], 5),
            lambda: pdb.methods_of_document(row),
            lambda: pdb.embedded_source(row),
        ):
            with pytest.raises(NoSuchEntryError, match=f"document {row} "):
                ask()


def image_beside(folder: Path, pdb_id: bytes | None) -> Path:
    maker = AssemblyMaker("small")
    if pdb_id is not None:
        maker.code_view(pdb_id, "/build/small.pdb")
    path = folder / "small.dll"
    path.write_bytes(maker.image())
    return path


def test_pdb_beside_an_image_is_taken_by_its_id_alone(file: Path):
    with Assembly.open(image_beside(file.parent, ID)) as assembly:
        found = assembly.find_pdb()
        assert found.path == str(file)
        found.pdb.close()
    with Assembly.open(image_beside(file.parent, bytes(20))) as assembly:
        found = assembly.find_pdb()
        assert found.pdb is None
        assert "of another build" in found.tried[0][1]


def test_image_that_names_no_pdb_takes_none(file: Path):
    with Assembly.open(image_beside(file.parent, None)) as assembly:
        found = assembly.find_pdb()
        assert found.pdb is None
        assert found.tried == [(str(file), "the image names no Portable PDB, so that none can be known to be its own")]


def test_embedded_pdb_is_found_in_the_image():
    maker = AssemblyMaker("small")
    maker.embed(small_pdb())
    with maker.open() as assembly:
        found = assembly.find_pdb()
        assert found.pdb.id == ID
        assert found.path is None


@pytest.mark.parametrize("kind", [PortablePdb, Assembly])
def test_class_itself_says_how_files_are_opened(kind):
    with pytest.raises(TypeError, match=f"{kind.__name__}.open"):
        kind("app.pdb")


@pytest.mark.parametrize("size", [1 << 16, 1 << 18])
def test_files_of_all_sizes_are_read_to_their_end(tmp_path: Path, size: int):
    data = small_pdb()
    for length in (size - 1, size, size + 1):
        path = tmp_path / f"{length}.pdb"
        path.write_bytes(data + bytes(length - len(data) - 1) + b"\1")
        with PortablePdb.open(path) as pdb:
            region = pdb.image.region
            assert region.size == length
            assert region.data[region.end - 1] == 1


def test_metadata_opens_without_an_image_around_it():
    from portablepdb import Metadata

    image = AssemblyMaker().image()
    with Assembly.open(image) as assembly:
        region = assembly.pe.metadata()
        alone = Metadata.open(bytes(region.data[region.start : region.start + region.size]), name="alone")
        assert alone.module_name == assembly.metadata.module_name
        assert (alone.file, alone.pe) == ("alone", None)
