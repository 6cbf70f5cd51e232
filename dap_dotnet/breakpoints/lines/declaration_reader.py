"""The declarations of a local source, by its language."""

from __future__ import annotations

from functools import lru_cache

from dap_dotnet.breakpoints.lines.declarations import Declarations
from dap_dotnet.symbols.checksums import SourceFile

_LARGEST = 1_000_000
"""Characters of a source that is looked at."""


@lru_cache(maxsize=4)
def declarations_of(file: SourceFile, language: str | None) -> Declarations | None:
    """Those of a local file, read once; None where it cannot be read or is in another language.

    `language`: as in `Document.language_name`.
    """
    lines = file.lines
    if not lines or sum(map(len, lines)) > _LARGEST:
        return None
    if language == "C#":
        from dap_dotnet.breakpoints.lines.csharp_declarations import CSharpDeclarations

        return CSharpDeclarations(lines)
    if language == "F#":
        from dap_dotnet.breakpoints.lines.fsharp_declarations import FSharpDeclarations

        return FSharpDeclarations(lines)
    if language == "Visual Basic":
        from dap_dotnet.breakpoints.lines.visual_basic_declarations import VisualBasicDeclarations

        return VisualBasicDeclarations(lines)
    return None
