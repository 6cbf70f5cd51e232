"""Every record of the dumps equals what System.Reflection.Metadata says, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from portablepdb import Assembly, PortablePdb
from portablepdb.dump_asm import assembly_records, delta_records
from portablepdb.dump_pdb import bind_record, pdb_records
from portablepdb.dump_records import line
from portablepdb.root import MetadataImage
from portablepdb.schema import IndexSizes
from portablepdb.source import Region
from portablepdb.tables_ecma import EncLogRow, EncMapRow, MethodDefRow, ModuleRow
from portablepdb.tables_pdb import DocumentRow, MethodDebugInformationRow, StateMachineMethodRow

from . import encoder
from .conftest import SOURCES
from .fixtures import WAYS, Way
from .maker import Maker

# The oracle on a busy machine with a slow runtime needs its time.
pytestmark = pytest.mark.timeout(900)

SDK_TOOLS = (
    "Roslyn/bincore/csc.dll",
    "NuGet.Protocol.dll",
    "dotnet.dll",
    "FSharp/FSharp.Core.dll",
)
FRAMEWORK = (
    "System.Runtime.dll",
    "System.Linq.dll",
    "System.Linq.Expressions.dll",
    "System.Collections.dll",
    "System.Reflection.Metadata.dll",
    "System.Runtime.InteropServices.dll",
    "System.Text.Json.dll",
    "Microsoft.VisualBasic.Core.dll",
    "mscorlib.dll",
    "netstandard.dll",
)


def ours(kind: str, path: Path) -> list[str]:
    if kind == "asm":
        with Assembly.open(path, text_errors="replace") as assembly:
            return [line(record) for record in assembly_records(assembly)]
    with PortablePdb.open(path, text_errors="replace") as pdb:
        return [line(record) for record in pdb_records(pdb)]


def assert_equal(kind: str, path: Path, theirs: list[str]) -> None:
    mine = ours(kind, path)
    for number, (one, other) in enumerate(zip(mine, theirs, strict=False), 1):
        assert one == other, f"{path.name}, {kind}, line {number}"
    assert len(mine) == len(theirs), f"{path.name}, {kind}"


@pytest.mark.parametrize("way", WAYS, ids=[way.id for way in WAYS])
def test_differential_of_compiled_sources(way: Way, compiled, oracle):
    assembly = compiled(way.source, *way.options, needs_csharp=way.needs_csharp)
    pdb = assembly.with_suffix(".pdb")
    jobs = [("asm", assembly), ("pdb", pdb if pdb.exists() else assembly)]
    for (kind, path), theirs in zip(jobs, oracle.dump(jobs), strict=True):
        assert len(theirs) > 10
        assert_equal(kind, path, theirs)


def test_differential_of_the_shared_framework(framework: Path, oracle):
    jobs = [("asm", framework / name) for name in FRAMEWORK if (framework / name).exists()]
    assert len(jobs) > 5
    for (kind, path), theirs in zip(jobs, oracle.dump(jobs), strict=True):
        assert_equal(kind, path, theirs)


def test_differential_of_native_images(compiled, oracle, tmp_path: Path):
    jobs = []
    for platform, directories in (("x86", 96), ("x64", 112)):
        image = bytearray(compiled("first.cs", "-debug:portable", f"-platform:{platform}").read_bytes())
        optional = int.from_bytes(image[60:64], "little") + 24
        at = optional + directories + 14 * 8
        image[at : at + 8] = bytes(8)  # the CLI header's directory
        path = tmp_path / f"{platform}.dll"
        path.write_bytes(image)
        jobs.append(("asm", path))
    for (kind, path), theirs in zip(jobs, oracle.dump(jobs), strict=True):
        assert '"cor_flags":null' in theirs[0]
        assert_equal(kind, path, theirs)


def test_differential_of_a_metadata_delta(oracle, tmp_path: Path):
    path = tmp_path / "delta.meta"
    heaps = encoder.Heaps()
    module = ModuleRow(2, 500, heaps.guid(bytes(range(16))), heaps.guid(bytes(range(1, 17))), heaps.guid(bytes(16)))
    tables = {
        0x00: [module],
        0x06: [MethodDefRow(0, 0, 0x16, 700, 800, 5)],
        0x1E: [EncLogRow(0x06000007, 0), EncLogRow(0x17000001, 3)],
        0x1F: [EncMapRow(0x06000007), EncMapRow(0x31000007)],
    }
    counts = tuple(len(tables.get(number, ())) for number in range(64))
    stream = encoder.table_stream(tables, IndexSizes(4, 4, 4, counts, True), 0x16003301FA00)
    content = [
        ("#-", stream),
        ("#Strings", b"\0\0\0\0"),
        ("#US", b"\0"),
        ("#GUID", bytes(heaps.guids)),
        ("#Blob", b"\0"),
    ]
    path.write_bytes(encoder.metadata([*content, ("#JTD", b"")], "v4.0.30319"))
    (theirs,) = oracle.dump([("meta", path)])
    source = path.read_bytes()
    mine = [line(record) for record in delta_records(MetadataImage(Region(source, 0, len(source), 0, "delta")))]
    assert mine == theirs
    assert sum('"k":"enc_map"' in text for text in mine) == 2


def synthetic_pdbs() -> dict[str, bytes]:
    """PDBs that no compiler at hand makes."""
    points = [
        encoder.hidden(0),
        encoder.visible(3, 700, 9, 701, 2),
        encoder.hidden(7),
        encoder.visible(9, 3, 5, 3, 250),
    ]
    switching = [encoder.visible(0, 7, 1, 7, 9, 1), encoder.visible(4, 8, 1, 8, 9, 2), encoder.hidden(9, 1)]
    made = {}
    for name, options in {
        "narrow": {},
        "wide": {"wide_heaps": True, "referenced": {6: 0x10000}},
        "cecil": {"order": ("#~", "#Strings", "#GUID", "#Blob", "#Pdb")},
        "delta": {"delta": True},
    }.items():
        maker = Maker()
        for path, separator in (("/_//src/x.cs", "/"), ("C:\\a\\y.cs", "\\"), ("plain", ""), ("", "/")):
            maker.document(path, separator)
        maker.add(0x30, DocumentRow(0, maker.heaps.guid(bytes(16)), 0, 0))
        maker.method(points, local_signature=300)
        maker.method(switching, column=0)
        maker.method(None)
        maker.add(0x31, MethodDebugInformationRow(1, maker.heaps.blob(b"\x05")))
        maker.add(0x31, MethodDebugInformationRow(0, maker.heaps.blob(b"\x05\x02\x00")))
        maker.scope(1, 0, 40)
        maker.variable("data (shadowed)", 0)
        maker.variable("data", 1, 1)
        for number, raw in enumerate(
            ("08050000000d", "2009080700000d", "0eff", "0e680", "1206", "1c", "0c0000c07f", "03 3dd8")
        ):
            maker.constant(f"c{number}", bytes.fromhex(raw.replace(" ", "") + "0" * (len(raw.replace(" ", "")) % 2)))
        maker.constant("bad", b"\x16")
        maker.constant("decimal", b"\x11\x06" + bytes([0x82]) + (1500).to_bytes(12, "little"))
        maker.constant("zero", b"\x11\x06" + bytes([0x83]) + bytes(12))
        maker.constant("date", b"\x11\x09" + (630822816000000000).to_bytes(8, "little"))
        maker.scope(1, 5, 0)
        maker.add(0x36, StateMachineMethodRow(2, 1))
        maker.info(0x06000001, "tuple_names", b"a\0\0b\0")
        maker.info(0x06000002, "async_stepping", bytes(4))
        maker.info(0x06000002, "enc_local_slots", b"\xff\x05\x00\x02\x07\x83\x09\x04")
        made[name] = maker.data(**options)
    return made


def test_differential_of_synthetic_pdbs(oracle, tmp_path: Path):
    jobs = []
    for name, data in synthetic_pdbs().items():
        path = tmp_path / f"{name}.pdb"
        path.write_bytes(data)
        jobs.append(("pdb", path))
    for (kind, path), theirs in zip(jobs, oracle.dump(jobs), strict=True):
        assert not theirs[-1].startswith('{"k":"error"')
        assert_equal(kind, path, theirs)


@pytest.mark.parametrize("way", WAYS, ids=[way.id for way in WAYS])
def test_differential_of_binding_every_line(way: Way, compiled, oracle):
    assembly = compiled(way.source, *way.options, needs_csharp=way.needs_csharp)
    pdb_path = assembly.with_suffix(".pdb")
    path = pdb_path if pdb_path.exists() else assembly
    last = (SOURCES / way.source).read_text().count("\n") + 3
    questions = [(path, way.source, number, column) for number in range(last) for column in (0, 1, 13, 30, 45)]
    questions += [
        (path, suffix, number, 0) for suffix in ("virtual.cs", "x.cs", "page.vbhtml", "s.cs") for number in (5, 8, 1000)
    ]
    theirs = oracle.bind(questions)
    with PortablePdb.open(path) as pdb:
        mine = [line(bind_record(pdb, suffix, number, column)) for _, suffix, number, column in questions]
    assert mine == theirs
    assert sum('"hits":[]' not in text for text in mine) > (0 if way.source == "external.vb" else 20)


def test_differential_of_the_sdk_tools(installation, oracle):
    folder = installation.sdks[-1].directory
    jobs = [("asm", folder / name) for name in SDK_TOOLS if (folder / name).exists()]
    assert jobs
    for (kind, path), theirs in zip(jobs, oracle.dump(jobs), strict=True):
        assert_equal(kind, path, theirs)
