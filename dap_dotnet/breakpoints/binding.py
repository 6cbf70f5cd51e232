"""From the places that users name to sites in loaded modules: `PdbResolver` joins paths, lines and functions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.lines import paths
from dap_dotnet.breakpoints.lines.document_lines import (
    DocumentLines,
    Fit,
    Match,
    Origin,
    Point,
    is_method_header,
    moved_note,
    origin_of,
    outside_text,
)
from dap_dotnet.breakpoints.lines.paths import Candidate, Certainty, PathMatch, PathMatcher
from dap_dotnet.breakpoints.model import (
    DataGroup,
    FieldPlace,
    FunctionPlace,
    Group,
    LinePlace,
    Place,
    Site,
    SourceGroup,
)
from dap_dotnet.breakpoints.registry import NOT_LOADED, Resolution
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, SymbolState
from dap_dotnet.symbols.spans import Span

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.data.resolver import FieldResolver
    from dap_dotnet.breakpoints.functions.resolver import FunctionResolver
    from portablepdb import SequencePoint


class PdbResolver:
    """Resolves over the modules of a catalog. Session thread only; touches files, never the runtime."""

    def __init__(
        self, modules: ModuleCatalog, is_guarded: Callable[[LoadedModule], bool] = lambda loaded: loaded.is_user_code
    ) -> None:
        """`is_guarded` says in which modules stores to fields are watched."""
        self._modules = modules
        self.is_guarded = is_guarded
        self.paths = PathMatcher(modules)
        self._lines: dict[tuple[bytes, int], DocumentLines] = {}
        """By PDB id and document row: several loads of one assembly share them."""
        self._functions: FunctionResolver | None = None
        self._fields: FieldResolver | None = None

    @property
    def functions(self) -> FunctionResolver:
        """What resolves names of functions; loaded with the first of them."""
        if self._functions is None:
            from dap_dotnet.breakpoints.functions.resolver import FunctionResolver

            self._functions = FunctionResolver(self._modules)
        return self._functions

    @property
    def fields(self) -> FieldResolver:
        """What finds the stores to fields; loaded with the first of them."""
        if self._fields is None:
            from dap_dotnet.breakpoints.data.resolver import FieldResolver

            self._fields = FieldResolver(self._modules, self.is_guarded)
        return self._fields

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that is being unloaded; the catalog still has it."""
        self.paths.forget(module)
        if self._fields is not None:
            self._fields.forget(module)
        if self._functions is not None:
            self._functions.forget(module)
        loaded = self._modules.get(module)
        if loaded is not None and loaded.pdb is not None:  # others that share them read them anew
            for key in [key for key in self._lines if key[0] == loaded.pdb.id]:
                del self._lines[key]

    def may_have(self, group: Group, module: ModuleId) -> bool:
        """See `Resolver.may_have`."""
        loaded = self._modules.get(module)
        if loaded is None:
            return False
        if isinstance(group, SourceGroup):
            return self.paths.may_have(group.path, loaded) or _lacks_symbols(loaded, os.path.dirname(group.path))
        if isinstance(group, DataGroup) and not self.is_guarded(loaded):
            return loaded.pdb is not None
        return loaded.metadata is not None

    def resolve(self, place: Place, module: ModuleId | None) -> Resolution:
        """See `Resolver.resolve`."""
        if isinstance(place, FunctionPlace):
            return self.functions.resolve(place.name, module)
        if isinstance(place, FieldPlace):
            return self.fields.resolve(place, module)
        if place.line < 1:
            return Resolution(reason=f"There is no line {place.line}: lines count from 1.", failed=True, code=NO_LINE)
        if module is None:
            self.paths.refresh(place.path)
            if not place.path.strip() or os.path.isdir(place.path.replace("\0", "?")):
                what = f"{place.path} is a folder" if place.path.strip() else "No file is named"
                return Resolution(reason=f"{what}: name a source file.", failed=True, code=NO_FILE)
        match = self.paths.find(place.path)
        candidates = [one for one in match.taken if module is None or one.module.id == module]
        if not candidates:
            return Resolution() if match.taken else self._why_none(place.path, match)
        return self._resolve_in(place, candidates)

    def _resolve_in(self, place: LinePlace, candidates: list[Candidate]) -> Resolution:
        sites: list[Site] = []
        shown: tuple[Match, DocumentLines] | None = None
        for found in self._best_of_each_module(place, candidates):
            candidate, lines, match = found
            self._modules.source_map.learn(candidate.document.name, place.path)
            sites.extend(_site(candidate.module, point, place.path) for point in match.points)
            if shown is None or match.fit < shown[0].fit:
                shown = match, lines
        if shown is None:
            nearest = sorted({line for one in candidates for line in self.lines_of(one).nearest_lines(place.line)})
            nearest = sorted(sorted(nearest, key=lambda line: abs(line - place.line))[:5])
            reason = outside_text(place.line, os.path.basename(place.path), nearest)
            return Resolution(reason=reason, failed=True, code=NO_LINE)
        match, lines = shown
        note = moved_note(place.line, place.column, match, lines.columns(place.line))
        return Resolution(tuple(sites), note=note, code="INVALID_COLUMN" if match.fit is Fit.NEAREST_COLUMN else "")

    def _best_of_each_module(
        self, place: LinePlace, candidates: Iterable[Candidate]
    ) -> list[tuple[Candidate, DocumentLines, Match]]:
        """A module may have the file several times, by #line: those documents where the place fits best."""
        best: dict[ModuleId, list[tuple[Candidate, DocumentLines, Match]]] = {}
        for candidate in candidates:
            lines = self.lines_of(candidate)
            match = lines.find(place.line, place.column)
            if not match.points and candidate.is_same_source is not False:
                match = self._by_header(place, lines)
            if not match.points:
                continue
            known = best.setdefault(candidate.module.id, [])
            if known and match.fit < known[0][2].fit:
                known.clear()
            if not known or match.fit == known[0][2].fit:
                known.append((candidate, lines, match))
        return [found for entries in best.values() for found in entries]

    def _by_header(self, place: LinePlace, lines: DocumentLines) -> Match:
        """The PDB does not know where a method's header is; the source does, when it is here."""
        after = lines.method_after(place.line)
        if after.points and after.points[0].line - place.line <= LONGEST_HEADER:
            text = self.paths.file(place.path).lines
            if is_method_header(text[place.line - 1 : after.points[0].line - 1]):
                return after
        return Match((), Fit.NONE)

    def places(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> list[Span]:
        """Where breakpoints can stand between two (line, column)s of a file, both included; sorted, each once."""
        self.paths.refresh(path)
        found: set[Span] = set()
        for candidate in self.paths.find(path).taken:
            found.update(self.lines_of(candidate).within(start, end))
        return sorted(found)

    def lines_of(self, candidate: Candidate) -> DocumentLines:
        """The sequence points of a document, read once."""
        pdb = candidate.module.pdb
        assert pdb is not None
        key = pdb.id, candidate.document.row_id
        lines = self._lines.get(key)
        if lines is None:
            lines = self._lines[key] = _read_lines(candidate.module, candidate.document.row_id)
        return lines

    def _why_none(self, path: str, match: PathMatch) -> Resolution:
        if match.ambiguous:
            return Resolution(reason=paths.ambiguous_text(path, match), failed=True, code=NO_FILE)
        if match.refused:
            text = paths.refused_text(path, match)
            if match.refused[0].certainty is Certainty.SAME_PATH:
                return Resolution(reason=text, failed=True, code=NO_FILE)
            return Resolution(reason=f"{NOT_LOADED} {text}")
        folder = os.path.dirname(path)
        hints = [
            f"{loaded.name} is loaded without symbols ({loaded.symbol_status.detail})"
            for loaded in self._modules
            if _lacks_symbols(loaded, folder)
        ]
        if hints:
            return Resolution(reason=f"{NOT_LOADED} {'; '.join(hints)}.")
        if not self.paths.file(path).exists:  # it may all the same be a path of the machine that built the program
            return Resolution(reason=f"{NOT_LOADED} Nor is there such a file here: check its path.", code=NO_FILE)
        return Resolution(reason=NOT_LOADED)


LONGEST_HEADER = 30
"""Lines between the header of a method, attributes included, and its first statement."""
NO_LINE = "INVALID_LINE"
NO_FILE = "INVALID_FILE"


def _lacks_symbols(loaded: LoadedModule, folder: str) -> bool:
    """Whether a module was probably built from the folder, as it lies below it, but has no PDB that can be used."""
    home = os.path.dirname(loaded.info.path)
    if not folder or not home or not (home + os.sep).startswith(folder + os.sep):
        return False
    return loaded.symbol_status.state is not SymbolState.LOADED


def _read_lines(loaded: LoadedModule, document_row: int) -> DocumentLines:
    from portablepdb import PortablePdbError

    pdb = loaded.pdb
    assert pdb is not None
    points = []
    for token in pdb.methods_of_document(document_row):
        method = MethodToken(token)
        try:
            found = pdb.sequence_points(method)
        except PortablePdbError:
            continue  # a method with a damaged blob has no points
        points += [
            Point(point.start_line, point.start_column, point.end_line, point.end_column, method, point.il_offset)
            for point, after in itertools.zip_longest(found, found[1:])
            if point.document_row == document_row
            and not point.is_hidden
            and not _is_never_executed(loaded, method, point.il_offset, after)
        ]

    def origin(method: MethodToken) -> Origin:
        try:
            assert loaded.metadata is not None
            declared = loaded.metadata.method(method)
            return origin_of(declared.name, loaded.metadata.type_def(declared.declaring_type).name)
        except PortablePdbError:
            return Origin(None, True)

    return DocumentLines(points, origin)


_JUMP_OVER_NOP = bytes((0x17, 0x2D, 0x01, 0x00))
"""``ldc.i4.1``, ``brtrue.s`` over the next instruction, ``nop``."""


def _is_never_executed(loaded: LoadedModule, method: MethodToken, il_offset: int, after: SequencePoint | None) -> bool:
    """Whether a point is on a `nop` that is always jumped over.

    Roslyn writes such a `nop` before the arms of a switch expression in unoptimised code, for ``switch { … }``, and one
    after them, for what is around it. A breakpoint there would look bound and never be hit. `after` is the next point
    of the method, which such a `nop` always has right behind it.
    """
    if after is None or after.il_offset != il_offset + 1 or il_offset < 3 or loaded.metadata is None:
        return False
    from portablepdb import PortablePdbError

    try:
        body = loaded.metadata.method_body(method)
    except PortablePdbError:
        return False
    return body is not None and body.il[il_offset - 3 : il_offset + 1] == _JUMP_OVER_NOP


def _site(loaded: LoadedModule, point: Point, path: str) -> Site:
    return Site(BreakpointLocation(loaded.id, point.method, point.il_offset), point.span, path)
