"""Assemblies that lie beside the loaded ones and are not loaded, by the types that they define.

The compiler knew the types of all references; the runtime loads an assembly when code first needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from dap_dotnet.symbols.modules import ModuleCatalog

_TYPE_DEF = 0x02
_ACCESS, _PUBLIC = 0x07, 0x01
"""TypeAttributes (ECMA-335 II.23.1.15)."""


class UnloadedType(Struct, frozen=True):
    """A public type of an assembly that is not loaded; `assembly` is its simple name."""

    full_name: str
    assembly: str


def unloaded_type(modules: ModuleCatalog, names: Sequence[tuple[str, str]]) -> UnloadedType | None:
    """The first type found of several that may be meant, as (namespace, name without arity); None: there is none.

    Files that cannot be read are passed over.
    """
    wanted = list(dict.fromkeys(names))
    for path in _files(modules) if wanted else ():
        full_name = _defined(path, wanted)
        if full_name is not None:
            return UnloadedType(full_name, os.path.splitext(os.path.basename(path))[0])
    return None


def _files(modules: ModuleCatalog) -> Iterator[str]:
    """The files beside those of the loaded modules, which are not loaded."""
    loaded = {module.name.lower() for module in modules}
    folders = dict.fromkeys(os.path.dirname(module.info.path) for module in modules if os.path.isabs(module.info.path))
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            if name.lower().endswith(".dll") and name.lower() not in loaded:
                yield os.path.join(folder, name)


def _defined(path: str, names: Sequence[tuple[str, str]]) -> str | None:
    """The full name of the first of the types that a file defines."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    known = _public_types(path, status.st_mtime_ns, status.st_size)
    return next((known[one] for one in names if one in known), None)


@lru_cache(maxsize=2048)
def _public_types(path: str, _mtime_ns: int, _size: int) -> dict[tuple[str, str], str]:
    """The full names of the public types of a file, which are not nested, by namespace and name without arity."""
    from portablepdb import Assembly, PortablePdbError

    try:
        image = Assembly.open(path, text_errors="replace").metadata.image
        table, strings = image.table(_TYPE_DEF), image.strings
        columns = [table.raw_column(name) for name in ("namespace", "name", "flags")]
        found = [
            (strings[namespace], strings[name])
            for namespace, name, flags in zip(*columns, strict=True)
            if flags & _ACCESS == _PUBLIC
        ]
    except (OSError, PortablePdbError):
        return {}
    return {(one, name.partition("`")[0]): f"{one}.{name}" if one else name for one, name in found}
