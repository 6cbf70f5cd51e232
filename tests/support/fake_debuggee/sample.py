"""The program that the fake debuggee plays: sample/Sample.cs, whose real metadata and PDB the adapter reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dap_dotnet.runtime.model import FrameKind, MethodToken, ModuleId, ThreadId, TypeId
from dap_dotnet.source_lines import read_source_lines
from portablepdb import Assembly
from tests.support.fake_debuggee.types import ExactTypes

SAMPLE = Path(__file__).with_name("sample") / "Sample.dll"
SOURCE = SAMPLE.with_suffix(".cs")
DOCUMENT = "/sample/Sample.cs"
"""The path of the source in the PDB."""
PROCESS_ID = 4242
MAIN_THREAD = ThreadId(PROCESS_ID)
CORE_LIBRARY = ModuleId(1)
SAMPLE_MODULE = ModuleId(2)


def line_of(marker: str) -> int:
    """The 1-based line of the sample that ends with ``// marker``."""
    lines = read_source_lines(SOURCE)
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {marker}")]
    return found


class Sample:
    """The sample's assembly, open."""

    def __init__(self) -> None:
        self._assembly = Assembly.open(SAMPLE)
        found = self._assembly.find_pdb().pdb
        assert found is not None
        self.pdb = found
        self.metadata = self._assembly.metadata
        self.types = ExactTypes(SAMPLE_MODULE, self.metadata)
        self._program = self.metadata.find_type("Sample.Program")
        assert self._program is not None
        self.methods = {method.name: MethodToken(method.token) for method in self.metadata.methods_of(self._program)}

    def static_field(self, name: str) -> tuple[TypeId, int]:
        """The type and the token of a static field of the class Program, or of another by its full name."""
        type_name, _, field_name = name.rpartition(".")
        token = self.metadata.find_type(type_name or "Sample.Program")
        assert token is not None
        (found,) = [entry.token for entry in self.metadata.fields_of(token) if entry.name == field_name]
        return self.types.definition(token), found

    def close(self) -> None:
        """Close the files."""
        self.pdb.close()
        self._assembly.close()


@dataclass
class SampleFrame:
    """An activation of a method of the sample. Locals that it has not set are 0."""

    sample: Sample
    method: MethodToken
    arguments: dict[str, Any]
    locals: dict[str, Any] = field(default_factory=dict)
    il_offset: int = 0
    module: ModuleId = SAMPLE_MODULE
    kind: FrameKind = FrameKind.IL
    internal_type: int = 0
    type_arguments: tuple[TypeId, ...] = ()
    result: Any = None
    """What it returns."""

    def go_to(self, il_offset: int) -> None:
        self.il_offset = il_offset

    def read_arguments(self) -> list[Any]:
        return list(self.arguments.values())

    def read_locals(self) -> list[Any]:
        names = {local.slot: local.name for local in self.sample.pdb.locals_at(self.method, self.il_offset)}
        return [self.locals.get(names.get(slot, ""), 0) for slot in range(max(names, default=-1) + 1)]

    def write_argument(self, index: int, content: Any) -> None:
        self.arguments[list(self.arguments)[index]] = content

    def write_local(self, slot: int, content: Any) -> None:
        names = {local.slot: local.name for local in self.sample.pdb.locals_at(self.method, self.il_offset)}
        self.locals[names[slot]] = content
