"""Properties that implement those of an interface under a name that only metadata has (C# specification 18.6.2).

An expression reaches them by a cast to the interface, which the MethodImpl row of the getter names (ECMA-335 II.22.27).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken, TypeId
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import PropertyInfo
from dap_dotnet.values.context import Program
from dap_dotnet.values.member_paths import identifier, is_nameable, member_path
from dap_dotnet.values.signature_names import decode_spec, signature_text
from dap_dotnet.values.typenames import Named, csharp_name, shown_names, shown_type_name, type_name

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

_METHOD_IMPL, _MEMBER_REF = 0x19, 0x0A


class ExplicitProperty(Struct, frozen=True):
    """What a property of a class is to the user."""

    interface: str
    """Closed, in C# notation, with its namespace."""
    shown_interface: str
    name: str
    """In the interface."""

    @property
    def shown_name(self) -> str:
        """`INamed.Name`."""
        return f"{self.shown_interface}.{self.name}"

    def path(self, owner: str | None) -> str | None:
        """The C# expression for it of what `owner` means; None where there is none."""
        return member_path(owner, self.name, seen_as=self.interface)


def is_explicit(declared: PropertyInfo) -> bool:
    """Whether a property has such a name."""
    return "." in declared.name


def explicit_property(program: Program, declaring: TypeId, declared: PropertyInfo) -> ExplicitProperty | None:
    """What a property of an exact type implements; None for others, and where C# cannot name it, as static ones."""
    info = program.debuggee.type_info(declaring)
    module = program.modules.get(info.module)
    if not is_explicit(declared) or declared.is_static or module is None or info.token is None:
        return None
    name = declared.name.rpartition(".")[2]
    interface = _interface(module, info.token, declared.getter)
    if interface is None or identifier(name) is None:
        return None

    def closed(named: Named, of: Callable[[Program, TypeId], str]) -> str:
        return signature_text(module, interface, [of(program, one) for one in info.arguments], named)

    full = closed(csharp_name, type_name)
    return ExplicitProperty(full, closed(shown_names(program), shown_type_name), name) if is_nameable(full) else None


def _interface(module: LoadedModule, declaring: int, getter: MethodToken) -> TypeSignature | None:
    """The interface whose getter a method implements, as the class names it."""
    from portablepdb.signatures import NamedType

    metadata = module.metadata
    assert metadata is not None
    table = metadata.image.table(_METHOD_IMPL)
    for row_id in table.rows_equal("class_", declaring & 0xFFFFFF):
        row = table.row(row_id)
        if row.body != getter:
            continue
        if row.declaration >> 24 == _MEMBER_REF:
            owner = metadata.image.table(_MEMBER_REF).row(row.declaration & 0xFFFFFF).class_
        else:
            owner = metadata.declaring_type(row.declaration)
        return decode_spec(module, owner) or NamedType(owner, False)
    return None
