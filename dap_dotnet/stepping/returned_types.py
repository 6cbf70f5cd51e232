"""Which calls return what can be shown when the process has run: no `void`, and of structs only enums.

Where nothing can be shown, no breakpoint has to stop the program behind the call. Session thread only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from portablepdb import Token, TypeDef

_VOID = 0x01
_CORE_LIBRARY = "System.Private.CoreLib.dll"
"""Where most types are of which references say that they are in another assembly."""

_KNOWN: CacheSlot[dict[int, bool]] = CacheSlot("whether what calls return can be shown", lambda _: {})


def may_be_shown(modules: ModuleCatalog, module: LoadedModule, token: int) -> bool:
    """Whether what the method of a call's token returns may be shown; True also where that is not known.

    `token` is a MethodDef, MemberRef or MethodSpec of the module.
    """
    from portablepdb import PortablePdbError

    known = module.cached(_KNOWN)
    if token not in known:
        try:
            answer = _look(modules, module, token)
        except PortablePdbError:
            answer = True
        if answer is None:  # the module of the type may be loaded later
            return True
        known[token] = answer
    return known[token]


def _look(modules: ModuleCatalog, module: LoadedModule, token: int) -> bool | None:
    """None: not known yet."""
    from portablepdb import MemberRef, Method, MethodSpec
    from portablepdb.signatures import GenericInstance, MethodSignature, ModifiedType, NamedType, PrimitiveType

    member = module.metadata.object_of(token) if module.metadata is not None else None
    if isinstance(member, MethodSpec):
        member = member.method
    signature = member.signature if isinstance(member, MemberRef | Method) else None
    if module.metadata is None or not isinstance(signature, MethodSignature):
        return True
    returned = signature.return_type
    while isinstance(returned, ModifiedType):
        returned = returned.element
    if isinstance(returned, PrimitiveType):
        return returned.code != _VOID
    if isinstance(returned, GenericInstance):
        returned = returned.generic
    if not isinstance(returned, NamedType) or not returned.is_value_type:
        return True
    definition = _definition(modules, module.metadata.object_of(returned.token))
    return None if definition is None else getattr(definition.base, "full_name", "") == "System.Enum"


def _definition(modules: ModuleCatalog, named: Token) -> TypeDef | None:
    """The definition of a type that a signature names; None where its module is not found."""
    from portablepdb import TypeDef, TypeRef

    if isinstance(named, TypeDef):
        return named
    if not isinstance(named, TypeRef):
        return None
    for module in modules:
        if module.name in (f"{named.assembly}.dll", _CORE_LIBRARY) and module.metadata is not None:
            found = module.metadata.find_type(named.full_name)
            if found is not None:
                return found
    return None
