"""Sites of breakpoints on lines in the modules of a catalog."""

from __future__ import annotations

import os
from collections.abc import Iterable

from msgspec import structs

from dap_dotnet.breakpoints.lines.declaration_reader import declarations_of
from dap_dotnet.breakpoints.lines.document_lines import DocumentLines, Fit, Match, Point
from dap_dotnet.breakpoints.lines.document_reader import read_document
from dap_dotnet.breakpoints.lines.line_map import LineMap
from dap_dotnet.breakpoints.lines.messages import ambiguous_text, edited_text, moved_note, outside_text, refused_text
from dap_dotnet.breakpoints.lines.paths import Candidate, Certainty, PathMatch, PathMatcher
from dap_dotnet.breakpoints.model import LinePlace, Site
from dap_dotnet.breakpoints.resolution import NOT_LOADED, Resolution
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, SymbolState
from dap_dotnet.symbols.spans import Span

NO_LINE = "INVALID_LINE"
NO_FILE = "INVALID_FILE"
NO_COLUMN = "INVALID_COLUMN"


class LineResolver:
    """See the module's docstring. Session thread only; touches files, never the runtime."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self.paths = PathMatcher(modules)
        self._lines: dict[tuple[bytes, int], DocumentLines] = {}
        """By PDB id and document row: several loads of one assembly share them."""

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that is being unloaded; the catalog still has it."""
        self.paths.forget(module)
        loaded = self._modules.get(module)
        if loaded is not None and loaded.pdb is not None:  # others that share them read them anew
            for key in [key for key in self._lines if key[0] == loaded.pdb.id]:
                del self._lines[key]

    def may_have(self, path: str, loaded: LoadedModule) -> bool:
        """See `Resolver.may_have`."""
        return self.paths.may_have(path, loaded) or lacks_symbols_near(loaded, os.path.dirname(path))

    def resolve(self, place: LinePlace, module: ModuleId | None) -> Resolution:
        """See `Resolver.resolve`."""
        if place.line < 1:
            reason = f"There is no line {place.line}: line numbers start at 1."
            return Resolution(reason=reason, failed=True, code=NO_LINE)
        if module is None:
            self.paths.refresh(place.path)
            if not place.path.strip() or os.path.isdir(place.path.replace("\0", "?")):
                what = f"{place.path} is a folder" if place.path.strip() else "The path is empty"
                return Resolution(reason=f"{what}: name a source file.", failed=True, code=NO_FILE)
        match = self.paths.find(place.path)
        candidates = [one for one in match.taken if module is None or one.module.id == module]
        if not candidates:
            return Resolution() if match.taken else self._why_none(place.path, match)
        edit = self.paths.asked(place.path)
        return self._resolve_in(place, candidates) if edit is None else self._in_edited(place, edit, candidates)

    def _in_edited(self, place: LinePlace, edit: LineMap, candidates: list[Candidate]) -> Resolution:
        """Of a file that was edited since: where the line is still what it was. Texts never name the lines that run."""
        running = edit.before(place.line)
        found = Resolution()
        if running is not None:
            found = self._resolve_in(structs.replace(place, line=running), candidates)
        if not found.sites or any(site.span is not None and edit.span_now(site.span) is None for site in found.sites):
            reason = edited_text(place.line, os.path.basename(place.path))
            return Resolution(reason=reason, failed=True, code=NO_LINE)
        return structs.replace(found, note="")

    def _resolve_in(self, place: LinePlace, candidates: list[Candidate]) -> Resolution:
        sites: list[Site] = []
        shown: tuple[Match, DocumentLines] | None = None
        for candidate, lines, match in self._best_of_each_module(place, candidates):
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
        return Resolution(tuple(sites), note=note, code=NO_COLUMN if match.fit is Fit.NEAREST_COLUMN else "")

    def _best_of_each_module(
        self, place: LinePlace, candidates: Iterable[Candidate]
    ) -> list[tuple[Candidate, DocumentLines, Match]]:
        """A module may have the file several times, by #line: those documents where the place fits best."""
        best: dict[ModuleId, list[tuple[Candidate, DocumentLines, Match]]] = {}
        for candidate in candidates:
            match = self.match(place, candidate)
            if not match.points:
                continue
            known = best.setdefault(candidate.module.id, [])
            if known and match.fit < known[0][2].fit:
                known.clear()
            if not known or match.fit == known[0][2].fit:
                known.append((candidate, self.lines_of(candidate), match))
        return [found for of_module in best.values() for found in of_module]

    def match(self, place: LinePlace, candidate: Candidate) -> Match:
        """What a place means in one document."""
        lines = self.lines_of(candidate)
        match = lines.find(place.line, place.column)
        if match.fit < Fit.BEGINNING or candidate.is_same_source is False:
            return match
        declarations = declarations_of(self.paths.file(place.path), candidate.document.language_name)
        if declarations is None:
            return match
        declaration = declarations.around(place.line)
        declared = lines.declared(place.line, declaration) if declaration is not None else match
        return declared if declared.fit is not Fit.NONE else lines.next_statement(place.line)

    def spans(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> list[Span]:
        """The statements that start between two (line, column)s of a file, both included; sorted, each once."""
        self.paths.refresh(path)
        edit = self.paths.edit(path)
        found: set[Span] = set()
        for candidate in self.paths.find(path).taken:
            lines = self.lines_of(candidate)
            if edit is None:
                found.update(lines.within(start, end))
            else:
                every = (edit.span_now(span) for span in lines.within((1, 0), (1 << 30, 0)))
                found.update(span for span in every if span is not None and start <= (span.line, span.column) <= end)
        return sorted(found)

    def span_now(self, path: str, span: Span) -> Span | None:
        """Where a span of the source that runs is in the file as it is now; None where it is not, as it was."""
        edit = self.paths.edit(path)
        return span if edit is None else edit.span_now(span)

    def pieces_now(self, path: str, span: Span) -> list[Span]:
        """The same, of what may have other lines in it now: the parts that are as they were."""
        edit = self.paths.edit(path)
        return [span] if edit is None else edit.pieces_now(span)

    def local_path(self, compiled: str) -> str:
        """The path here of a document's name."""
        return self._modules.source_map.local_path(compiled)

    def lines_of(self, candidate: Candidate) -> DocumentLines:
        """The sequence points of a document, read once."""
        return self.lines_in(candidate.module, candidate.document.row_id)

    def lines_in(self, module: LoadedModule, document_row: int) -> DocumentLines:
        """As `lines_of`, of a document of a module with symbols."""
        assert module.pdb is not None
        key = module.pdb.id, document_row
        lines = self._lines.get(key)
        if lines is None:
            lines = self._lines[key] = read_document(module, document_row)
        return lines

    def _why_none(self, path: str, match: PathMatch) -> Resolution:
        if match.ambiguous:
            return Resolution(reason=ambiguous_text(path, match), failed=True, code=NO_FILE)
        if match.refused:
            text = refused_text(path, match)
            if match.refused[0].certainty is Certainty.SAME_PATH:
                return Resolution(reason=text, failed=True, code=NO_FILE)
            return Resolution(reason=f"{NOT_LOADED} {text}")
        folder = os.path.dirname(path)
        hints = [
            f"{loaded.name} is loaded without symbols ({loaded.symbol_status.detail})"
            for loaded in self._modules
            if lacks_symbols_near(loaded, folder)
        ]
        if hints:
            return Resolution(reason=f"{NOT_LOADED} {'; '.join(hints)}.")
        if not self.paths.file(path).exists:  # it may all the same be a path of the machine that built the program
            return Resolution(reason=f"{NOT_LOADED} The file does not exist here either: check its path.", code=NO_FILE)
        return Resolution(reason=NOT_LOADED)


def lacks_symbols_near(loaded: LoadedModule, folder: str) -> bool:
    """Whether a module was probably built from a folder, as it lies below it, but has no PDB that can be used."""
    home = os.path.dirname(loaded.info.path)
    if not folder or not home or not (home + os.sep).startswith(folder + os.sep):
        return False
    return loaded.symbol_status.state is not SymbolState.LOADED


def _site(loaded: LoadedModule, point: Point, path: str) -> Site:
    return Site(BreakpointLocation(loaded.id, point.method, point.il_offset), point.span, path)
