"""A place in code, and what its file says of names: using directives, types of its own, modules of Visual Basic."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import BreakpointLocation, TypeDefToken
from dap_dotnet.symbols.metadata_names import (
    FILE_LOCAL_PREFIX,
    Definition,
    full_name_of,
    marked,
    names_of_types,
    types_named,
)
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

_NAMESPACE, _ASSEMBLY_NAMESPACE, _TYPE = 1, 2, 3
_NAMESPACE_ALIAS, _TYPE_ALIAS = 7, 9
_STANDARD_MODULE = "Microsoft.VisualBasic.CompilerServices.StandardModuleAttribute"
_VISUAL_BASIC = "Visual Basic"
_TYPE_DEF = 0x02


class Site(Struct, frozen=True):
    """A place in the code where an expression is bound, with its module's symbols."""

    location: BreakpointLocation
    module: LoadedModule | None


class Imports(Struct):
    """The using directives in force at a site, and the modules of Visual Basic that its code sees.

    Aliases of namespaces map to their full names.
    """

    namespaces: list[str]
    aliases: dict[str, str]
    type_aliases: dict[str, Type]
    static_types: list[Type]


def site_of(env: Environment) -> Site | None:
    """The site of the environment's frame; None for frames without IL."""
    frame = env.context.frame
    if frame.module is None or frame.method is None or frame.il_offset is None:
        return None
    location = BreakpointLocation(frame.module, frame.method, frame.il_offset)
    return Site(location, env.program.modules.get(frame.module))


def imports_at(universe: Universe, site: Site | None, around: Iterable[str]) -> Imports:
    """What is imported at a site, whose own namespace and those around it are `around`."""
    found = Imports([], {}, {}, [])
    if site is None or site.module is None or site.module.pdb is None:
        return found
    for scope in site.module.pdb.imports_at(site.location.method, site.location.il_offset):
        for entry in scope:
            if entry.kind in (_NAMESPACE, _ASSEMBLY_NAMESPACE) and entry.namespace:
                found.namespaces.append(entry.namespace)
            elif entry.kind == _NAMESPACE_ALIAS and entry.alias and entry.namespace:
                found.aliases.setdefault(entry.alias, entry.namespace)
            elif entry.kind in (_TYPE, _TYPE_ALIAS) and entry.type is not None:
                made = universe.of_token(site.module, entry.type)
                if made is not None and entry.kind == _TYPE:
                    found.static_types.append(made)
                elif made is not None and entry.alias:
                    found.type_aliases.setdefault(entry.alias, made)
    if _is_visual_basic(site):
        found.static_types += _standard_modules(universe, (*around, *found.namespaces))
    return found


def _is_visual_basic(site: Site) -> bool:
    if site.module is None or site.module.pdb is None:
        return False
    points = site.module.pdb.sequence_points(site.location.method)
    return bool(points) and points[0].document.language_name == _VISUAL_BASIC


def _standard_modules(universe: Universe, namespaces: Iterable[str]) -> list[Type]:
    """The modules of Visual Basic in namespaces, whose members its code names without them."""
    found = [
        universe.of_definition((module.id, token))
        for namespace in dict.fromkeys(namespaces)
        for module in universe.modules
        for token in module.cached(_STANDARD_MODULES).get(namespace, ())
    ]
    return [one for one in found if one is not None]


def _modules_by_namespace(module: LoadedModule) -> dict[str, list[TypeDefToken]]:
    found: dict[str, list[TypeDefToken]] = {}
    for token in marked(module, _STANDARD_MODULE, _TYPE_DEF):
        assert module.metadata is not None
        found.setdefault(module.metadata.type_def(token).namespace, []).append(TypeDefToken(token))
    return found


_STANDARD_MODULES = CacheSlot("modules of Visual Basic by namespace", _modules_by_namespace)


def file_local(site: Site | None, scope: str, name: str) -> Definition | None:
    """The type of a name behind a namespace (`A.B.`, or nothing) that the site's file declares; None: there is none.

    The compiler puts the file's name before that of the type, and a hash of its path: of two files of one name, whose
    types have one name, none is taken (C# specification 15.2.2.3).
    """
    module = site.module if site is not None else None
    if site is None or module is None or module.metadata is None or module.pdb is None:
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
