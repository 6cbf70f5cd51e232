"""Texts of documents that are no files here: those in the PDB, and those that its Source Link says the address of.

A client gets a number for such a text with the document's name (`Source.source_reference`), and asks for the text when
the user wants to see it. Session thread only, but for `SourceText.check`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.symbols.checksums import is_compiled_from

if TYPE_CHECKING:
    from dap_dotnet.runtime.model import ModuleId
    from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
    from portablepdb import Document, PortablePdb

EMBEDDED = "embedded in the PDB"
LINKED = "Source Link"
BEFORE = "the text that the program was built from"
"""What clients show as a source's origin."""


class SourceUnavailableError(UserError):
    """The text of a source cannot be had. Editors show that in its place."""

    code = "SOURCE_UNAVAILABLE"
    show_user = False


class SourceText(Struct, frozen=True):
    """Where the text of a document can be had."""

    path: str
    """The local path that the document would have."""
    document: Document
    content: bytes | None
    """None where it is at `url`."""
    url: str = ""
    is_of_before: bool = False
    """Whether the file is here, and was edited since the program was built from this text."""

    @property
    def origin(self) -> str:
        """In words."""
        if self.is_of_before:
            return BEFORE
        return EMBEDDED if self.content is not None else LINKED

    def check(self, content: bytes) -> bool | None:
        """Whether the document was compiled from this content; None where its PDB has no checksum. Any thread."""
        return is_compiled_from(content, self.document)


class SourceTexts:
    """The texts of a session. Numbers are given once and stay."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._numbers: dict[str, int] = {}
        """Local path of a document -> its number, for those that have one."""
        self._missing: dict[tuple[str, ModuleId | None], int] = {}
        """Local path, and the module it was looked for in -> the catalog's version then."""
        self._texts: list[SourceText] = []

    def reference(self, path: str, module: ModuleId | None = None) -> int:
        """The number of the text of a document that is not at its local path; 0 where it is, or cannot be had.

        `module` is the one whose PDB names the document; None: any.
        """
        known = self._numbers.get(path)
        if known is not None:
            return known
        version = self._modules.version
        if self._missing.get((path, module)) == version:
            return 0
        found = None if os.path.exists(path) else self._find(path, module)
        if found is None:
            self._missing[path, module] = version
            return 0
        self._texts.append(found)
        self._numbers[path] = len(self._texts)
        return self._numbers[path]

    def of_before(self, path: str, document: Document, content: bytes) -> int:
        """The number of the text that a file had before it was edited."""
        name, dot, ending = path.rpartition(".")
        shown = f"{name or path} (before the change){dot}{ending if name else ''}"
        known = self._numbers.get(shown)
        if known is None:
            self._texts.append(SourceText(shown, document, content, is_of_before=True))
            known = self._numbers[shown] = len(self._texts)
        return known

    def given(self, path: str) -> int:
        """The number that the client has been told for a local path; 0 where it has been told none."""
        return self._numbers.get(path, 0)

    def get(self, reference: int) -> SourceText | None:
        """The text with the number; None where there is none."""
        return self._texts[reference - 1] if 0 < reference <= len(self._texts) else None

    def _find(self, path: str, module: ModuleId | None) -> SourceText | None:
        for loaded in self._modules:
            if module is not None and loaded.id != module:
                continue
            found = self._find_in(loaded, path)
            if found is not None:
                return found
        return None

    def _find_in(self, loaded: LoadedModule, path: str) -> SourceText | None:
        pdb = loaded.pdb
        if pdb is None:
            return None
        from portablepdb import PortablePdbError

        local = self._modules.source_map.local_path
        try:
            for document in pdb.documents_ending_with(file_name(path)):
                if local(document.name) == path:
                    return self._of(path, pdb, document)
        except PortablePdbError:
            pass  # a damaged PDB has no texts
        return None

    def _of(self, path: str, pdb: PortablePdb, document: Document) -> SourceText | None:
        content = pdb.embedded_source(document)
        if content is not None:
            return SourceText(path, document, content)
        link = pdb.source_link
        if link is None:
            return None
        from portablepdb.source_link import source_url

        url = source_url(link, document.name)
        if url is None or not _is_allowed(url, self._modules.source_link_rules):
            return None
        return SourceText(path, document, None, url)


def _is_allowed(url: str, rules: Mapping[str, bool]) -> bool:
    """By the longest pattern that fits; what no pattern fits may be downloaded. Only over HTTP."""
    if not url.lower().startswith(("http://", "https://")):
        return False
    fitting = [pattern for pattern in rules if _fits(url, pattern)]
    return rules[max(fitting, key=len)] if fitting else True


def _fits(url: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), url, re.IGNORECASE) is not None
