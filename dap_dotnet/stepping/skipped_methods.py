"""Methods that a step into a statement does not stop in, though they have source.

System.Diagnostics has attributes for them, on the method, its type or a type around that, or the assembly.
`DebuggerHidden` and `DebuggerStepThrough` always count, `DebuggerNonUserCode` with Just My Code. Step filtering adds
accessors of properties and operators. Code of the user's that such a method calls is stopped in, but for filtered ones.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Metadata

_ASSEMBLY = 0x2000_0001
_NAMESPACE = "System.Diagnostics."
_MOST_NESTED = 64
_SPECIAL_NAME = 0x800


class SkipReason(enum.Enum):
    """Why a method is not stopped in."""

    HIDDEN = "DebuggerHiddenAttribute"
    STEP_THROUGH = "DebuggerStepThroughAttribute"
    NON_USER_CODE = "DebuggerNonUserCodeAttribute"
    BOUNDARY = "DebuggerStepperBoundaryAttribute"
    FILTERED = "step filtering"
    """The accessor of a property, or an operator."""
    LANGUAGE_LIBRARY = "the language's library"
    """With Just My Code, in a program that is optimised as a whole, where the runtime does not pass it by."""


_BY_NAME = {_NAMESPACE + reason.value: reason for reason in SkipReason if reason.value.endswith("Attribute")}
_KNOWN: CacheSlot[dict[int, tuple[SkipReason, ...]]] = CacheSlot("debugger attributes by token", lambda module: {})


def skip_reason(module: LoadedModule, method: MethodToken, *, just_my_code: bool, filters: bool) -> SkipReason | None:
    """Why a step does not stop in a method; None when it does. `filters`: step filtering is on."""
    reason = attribute_of(module, method, just_my_code=just_my_code)
    if reason is None and filters and _is_accessor_or_operator(module, method):
        return SkipReason.FILTERED
    return reason


def attribute_of(module: LoadedModule, method: MethodToken, *, just_my_code: bool) -> SkipReason | None:
    """The attribute that asks to pass a method by; None without one, or where it does not count."""
    for reason in _OF_METHODS(module, method):
        if just_my_code or reason is not SkipReason.NON_USER_CODE:
            return reason
    return None


def ends_steps_into(module: LoadedModule, method: MethodToken) -> bool:
    """Whether a step into does not go on in what a method calls, whatever other attributes the method has."""
    return SkipReason.BOUNDARY in _OF_METHODS(module, method)


@if_damaged(())
def _find(module: LoadedModule, method: MethodToken) -> tuple[SkipReason, ...]:

    metadata = module.metadata
    if metadata is None:
        return ()
    tokens = [int(method)]
    owner: int | None = metadata.declaring_type(method)
    while owner is not None and len(tokens) < _MOST_NESTED:
        tokens.append(owner)
        owner = metadata.enclosing_type(owner)
    for token in (*tokens, _ASSEMBLY):
        reasons = _on(module, metadata, token)
        if reasons:
            return reasons
    return ()


_OF_METHODS = ModuleMemo("methods passed by", _find)


def _on(module: LoadedModule, metadata: Metadata, token: int) -> tuple[SkipReason, ...]:
    """What a method, a type or an assembly has itself, `DebuggerStepperBoundary` last: it stands beside others."""
    known = module.cached(_KNOWN)
    if token not in known:
        names = [attribute.type_name for attribute in metadata.attributes_of(token)]
        reasons = [_BY_NAME[name] for name in names if name in _BY_NAME]
        known[token] = tuple(sorted(reasons, key=lambda reason: reason is SkipReason.BOUNDARY))
    return known[token]


@if_damaged(False)
def _is_accessor_or_operator(module: LoadedModule, method: MethodToken) -> bool:
    """By the name that the compiler gives it together with the flag SpecialName (ECMA-335 II.22.26)."""

    metadata = module.metadata
    if metadata is None:
        return False
    found = metadata.method(method)
    if not found.name.rpartition(".")[2].startswith(("get_", "set_", "op_")):
        return False
    return bool(found.flags & _SPECIAL_NAME) or metadata.special_extension_member(method) is not None
