"""Where `symbolOptions` has PDBs searched for: folders, servers, and the cache of what servers have sent."""

from __future__ import annotations

import os
import urllib.parse
from typing import TYPE_CHECKING

from dap_dotnet.symbols.symbol_search import MICROSOFT, SymbolSearch

if TYPE_CHECKING:
    from dap_dotnet.launching.arguments import CommonArguments

_CACHE = "~/.dotnet/symbolcache"


def symbol_search(arguments: CommonArguments) -> SymbolSearch:
    """What is searched; nothing is downloaded where no server is named, or there is no home for the cache."""
    options = arguments.symbol_options
    folders = (local_folder(path) for path in options.search_paths)
    servers = [path for path in options.search_paths if is_server(path)]
    if options.search_microsoft_symbol_server:
        servers.append(MICROSOFT)
    modules = options.module_filter
    return SymbolSearch(
        folders=tuple(folder for folder in folders if folder is not None),
        excluded=tuple(modules.excluded_modules),
        included=tuple(modules.included_modules) if modules.mode == "loadOnlyIncluded" else None,
        looks_beside_others=modules.include_symbols_next_to_modules,
        servers=tuple(dict.fromkeys(servers)),
        cache=local_folder(options.cache_path) or local_folder(_CACHE) or "",
    )


def local_folder(path: str) -> str | None:
    """A folder; None for a symbol server and for what has no fixed place."""
    expanded = os.path.expanduser(path)
    return expanded if os.path.isabs(expanded) else None


def is_server(path: str) -> bool:
    """Whether it is the address of a symbol server."""
    try:
        parts = urllib.parse.urlsplit(path)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
