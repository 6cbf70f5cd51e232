"""Which rows of the MethodDef table come into question for a name: by the bytes of the #Strings heap.

So no name is decoded that cannot match: a name with a type is looked up in the whole framework.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.functions.names import ACCESSORS, FunctionPattern
from dap_dotnet.breakpoints.functions.spellings import TOP_LEVEL_MAIN
from dap_dotnet.values.generated_names import GENERATED_TYPES

if TYPE_CHECKING:
    from mmap import mmap

    from portablepdb import Metadata


def may_have(pattern: FunctionPattern, metadata: Metadata) -> bool:
    """Whether a module has all parts of a name but the last; False is certain."""
    heap = metadata.image.strings.region
    return all(
        segment.name == "this"
        or heap.data.find(segment.name.encode("utf-8", "surrogatepass"), heap.start, heap.end) >= 0
        for segment in pattern.segments[:-1]
    )


def candidate_rows(pattern: FunctionPattern, metadata: Metadata) -> Iterable[int]:
    """Row ids of MethodDef, in no certain order; every method that the name means is among them."""
    from portablepdb import TableNumber

    table = metadata.image.table(TableNumber.METHOD_DEF)
    if pattern.has_wildcard or "this" in (segment.name for segment in pattern.segments[-2:]):
        return range(1, table.row_count + 1) if pattern.is_bare else _rows_of_types(pattern, metadata)
    offsets = _name_offsets(metadata, pattern)
    if not offsets:
        return ()
    return [row_id for row_id, offset in enumerate(table.raw_column("name"), 1) if offset in offsets]


def _rows_of_types(pattern: FunctionPattern, metadata: Metadata) -> Iterator[int]:
    """The methods of the types that the parts before the method may mean, with what the compiler nested in those."""
    from portablepdb import PortablePdbError, TableNumber

    names = [segment.name for segment in pattern.segments]
    before = names.index("this") if "this" in names else len(names) - 1
    table = metadata.image.table(TableNumber.TYPE_DEF)
    if not before:
        yield from range(1, metadata.image.table(TableNumber.METHOD_DEF).row_count + 1)
        return
    heap = metadata.image.strings.region
    name = names[before - 1].encode("utf-8", "surrogatepass")
    offsets = {
        position - heap.start
        for needle in (name + b"\0", name + b"`")
        for position in _all(heap.data, needle, heap.start, heap.end)
    }
    begins = (b"__" + name + b"\0", b"__" + name + b"`")  # of a file's own type the end
    for needle in begins:
        for position in _all(heap.data, needle, heap.start, heap.end):
            offsets.add(heap.data.rfind(b"\0", heap.start, position) + 1 - heap.start)
    rows = [row_id for row_id, offset in enumerate(table.raw_column("name"), 1) if offset in offsets]
    for row_id in rows:
        token = TableNumber.TYPE_DEF << 24 | row_id
        try:
            yield from metadata.method_rows(token)
            for nested in metadata.nested_types(token):
                if metadata.type_def(nested).name.startswith(GENERATED_TYPES):
                    yield from metadata.method_rows(nested)
        except PortablePdbError:
            continue


def _name_offsets(metadata: Metadata, pattern: FunctionPattern) -> set[int]:
    """Where names may begin that can match: strings may share their ends, so every place inside counts."""
    heap = metadata.image.strings.region
    exact, endings, insides = _needles(pattern)
    offsets: set[int] = set()
    for needle in exact:
        offsets.update(position - heap.start for position in _all(heap.data, needle + b"\0", heap.start, heap.end))
    for needle in (*(ending + b"\0" for ending in endings), *insides):
        for position in _all(heap.data, needle, heap.start, heap.end):
            begin = heap.data.rfind(b"\0", heap.start, position) + 1
            offsets.update(range(begin - heap.start, position - heap.start + 1))
    return offsets


def _needles(pattern: FunctionPattern) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Names as a whole, their ends (explicit implementations of interfaces), and parts of compilers' names."""
    names: list[str] = list(pattern.method_names)
    insides: list[str] = []
    if not names:
        last = pattern.method.name
        names = [last, *(f"{accessor}_{last}" for accessor in ACCESSORS)]
        insides = [f"g__{last}|"]
        previous = pattern.segments[-2].name if len(pattern.segments) > 1 else None
        if last == previous:
            names.append(".ctor")
        if last in ACCESSORS and previous is not None:
            names.append(f"{'set' if last == 'init' else last}_{previous}")
        if last == "Main":
            names.append(TOP_LEVEL_MAIN)
        if last == "lambda":
            insides.append(">b__")
        if last.startswith("~"):
            names.append("Finalize")
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    return encoded, [b"." + name for name in encoded], [text.encode("utf-8", "surrogatepass") for text in insides]


def _all(data: bytes | mmap, needle: bytes, start: int, end: int) -> Iterator[int]:
    position = data.find(needle, start, end)
    while position >= 0:
        yield position
        position = data.find(needle, position + 1, end)
