"""What the readable subcommands print: info, documents, lines, il, source."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .assembly import Assembly
from .errors import NoSuchEntryError, PortablePdbError
from .handles import TableNumber, Token, make_token
from .portable_pdb import PortablePdb
from .sequence_points import SequencePoint

if TYPE_CHECKING:
    from .limits import Budget
    from .metadata import Metadata

FOUND, NOTHING = 0, 1
_MZ = b"MZ"
_LINES_AT_ONCE = 500
_DUMPED_TOKEN = re.compile(r"06[0-9A-Fa-f]{6}\Z")


def is_image(file: str) -> bool:
    """Whether a file begins as PE images do; False when it cannot be read."""
    try:
        with open(file, "rb") as stream:
            return stream.read(2) == _MZ
    except OSError:
        return False  # opening it as a PDB says what is wrong


@contextmanager
def open_pdb(file: str) -> Iterator[tuple[PortablePdb, Assembly | None]]:
    """The PDB of a file: itself, embedded in an image, or found beside it; and the image, if the file is one."""
    if not is_image(file):
        with PortablePdb.open(file, text_errors="replace") as pdb:
            yield pdb, None
        return
    with Assembly.open(file, text_errors="replace") as assembly:
        found = assembly.find_pdb()
        if found.pdb is None:
            tried = "".join(f"\n  {path}: {why}" for path, why in found.tried) or " it names none"
            raise NoSuchEntryError(f"no PDB found for this image:{tried}", file=file)
        with found.pdb:
            yield found.pdb, assembly


@contextmanager
def open_image(file: str) -> Iterator[Assembly]:
    """The image of a file: itself, or of a PDB the image of the same build beside it."""
    path = file if is_image(file) else _image_beside(file)
    with Assembly.open(path, text_errors="replace") as assembly:
        yield assembly


def _image_beside(file: str) -> str:
    with PortablePdb.open(file, text_errors="replace") as pdb:
        wanted = pdb.id
    tried = []
    for suffix in (".dll", ".exe"):
        path = os.path.splitext(file)[0] + suffix
        tried.append(path)
        if is_image(path):
            with Assembly.open(path) as assembly:
                if assembly.pdb_id == wanted:
                    return path
    raise NoSuchEntryError(f"a PDB has no IL, and no image of its build is beside it: {', '.join(tried)}", file=file)


def show(text: str) -> None:
    """Print a line; what stdout cannot encode is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def show_lines(lines: Iterable[str]) -> None:
    """As :meth:`show` for each line, many at once; those before an error, too."""
    some: list[str] = []
    try:
        for line in lines:
            some.append(line)
            if len(some) == _LINES_AT_ONCE:
                show("\n".join(some))
                some.clear()
    finally:
        if some:
            show("\n".join(some))


def info(options: argparse.Namespace) -> int:
    """``info FILE``."""
    if not is_image(options.file):
        with PortablePdb.open(options.file, text_errors="replace") as pdb:
            _pdb_info(pdb, None)
        return FOUND
    with Assembly.open(options.file, text_errors="replace") as assembly:
        show(f"image       {assembly.file}")
        pe = assembly.pe
        show(f"machine     0x{pe.machine:04x}, {'PE32+' if pe.magic == 0x20B else 'PE32'}")
        if not assembly.has_metadata:
            show("metadata    none: a native image")
            return FOUND
        metadata = assembly.metadata
        show(f"module      {metadata.module_name}  mvid {metadata.mvid}")
        show(f"assembly    {metadata.assembly_name or 'none (a netmodule)'}")
        show(f"metadata    {metadata.image.version}, {metadata.image.region.size} bytes")
        counts = metadata.image.row_counts
        show(f"types       {counts[TableNumber.TYPE_DEF]}, methods {counts[TableNumber.METHOD_DEF]}")
        if metadata.entry_point is not None:
            show(f"entry       0x{metadata.entry_point:08x} {_display(metadata, metadata.entry_point)}")
        words = [
            word
            for word, holds in (("ReadyToRun", assembly.is_ready_to_run), ("deterministic", assembly.is_reproducible))
            if holds
        ]
        if metadata.debuggable is not None:
            words.append("not optimized" if metadata.debuggable[1] else "optimized")
        show(f"build       {', '.join(words) or 'plain'}")
        code_view = assembly.codeview
        if code_view is not None:
            show(f"codeview    {code_view.path}  id {code_view.pdb_id.hex()}")
        found = assembly.find_pdb()
        for path, why in found.tried:
            show(f"tried       {path}: {why}")
        if found.pdb is None:
            show("pdb         none found")
        else:
            with found.pdb:
                _pdb_info(found.pdb, metadata)
    return FOUND


def _pdb_info(pdb: PortablePdb, metadata: Metadata | None) -> None:
    image = pdb.image
    show(f"pdb         {pdb.file}, {image.region.size} bytes")
    show(f"id          {pdb.id.hex()}")
    if pdb.entry_point is not None:
        name = f" {_display(metadata, pdb.entry_point)}" if metadata else ""
        show(f"entry       0x{pdb.entry_point:08x}{name}")
    show(f"documents   {len(pdb.documents)}")
    show(f"methods     {pdb.method_count}")
    embedded = sum(1 for entry in pdb.custom_debug_information() if entry.kind == "embedded_source")
    show(f"embedded    {embedded} sources")
    show(f"sourcelink  {'yes' if pdb.source_link is not None else 'no'}")
    for entry in pdb.custom_debug_information(make_token(TableNumber.MODULE, 1)):
        if entry.kind == "compilation_options":
            for key, value in entry.decoded:
                show(f"option      {key}={value}")


def documents(options: argparse.Namespace) -> int:
    """``documents FILE``."""
    with open_pdb(options.file) as (pdb, _):
        for document in pdb.documents:
            language = document.language_name or document.language
            methods = len(pdb.methods_of_document(document.row_id))
            token = make_token(TableNumber.DOCUMENT, document.row_id)
            embedded = "  embedded" if pdb.custom_value(token, "embedded_source") is not None else ""
            show(f"{document.row_id}\t{document.name}\t{language}\t{methods} methods{embedded}")
    return FOUND


def lines(options: argparse.Namespace) -> int:
    """``lines FILE [METHOD|DOCUMENT]``."""
    with open_pdb(options.file) as (pdb, assembly):
        wanted = options.name
        rows: set[int] | None = None
        methods: Iterable[int] = range(1, pdb.method_count + 1)
        machine = None
        if wanted is not None and _is_token(wanted):
            methods = [_method_token(wanted)]
            machine = pdb.state_machine_of(methods[0])
        elif wanted is not None:
            rows = {document.row_id for document in pdb.documents_ending_with(wanted)}
            methods = sorted({method for row in rows for method in pdb.methods_of_document(row)})
        count = 0
        budget = pdb.image.budgets.begin("points")
        for method in methods:
            token = make_token(TableNumber.METHOD_DEF, method & 0xFFFFFF)
            every = pdb.sequence_points(token)
            budget.spend(len(every))
            points = [p for p in every if rows is None or p.document.row_id in rows or p.is_hidden]
            if points:
                count += 1
                name = f"  {_display(assembly.metadata, token)}" if assembly is not None else ""
                show(f"0x{token:08x}{name}")
                for point in points:
                    show("  " + _point(point))
    if not count and wanted is None:
        print("portablepdb: no method of the PDB has points", file=sys.stderr)
    elif not count:
        note = "has no points" if rows is None or rows else "ends no document's name"
        if machine is not None:
            note += f": its statements are in {machine}"
        print(f"portablepdb: {wanted} {note}", file=sys.stderr)
    return FOUND if count else NOTHING


def _point(point: SequencePoint) -> str:
    if point.is_hidden:
        return f"IL_{point.il_offset:04x}  hidden"
    return (
        f"IL_{point.il_offset:04x}  {point.start_line}:{point.start_column}-{point.end_line}:{point.end_column}"
        f"  {point.document.name}"
    )


def il(options: argparse.Namespace) -> int:
    """``il FILE [METHOD]``."""
    from .disassembler import Disassembler

    with open_image(options.file) as assembly:
        metadata = assembly.metadata
        disassembler = Disassembler(metadata)
        budget = metadata.image.budgets.begin("il_lines")
        pdb = assembly.find_pdb().pdb
        found = 0
        for method in _methods(metadata, options.method):
            found += 1
            show_lines(_paid(disassembler.method(method, _local_names(pdb, method)), budget))
        if pdb is not None:
            pdb.close()
    if not found:
        note = (
            "the image has no methods"
            if options.method is None
            else f"no method has the full name {options.method} (Ns.Type.Method)"
        )
        print(f"portablepdb: {note}", file=sys.stderr)
    return FOUND if found else NOTHING


def _paid(lines: Iterable[str], budget: Budget) -> Iterator[str]:
    """The lines, as long as the budget lasts: thousands of methods may share one body."""
    for line in lines:
        budget.left -= 1
        if budget.left < 0:
            raise budget.spent()
        yield line


def _methods(metadata: Metadata, wanted: str | None) -> Iterable[Token]:
    every = (make_token(TableNumber.METHOD_DEF, row) for row in range(1, metadata.image.row_counts[6] + 1))
    if wanted is None:
        return every
    if _is_token(wanted):
        return [_method_token(wanted)]
    shown = [token for token in every if _display(metadata, token).split("(")[0] == wanted]
    return shown or metadata.find_methods(wanted)


def _local_names(pdb: PortablePdb | None, method: int) -> dict[int, str]:
    if pdb is None:
        return {}
    try:
        return {local.slot: local.name for scope in pdb.scopes(method) for local in scope.variables}
    except PortablePdbError:
        return {}


def source(options: argparse.Namespace) -> int:
    """``source FILE DOCUMENT``."""
    from .source_link import source_url

    with open_pdb(options.file) as (pdb, _):
        found = pdb.documents_ending_with(options.suffix)
        if not found:
            print(f"portablepdb: no document ends with {options.suffix}", file=sys.stderr)
            return NOTHING
        document = found[0]
        text = pdb.embedded_source(document.row_id)
        if text is not None:
            sys.stdout.flush()
            sys.stdout.buffer.write(text)
            return FOUND
        url = source_url(pdb.source_link, document.name) if pdb.source_link is not None else None
        if url is None:
            print(f"portablepdb: {document.name} is neither embedded nor linked", file=sys.stderr)
            return NOTHING
        show(url)
    return FOUND


def _display(metadata: Metadata, token: int) -> str:
    try:
        return metadata.display_method(token)
    except PortablePdbError:
        return f"0x{token:08x}"


def _is_token(text: str) -> bool:
    """Whether a token is meant: 0x06000001, or 06000001 as in dumps."""
    return text.lower().startswith("0x") or _DUMPED_TOKEN.match(text) is not None


def _method_token(text: str) -> Token:
    try:
        token = int(text, 16)
    except ValueError:
        raise NoSuchEntryError(f"{text} is not a token: write it as 0x06000001", file="<command line>") from None
    if token >> 24 != TableNumber.METHOD_DEF:
        raise NoSuchEntryError(f"{text} is not the token of a method: those are 0x06......", file="<command line>")
    return Token(token)
