"""The command ``portablepdb``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from .errors import PortablePdbError
from .version import VERSION

FOUND, NOTHING, FAILED = 0, 1, 2
"""Exit codes: done, no hit, an error."""
LINES_AT_ONCE = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0, 1 (nothing found) or 2 (an error, reported on stderr)."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except PortablePdbError as error:
        sys.stdout.flush()
        print(f"portablepdb: error: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        sys.stderr.close()
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="portablepdb", description="Read Portable PDBs and .NET metadata.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"portablepdb {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(run=run)
        return added

    from . import commands as run

    info = command("info", run.info, "What a PDB or assembly is: ids, documents, counts, embedded and linked sources.")
    info.add_argument("file", help="a .pdb, .dll or .exe")
    documents = command("documents", run.documents, "The documents of a PDB, one a line.")
    documents.add_argument("file", help="a .pdb, or a PE image with an embedded one or one beside it")
    lines = command("lines", run.lines, "The sequence points of a PDB's methods.")
    lines.add_argument("file", help="as for documents")
    lines.add_argument("name", nargs="?", help="a method token like 0x06000001, or the end of a document's path")
    bind = command("bind", bind_command, "Where a breakpoint on a line goes: one JSON record; exit code 1 if nowhere.")
    bind.add_argument("file", help="as for documents")
    bind.add_argument("suffix", help="the end of the document's path, in whole parts")
    bind.add_argument("line", type=int, help="1-based")
    bind.add_argument("column", type=int, nargs="?", default=0, help="1-based; 0: none")
    il = command("il", run.il, "Disassemble methods in ilasm notation.")
    il.add_argument("file", help="a .dll or .exe, or a .pdb with one beside it")
    il.add_argument("method", nargs="?", help="a token like 0x06000001, or a name as Ns.Type.Method; else all")
    source = command("source", run.source, "The embedded source of a document, or its SourceLink address.")
    source.add_argument("file", help="as for documents")
    source.add_argument("suffix", help="the end of the document's path")
    dump = command("dump", dump_command, "Canonical JSON lines, comparable between readers.")
    dump.add_argument("what", choices=("asm", "pdb", "meta"), help="an assembly, a PDB, the metadata tables of a file")
    dump.add_argument("file", help="the file")
    return parser


def write(lines: Iterable[str]) -> None:
    """Print lines, many at once: where stdout is not buffered, each write is a call of the system."""
    some: list[str] = []
    try:
        for line in lines:
            some.append(line)
            if len(some) == LINES_AT_ONCE:
                sys.stdout.write("\n".join(some) + "\n")
                some.clear()
    finally:
        if some:  # those before an error
            sys.stdout.write("\n".join(some) + "\n")


def bind_command(options: argparse.Namespace) -> int:
    """``bind FILE SUFFIX LINE [COLUMN]``."""
    from .commands import open_pdb
    from .dump_pdb import bind_record
    from .dump_records import line

    with open_pdb(options.file) as (pdb, _):
        record = bind_record(pdb, options.suffix, options.line, options.column)
    write([line(record)])
    return FOUND if record["hits"] else NOTHING


def dump_command(options: argparse.Namespace) -> int:
    """``dump asm|pdb|meta FILE``. What stops the dump becomes its last record, in .NET's words, and exit code 2."""
    try:
        _dump(options.what, options.file)
    except PortablePdbError:
        from .dump_records import line

        write([line({"k": "error", "type": "BadImageFormatException"})])
        raise
    return FOUND


def _dump(what: str, file: str) -> None:
    from .dump_records import line, lines

    if what == "asm":
        from .commands import open_image
        from .dump_asm import assembly_records

        with open_image(file) as assembly:
            if assembly.has_metadata:
                write(lines(assembly.metadata.image, assembly_records(assembly)))
            else:
                write(map(line, assembly_records(assembly)))
    elif what == "pdb":
        from .commands import open_pdb
        from .dump_pdb import pdb_records

        with open_pdb(file) as (pdb, _):
            write(lines(pdb.image, pdb_records(pdb)))
    else:
        from .assembly import Assembly
        from .commands import is_image
        from .dump_asm import delta_records
        from .root import MetadataImage
        from .source import Source

        if is_image(file):
            with Assembly.open(file, text_errors="replace") as assembly:
                image = assembly.metadata.image
                write(lines(image, delta_records(image)))
            return
        source = Source.open(file)
        try:
            image = MetadataImage(source.rest(), text_errors="replace")
            write(lines(image, delta_records(image)))
        finally:
            source.close()


if __name__ == "__main__":
    sys.exit(main())
