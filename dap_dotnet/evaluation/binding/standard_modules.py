"""Modules of Visual Basic: in its code their members need no prefix wherever their namespaces need none."""

from __future__ import annotations

from collections.abc import Iterable

from dap_dotnet.evaluation.binding.variables import Site
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import marked
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

_ATTRIBUTE = "Microsoft.VisualBasic.CompilerServices.StandardModuleAttribute"
_LANGUAGE = "Visual Basic"
_TYPE_DEF = 0x02


def standard_modules(universe: Universe, site: Site, namespaces: Iterable[str]) -> list[Type]:
    """The modules in namespaces, in their order, of all that the program has loaded; none for other languages' code."""
    if not _is_visual_basic(site):
        return []
    found = []
    for namespace in dict.fromkeys(namespaces):
        for module in universe.modules:
            for token in module.cached(_MODULES).get(namespace, ()):
                made = universe.of_definition((module.id, token))
                if made is not None:
                    found.append(made)
    return found


def _is_visual_basic(site: Site) -> bool:
    if site.module is None or site.module.pdb is None:
        return False
    points = site.module.pdb.sequence_points(site.location.method)
    return bool(points) and points[0].document.language_name == _LANGUAGE


def _by_namespace(module: LoadedModule) -> dict[str, list[TypeDefToken]]:
    found: dict[str, list[TypeDefToken]] = {}
    for token in marked(module, _ATTRIBUTE, _TYPE_DEF):
        assert module.metadata is not None
        found.setdefault(module.metadata.type_def(token).namespace, []).append(TypeDefToken(token))
    return found


_MODULES = CacheSlot("modules of Visual Basic by namespace", _by_namespace)
