"""Members of a type of the loaded modules and of its base types, from the metadata in their files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.metadata_search import FoundType, assemblies, found_type, matches
from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.tool import Call

if TYPE_CHECKING:
    from portablepdb import Assembly, TypeDef
    from portablepdb.members import Method

Kind = Literal["field", "property", "method", "constructor", "event"]
Visibility = Literal["public", "protected internal", "protected", "internal", "private protected", "private"]
_VISIBILITIES: dict[int, Visibility] = {
    1: "private",
    2: "private protected",
    3: "internal",
    4: "protected",
    5: "protected internal",
    6: "public",
}
"""By the access in the flags of a field or method (ECMA-335 II.23.1.5, II.23.1.10), which grows with it."""
_ACCESS_MASK = 0x7
_CONSTRUCTORS = (".ctor", ".cctor")
_MOST_BASES = 100
_OPEN_TO_OTHERS = (1, 2, 4, 7)
"""The visibilities of types (II.23.1.15) that another assembly can derive from."""


class FoundMember(Part):
    """A member. `declaration` is its type or signature in C# words; `declared_by` is None for the type itself."""

    name: str
    kind: Kind
    declaration: str
    token: str = Field(description="In the module of the type that declares it.")
    is_static: bool | None = None
    visibility: Visibility | None = Field(
        default=None, description="Of a property or event, that of its most visible accessor."
    )
    declared_by: str | None = Field(default=None, description="The base type that has it.")

    def to_text(self) -> str:
        """One line."""
        words = [self.visibility or "", "static" if self.is_static else "", self.kind, self.declaration]
        owner = f" ({self.declared_by})" if self.declared_by else ""
        return " ".join(word for word in words if word) + owner


@dataclass(frozen=True, slots=True)
class MemberFilter:
    """Which members are wanted. No kinds, no visibilities: all of them."""

    pattern: str = "*"
    kinds: Collection[Kind] = ()
    visibilities: Collection[Visibility] = ()

    def has(self, one: FoundMember) -> bool:
        """Whether a member is wanted."""
        return (
            matches(one.name, self.pattern)
            and (not self.kinds or one.kind in self.kinds)
            and (not self.visibilities or one.visibility in self.visibilities)
        )


@dataclass(slots=True)
class TypeMembers:
    """A type and its members. `missing_base`: the base type that no loaded module has, where the search ended."""

    type: FoundType
    members: list[FoundMember]
    missing_base: str | None = None


def find_members(
    call: Call, modules: Sequence[Mapping[str, Any]], type_name: str, wanted: MemberFilter, *, inherited: bool
) -> TypeMembers:
    """A type by its full name, or by a simple one that is unique, and its members. Raises `ToolError`, `Cancelled`.

    `inherited`: those of its base types too, but for their constructors.
    """
    bases = _Inheritance(call, modules, wanted)
    for framework in (False, True):
        found: list[TypeMembers] = []
        for name, assembly in assemblies(call, modules, "*", framework=framework):
            exact = assembly.metadata.find_type(type_name.replace("+", "/")) or assembly.metadata.find_type(type_name)
            simple = [one for one in assembly.metadata.types if one.name == type_name] if exact is None else [exact]
            for type_ in simple:
                made = TypeMembers(found_type(name, assembly, type_), list(_wanted(assembly, type_, wanted)))
                found.append(made)
                if inherited:
                    made.missing_base = bases.add(assembly, type_, made.members)
                if exact is not None:
                    return made
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(f"{one.type.name} [{one.type.module}]" for one in found[:10])
            raise ToolError(
                "NOT_FOUND", f"Several types are called {type_name}: {names}.", "Give the full name of one."
            )
    raise ToolError("NOT_FOUND", f"No loaded module has a type {type_name}.", "Look for it with types_find.")


def _wanted(assembly: Assembly, type_: TypeDef, wanted: MemberFilter) -> Iterator[FoundMember]:
    return (one for one in _members(assembly, type_) if wanted.has(one))


@dataclass(frozen=True, slots=True)
class _Inheritance:
    """Goes from a type to its base types, in whatever module they are."""

    call: Call
    modules: Sequence[Mapping[str, Any]]
    wanted: MemberFilter

    def add(self, assembly: Assembly, type_: TypeDef, members: list[FoundMember], depth: int = 0) -> str | None:
        """Adds the members of the base types; the name of the one that is not found, or None."""
        for home, base in self._base(assembly, type_):
            if base is None or depth >= _MOST_BASES:
                return assembly.metadata.display(type_.base or type_)
            owner = home.metadata.display(base)
            for one in _wanted(home, base, self.wanted):
                if one.kind != "constructor":
                    one.declared_by = owner
                    members.append(one)
            # Before the generator goes on, which closes the file.
            return self.add(home, base, members, depth + 1)
        return None

    def _base(self, assembly: Assembly, type_: TypeDef) -> Iterator[tuple[Assembly, TypeDef | None]]:
        """The base type in its module, which is open meanwhile; None for one that is not found; nothing at the end."""
        from portablepdb import TypeDef, TypeRef, TypeSpec
        from portablepdb.signatures import GenericInstance, NamedType

        base: object = type_.base
        if base is None:
            return
        if isinstance(base, TypeSpec):
            signature = base.signature
            generic = signature.generic if isinstance(signature, GenericInstance) else None
            base = assembly.metadata.entity(generic.token) if isinstance(generic, NamedType) else None
        if isinstance(base, TypeDef):
            yield assembly, base
            return
        if isinstance(base, TypeRef):
            for other in self._where(base.assembly):
                found = other.metadata.find_type(base.full_name)
                if found is not None and int(found.flags) & _ACCESS_MASK in _OPEN_TO_OTHERS:
                    yield other, found
                    return
        yield assembly, None

    def _where(self, assembly: str | None) -> Iterator[Assembly]:
        """Where a type of an assembly may be: there, or where it forwards to, most often the core library."""
        first = [f"{assembly}.dll", "System.Private.CoreLib.dll"]
        rest = [module for module in self.modules if module.get("name") not in first]
        named = [[module for module in self.modules if module.get("name") == name] for name in first]
        for group in (*named, rest):
            for _, one in assemblies(self.call, group, "*", framework=True):
                yield one


def _members(assembly: Assembly, type_: TypeDef) -> Iterator[FoundMember]:
    metadata = assembly.metadata
    for field in type_.fields:
        yield FoundMember(
            name=field.name,
            kind="field",
            declaration=f"{metadata.display_type(field.signature, type_)} {field.name}",
            token=str(field),
            is_static=field.is_static,
            visibility=_VISIBILITIES.get(int(field.flags) & _ACCESS_MASK),
        )
    for property_ in type_.properties:
        declaration = f"{metadata.display_type(property_.signature.return_type, type_)} {property_.name}"
        yield _of_accessors(
            FoundMember(name=property_.name, kind="property", declaration=declaration, token=str(property_)),
            (property_.getter, property_.setter),
        )
    for method in type_.methods:
        yield FoundMember(
            name=method.name,
            kind="constructor" if method.name in _CONSTRUCTORS else "method",
            declaration=f"{metadata.display_type(method.signature.return_type, method)} {metadata.display(method)}",
            token=str(method),
            is_static=method.is_static,
            visibility=_VISIBILITIES.get(int(method.flags) & _ACCESS_MASK),
        )
    for event in type_.events:
        yield _of_accessors(
            FoundMember(name=event.name, kind="event", declaration=event.name, token=str(event)),
            (event.adder, event.remover),
        )


def _of_accessors(member: FoundMember, accessors: Sequence[Method | None]) -> FoundMember:
    """The member, as visible and static as its accessors."""
    present = [one for one in accessors if one is not None]
    if present:
        member.is_static = present[0].is_static
        member.visibility = _VISIBILITIES.get(max(int(one.flags) & _ACCESS_MASK for one in present))
    return member
