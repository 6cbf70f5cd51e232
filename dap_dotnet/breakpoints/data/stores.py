"""The instructions that can store to a field, and where a breakpoint watches each of them.

A breakpoint stands where the evaluation stack is empty: there alone the runtime maps IL offsets exactly. A store is
watched *after* it, at the first such offsets that control can get to, and, where the old value has to be read first,
*before* it, at the last such offset that control passes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from dap_dotnet.breakpoints.data.addresses import AddressUses, Escape
from dap_dotnet.breakpoints.data.field_names import field_names, is_assembly, is_module, is_type
from dap_dotnet.breakpoints.data.store_objects import is_found_again, kept_in, object_from, object_offsets
from dap_dotnet.breakpoints.model import FieldPlace
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span, span_of

if TYPE_CHECKING:
    from portablepdb import Metadata, SequencePoint
    from portablepdb.field_uses import FieldUse, NamedField
    from portablepdb.stack_depth import StackDepths

_FIELD_TABLE = 0x04
_STATIC = ("stsfld", "ldsflda")
_ADDRESSES = ("ldflda", "ldsflda")


class FieldName(Struct, frozen=True):
    """A field by the metadata names of its declaring type and its own."""

    type_name: str
    name: str


class Store(Struct, frozen=True):
    """An instruction that stores to a field, or hands its address to what may."""

    location: BreakpointLocation
    field: FieldName
    token: int
    """By which the instruction names the field: Field or MemberRef."""
    is_static: bool
    is_address: bool
    """The address is taken: for a call with `ref` or `out`, for a member of a struct."""
    before: int
    """The last IL offset with an empty stack that control passes on its way to it."""
    object_from: int
    """Where the expression of the object begins, when it has only arguments and locals in it; else `before`."""
    object_offsets: frozenset[int]
    """IL offsets between where the object is on top of the stack; empty for static fields."""
    is_found_again: bool
    """Whether the object, when it is a struct, can be looked for in the same way after the store."""
    kept_in: int | None
    """The local slot that gets the object of an initialiser when it is over; None for other stores."""
    after: tuple[int, ...]
    """IL offsets with an empty stack that come next."""
    leaves: bool
    """Whether the method may return before the stack is empty."""
    is_kept: bool
    """The address is kept, in a `ref` local or a span: `after` has all places of the method that may follow a store."""
    escapes: tuple[Escape, ...]
    """How the address gets where stores through it are not watched."""
    span: Span | None
    path: str | None


class Role(enum.Enum):
    """Why a breakpoint stands where it does."""

    BEFORE = "before"
    AFTER = "after"


class StoreWatch(Struct, frozen=True):
    """A store that a breakpoint watches, and on which side of it the breakpoint stands."""

    role: Role
    store: Store


def fields_meant(place: FieldPlace, module: LoadedModule) -> list[NamedField]:
    """The tokens by which a module names the fields that a place means; its own fields and those it refers to.

    None for dynamic modules, whose stores cannot be found.
    """
    from portablepdb.field_uses import named_fields

    if module.metadata is None or module.info.is_dynamic:
        return []
    return [
        found
        for found in named_fields(module.metadata, field_names(place))
        if is_type(place, found.type_name) and _is_home(place, module, found)
    ]


def _is_home(place: FieldPlace, module: LoadedModule, found: NamedField) -> bool:
    """Whether the field's type can be in the module that is asked for."""
    if found.assembly is not None:
        return is_assembly(place, found.assembly)
    return is_module(place, module.name)


def is_definition(found: NamedField) -> bool:
    """Whether the token is that of the field itself."""
    return found.token >> 24 == _FIELD_TABLE


class Stores(NamedTuple):
    """What can store to fields in a module, by method and IL offset; and the methods whose IL cannot be understood."""

    found: list[Store]
    unread: list[MethodToken]


def stores_in(module: LoadedModule, fields: list[NamedField]) -> Stores:
    """Every instruction of a module that can store to one of its fields."""
    from portablepdb import PortablePdbError
    from portablepdb.field_uses import ADDRESSES, STORES, uses_of_fields
    from portablepdb.stack_depth import StackDepths

    metadata = module.metadata
    stores = Stores([], [])
    if metadata is None or not fields:
        return stores
    by_token = {found.token: found for found in fields}
    depths: dict[int, StackDepths] = {}
    for use in uses_of_fields(metadata, set(by_token), {**STORES, **ADDRESSES}):
        try:
            known = depths.get(use.method)
            if known is None:
                body = metadata.method_body(use.method)
                assert body is not None
                known = depths[use.method] = StackDepths(metadata, body)
            stores.found.extend(_store(module, metadata, by_token[use.field], use, known))
        except PortablePdbError:
            stores.unread.append(MethodToken(use.method))
    return stores


def _store(
    module: LoadedModule, metadata: Metadata, field: NamedField, use: FieldUse, flow: StackDepths
) -> Iterator[Store]:
    instruction = use.instruction
    offset, name = instruction.offset, instruction.opcode.name
    if offset not in flow.depths:
        return  # code that nothing gets to
    is_static, is_address = name in _STATIC, name in _ADDRESSES
    is_kept = False
    escapes: tuple[Escape, ...] = ()
    stored_at = [offset]
    if is_address:
        addresses = AddressUses(metadata, use.method, flow)
        may_store, is_kept, escapes = addresses.of(offset)
        if not may_store:
            return
        if is_kept:
            stored_at += addresses.stores_through_kept(offset)
    points = _points(module, use.method)
    before = _before(flow, offset)
    after, leaves = _after(flow, stored_at)
    objects = frozenset() if is_static else object_offsets(flow, before, offset, is_address=is_address)
    found = next((point for point in reversed(points) if not point.is_hidden and point.il_offset <= offset), None)
    span = path = None
    if found is not None and module.pdb is not None:
        span = span_of(found)
        path = found.document.name
    yield Store(
        location=BreakpointLocation(module.id, MethodToken(use.method), offset),
        field=FieldName(field.type_name, field.name),
        token=field.token,
        is_static=is_static,
        is_address=is_address,
        before=before,
        object_from=object_from(flow, before, objects),
        object_offsets=objects,
        is_found_again=is_found_again(flow, before, offset),
        kept_in=None if is_static or is_address else kept_in(flow, before, offset),
        after=after,
        leaves=leaves,
        is_kept=is_kept,
        escapes=escapes,
        span=span,
        path=path,
    )


def _points(module: LoadedModule, method: int) -> list[SequencePoint]:
    if module.pdb is None:
        return []
    return sorted(module.pdb.sequence_points(method), key=lambda point: point.il_offset)


def _before(flow: StackDepths, offset: int) -> int:
    """The last offset with an empty stack that control has to pass on its way to the store, and from there goes to it.

    Not where the statement begins: one with an `await` is entered again in its midst.
    """
    jumps = [
        (source, target)
        for source, instruction in flow.instructions.items()
        for target in flow.successors(source)
        if source in flow.depths and target != source + instruction.size
    ]
    for start in sorted((one for one in flow.instructions if one <= offset), reverse=True):
        if flow.depths.get(start) == 0 and not any(
            start < target <= offset and not start <= source <= offset for source, target in jumps
        ):
            return start
    return 0


def _after(flow: StackDepths, stored_at: list[int]) -> tuple[tuple[int, ...], bool]:
    """The first offsets with an empty stack that control gets to after storing, and whether it may return before.

    Control also gets to the handlers of what may throw on the way.
    """
    from portablepdb.stack_depth import is_call

    found: set[int] = set()
    seen: set[int] = set()
    leaves = False
    pending = [after for offset in stored_at for after in flow.successors(offset)]
    for offset in stored_at:
        if is_call(flow.instructions[offset]):  # it may store and then throw
            pending += flow.handlers_of(offset)
    while pending:
        offset = pending.pop()
        if offset in seen or offset not in flow.depths:
            continue
        seen.add(offset)
        if flow.depths[offset] == 0:
            found.add(offset)
            continue
        leaves |= flow.instructions[offset].opcode.name in ("ret", "jmp")
        pending += [*flow.successors(offset), *flow.handlers_of(offset)]
    return tuple(sorted(found)), leaves
