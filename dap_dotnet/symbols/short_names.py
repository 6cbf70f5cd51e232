"""Names of methods and types without namespaces, for views that have little room."""

from __future__ import annotations

import re

from dap_dotnet.symbols.ambiguous_names import ambiguous_names
from dap_dotnet.symbols.metadata_names import referenced_types, top_level_types
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleCatalog

_DOTTED = re.compile(r"(?<![\w.])(?:@?\w+\.)+(?=@?\w)")
_SIMPLE = re.compile(r"\w+")


def short_name(modules: ModuleCatalog, module: LoadedModule | None, name: str) -> str:
    """`Shop.Sales.Cart.Add(Shop.Sales.Item item)` as `Cart.Add(Item item)`.

    `module`: whose code it is. A type whose simple name is ambiguous keeps its namespace, and so does what the module
    neither defines nor refers to.
    """
    if module is None or "." not in name:
        return name
    known, ambiguous = module.cached(_TYPES), ambiguous_names(modules)

    def shortened(match: re.Match[str]) -> str:
        namespace = match[0]
        while "." in namespace:
            namespace = namespace.rpartition(".")[0]
            simple = _SIMPLE.match(name, match.start() + len(namespace) + 1)
            full_name = f"{namespace}.{simple[0]}" if simple is not None else ""
            if full_name in known:
                return match[0] if ambiguous.has(full_name) else match[0][len(namespace) + 1 :]
        return match[0]

    return _DOTTED.sub(shortened, name)


def short_type_name(modules: ModuleCatalog, full_name: str) -> str:
    """A type's metadata name, such as `Shop.Cart+Line`, without its namespace, unless its simple name is ambiguous."""
    if ambiguous_names(modules).has(full_name):
        return full_name
    outermost, plus, nested = full_name.partition("+")
    return outermost.rpartition(".")[2] + plus + nested


def _types_of(module: LoadedModule) -> frozenset[str]:
    """The full names, without arities, of the types that a module defines or refers to, nested ones apart."""
    both = (*top_level_types(module), *referenced_types(module))
    return frozenset(f"{namespace}.{name.partition('`')[0]}" for namespace, name in both if namespace)


_TYPES = CacheSlot("types by their namespaces", _types_of)
