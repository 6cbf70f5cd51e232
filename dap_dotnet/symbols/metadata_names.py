"""Types by name over all loaded modules, and from references in one module to definitions in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import ModuleId, TypeDefToken
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from portablepdb import Metadata

Definition = tuple[ModuleId, TypeDefToken]
"""A TypeDef of a loaded module."""

FILE_LOCAL_PREFIX = re.compile(r"<[^<>]*>F[0-9A-F]{64}__")
"""What Roslyn puts before the name of a type that its file keeps for itself."""

_TYPE_REF, _TYPE_DEF, _METHOD_DEF, _MEMBER_REF, _CUSTOM_ATTRIBUTE, _ASSEMBLY_REF = 0x01, 0x02, 0x06, 0x0A, 0x0C, 0x23
_VISIBILITY, _NESTED_PUBLIC = 0x07, 0x02
"""TypeAttributes (ECMA-335 II.23.1.15): from the second on, types are nested."""


def full_name_of(module: LoadedModule | None, token: TypeDefToken) -> str:
    """`Ns.Outer+Inner`1`; empty where there is no metadata."""
    return module.metadata.type_name(token) if module is not None and module.metadata is not None else ""


def base_of(module: LoadedModule | None, token: TypeDefToken) -> str:
    """The full name of the base class, without generic arguments; empty when there is none."""
    if module is None or module.metadata is None:
        return ""
    base = module.metadata.type_def(token).base
    return module.metadata.type_name(base) if base is not None and base >> 24 != 0x1B else ""


def _index_types(module: LoadedModule) -> dict[str, list[TypeDefToken]]:
    index: dict[str, list[TypeDefToken]] = {}
    metadata = module.metadata
    if metadata is not None:
        strings = metadata.image.strings
        for row_id, offset in enumerate(metadata.image.table(_TYPE_DEF).raw_column("name"), 1):
            index.setdefault(strings[offset], []).append(TypeDefToken(_TYPE_DEF << 24 | row_id))
    return index


def _namespaces_of(module: LoadedModule) -> frozenset[str]:
    metadata = module.metadata
    if metadata is None:
        return frozenset()
    offsets = set(metadata.image.table(_TYPE_DEF).raw_column("namespace"))
    return frozenset(metadata.image.strings[offset] for offset in offsets)


_TYPES_BY_NAME = CacheSlot("types by name", _index_types)
_NAMESPACES = CacheSlot("namespaces", _namespaces_of)
_RESOLVED: CacheSlot[dict[int, Definition]] = CacheSlot("definitions by reference", lambda _: {})


def types_named(module: LoadedModule, name: str) -> list[TypeDefToken]:
    """The TypeDefs whose own (innermost) metadata name is `name`. Indexed on first use and kept with the module."""
    return module.cached(_TYPES_BY_NAME).get(name, [])


def top_level_types(module: LoadedModule) -> list[tuple[str, str]]:
    """Namespace and name of each TypeDef that is not nested in another, without what compilers name."""
    metadata = module.metadata
    if metadata is None:
        return []
    table, strings = metadata.image.table(_TYPE_DEF), metadata.image.strings
    columns = (table.raw_column(column) for column in ("flags", "namespace", "name"))
    shown = (
        (strings[namespace], FILE_LOCAL_PREFIX.sub("", strings[name]))
        for flags, namespace, name in zip(*columns, strict=True)
        if flags & _VISIBILITY < _NESTED_PUBLIC
    )
    return [(namespace, name) for namespace, name in shown if not name.startswith("<")]


def referenced_types(module: LoadedModule) -> list[tuple[str, str]]:
    """Namespace and name of each TypeRef; of a nested one the namespace is empty."""
    metadata = module.metadata
    if metadata is None:
        return []
    table, strings = metadata.image.table(_TYPE_REF), metadata.image.strings
    columns = (table.raw_column(column) for column in ("namespace", "name"))
    return [(strings[namespace], strings[name]) for namespace, name in zip(*columns, strict=True)]


def names_of_types(module: LoadedModule) -> list[str]:
    """The own (innermost) metadata names of all TypeDefs, each once."""
    found = module.cached(_TYPES_BY_NAME)
    return list(found)


def find_definition(
    modules: ModuleCatalog, full_name: str, first: LoadedModule | None = None, assembly: str | None = None
) -> Definition | None:
    """The TypeDef of a full metadata name: in `first`, in the assembly of that name, then anywhere in load order."""
    if not full_name:
        return None
    if first is not None and (found := _in_module(first, full_name)) is not None:
        return found
    named: list[LoadedModule] = []
    others: list[LoadedModule] = []
    for module in modules:
        is_named = assembly is not None and module.name.rpartition(".")[0] == assembly
        (named if is_named else others).append(module)
    for module in (*named, *others):
        found = _in_module(module, full_name)
        if found is not None:
            return found
    return None


def _in_module(module: LoadedModule, full_name: str) -> Definition | None:
    simple = full_name.rpartition("+")[2]
    if simple == full_name:
        simple = full_name.rpartition(".")[2]
    for token in types_named(module, simple):
        if full_name_of(module, token) == full_name:
            return module.id, token
    return None


def resolve(modules: ModuleCatalog, module: LoadedModule, token: int) -> Definition | None:
    """The TypeDef that a TypeDef or TypeRef token of a module means; None when its module is not loaded.

    Forwarded types are found by their name in whichever loaded module defines them.
    """
    if token >> 24 == _TYPE_DEF:
        return module.id, TypeDefToken(token)
    if token >> 24 != _TYPE_REF or module.metadata is None:
        return None
    cache = module.cached(_RESOLVED)
    found = cache.get(token)
    if found is None or modules.get(found[0]) is None:
        name = module.metadata.type_name(token)
        made = find_definition(modules, name, assembly=_assembly_of(module, token))
        if made is None:
            return None
        found = cache[token] = made
    return found


def _assembly_of(module: LoadedModule, token: int) -> str | None:
    assert module.metadata is not None
    image = module.metadata.image
    for _ in range(64):
        row = image.table(_TYPE_REF).row(token & 0xFFFFFF)
        token = row.resolution_scope
        if token >> 24 == _ASSEMBLY_REF:
            return image.strings[image.table(_ASSEMBLY_REF).row(token & 0xFFFFFF).name]
        if token >> 24 != _TYPE_REF:
            return None
    return None


def has_namespace(modules: ModuleCatalog, namespace: str) -> bool:
    """Whether any loaded module has a type in the namespace, or in one below it."""
    prefix = namespace + "."
    for module in modules:
        known = module.cached(_NAMESPACES)
        if any(name == namespace or name.startswith(prefix) for name in known):
            return True
    return False


def has_name(modules: ModuleCatalog, name: str) -> bool:
    """Whether the metadata of any loaded module may have a member of a name: has a name that ends so."""
    ending = name.encode("utf-8", "surrogatepass") + b"\0"
    images = (module.metadata.image for module in modules if module.metadata is not None)
    return any(ending in image.strings.region.whole() for image in images)


def field_name(metadata: Metadata, token: int) -> str:
    """The name of the field of a Field or MemberRef token. Raises `PortablePdbError`."""
    if token >> 24 == _MEMBER_REF:
        return metadata.image.strings[metadata.image.table(_MEMBER_REF).row(token & 0xFFFFFF).name]
    return metadata.field(token).name


def marked(module: LoadedModule, attribute: str, table: int) -> list[int]:
    """The tokens of a table's rows that have a custom attribute of a type, by its full name; none without metadata."""
    metadata = module.metadata
    if metadata is None:
        return []
    rows = metadata.image.table(_CUSTOM_ATTRIBUTE)
    is_marker: dict[int, bool] = {}
    found = []
    for parent, constructor in zip(rows.column("parent"), rows.column("type"), strict=True):
        if parent >> 24 != table:
            continue
        known = is_marker.get(constructor)
        if known is None:
            known = is_marker[constructor] = _attribute_name(metadata, constructor) == attribute
        if known:
            found.append(parent)
    return found


def _attribute_name(metadata: Metadata, constructor: int) -> str:
    if constructor >> 24 == _METHOD_DEF:
        return metadata.type_name(metadata.declaring_type(constructor))
    if constructor >> 24 != _MEMBER_REF:
        return ""
    owner = metadata.image.table(_MEMBER_REF).row(constructor & 0xFFFFFF).class_
    return metadata.type_name(owner) if owner >> 24 in (_TYPE_REF, _TYPE_DEF) else ""
