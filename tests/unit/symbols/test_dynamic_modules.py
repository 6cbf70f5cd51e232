"""Modules of Reflection.Emit: their metadata comes from the runtime, and grows."""

from __future__ import annotations

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleCatalog
from portablepdb import Assembly
from tests.support.fake_debuggee.sample import SAMPLE

_MODULE = ModuleId(7)
_SLOT: CacheSlot[dict[int, int]] = CacheSlot("derived", lambda _: {})


class _Runtime:
    """What it has for a module: bytes, or nothing for as long as the process runs."""

    metadata: bytes | None = None

    def read(self, module: ModuleId) -> bytes:
        assert module == _MODULE
        if self.metadata is None:
            raise RuntimeCallError("The process runs.", hresult=0x80131302, hresult_name="CORDBG_E_PROCESS_NOT_STOPPED")
        return self.metadata


def _added(runtime: _Runtime) -> ModuleCatalog:
    modules = ModuleCatalog()
    info = ModuleInfo(_MODULE, "Emitted", 0, 0, is_dynamic=True, is_in_memory=True, is_mapped_layout=False)
    modules.add(info, lambda address, size: b"", runtime.read)
    return modules


def _get(modules: ModuleCatalog) -> LoadedModule:
    found = modules.get(_MODULE)
    assert found is not None
    return found


def _metadata() -> bytes:
    with Assembly.open(SAMPLE) as assembly:
        region = assembly.pe.metadata()
        assert region is not None
        return bytes(region.data[region.start : region.start + region.size])


def test_the_types_of_a_dynamic_module_are_those_that_it_has_now() -> None:
    runtime = _Runtime()
    modules = _added(runtime)
    assert _get(modules).metadata is None
    runtime.metadata = _metadata()
    module = _get(modules)
    first = module.metadata
    assert first is not None
    assert first.type_name(0x02000002)
    module.cached(_SLOT)[1] = 1
    assert _get(modules).metadata is first  # nothing was added
    assert module.cached(_SLOT) == {1: 1}
    runtime.metadata = bytes(bytearray(runtime.metadata))
    assert _get(modules).metadata is not first
    assert module.cached(_SLOT) == {}


def test_metadata_that_cannot_be_read_now_stays_as_it_was() -> None:
    runtime = _Runtime()
    runtime.metadata = _metadata()
    modules = _added(runtime)
    first = _get(modules).metadata
    for damaged in (None, b"", b"BSJB", b"no metadata at all"):
        runtime.metadata = damaged
        assert _get(modules).metadata is first
