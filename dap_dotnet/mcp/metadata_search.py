"""Types and members of the loaded modules, from the metadata in their files."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dap_dotnet.mcp.errors import ToolError
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


class FoundMember(Part):
    """A field, property, method or event. `declaration` is its type or signature in C# words."""

    name: str
    kind: str
    declaration: str
    token: str
    is_static: bool | None = None

    def to_text(self) -> str:
        """One line."""
        return f"{self.kind} {'static ' if self.is_static else ''}{self.declaration}"


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
            found.append(_found_type(name, assembly, type_))
            if len(found) >= _MOST_TYPES:
                return found
    return found


def find_members(
    call: Call, modules: Sequence[Mapping[str, Any]], type_name: str, pattern: str
) -> tuple[FoundType, list[FoundMember]]:
    """A type by its full name, or by a simple one that is unique, and its members. Raises `ToolError`."""
    for framework in (False, True):
        matches: list[tuple[FoundType, list[FoundMember]]] = []
        for name, assembly in assemblies(call, modules, "*", framework=framework):
            exact = assembly.metadata.find_type(type_name.replace("+", "/")) or assembly.metadata.find_type(type_name)
            simple = [one for one in assembly.metadata.types if one.name == type_name] if exact is None else [exact]
            for type_ in simple:
                matches.append((_found_type(name, assembly, type_), _members(assembly, type_, pattern)))
                if exact is not None:
                    return matches[-1]
        if len(matches) == 1:
            return matches[0]
        if matches:
            names = ", ".join(f"{match[0].name} [{match[0].module}]" for match in matches[:10])
            raise ToolError(
                "NOT_FOUND", f"Several types are called {type_name}: {names}.", "Give the full name of one."
            )
    raise ToolError("NOT_FOUND", f"No loaded module has a type {type_name}.", "Look for it with types_find.")


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


def _found_type(module: str, assembly: Assembly, type_: TypeDef) -> FoundType:
    base = type_.base
    return FoundType(
        name=assembly.metadata.display(type_),
        module=module,
        token=str(type_),
        base=assembly.metadata.display(base) if base is not None else None,
        is_interface=type_.is_interface,
    )


def _members(assembly: Assembly, type_: TypeDef, pattern: str) -> list[FoundMember]:
    metadata = assembly.metadata
    found: list[FoundMember] = []
    for field in type_.fields:
        text = f"{metadata.display_type(field.signature)} {field.name}"
        found.append(
            FoundMember(name=field.name, kind="field", declaration=text, token=str(field), is_static=field.is_static)
        )
    for property_ in type_.properties:
        text = f"{metadata.display_type(property_.signature.return_type)} {property_.name}"
        found.append(FoundMember(name=property_.name, kind="property", declaration=text, token=str(property_)))
    for method in type_.methods:
        text = f"{metadata.display_type(method.signature.return_type)} {metadata.display(method)}"
        found.append(
            FoundMember(
                name=method.name, kind="method", declaration=text, token=str(method), is_static=method.is_static
            )
        )
    for event in type_.events:
        found.append(FoundMember(name=event.name, kind="event", declaration=event.name, token=str(event)))
    return [one for one in found if matches(one.name, pattern)]
