"""Types that are local to a file (C# specification 15.2.2.3), by the names that the source has for them."""

from __future__ import annotations

import re

from dap_dotnet.evaluation.binding.variables import Site
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import FILE_LOCAL_PREFIX, Definition, full_name_of, names_of_types, types_named
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule


def file_local(site: Site | None, scope: str, name: str) -> Definition | None:
    """The type of a name behind a namespace (`A.B.`, or nothing) that the site's file declares; None: there is none.

    The compiler puts the file's name before that of the type, and a hash of its path: of two files of one name, whose
    types have one name, none is taken.
    """
    module = site.module if site is not None else None
    if site is None or module is None or module.metadata is None or module.pdb is None or scope.endswith("+"):
        return None
    found = module.cached(_FILE_TYPES).get(scope + name)
    if not found:
        return None
    points = module.pdb.sequence_points(site.location.method)
    path = next((point.document.name for point in points if not point.is_hidden), "")
    stem = re.sub(r"\W", "_", re.split(r"[\\/]", path)[-1].rpartition(".")[0])
    tokens = [token for file, token in found if file == stem]
    return (module.id, tokens[0]) if len(tokens) == 1 else None


def _file_types(module: LoadedModule) -> dict[str, list[tuple[str, TypeDefToken]]]:
    """By their full names as the source has them: the files' names, and the types."""
    made: dict[str, list[tuple[str, TypeDefToken]]] = {}
    for name in names_of_types(module):
        prefix = FILE_LOCAL_PREFIX.match(name)
        for token in types_named(module, name) if prefix is not None else ():
            assert prefix is not None
            full_name = full_name_of(module, token).replace(prefix[0], "", 1)
            made.setdefault(full_name, []).append((prefix[0][1 : prefix[0].index(">")], token))
    return made


_FILE_TYPES: CacheSlot[dict[str, list[tuple[str, TypeDefToken]]]] = CacheSlot("types of files", _file_types)
