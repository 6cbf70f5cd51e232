"""Finding the PDB of an assembly: embedded, beside it, where the CodeView entry says, in given folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import PortablePdbError, WindowsPdbError
from .portable_pdb import PortablePdb
from .records import Record
from .root import MetadataImage

if TYPE_CHECKING:
    from .debug_directory import CodeViewEntry, DebugDirectory
    from .limits import Budgets


class PdbSearchResult(Record):
    """``pdb`` is what was found, or None; ``path`` where (None: embedded); ``tried`` are (place, why not) in words."""

    pdb: PortablePdb | None
    path: str | None
    tried: list[tuple[str, str]]


def find_pdb(
    directory: DebugDirectory,
    image_path: str | None,
    text_errors: str,
    budgets: Budgets,
    search_paths: Iterable[str | os.PathLike[str]] = (),
) -> PdbSearchResult:
    """See Assembly.find_pdb. ``image_path`` is None for an image in memory."""
    tried: list[tuple[str, str]] = []
    try:
        embedded = directory.embedded_pdb(budgets)
        if embedded is not None:
            pdb = PortablePdb(MetadataImage(embedded, text_errors=text_errors, budgets=budgets))
            return PdbSearchResult(pdb, None, tried)
    except PortablePdbError as error:
        tried.append((f"{budgets.file}(embedded PDB)", f"damaged: {error.rule}"))
    wanted = directory.pdb_id
    for path in _candidates(directory.code_view, image_path, search_paths):
        if not os.path.isfile(path):
            tried.append((path, "missing"))
            continue
        try:
            pdb = PortablePdb.open(path, text_errors=text_errors, limits=budgets.limits)
        except WindowsPdbError as error:
            tried.append((path, f"a Windows PDB: {error.rule}"))
            continue
        except PortablePdbError as error:
            tried.append((path, error.rule))
            continue
        if wanted is None:
            tried.append((path, "the image names no Portable PDB, so that none can be known to be its own"))
            pdb.close()
            continue
        if pdb.id != wanted:
            tried.append(
                (path, f"id differs: it is of another build (assembly {wanted.hex()}, PDB {pdb.id.hex()}); build again")
            )
            pdb.close()
            continue
        return PdbSearchResult(pdb, path, tried)
    return PdbSearchResult(None, None, tried)


def _candidates(
    code_view: CodeViewEntry | None, image_path: str | None, search_paths: Iterable[str | os.PathLike[str]]
) -> list[str]:
    """Paths in the order to try, without doubles."""
    names = []
    if code_view is not None and code_view.path:
        # The compiler may have run on another system: the file name begins after either slash.
        names.append(code_view.path.replace("\\", "/").rsplit("/", 1)[-1])
    folder = None
    if image_path is not None:
        folder, own_name = os.path.split(image_path)
        names.append(os.path.splitext(own_name)[0] + ".pdb")
    paths = []
    if folder is not None:
        paths += [os.path.join(folder, name) for name in reversed(names) if name]
    if code_view is not None and os.path.isabs(code_view.path):
        paths.append(code_view.path)
    for search_path in search_paths:
        text = os.fspath(search_path)
        if os.path.isfile(text):
            paths.append(text)
        else:
            paths += [os.path.join(text, name) for name in reversed(names) if name]
    return list(dict.fromkeys(paths))
