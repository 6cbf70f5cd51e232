"""`ref readonly` variables, by the source alone: metadata and PDB do not tell them from `ref` ones. Pure."""

from __future__ import annotations

import re

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.source_lines import decoded, source_lines
from dap_dotnet.symbols.checksums import SourceFile
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

_DECLARATION = re.compile(r"\bref\s+(readonly\s)?[^;={}]*?(\w+)\s*(?:=|\bin\b)")


@if_damaged(False)
def is_read_only_local(modules: ModuleCatalog, module: LoadedModule, method: MethodToken, name: str) -> bool:
    """Whether the method's source declares a `ref` variable as `ref readonly`, each one of the name.

    False where the source is not had as it was compiled.
    """
    points = [one for one in module.pdb.sequence_points(method) if not one.is_hidden] if module.pdb is not None else []
    if module.pdb is None or not points:
        return False
    document = points[0].document
    embedded = module.pdb.embedded_source(document)
    if embedded is not None:
        lines = source_lines(decoded(embedded))
    else:
        files = map(SourceFile, (modules.source_map.local_path(document.name), document.name))
        lines = next((file.lines for file in files if file.is_source_of(document)), [])
    first, last = min(one.start_line for one in points), max(one.end_line for one in points)
    return is_declared_read_only("\n".join(lines[first - 1 : last]), name)


def is_declared_read_only(text: str, name: str) -> bool:
    """Whether C# text declares a `ref` variable as `ref readonly`, and each one of the name."""
    written = _DECLARATION.findall(text)
    return {bool(read_only) for read_only, declared in written if declared == name} == {True}
