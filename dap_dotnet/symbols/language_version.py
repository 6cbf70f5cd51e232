"""The version of C# that a module was compiled as: a program may mean other things in another one."""

from __future__ import annotations

import re

from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

FIRST_PRIORITIES, FIRST_SPANS = 13, 14
"""The first versions that look at OverloadResolutionPriority, and that convert arrays and strings to spans."""
LATEST = 14
_MODULE = 0x00000001


def language_version(module: LoadedModule | None) -> int:
    """The major version; the latest one where the PDB says none, and for other languages."""
    return module.cached(_VERSION) if module is not None else LATEST


def _read(module: LoadedModule) -> int:
    from portablepdb import PortablePdbError

    if module.pdb is None:
        return LATEST
    options: dict[str, str] = {}
    try:
        for entry in module.pdb.custom_debug_information(_MODULE):
            if entry.kind == "compilation_options":
                options = dict(entry.decoded)
    except PortablePdbError:
        return LATEST
    number = re.match(r"\d+", options.get("language-version", "")) if options.get("language") == "C#" else None
    return int(number[0]) if number is not None else LATEST


_VERSION: CacheSlot[int] = CacheSlot("version of the language", _read)
