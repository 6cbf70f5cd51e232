"""sample.dll and sample.pdb, made without a compiler: what the examples of the package read.

The class N.Shop has a method with locals and a constant, an async method with its state machine, an indexer and an
attribute; the PDB has an embedded source and a SourceLink map.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from uuid import UUID

from portablepdb.tables_ecma import ConstantRow, ManifestResourceRow, MethodSemanticsRow, PropertyMapRow, PropertyRow
from portablepdb.tables_pdb import DocumentRow, ImportScopeRow, StateMachineMethodRow

from .assembly_maker import AssemblyMaker, pe_image
from .encoder import compressed, hidden, visible
from .maker import Maker

ID = bytes(range(1, 21))
SOURCE = "class Shop\n{\n    // a sample\n}\n"
LINK = {"documents": {"/src/*": "https://example.org/raw/main/*"}}


def sample_image(pdb: bytes | None = None, *, resource: bytes = b"hello") -> bytes:
    """The bytes of sample.dll; with ``pdb`` it is embedded."""
    maker = AssemblyMaker("sample")
    runtime = maker.assembly_ref("System.Runtime")
    base = maker.type_ref("Object", "System", runtime)
    write_line = maker.member_ref(maker.type_ref("Console", "System", runtime), "WriteLine", b"\0\1\1\x0e")
    obsolete = maker.type_ref("ObsoleteAttribute", "System", runtime)
    constructor = maker.member_ref(obsolete, ".ctor", b"\x20\1\1\x0e")
    locals_ = maker.add(0x11, _stand_alone(maker, b"\x07\2\x08\x0e"))
    shop = maker.type("Shop", base=base)
    maker.field("_total", b"\x08", flags=1)
    limit = maker.field("Limit", b"\x08", flags=0x8056)
    maker.add(0x0B, ConstantRow(8, limit, maker.heaps.blob(struct.pack("<i", 100))))
    hello = maker.user_string("hello")
    il = b"\x72" + struct.pack("<I", hello) + b"\x28" + struct.pack("<I", write_line) + b"\0" * 60 + b"\x2a"
    sell = maker.method("Sell", b"\x20\2\x08\x08\x0e", ("count", "name"), il=il)
    at = maker.body.rindex(struct.pack("<HHII", 0x3003, 8, len(il), 0))
    maker.body[at + 8 : at + 12] = struct.pack("<I", 0x11000000 | locals_)
    wait = maker.method("WaitAsync", b"\x20\0\1", (), il=b"\x2a")
    getter = maker.method("get_Item", b"\x20\1\x0e\x08", ("index",), flags=0x806, il=b"\x14\x2a")
    setter = maker.method("set_Item", b"\x20\2\1\x08\x0e", ("index", "value"), flags=0x806, il=b"\x2a")
    maker.type("<WaitAsync>d__1", "", base=base, flags=3, outer=shop)
    maker.method("MoveNext", b"\x20\0\1", (), il=b"\0" * 40 + b"\x2a")
    maker.add(0x15, PropertyMapRow(shop & 0xFFFFFF, 1))
    maker.add(0x17, PropertyRow(0, maker.heaps.string("Item"), maker.heaps.blob(b"\x28\1\x0e\x08")))
    maker.add(0x18, MethodSemanticsRow(2, getter & 0xFFFFFF, 0x17000001))
    maker.add(0x18, MethodSemanticsRow(1, setter & 0xFFFFFF, 0x17000001))
    text = "use Trade"
    maker.attribute(shop, constructor, b"\1\0" + compressed(len(text)) + text.encode() + b"\0\0")
    maker.add(0x28, ManifestResourceRow(0, 1, maker.heaps.string("greeting.txt"), 0x26000000))
    maker.entry_point = sell
    assert wait
    if pdb is None:
        maker.code_view(ID, "/build/sample.pdb")
    else:
        maker.code_view(ID, "sample.pdb")
        maker.embed(pdb)
    blob = len(resource).to_bytes(4, "little") + resource
    place = len(maker.body)
    maker.body += blob + bytes(-len(blob) % 4)
    image = bytearray(pe_image(maker.metadata_bytes(), bytes(maker.body), maker.debug_entries, maker.entry_point))
    struct.pack_into("<II", image, 0x200 + 24, 0x2000 + 72 + place, len(blob))
    return bytes(image)


def _stand_alone(maker: AssemblyMaker, signature: bytes) -> object:
    from portablepdb.tables_ecma import StandAloneSigRow

    return StandAloneSigRow(maker.heaps.blob(signature))


def sample_pdb() -> bytes:
    """The bytes of sample.pdb."""
    maker = Maker()
    sha256 = maker.heaps.guid(UUID("8829d00f-11b8-4213-878b-770e8597ac16").bytes_le)
    csharp = maker.heaps.guid(UUID("3f5162f8-07c6-11d3-9053-00c04fa302a1").bytes_le)
    digest = maker.heaps.blob(hashlib.sha256(SOURCE.encode()).digest())
    maker.add(0x30, DocumentRow(maker.heaps.name("/src/shop/Shop.cs"), sha256, digest, csharp))
    maker.document("C:\\work\\Other.cs", "\\")
    maker.method(
        [visible(0, 10, 5, 10, 6), hidden(5), visible(10, 12, 9, 12, 30), visible(70, 13, 5, 13, 6)], local_signature=1
    )
    maker.method(None)
    maker.method([visible(0, 30, 9, 30, 20)])
    maker.method([visible(0, 31, 9, 31, 20)])
    maker.method([visible(0, 20, 5, 20, 6), visible(8, 21, 9, 21, 40), visible(40, 22, 5, 22, 6)])
    namespace = maker.heaps.blob(b"System")
    imports = maker.add(0x35, ImportScopeRow(0, maker.heaps.blob(b"\1" + compressed(namespace))))
    maker.scope(1, 0, 71, imports)
    maker.variable("total", 0)
    maker.constant("Answer", b"\x08" + struct.pack("<i", 42))
    maker.scope(1, 10, 60)
    maker.variable("inner", 1)
    maker.add(0x36, StateMachineMethodRow(5, 2))
    # Custom debug information is sorted by its parent's coded index.
    stepping = struct.pack("<III", 0, 8, 20) + compressed(5)
    maker.info(0x06000005, "async_stepping", stepping)
    maker.info(0x00000001, "source_link", json.dumps(LINK).encode())
    maker.info(0x30000001, "embedded_source", bytes(4) + SOURCE.encode())
    rows = maker.tables[0x37]
    rows.sort(key=lambda row: ((row.parent & 0xFFFFFF) << 5) | {0x06: 0, 0x00: 7, 0x30: 22}[row.parent >> 24])
    return maker.data(pdb_id=ID, referenced={0x00: 1, 0x06: 5})


def write_samples(folder: Path) -> None:
    """sample.dll with sample.pdb beside it, and embedded.dll with the PDB in it."""
    (folder / "sample.pdb").write_bytes(sample_pdb())
    (folder / "sample.dll").write_bytes(sample_image())
    (folder / "embedded.dll").write_bytes(sample_image(sample_pdb()))
