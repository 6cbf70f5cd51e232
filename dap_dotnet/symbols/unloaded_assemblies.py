"""Assemblies that lie beside the loaded ones and are not loaded, by the types that they define.

The compiler knew the types of all references; the runtime loads an assembly when code first needs it.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dap_dotnet.symbols.modules import ModuleCatalog

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
    from portablepdb import Assembly, PortablePdbError

    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            likely = [one for one in names if _has_text(content, one[1]) and _has_text(content, one[0])]
        metadata = Assembly.open(path, text_errors="replace").metadata if likely else None
    except (OSError, ValueError, PortablePdbError):
        return None
    for namespace, name in likely if metadata is not None else ():
        assert metadata is not None
        for kind in metadata.find_types(namespace):
            if kind.name.partition("`")[0] == name and kind.flags & _ACCESS == _PUBLIC:
                return f"{namespace}.{kind.name}" if namespace else kind.name
    return None


def _has_text(content: mmap.mmap, text: str) -> bool:
    """Whether a string of the metadata ends with a text, or with one that has an arity behind it."""
    raw = text.encode()
    return content.find(raw + b"\0") >= 0 or content.find(raw + b"`") >= 0
