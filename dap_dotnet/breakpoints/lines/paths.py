"""Which documents of the loaded modules a source path means.

From the most to the least certain:

1. SAME_PATH: the name in the PDB is the path: as written, by the platform's case rule, without ``.`` and ``..``,
   through symbolic links, or through `sourceFileMap`.
2. SAME_CONTENT: another path, but the file has the document's name and checksum: a copy, or a build made elsewhere.
3. SAME_SUFFIX: the longest run of whole parts from the end is the same.

The most certain that any loaded module has is taken. Documents with different names that are equally good are
ambiguous, and none is taken. With `requireExactSource` a document whose checksum is not that of the local file is
refused.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from dap_dotnet.breakpoints.lines.line_map import LineMap
from dap_dotnet.runtime.model import ModuleId
from dap_dotnet.symbols.checksums import SourceFile
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.source_map import IGNORE_CASE, NormalPath, is_windows_path

if TYPE_CHECKING:
    from portablepdb import Document


class Certainty(enum.IntEnum):
    """How sure a match is, the surest first."""

    SAME_PATH = 0
    SAME_CONTENT = 1
    SAME_SUFFIX = 2


class Candidate(NamedTuple):
    """A document that a path may mean. `common_parts`: how many parts from the end are the same."""

    module: LoadedModule
    document: Document
    certainty: Certainty
    common_parts: int
    is_same_source: bool | None
    """By the checksum; None where there is nothing to compare."""
    identity: tuple[str, tuple[str, ...]]
    """Equal for names that are one path."""


class PathMatch(Struct, frozen=True):
    """The documents that a path means; without any, why."""

    taken: tuple[Candidate, ...] = ()
    ambiguous: tuple[Candidate, ...] = ()
    """Equally good documents with different names, none of which was taken."""
    refused: tuple[Candidate, ...] = ()
    """Documents that would have been taken, had they been compiled from the local file as it is now."""


class _Wanted(NamedTuple):
    """A path, prepared: itself with what `sourceFileMap` makes of it, and the last parts that documents may have."""

    paths: tuple[NormalPath, ...]
    names: tuple[str, ...]
    encoded: tuple[bytes, ...]
    is_windows: bool


class PathMatcher:
    """Finds documents in the modules of a catalog; what it found is kept until modules or the file change."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._names: dict[ModuleId, dict[str, list[Document]]] = {}
        self._files: dict[str, SourceFile] = {}
        self._candidates: dict[tuple[ModuleId, str], tuple[Candidate, ...]] = {}
        self._matches: dict[str, tuple[int, PathMatch]] = {}
        self._wanted: dict[str, _Wanted] = {}
        self._of_windows: dict[ModuleId, bool] = {}
        self._edited: dict[str, tuple[SourceFile, LineMap]] = {}
        """Files that were edited since a program was built from them, as last looked at."""
        self._asked: dict[str, LineMap] = {}
        """Of edited files: what the lines of the breakpoints that the client has set mean."""

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that was unloaded."""
        self._names.pop(module, None)
        self._of_windows.pop(module, None)
        self._matches.clear()
        for key in [key for key in self._candidates if key[0] == module]:
            del self._candidates[key]

    def refresh(self, path: str) -> None:
        """Look at the local file again, because the client asks anew.

        The text of a source that runs is kept as it was: `edit` tells how the file differs from it now.
        """
        file = self._files.get(path)
        known = self._edited.get(path)
        if file is None or not (known[0] if known is not None else file).has_changed:
            return
        present = SourceFile(path)
        if self._runs(path, file) and not self._runs(path, present):
            self._edited[path] = present, LineMap(file.lines, present.lines)
            return
        del self._files[path]
        self._edited.pop(path, None)
        self._wanted.pop(path, None)
        self._matches.pop(path, None)
        for key in [key for key in self._candidates if key[1] == path]:
            del self._candidates[key]

    def _runs(self, path: str, file: SourceFile) -> bool:
        """Whether a module was compiled from what a file has, or had, at a path."""
        return any(
            file.is_source_of(one.document)
            for key, candidates in self._candidates.items()
            if key[1] == path
            for one in candidates
        )

    def edit(self, path: str) -> LineMap | None:
        """How the file was edited since the program was built from it, as it is now; None: it was not.

        Known of files that were looked at (`find`) before they changed.
        """
        self.refresh(path)
        known = self._edited.get(path)
        return known[1] if known is not None else None

    def runs(self, path: str) -> SourceFile:
        """An edited file as it was when the program was built from it."""
        return self.file(path)

    def ask(self, path: str) -> Callable[[int], int | None] | None:
        """The client sets the breakpoints of a file, by its lines as they are now.

        Returns what became of the lines by which it has set others before, None for lines that are not known any more;
        None itself: they are the same.
        """
        former, present = self._asked.get(path), self.edit(path)
        if present is former:
            return None
        if present is None:
            del self._asked[path]
        else:
            self._asked[path] = present

        def moved(line: int) -> int | None:
            running = line if former is None else former.before(line)
            return running if running is None or present is None else present.now(running)

        return moved

    def asked(self, path: str) -> LineMap | None:
        """What the lines of the breakpoints in an edited file mean; None: those of the file that runs."""
        return self._asked.get(path)

    def may_have(self, path: str, loaded: LoadedModule) -> bool:
        """Whether a module has a document that comes into question."""
        return bool(self.candidates(path, loaded))

    def find(self, path: str) -> PathMatch:
        """What a path means among all modules that are loaded now."""
        version = self._modules.version
        known = self._matches.get(path)
        if known is not None and known[0] == version:
            return known[1]
        found = _decide(
            [candidate for loaded in self._modules for candidate in self.candidates(path, loaded)],
            must_be_same=self._modules.require_exact_source,
        )
        self._matches[path] = version, found
        return found

    def candidates(self, path: str, loaded: LoadedModule) -> tuple[Candidate, ...]:
        """The documents of one module that come into question, whatever other modules have."""
        key = (loaded.id, path)
        found = self._candidates.get(key)
        if found is None:
            found = self._candidates[key] = tuple(self._search(path, loaded))
        return found

    def _search(self, path: str, loaded: LoadedModule) -> list[Candidate]:
        if loaded.pdb is None:
            return []
        wanted = self._wanted_for(path)
        if not self._may_name(loaded, wanted):
            return []
        names = self._names_of(loaded)
        documents: dict[int, Document] = {}
        for name in wanted.names:
            documents.update((document.row_id, document) for document in names.get(name.casefold(), ()))
        found = []
        for document in documents.values():
            candidate = _compare(loaded, document, path, wanted.paths, self.file(path))
            if candidate is not None:
                found.append(candidate)
        return found

    def _wanted_for(self, path: str) -> _Wanted:
        wanted = self._wanted.get(path)
        if wanted is None:
            file = self.file(path)
            compiled = self._modules.source_map.compiled_paths(path)
            normal = tuple(NormalPath(one) for one in (path, *compiled))
            real = os.path.basename(file.real_path) if file.exists else ""
            names = tuple(dict.fromkeys(name for name in (*(one.name for one in normal), real) if name))
            encoded = tuple(name.encode("utf-8", "surrogatepass") for name in names)
            wanted = self._wanted[path] = _Wanted(normal, names, encoded, normal[0].is_windows)
        return wanted

    def _may_name(self, loaded: LoadedModule, wanted: _Wanted) -> bool:
        """A look at the bytes of the PDB's #Blob heap, which has the parts of all names: none is decoded in vain."""
        pdb = loaded.pdb
        assert pdb is not None
        heap = pdb.image.blobs.region
        if any(heap.data.find(name, heap.start, heap.end) >= 0 for name in wanted.encoded):
            return True
        return IGNORE_CASE or wanted.is_windows or self._is_of_windows(loaded)

    def _is_of_windows(self, loaded: LoadedModule) -> bool:
        """Whether a module was compiled on Windows, where case does not count."""
        known = self._of_windows.get(loaded.id)
        if known is None:
            from portablepdb import PortablePdbError

            assert loaded.pdb is not None
            documents = loaded.pdb.documents
            try:
                known = bool(documents) and (is_windows_path(documents[0].name) or is_windows_path(documents[-1].name))
            except PortablePdbError:
                known = True
            self._of_windows[loaded.id] = known
        return known

    def _names_of(self, loaded: LoadedModule) -> dict[str, list[Document]]:
        """The documents of a module by the last part of their names, without case."""
        names = self._names.get(loaded.id)
        if names is None:
            from portablepdb import PortablePdbError

            names = {}
            assert loaded.pdb is not None
            for document in loaded.pdb.documents:
                try:
                    name = document.name.replace("\\", "/").rpartition("/")[2]
                except PortablePdbError:
                    continue  # a damaged name is nobody's
                names.setdefault(name.casefold(), []).append(document)
            self._names[loaded.id] = names
        return names

    def file(self, path: str) -> SourceFile:
        """The local file of a path, whether it exists or not."""
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = SourceFile(path)
        return file


def _compare(
    loaded: LoadedModule, document: Document, path: str, wanted: tuple[NormalPath, ...], file: SourceFile
) -> Candidate | None:
    name = document.name
    normal = NormalPath(name)
    common = wanted[0].common_suffix(normal, ignore_case=IGNORE_CASE)
    is_same_source = file.is_source_of(document)
    if name == path or any(normal.equals(one, ignore_case=IGNORE_CASE) for one in wanted):
        return Candidate(loaded, document, Certainty.SAME_PATH, common, is_same_source, _identity(normal))
    if file.exists and not normal.is_windows and os.path.isabs(name) and os.path.realpath(name) == file.real_path:
        return Candidate(loaded, document, Certainty.SAME_PATH, common, is_same_source, _identity(normal))
    if not common:
        return None
    certainty = Certainty.SAME_CONTENT if is_same_source else Certainty.SAME_SUFFIX
    return Candidate(loaded, document, certainty, common, is_same_source, _identity(normal))


def _decide(candidates: list[Candidate], *, must_be_same: bool) -> PathMatch:
    for certainty in Certainty:
        best = [candidate for candidate in candidates if candidate.certainty is certainty]
        if not best:
            continue
        if certainty is Certainty.SAME_PATH:
            refused = [candidate for candidate in best if must_be_same and candidate.is_same_source is False]
            taken = tuple(candidate for candidate in best if candidate not in refused)
            if taken or all(candidate.certainty is not Certainty.SAME_CONTENT for candidate in candidates):
                return PathMatch(taken, refused=tuple(refused))
            continue
        longest = max(candidate.common_parts for candidate in best)
        best = [candidate for candidate in best if candidate.common_parts == longest]
        refused = [candidate for candidate in best if must_be_same and candidate.is_same_source is False]
        best = [candidate for candidate in best if candidate not in refused]
        if len({candidate.identity for candidate in best}) > 1:
            return PathMatch(ambiguous=tuple(best), refused=tuple(refused))
        return PathMatch(tuple(best), refused=tuple(refused))
    return PathMatch()


def _identity(normal: NormalPath) -> tuple[str, tuple[str, ...]]:
    fold = IGNORE_CASE or normal.is_windows
    return normal.root, tuple(part.casefold() for part in normal.parts) if fold else normal.parts
