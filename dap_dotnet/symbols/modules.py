"""The modules of a session, each with its metadata and its PDB, opened when first asked for.

Session thread only. A file that cannot be read never stops the session: the module then has no symbols, and
`SymbolStatus` says why and what to do.
"""

from __future__ import annotations

import enum
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.source_map import SourceMap
from dap_dotnet.symbols.symbol_search import SymbolSearch

if TYPE_CHECKING:
    from dap_dotnet.symbols.symbol_store import WantedPdb
    from portablepdb import Assembly, Metadata, PortablePdb

_log = logging.getLogger(__name__)

MemoryReader = Callable[[int, int], bytes]
"""(address, size) -> bytes of the debuggee; may raise DapDotnetError."""
MetadataReader = Callable[[ModuleId], bytes]
"""The metadata of a module as the runtime has it now, the same object unless it has grown; may raise DapDotnetError."""

_LANGUAGE_LIBRARIES = ("FSharp.Core.dll",)


class SymbolState(enum.Enum):
    """Whether a module has symbols, as the `module` event reports it."""

    LOADED = "Symbols loaded."
    NONE = "No symbols."
    ERROR = "Symbols could not be used."


class SymbolStatus(Struct, frozen=True):
    """State, the path of the PDB (None: none, or embedded) and, for NONE and ERROR, what was tried, in words."""

    state: SymbolState
    path: str | None = None
    detail: str = ""


K = TypeVar("K")
T = TypeVar("T")


class CacheSlot(Generic[T]):
    """Names one thing that is derived from a module and kept with it: `module.cached(SLOT)`.

    Whoever derives it owns the slot, as a constant of its module; two slots are never the same. `make` makes the value
    at the first use, which is never None: the index itself, or an empty dict that is filled as questions come.
    """

    __slots__ = ("make", "name")

    def __init__(self, name: str, make: Callable[[LoadedModule], T]) -> None:
        self.name = name
        self.make = make

    def __repr__(self) -> str:
        return f"<CacheSlot {self.name}>"


class ModuleMemo(Generic[K, T]):
    """A function of a module and of something in it, whose answers are kept with the module: `memo(module, key)`.

    `most`: when a module has so many, all of them are let go of; None: they stay. An answer may be None; where `make`
    raises, nothing is kept. The answers are shared: nobody changes them.
    """

    __slots__ = ("_make", "_most", "_slot")

    def __init__(self, name: str, make: Callable[[LoadedModule, K], T], most: int | None = None) -> None:
        self._make = make
        self._most = most
        self._slot: CacheSlot[dict[K, T]] = CacheSlot(name, lambda _: {})

    def __call__(self, module: LoadedModule, key: K) -> T:
        """The answer; made when it is asked for the first time."""
        kept = module.cached(self._slot)
        if key not in kept:
            made = self._make(module, key)
            if self._most is not None and len(kept) >= self._most:
                kept.clear()
            kept[key] = made
        return kept[key]


class LoadedModule:
    """One loaded module. Attributes are read from its files on first use and kept."""

    def __init__(self, info: ModuleInfo, read_memory: MemoryReader, symbols: SymbolSearch | None = None) -> None:
        """`symbols`: where its PDB is searched for; None: in and beside it."""
        self.info = info
        self._symbol_search = symbols or SymbolSearch()
        self._read_memory = read_memory
        self.just_my_code = True
        """Whether the session marked it as the user's code (JMC status in the runtime)."""
        self._cache: dict[CacheSlot[Any], Any] = {}
        self._raw_metadata = b""
        self._servers_tried: tuple[str, ...] = ()
        self._downloaded_to = ""
        self._shared: set[str] = set()
        """Attributes whose files another catalog closes."""

    def cached(self, slot: CacheSlot[T]) -> T:
        """What is kept in the slot; made at the first use, and gone with the module."""
        found: T | None = self._cache.get(slot)
        if found is None:
            found = self._cache[slot] = slot.make(self)
        return found

    @property
    def id(self) -> ModuleId:
        """The runtime's number for it."""
        return self.info.module

    @cached_property
    def name(self) -> str:
        """File name, such as app.dll."""
        return os.path.basename(self.info.path.replace("\\", "/")) or self.info.path or "<unnamed module>"

    @cached_property
    def assembly(self) -> Assembly | None:
        """The image with its metadata; None when it can be read neither from its file nor from memory."""
        from dap_dotnet.errors import DapDotnetError
        from portablepdb import Assembly, PortablePdbError

        info = self.info
        if not info.is_in_memory and not info.is_dynamic and os.path.isfile(info.path):
            try:
                return Assembly.open(info.path, text_errors="replace")
            except (PortablePdbError, OSError) as error:
                _log.warning("cannot read %s: %s", info.path, error)
        if info.is_dynamic or info.base_address == 0 or info.size == 0:
            return None
        try:
            image = self._read_memory(info.base_address, info.size)
            layout = "mapped" if info.is_mapped_layout else "flat"
            return Assembly.open(image, layout=layout, text_errors="replace")
        except (PortablePdbError, DapDotnetError) as error:
            _log.warning("cannot read the image of %s from memory: %s", info.path, error)
            return None

    @cached_property
    def metadata(self) -> Metadata | None:
        """Names and signatures; None for modules whose image cannot be read, and dynamic ones before `grow`."""
        return self.assembly.metadata if self.assembly is not None else None

    def grow(self, read_metadata: MetadataReader) -> bool:
        """Take the metadata of a dynamic module as it is now: it has no image, and gets types while the program runs.

        What was derived from it is derived anew. False where it is as before, or cannot be read, as while the program
        runs.
        """
        from dap_dotnet.errors import DapDotnetError
        from portablepdb import Metadata, PortablePdbError

        try:
            raw = read_metadata(self.id)
            if raw is self._raw_metadata:
                return False
            self._raw_metadata = raw
            self.metadata = Metadata.open(raw, name=self.name, text_errors="replace")
        except (DapDotnetError, PortablePdbError) as error:
            _log.debug("cannot read the metadata of %s: %s", self.name, error)
            return False
        self._cache.clear()
        return True

    @cached_property
    def _symbols(self) -> tuple[PortablePdb | None, SymbolStatus]:
        from portablepdb import PortablePdbError

        if self.assembly is None:
            return None, SymbolStatus(SymbolState.NONE, detail="The module's image cannot be read.")
        folders = self._symbol_search.folders_for(self.name)
        if folders is None:
            return None, SymbolStatus(SymbolState.NONE, detail="symbolOptions.moduleFilter excludes the module.")
        try:
            kept = (self._downloaded_to,) if self._downloaded_to else ()
            stores = (*self._symbol_search.stores_for(self.name), *kept)
            wanted = self.wanted_pdb if stores else None
            stored = wanted.find_in(stores) if wanted is not None else None
            found = self.assembly.find_pdb(folders if stored is None else (*folders, stored))
        except (PortablePdbError, OSError) as error:
            return None, SymbolStatus(SymbolState.ERROR, detail=str(error))
        if found.pdb is not None:
            return found.pdb, SymbolStatus(SymbolState.LOADED, found.path)
        tried = "; ".join([*(f"{path}: {reason}" for path, reason in found.tried), *self._servers_tried])
        return None, SymbolStatus(SymbolState.NONE, detail=tried or "The module names no PDB.")

    @cached_property
    def wanted_pdb(self) -> WantedPdb | None:
        """How symbol stores and servers name its PDB; None: they cannot have it."""
        from dap_dotnet.symbols.symbol_store import wanted_pdb
        from portablepdb import PortablePdbError

        try:
            return wanted_pdb(self.assembly) if self.assembly is not None else None
        except PortablePdbError:
            return None

    def servers_tried(self, reasons: tuple[str, ...]) -> None:
        """Symbol servers have been asked in vain; why, for each of them."""
        self._servers_tried = reasons
        self.look_again()

    def downloaded_to(self, store: str) -> None:
        """Its PDB has come into a symbol store that is searched for it from now on."""
        self._downloaded_to = store

    def look_again(self) -> None:
        """Search for the PDB again when it is next asked for. Whether it is the user's code stays as it was."""
        if self.pdb is None:
            self.is_user_code  # noqa: B018
            del self._symbols
            self._cache.clear()

    @property
    def pdb(self) -> PortablePdb | None:
        """The PDB that belongs to exactly this build of the module; None when there is none."""
        return self._symbols[0]

    @property
    def symbol_status(self) -> SymbolStatus:
        """Whether there are symbols, from where, or why not."""
        return self._symbols[1]

    @cached_property
    def is_optimized(self) -> bool:
        """Whether the compiler asked for optimised code (DebuggableAttribute); True when it does not say."""
        said = self.metadata.debuggable if self.metadata is not None else None
        return said is None or not said[1]

    @cached_property
    def is_user_code(self) -> bool:
        """Just My Code: the module has symbols and is not optimised."""
        return self.pdb is not None and not self.is_optimized

    @cached_property
    def is_language_library(self) -> bool:
        """Whether it belongs to a language, and is optimised: FSharp.Core, which has its symbols with it."""
        return self.name in _LANGUAGE_LIBRARIES and self.is_optimized

    @property
    def is_framework(self) -> bool:
        """Whether it is one of the runtime's own libraries."""
        return self.name.startswith("System.") and not self.is_user_code

    def method_text(self, method: int) -> str:
        """A method as users see it, with its parameters; its token where the metadata cannot be read."""
        from portablepdb import PortablePdbError

        try:
            if self.metadata is not None:
                return self.metadata.display_method(method)
        except PortablePdbError:
            pass
        return f"method 0x{method:08x}"

    def share_files(self, other: LoadedModule) -> None:
        """Take what is open of the same module in another catalog, which closes it."""
        if not self.info.is_dynamic:
            self._shared = {name for name in ("assembly", "metadata", "_symbols") if name in other.__dict__}
            self.__dict__.update((name, other.__dict__[name]) for name in self._shared)

    def close(self) -> None:
        """Close the files that were opened."""
        pdb = self.__dict__.get("_symbols", (None,))[0] if "_symbols" not in self._shared else None
        assembly = self.__dict__.get("assembly") if "assembly" not in self._shared else None
        for opened in (pdb, assembly):
            if opened is not None:
                opened.close()


class ModuleCatalog:
    """All loaded modules, in load order."""

    def __init__(self) -> None:
        self._modules: dict[ModuleId, LoadedModule] = {}
        self.version = 0
        """Another one whenever a module came or went, and when `grow` saw that a dynamic one has changed."""
        self.source_map = SourceMap()
        """Where the sources are that PDBs name. Launch and attach set it."""
        self.require_exact_source = True
        """Whether a local file must have the checksum in the PDB."""
        self.symbol_search = SymbolSearch()
        """Where PDBs are searched for, and for which modules. Launch and attach set it."""
        self.source_link_rules: Mapping[str, bool] = {}
        """Pattern of addresses -> whether sources are downloaded from there. Launch and attach set it."""
        self._growing: dict[ModuleId, MetadataReader] = {}
        self.references: dict[str, LoadedModule] = {}
        """Assemblies that are not loaded, by their files (`reference_modules`). Their numbers are negative."""
        self._derived: dict[object, Any] = {}

    def derived(self, make: Callable[[ModuleCatalog], T]) -> T:
        """What `make` makes of the catalog, made once: for those who keep what follows from all modules together."""
        found: T | None = self._derived.get(make)
        if found is None:
            found = self._derived[make] = make(self)
        return found

    def take_rules_of(self, other: ModuleCatalog) -> None:
        """Search for symbols and sources as another catalog does."""
        self.source_map = other.source_map
        self.require_exact_source = other.require_exact_source
        self.symbol_search = other.symbol_search
        self.source_link_rules = other.source_link_rules

    def add(
        self, info: ModuleInfo, read_memory: MemoryReader, read_metadata: MetadataReader | None = None
    ) -> LoadedModule:
        """Take in a module that was loaded. `read_metadata` is asked for that of a dynamic one."""
        module = LoadedModule(info, read_memory, self.symbol_search)
        self._modules[info.module] = module
        if info.is_dynamic and read_metadata is not None:
            self._growing[info.module] = read_metadata
        self._has_changed()
        return module

    def symbols_changed(self, module: LoadedModule) -> None:
        """A PDB may have come to where that of the module is searched for."""
        module.look_again()
        self._has_changed()

    def remove(self, module: ModuleId) -> LoadedModule | None:
        """Forget a module that was unloaded, and close its files. None when it is not known."""
        removed = self._modules.pop(module, None)
        self._growing.pop(module, None)
        if removed is not None:
            self._has_changed()
            removed.close()
        return removed

    def get(self, module: ModuleId | None) -> LoadedModule | None:
        """The module with the number, a dynamic one with its types of now; None for None and where it is gone."""
        if module is not None and module < 0:
            return next((one for one in self.references.values() if one.id == module), None)
        found = self._modules.get(module) if module is not None else None
        if found is not None and found.id in self._growing and found.grow(self._growing[found.id]):
            self._has_changed()
        return found

    def _has_changed(self) -> None:
        self.version += 1
        for name in ("have_user_code", "have_language_library"):
            self.__dict__.pop(name, None)

    def grow(self) -> None:
        """Let dynamic ones have their types of now."""
        for module in list(self._growing):
            self.get(module)

    @cached_property
    def have_user_code(self) -> bool:
        """Whether any of them is the user's in the eyes of Just My Code: none is in a program that is optimised."""
        return any(module.is_user_code for module in self._modules.values())

    @cached_property
    def have_language_library(self) -> bool:
        """Whether any of them is a library that belongs to a language: no code of such a language runs without it."""
        return any(module.name in _LANGUAGE_LIBRARIES for module in self._modules.values())

    def is_users(self, module: LoadedModule) -> bool:
        """Whether Just My Code shows a module: in a program that is optimised as a whole whatever has symbols."""
        if module.is_user_code:
            return True
        return module.pdb is not None and not module.is_language_library and not self.have_user_code

    def __iter__(self) -> Iterator[LoadedModule]:
        """All of them, dynamic ones with their types of now."""
        self.grow()
        return iter(list(self._modules.values()))

    def __len__(self) -> int:
        return len(self._modules)

    def close(self) -> None:
        """Close all files."""
        for module in self._modules.values():
            module.close()
        self._modules.clear()
