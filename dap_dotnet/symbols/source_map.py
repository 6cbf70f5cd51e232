"""Where sources are here that were somewhere else when they were compiled: `sourceFileMap`, and what was learned."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping

IGNORE_CASE = sys.platform in ("win32", "darwin")
"""The platform's rule for the names of files."""

_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/]|\Z)")


def is_windows_path(path: str) -> bool:
    r"""Whether a path is one of Windows: ``C:\x``, ``c:/x``, ``\\server\x``, or with backslashes only."""
    return _DRIVE.match(path) is not None or path.startswith("\\\\") or ("\\" in path and "/" not in path)


class NormalPath:
    """A path in parts, without ``.``, ``..`` and doubled separators, to be compared by the rules of its system.

    `root` is ``/``, a drive (``c:``) or, for relative paths, empty. Paths of Windows compare without case wherever we
    run; others by `ignore_case`.
    """

    __slots__ = ("is_windows", "parts", "root")

    def __init__(self, path: str) -> None:
        self.is_windows = is_windows_path(path)
        text = path.replace("\\", "/")
        self.root = ""
        drive = _DRIVE.match(text)
        if drive is not None:
            self.root, text = drive.group().lower(), text[2:]
        elif text.startswith("/"):
            self.root = "/"
        parts: list[str] = []
        for part in text.split("/"):
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            elif part not in ("", ".") and not (part == ".." and self.root):
                parts.append(part)
        self.parts = tuple(parts)

    @property
    def name(self) -> str:
        """The last part; empty for a root."""
        return self.parts[-1] if self.parts else ""

    def equals(self, other: NormalPath, *, ignore_case: bool) -> bool:
        """Whether both name the same place, as far as the text shows."""
        if self.root != other.root or len(self.parts) != len(other.parts):
            return False
        return self.common_suffix(other, ignore_case=ignore_case) == len(self.parts)

    def common_suffix(self, other: NormalPath, *, ignore_case: bool) -> int:
        """How many of the last parts are the same."""
        fold = ignore_case or self.is_windows or other.is_windows
        count = 0
        for mine, theirs in zip(reversed(self.parts), reversed(other.parts), strict=False):
            if mine != theirs and not (fold and mine.casefold() == theirs.casefold()):
                break
            count += 1
        return count

    def below(self, folder: NormalPath, *, ignore_case: bool) -> tuple[str, ...] | None:
        """The parts after those of `folder`, () for the folder itself; None when the path is not in it."""
        count = len(folder.parts)
        if self.root != folder.root or len(self.parts) < count:
            return None
        fold = ignore_case or self.is_windows or folder.is_windows
        for mine, theirs in zip(self.parts, folder.parts, strict=False):
            if mine != theirs and not (fold and mine.casefold() == theirs.casefold()):
                return None
        return self.parts[count:]


class SourceMap:
    """Compile-time paths and the local ones that they stand for. Files or folders; the longest one wins."""

    def __init__(self, mappings: Mapping[str, str] | None = None, *, ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        pairs = [(NormalPath(compiled), compiled, local) for compiled, local in (mappings or {}).items()]
        self._mappings = sorted(pairs, key=lambda mapping: len(mapping[0].parts), reverse=True)
        self._learned: dict[str, str] = {}

    def local_path(self, document: str) -> str:
        """Where the source is that a PDB calls `document`; that name itself when nothing is known."""
        learned = self._learned.get(document)
        if learned is not None:
            return learned
        if self._mappings and document:
            normal = NormalPath(document)
            for compiled, _, local in self._mappings:
                rest = normal.below(compiled, ignore_case=self._ignore_case)
                if rest is not None:
                    return _join(local, rest)
        return document

    def compiled_paths(self, local_path: str) -> list[str]:
        """The names that a PDB may have for a local source by the mappings, the most likely first."""
        found = []
        if self._mappings:
            normal = NormalPath(local_path)
            for _, compiled, local in self._mappings:
                rest = normal.below(NormalPath(local), ignore_case=self._ignore_case)
                if rest is not None:
                    found.append(_join(compiled, rest))
        return found

    def learn(self, document: str, path: str) -> None:
        """A breakpoint showed that the client knows `document` as `path`."""
        if document != path:
            self._learned[document] = path
        else:
            self._learned.pop(document, None)


def _join(folder: str, rest: Iterable[str]) -> str:
    separator = "\\" if is_windows_path(folder) and "/" not in folder else "/"
    parts = list(rest)
    return separator.join([folder.rstrip("/\\"), *parts]) if parts else folder
