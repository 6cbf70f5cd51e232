"""Fixtures for breakpoints in real programs: the adapter's sessions, and modules without a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from tests.e2e.adapter.conftest import (  # noqa: F401
    open_session,
    place,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    session,
)
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program


class Modules(ModuleCatalog):
    """Modules that are read from their files, as if a program had loaded them."""

    def __init__(self) -> None:
        super().__init__()
        self.resolver = PdbResolver(self)

    def load(self, path: Path) -> LoadedModule:
        """Load a module without any process."""
        info = ModuleInfo(
            module=ModuleId(self.version + 1),
            path=str(path),
            base_address=0,
            size=0,
            is_dynamic=False,
            is_in_memory=False,
            is_mapped_layout=False,
        )
        return self.add(info, lambda address, size: b"")

    def unload(self, module: LoadedModule) -> None:
        """Unload it."""
        self.resolver.forget(module.id)
        self.remove(module.id)


@pytest.fixture
def modules() -> Modules:
    return Modules()


@pytest.fixture(scope="session")
def places(newest_runtime: Runtime) -> Program:
    """The program with every construct in which a statement can stand. Older compilers do not know them all."""
    return programs.build("Places", newest_runtime)


@pytest.fixture
def framework(newest_runtime: Runtime) -> Callable[[str], Path]:
    """The file of an assembly of the runtime."""
    return lambda name: newest_runtime.directory / name
