"""Types of the loaded modules, from the metadata in their files."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.tool import Call
from dap_dotnet.protocol.wire_names import member

if TYPE_CHECKING:
    from portablepdb import Assembly, TypeDef

_MOST_TYPES = 20_000


class FoundType(Part):
    """A type."""

    name: str
    module: str
    token: str
    base: str | None = None
    is_interface: bool = False

    def to_text(self) -> str:
        """One line."""
        base = f" : {self.base}" if self.base else ""
        return f"{'interface ' if self.is_interface else ''}{self.name}{base} [{self.module}]"


def find_types(
    call: Call, modules: Sequence[Mapping[str, Any]], pattern: str, module_pattern: str, *, framework: bool
) -> list[FoundType]:
    """The types whose full or simple name has the pattern, at most 20,000."""
    found: list[FoundType] = []
    for name, assembly in assemblies(call, modules, module_pattern, framework=framework):
        for type_ in assembly.metadata.types:
            full = type_.full_name
            if full == "<Module>" or not (matches(full, pattern) or matches(type_.name, pattern)):
                continue
            found.append(found_type(name, assembly, type_))
            if len(found) >= _MOST_TYPES:
                return found
    return found


def matches(name: str, pattern: str) -> bool:
    """Whether a name has a pattern, in which * and ? stand for any text."""
    return fnmatch.fnmatchcase(name, pattern)


def assemblies(
    call: Call, modules: Sequence[Mapping[str, Any]], pattern: str, *, framework: bool
) -> Iterator[tuple[str, Assembly]]:
    """The modules that have a file, opened one after the other; files that cannot be read are left out."""
    from portablepdb import Assembly, PortablePdbError

    wanted = [module for module in modules if matches(str(module.get("name")), pattern) and module.get("path")]
    if not framework:
        wanted = [module for module in wanted if member(module, "is_user_code") or pattern != "*"]
    for number, module in enumerate(wanted):
        call.progress(number, len(wanted), str(module.get("name")))
        try:
            with Assembly.open(str(module["path"])) as assembly:
                if assembly.has_metadata:
                    yield str(module.get("name")), assembly
        except (PortablePdbError, OSError):
            continue


def found_type(module: str, assembly: Assembly, type_: TypeDef) -> FoundType:
    """A type of a module, as answers have it."""
    base = type_.base
    return FoundType(
        name=assembly.metadata.display(type_),
        module=module,
        token=str(type_),
        base=assembly.metadata.display(base) if base is not None else None,
        is_interface=type_.is_interface,
    )
