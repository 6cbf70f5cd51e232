"""From the name of a function to its methods in a module, and where a breakpoint goes in each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dap_dotnet.breakpoints.functions.names import (
    ACCESSORS,
    FunctionPattern,
    Segment,
    split_type_name,
    suffix_matches,
)
from dap_dotnet.breakpoints.functions.type_texts import TypeText, TypeTextError, matches, parse_types
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span

if TYPE_CHECKING:
    from mmap import mmap

    from portablepdb import Metadata
    from portablepdb.members import Method

_METHOD_DEF = 0x06000000
_IL_CODE = 0x3
_LOCAL_FUNCTION = re.compile(r"<+(.*?)>+g__(.+)\|[\d_#`]*\Z")
_LAMBDA = re.compile(r"<+(.*?)>+b__[\d_#`]*\Z")
_GENERATED = ("<", "_Closure$", "VB$")
_TOP_LEVEL = "<Main>$"
_MAX_NESTING = 32


class FoundFunction(NamedTuple):
    """A method that a name means."""

    method: MethodToken
    has_code: bool
    """False: abstract, extern, or made by the runtime."""


class Start(NamedTuple):
    """Where a method's breakpoint goes. Without symbols there is no `span` and no `path`."""

    method: MethodToken
    il_offset: int
    span: Span | None
    path: str | None


class Search(NamedTuple):
    """What a module has for a name. `near` are methods of the name with other parameter types."""

    found: list[FoundFunction]
    near: list[MethodToken]


def is_searched(pattern: FunctionPattern, module: LoadedModule) -> bool:
    """Whether a name is looked up in a module: a method's name alone is, only where there are symbols."""
    if module.metadata is None:
        return False
    if pattern.module is not None:
        names = {module.name.lower(), module.name.lower().rpartition(".")[0]}
        if module.metadata.assembly_name is not None:
            names.add(module.metadata.assembly_name.lower())
        return pattern.module in names
    return not pattern.is_bare or module.pdb is not None


def search(pattern: FunctionPattern, metadata: Metadata) -> Search:
    """The methods of a module that a name means, in the order of the MethodDef table."""
    from portablepdb import PortablePdbError

    result = Search([], [])
    if not _may_have(pattern, metadata):
        return result
    wildcard = pattern.wildcard() if pattern.has_wildcard else None
    for row_id in _rows(pattern, metadata):
        try:
            method = metadata.method(_METHOD_DEF | row_id)
            if not _is_near(pattern, metadata, method):
                continue
            spellings = _spellings(metadata, method)
            if not any(suffix_matches(pattern, spelling, wildcard) for spelling in spellings):
                continue
            token = MethodToken(method.token)
            if not _signature_matches(pattern, metadata, method):
                result.near.append(token)
            else:
                has_code = bool(method.rva) and not method.impl_flags & _IL_CODE
                result.found.append(FoundFunction(token, has_code))
        except PortablePdbError:
            continue  # damaged metadata of one method is not what the user asked about
    return result


def _is_near(pattern: FunctionPattern, metadata: Metadata, method: Method) -> bool:
    """A quick look: the part before the last is in the name of the type or of the method, or it cannot match."""
    if len(pattern.segments) < 2 or pattern.segments[-2].name in ("this", "Main"):
        return True
    before = pattern.segments[-2].name
    return before in metadata.type_name(method.declaring_type) or before in method.name


def start_of(module: LoadedModule, method: MethodToken) -> Start:
    """The first visible sequence point, of an async method or iterator in its MoveNext; else IL offset 0."""
    from portablepdb import PortablePdbError

    pdb = module.pdb
    if pdb is None:
        return Start(method, 0, None, None)
    try:
        body = MethodToken(pdb.state_machine_of(method) or method)
        for point in pdb.sequence_points(body):
            if not point.is_hidden:
                span = Span(point.start_line, point.start_column, point.end_line, point.end_column)
                return Start(body, point.il_offset, span, pdb.documents.by_row(point.document_row).name)
    except PortablePdbError:
        return Start(method, 0, None, None)
    return Start(body, 0, None, None)


# which rows come into question, by the bytes of the #Strings heap: no name is decoded that cannot match


def _may_have(pattern: FunctionPattern, metadata: Metadata) -> bool:
    heap = metadata.image.strings.region
    return all(
        segment.name == "this"
        or heap.data.find(segment.name.encode("utf-8", "surrogatepass"), heap.start, heap.end) >= 0
        for segment in pattern.segments[:-1]
    )


def _rows(pattern: FunctionPattern, metadata: Metadata) -> Iterable[int]:
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
                if metadata.type_def(nested).name.startswith(_GENERATED):
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
            names.append(_TOP_LEVEL)
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


# how a method may be written


def _spellings(metadata: Metadata, method: Method) -> list[tuple[Segment, ...]]:
    container, is_generated = _container(metadata, method)
    name = method.name
    local = _LOCAL_FUNCTION.match(name)
    if local is not None:
        last = Segment(local.group(2), _own_arity(metadata, method))
        return [(*container, _plain(local.group(1)), last), (*container, last)]
    lambda_ = _LAMBDA.match(name)
    if lambda_ is not None:
        return [(*container, _plain(lambda_.group(1)), Segment("lambda", 0))]
    if is_generated:
        return []
    segment = Segment(name, _own_arity(metadata, method))
    spellings = [(*container, segment)]
    if name == ".ctor":
        return [*spellings, (*container, Segment(container[-1].name, 0))]
    if name == _TOP_LEVEL:
        return [*spellings, (*container, Segment("Main", 0))]
    if name == "Finalize":
        return [*spellings, (*container, Segment("~" + container[-1].name, 0))]
    if "." in name and not name.startswith("."):
        *interface, segment = _explicit(name, segment.arity)
        spellings += [(*container, *interface, segment), (*container, segment)]
        return spellings + [
            (*prefix, *tail) for prefix in ((*container, *interface), container) for tail in _member(method, segment)
        ]
    return spellings + [(*container, *tail) for tail in _member(method, segment)]


def _member(method: Method, segment: Segment) -> list[tuple[Segment, ...]]:
    """A property or event of which the method is an accessor."""
    accessor, separator, member = segment.name.partition("_")
    if not separator or accessor not in ACCESSORS or not member:
        return []
    names = [Segment(member, 0)]
    count = len(method.signature.parameters) - (accessor == "set")
    if accessor in ("get", "set") and count > 0:
        names.append(Segment("this", 0))
    words = (accessor, "init") if accessor == "set" else (accessor,)
    return [tail for name in names for tail in ((name,), *((name, Segment(word, 0)) for word in words))]


def _explicit(name: str, arity: int | None) -> list[Segment]:
    """``Ns.IList<System.Int32>.Add`` in parts."""
    parts: list[str] = []
    depth = 0
    current = ""
    for character in name:
        depth += (character == "<") - (character == ">")
        if character == "." and not depth:
            parts.append(current)
            current = ""
        else:
            current += character
    segments = []
    for part in parts:
        plain, opener, arguments = part.partition("<")
        segments.append(Segment(plain, _count(arguments) if opener else 0))
    return [*segments, Segment(current, arity)]


def _count(arguments: str) -> int:
    depth = 0
    count = 1
    for character in arguments:
        depth += (character == "<") - (character == ">")
        count += character == "," and not depth
    return count


def _plain(outer: str) -> Segment:
    """The method around a lambda or local function; ``Main>$`` is left of top-level statements' name."""
    return Segment("Main" if outer.startswith("Main>$") else outer, None)


def _container(metadata: Metadata, method: Method) -> tuple[tuple[Segment, ...], bool]:
    """The parts of the user's type around a method, and whether types that a compiler made were taken off."""
    token = method.declaring_type
    is_generated = False
    for _ in range(_MAX_NESTING):
        if not metadata.type_def(token).name.startswith(_GENERATED):
            break
        outer = metadata.enclosing_type(token)
        if outer is None:
            break
        token, is_generated = outer, True
    return split_type_name(metadata.type_name(token)), is_generated


def _own_arity(metadata: Metadata, method: Method) -> int:
    return method.signature.generic_count


# parameters


def _signature_matches(pattern: FunctionPattern, metadata: Metadata, method: Method) -> bool:
    if pattern.parameters is None and pattern.return_type is None:
        return True
    from portablepdb.display_names import type_signature_display

    type_names = [parameter.name for parameter in metadata.generic_parameters_of(method.declaring_type)]
    method_names = [parameter.name for parameter in method.generic_parameters]
    signature = method.signature
    names = dict(_written_names(pattern, type_names, method_names))
    wanted: list[TypeText] = []
    types = []
    if pattern.return_type is not None:
        wanted.append(pattern.return_type)
        types.append(signature.return_type)
    if pattern.parameters is not None:
        wanted += pattern.parameters
        types += signature.parameters
    if method.name.rpartition(".")[2].startswith("set_") and len(wanted) == len(types) - 1:
        types.pop()  # the value: it does not stand in this[int]
    shown = [type_signature_display(metadata, type_, type_names, method_names) for type_ in types]
    shown = [text for text in shown if "<>c__DisplayClass" not in text]  # what a local function captures
    try:
        actual = [one for text in shown for one in parse_types(text)]
    except TypeTextError:
        return False  # a function pointer: it cannot be written in a pattern
    return matches(wanted, actual, names)


def _written_names(
    pattern: FunctionPattern, type_names: list[str], method_names: list[str]
) -> Iterator[tuple[str, TypeText]]:
    """Generic parameters by name with what the pattern has in their place: T and int for ``List<int>.Add(int)``."""
    yield from zip(method_names, pattern.method.arguments, strict=False)
    written = [argument for segment in pattern.segments[:-1] for argument in segment.arguments]
    if written:
        yield from zip(type_names[-len(written) :], written, strict=False)
