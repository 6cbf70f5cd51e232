"""Files made to exhaust their reader: shared and overlapping heaps, great counts, deep and wide nesting, bombs.

``python -m tests.symbols.hostile NAME SIZE SEED`` asks one such file everything, and prints what that cost.
"""

from __future__ import annotations

import json
import random
import resource
import struct
import sys
import zlib
from collections.abc import Callable, Iterator

from portablepdb import Assembly, LimitError, PortablePdb, PortablePdbError
from portablepdb.custom_debug_info import GUID_OF_KIND
from portablepdb.disassembler import Disassembler
from portablepdb.dump_asm import assembly_records
from portablepdb.dump_pdb import pdb_records
from portablepdb.dump_records import lines
from portablepdb.tables_ecma import (
    ConstantRow,
    InterfaceImplRow,
    MethodDefRow,
    MethodSemanticsRow,
    NestedClassRow,
    ParamRow,
)
from portablepdb.tables_pdb import (
    CustomDebugInformationRow,
    DocumentRow,
    ImportScopeRow,
    LocalConstantRow,
    LocalScopeRow,
    LocalVariableRow,
    MethodDebugInformationRow,
)
from tests.support.work import counted

from .assembly_maker import AssemblyMaker
from .encoder import compressed
from .maker import Maker

Make = Callable[[int, random.Random], bytes]
PDBS: dict[str, Make] = {}
IMAGES: dict[str, Make] = {}


def pdb(make: Make) -> Make:
    PDBS[make.__name__] = make
    return make


def image(make: Make) -> Make:
    IMAGES[make.__name__] = make
    return make


def room(size: int) -> int:
    """Half of the file for its heap."""
    return max(size // 2, 64)


@pdb
def names_of_shared_parts(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    part = maker.heaps.blob(b"x" * rng.choice((1, 100, size // 4)))
    name = maker.heaps.blob(b"/" + compressed(part) * (size // 4 // len(compressed(part))))
    for _ in range(size // 4 // 8):
        maker.add(0x30, DocumentRow(name, 0, 0, 0))
    return maker.data()


@pdb
def names_that_differ_by_a_part(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    part = maker.heaps.blob(b"y" * rng.choice((1, 120)))
    for _ in range(size // 300):
        name = maker.heaps.blob(b"/" + compressed(part) * rng.randrange(150, 250))
        maker.add(0x30, DocumentRow(name, 0, 0, 0))
    return maker.data()


@pdb
def names_of_overlapping_parts(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    start = len(maker.heaps.blobs)
    maker.heaps.blobs += bytes([rng.choice((0x61, 0x7F, 0x2F))]) * room(size)
    for number in range(size // 4 // 110):
        parts = b"".join(compressed(start + number * 20 + step) for step in range(20))
        maker.add(0x30, DocumentRow(maker.heaps.blob(b"/" + parts), 0, 0, 0))
    return maker.data(wide_heaps=True)


def points(count: int, hidden: bool, one_line: bool) -> bytes:
    if hidden:
        return b"\0" + b"\1\0\0" * count
    return b"\0\0\0\1\x05\1" + (b"\1\0\1\0\0" if one_line else b"\1\0\1\2\0") * (count - 1)


@pdb
def methods_of_one_blob(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.document("/a.cs")
    blob = points(room(size) // 5, rng.random() < 0.3, rng.random() < 0.5)
    document = rng.choice((0, 1))
    if not document:
        blob = blob[:1] + b"\1" + blob[1:]
    offset = maker.heaps.blob(blob)
    for _ in range(room(size) // 8):
        maker.add(0x31, MethodDebugInformationRow(document, offset))
    return maker.data()


@pdb
def methods_of_a_few_points_each(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.document("/a.cs")
    offsets = [maker.heaps.blob(points(24, False, True)) for _ in range(3)]
    for _ in range(size // 4):
        maker.add(0x31, MethodDebugInformationRow(1, rng.choice(offsets)))
    return maker.data()


@pdb
def points_of_overlapping_blobs(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.document("/a.cs")
    start = len(maker.heaps.blobs)
    # Every other byte begins a blob of 0x3f01 bytes, or of 1; what is inside reads as points.
    maker.heaps.blobs += rng.choice((b"\xbf\1\1\0", b"\xbf\1", b"\x7f\1\0")) * (room(size) // 4)
    for number in range(room(size) // 8):
        maker.add(0x31, MethodDebugInformationRow(rng.choice((0, 1)), start + number * 2))
    return maker.data(wide_heaps=True)


@pdb
def scopes_of_overlapping_lists(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.method(None)
    count = size // 3 // 6
    name = maker.heaps.string("v")
    for slot in range(count):
        maker.add(0x33, LocalVariableRow(0, slot & 0xFFFF, name))
        maker.add(0x34, LocalConstantRow(name, maker.heaps.blob(b"\x0e")))
    for number in range(size // 3 // 20):
        begin = 1 if number % 2 else count
        maker.add(0x32, LocalScopeRow(1, 0, begin, begin, 0, 1000))
    return maker.data()


@pdb
def names_that_are_ends_of_one_string(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.method(None)
    letter = rng.choice(("a", "\u00e9", "\U0001f600"))
    text = letter * (room(size) // len(letter.encode()))
    at = maker.heaps.string(text)
    step = len(letter.encode())
    for number in range(room(size) // 10):
        maker.add(0x33, LocalVariableRow(0, 0, at + number * step % (room(size) - step)))
    maker.add(0x32, LocalScopeRow(1, 0, 1, 1, 0, 1000))
    return maker.data(wide_heaps=True)


def deflated(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(size >> 20)]) + packer.flush()


@pdb
def embedded_source_that_is_a_bomb(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    unpacked = min(size * rng.choice((16, 1000)), 1 << 30) >> 20 << 20
    blob = maker.heaps.blob(unpacked.to_bytes(4, "little") + deflated(unpacked))
    guid = maker.heaps.guid(GUID_OF_KIND["embedded_source"])
    for number in range(1, size // 50):
        maker.document("a")
        maker.add(0x37, CustomDebugInformationRow(0x30000000 | number, guid, blob))
    return maker.data()


@pdb
def import_scopes_in_a_long_chain(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.method(None)
    blob = maker.heaps.blob(rng.choice((b"\1\0" * 60, b"\1\0" * (size // 4), b"\x05\0\0"))[: size // 2])
    for number in range(room(size) // 8):
        maker.add(0x35, ImportScopeRow(number, blob))
    maker.add(0x32, LocalScopeRow(1, len(maker.tables[0x35]), 1, 1, 0, 1000))
    return maker.data()


@pdb
def debug_information_of_one_blob(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.method(None)
    kinds = [kind for kind in GUID_OF_KIND if kind != "embedded_source"]
    blob = maker.heaps.blob(rng.choice((bytes(room(size)), b"a\0" * (room(size) // 2), b"\1" * room(size))))
    guids = {kind: maker.heaps.guid(GUID_OF_KIND[kind]) for kind in kinds}
    for _ in range(room(size) // 12):
        parent = 0x06000001
        maker.add(0x37, CustomDebugInformationRow(parent, guids[rng.choice(kinds)], blob))
    return maker.data()


@pdb
def constants_and_hashes_of_one_blob(size: int, rng: random.Random) -> bytes:
    maker = Maker()
    maker.method(None)
    blob = maker.heaps.blob(b"\x0e" + rng.choice((b"a\0", b"\0\xd8")) * (room(size) // 2))
    name = maker.heaps.string("c")
    for _ in range(size // 20):
        maker.add(0x34, LocalConstantRow(name, blob))
        maker.add(0x30, DocumentRow(0, 0, blob, 0))
    maker.add(0x32, LocalScopeRow(1, 0, 1, 1, 0, 1000))
    return maker.data()


def class_of(row: int) -> bytes:
    return compressed(row << 2 | 2)


@image
def type_specs_that_double(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T")
    ways = rng.randrange(2, 5)
    maker.type_spec(b"\x12" + compressed(2 << 2))
    for row in range(1, min(size // 20, 4000)):
        maker.type_spec(b"".join(b"\x1f" + class_of(row) for _ in range(ways)) + b"\x08")
    return maker.image()


@image
def signatures_of_one_blob(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T")
    count = min(room(size), rng.choice((60_000, 1 << 20)))
    blob = maker.heaps.blob(b"\0" + compressed(count) + b"\1" + b"\x08" * count)
    name = maker.heaps.string("m")
    for _ in range(room(size) // 14):
        maker.add(0x06, MethodDefRow(0, 0, 0, name, blob, 1))
    return maker.image()


@image
def signatures_nested_and_wide(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T" * 500)
    tail = b"\x12\x08"
    for _ in range(rng.choice((3, 200))):
        tail = rng.choice((b"\x1d", b"\x0f")) + tail
    one = b"\x15\x12\x08" + compressed(200) + tail * 200
    for _ in range(max(size // len(one), 1)):
        maker.type_spec(one)
    return maker.image()


@image
def types_that_are_ends_of_one_string(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    at = maker.heaps.string("t" * room(size))
    for number in range(room(size) // 20):
        row = maker.tables[0x02][0]._replace(name=at + number, namespace=at + rng.randrange(room(size)))
        maker.add(0x02, row)
    return maker.image()


@image
def types_nested_in_each_other(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    name = "n" * rng.choice((1, 1000, size // 4))
    at = maker.heaps.string(name)
    for number in range(2, size // 30):
        maker.add(0x02, maker.tables[0x02][0]._replace(name=at))
        outer = number - 1 if rng.random() < 0.95 else number
        maker.add(0x29, NestedClassRow(number, outer))
    return maker.image()


@image
def one_row_that_everything_refers_to(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    first = maker.type("T")
    maker.method("m", b"\0\0\1")
    blob = maker.heaps.blob(b"\x08")
    for _ in range(size // 40):
        maker.add(0x29, NestedClassRow(2, 1))
        maker.add(0x09, InterfaceImplRow(2, first))
        maker.add(0x18, MethodSemanticsRow(1, 1, 0x17000001))
        maker.add(0x0B, ConstantRow(8, 0x04000001, blob))
        maker.add(0x08, ParamRow(0, 1, 0))
    return maker.image()


@image
def parameters_of_overlapping_lists(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T")
    count = size // 3 // 6
    name, blob = maker.heaps.string("m"), maker.heaps.blob(b"\0\0\1")
    for _ in range(count):
        maker.add(0x08, ParamRow(0, 1, name))
    for number in range(size // 3 // 14):
        maker.add(0x06, MethodDefRow(0, 0, 0, name, blob, 1 if number % 2 else count))
    return maker.image()


@image
def attributes_of_one_blob(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    library = maker.assembly_ref("Lib")
    kind = maker.type_ref("DebuggerThingAttribute", "N", library)
    enum = maker.type_ref("E", "N", library)
    parameters = rng.choice((b"\x1d\x0e", b"\x1d\x51", b"\x1d\x11" + compressed((enum & 0xFFFFFF) << 2 | 1), b"\x0e"))
    constructor = maker.member_ref(kind, ".ctor", b"\x20\1\1" + parameters)
    count = room(size) // 2
    content = rng.choice((b"\0", b"\x51", b"\x1d\x51\1\0\0\0", b"\xff"))
    value = b"\1\0" + count.to_bytes(4, "little") + content * (room(size) // len(content))
    blob = maker.heaps.blob(value)
    for _ in range(room(size) // 8):
        maker.add(0x0C, maker_row(constructor, blob))
    return maker.image()


def maker_row(constructor: int, blob: int) -> object:
    from portablepdb.tables_ecma import CustomAttributeRow

    return CustomAttributeRow(0x20000001, constructor, blob)


@image
def bodies_that_overlap(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T")
    long_name = maker.user_string("s" * 2000)
    call = maker.member_ref(maker.type("L" * 2000), "c", b"\0\0\1")
    unit = rng.choice((b"\x28" + struct.pack("<I", call), b"\x72" + struct.pack("<I", long_name), b"\0"))
    first = maker.method("m", b"\0\0\1", il=unit * (room(size) // len(unit)))
    row = maker.tables[0x06][(first & 0xFFFFFF) - 1]
    for _ in range(room(size) // 16):
        maker.add(0x06, row)
    return maker.image()


@image
def bodies_with_endless_sections(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    maker.type("T")
    maker.body += struct.pack("<HHII", 0x300B, 8, 0, 0)
    maker.body += rng.choice((b"\x81\0\0\0", b"\xc1\x18\0\0", b"\xc1\xff\xff\x03")) * (room(size) // 4)
    name, blob = maker.heaps.string("m"), maker.heaps.blob(b"\0\0\1")
    for _ in range(room(size) // 16):
        maker.add(0x06, MethodDefRow(0x2000 + 72, 0, 0, name, blob, 1))
    return maker.image()


@image
def debug_entries_of_the_same_bytes(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    count = min(room(size) // 28, rng.choice((200, 5000)))
    data = rng.choice((b"RSDS" + bytes(20) + b"p" * room(size), b"SHA256\0" + b"c" * room(size)))
    kind = 2 if data[:4] == b"RSDS" else 19
    maker.debug_entries = [(kind, 0, 0x100, 0x504D, b"")] * (count - 1) + [(kind, 0, 0x100, 0x504D, data)]
    made = bytearray(maker.image())
    # All entries name the data of the last one.
    (rva,) = struct.unpack_from("<I", made, 64 + 24 + 112 + 6 * 8)
    at = 0x200 + rva - 0x2000
    last = made[at + 28 * (count - 1) : at + 28 * count]
    for number in range(count):
        made[at + 28 * number : at + 28 * (number + 1)] = last
    return bytes(made)


@image
def embedded_pdb_that_is_a_bomb(size: int, rng: random.Random) -> bytes:
    maker = AssemblyMaker()
    if rng.random() < 0.5:
        unpacked = min(size * rng.choice((16, 900)), 1 << 30) >> 20 << 20
        data = b"MPDB" + unpacked.to_bytes(4, "little") + deflated(unpacked)
        maker.debug_entries.append((17, 0, 0x100, 0x100, data))
    else:
        inside = Maker()
        inside.document("/a.cs")
        for _ in range(size * rng.choice((1, 3)) // 4):
            inside.add(0x31, MethodDebugInformationRow(1, 0))
        maker.embed(inside.data())
    return maker.image()


Question = tuple[str, Callable[[], object]]


def questions_of_pdb(pdb_: PortablePdb) -> Iterator[Question]:
    """What a debugger and the commands ask, each of which may cost so much."""
    documents = pdb_.documents
    yield "dump", lambda: sum(len(text) for text in lines(pdb_.image, pdb_records(pdb_)))
    yield "all names", lambda: [document.name for document in documents]
    yield "matching", lambda: pdb_.documents_matching("/x/a.cs")
    yield "ending", lambda: pdb_.documents_ending_with("a")
    yield "all points", lambda: sum(len(found) for _, found in pdb_.all_sequence_points())
    yield "all entries", lambda: len(pdb_.custom_debug_information())
    yield "source link", lambda: pdb_.source_link
    for row in sorted({1, len(documents)} - {0}):
        yield "methods", lambda row=row: len(pdb_.methods_of_document(row))
        yield "bind", lambda row=row: len(pdb_.bind(row, 5))
        yield "bind again", lambda row=row: len(pdb_.bind(row, 5))
        yield "bind flat", lambda row=row: len(pdb_.bind_flat([row], 1))
        yield "source", lambda row=row: len(pdb_.embedded_source(row) or b"")
    for row in sorted({1, pdb_.method_count} - {0}):
        for ask in (pdb_.locals_at, pdb_.constants_at, pdb_.imports_at, pdb_.point_at, pdb_.visible_point_at):
            yield ask.__name__, lambda ask=ask, row=row: ask(row, 3)
        for ask in (pdb_.scopes, pdb_.sequence_points, pdb_.async_info, pdb_.hoisted_scopes, pdb_.local_signature):
            yield ask.__name__, lambda ask=ask, row=row: ask(row)
        for ask in (pdb_.kickoff_method, pdb_.state_machine_of):
            yield ask.__name__, lambda ask=ask, row=row: ask(row)


def questions_of_image(assembly: Assembly) -> Iterator[Question]:
    """The same of an image."""
    yield "dump", lambda: sum(len(text) for text in lines(assembly.metadata.image, assembly_records(assembly)))
    yield "code view", lambda: assembly.codeview
    yield "checksums", lambda: len(assembly.pdb_checksums)
    yield "verify", lambda: assembly.verify_checksum(Maker().data())
    yield "embedded", assembly.embedded_pdb
    yield "find", assembly.find_pdb
    yield "debuggable", lambda: assembly.debuggable
    metadata = assembly.metadata
    counts = metadata.image.row_counts
    yield "find type", lambda: metadata.find_type("N.No")
    yield "find types", lambda: len(metadata.find_types("N"))
    yield "attributes", lambda: [a.type_name for a in metadata.attributes_of(0x20000001)[:100]]
    disassembler = Disassembler(metadata)
    for row in sorted({1, 2, counts[2]} - {0}):
        token = 0x02000000 | row
        yield "type name", lambda token=token: len(metadata.type_name(token))
        yield "members", lambda token=token: len(metadata.methods_of(token)) + len(metadata.fields_of(token))
        yield "interfaces", lambda token=token: len(metadata.type_def(token).interfaces)
    for row in sorted({1, counts[0x1B]} - {0}):
        yield "type spec", lambda row=row: len(metadata.type_name(0x1B000000 | row))
    for row in sorted({1, counts[6]} - {0}):
        token = 0x06000000 | row
        yield "display", lambda token=token: len(metadata.display_method(token))
        yield "il", lambda token=token: sum(len(text) for text in disassembler.method(token))
        yield "attribute values", lambda: [a.fixed_arguments for a in metadata.attributes_of(0x20000001)[:1]]
    if assembly.has_embedded_pdb:
        found = assembly.embedded_pdb()
        if found is not None:
            yield from questions_of_pdb(found)


def ask(make: Make, size: int, seed: int) -> dict[str, object]:
    """Ask one file everything: the longest processor time of a question, the most memory, the errors by budget."""
    data = make(size, random.Random(seed))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    most_calls, costliest, biggest_name, peak = 0, "", "", before
    spent: set[str] = set()
    asked = 0
    try:
        opened = PortablePdb.open(data) if make.__name__ in PDBS else Assembly.open(data)
    except PortablePdbError:
        return {"size": len(data), "asked": 0, "calls": 0, "memory": 0, "budgets": []}
    source = questions_of_pdb(opened) if isinstance(opened, PortablePdb) else questions_of_image(opened)
    while True:
        name = "next question"
        with counted() as work:
            try:
                name, question = next(source)
                asked += 1
                question()
            except StopIteration:
                break
            except LimitError as error:
                spent.add(error.budget or error.rule[:40])
            except PortablePdbError:
                pass
        if work.calls > most_calls:
            most_calls, costliest = work.calls, name
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if now > peak:
            peak, biggest_name = now, name
    return {
        "size": len(data),
        "asked": asked,
        "calls": most_calls,
        "costliest": costliest,
        "memory": (peak - before) << 10,
        "biggest": biggest_name,
        "budgets": sorted(spent),
    }


def main() -> None:
    name, size, seed = sys.argv[1:]
    print(json.dumps(ask({**PDBS, **IMAGES}[name], int(size), int(seed))))


if __name__ == "__main__":
    main()
