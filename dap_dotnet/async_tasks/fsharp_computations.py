"""F#'s `task { … }` without optimisation, as it stands on the heap: where it awaits, and what. Session thread only.

Its machine is a structure of FSharp.Core's, the same for all tasks of one result. What tells them apart hangs on that
(`ResumptionDynamicInfo`): the awaiter, which is boxed and there only while the task is suspended; the delegate that
goes on, behind which, through those for loops, `try` and the like, is the closure of the code after the `let!`; and the
delegate that has begun it. All is read from memory, by the names of the fields, and the classes are looked at once.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.async_tasks.fsharp_places import (
    RETURNS_FROM,
    Place,
    await_place,
    closure_code,
    kickoff,
    return_place,
)
from dap_dotnet.async_tasks.state_machine import FSHARP_AWAITER, FSHARP_NEXT
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, FieldLayout, TypeDefToken, TypeId, Value
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import members
from dap_dotnet.values.context import Program
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.typenames import full_name

_RESUMPTION = "Microsoft.FSharp.Core.CompilerServices.ResumptionFunc`1"
_TARGET = "_target"
_CONTINUATION = "continuation"
_OWN_AWAITER = "awaiter"
"""The field of the delegate's object with the awaiter that it takes the result of."""
_TO_FIRST = ("initialResumptionFunc", "code", _TARGET, "generator")
"""From what runs the pieces to the first one."""
_MOST_DELEGATES = 100
_MOST_OBJECTS = 16
_WORD = 8


class Computation(Struct, frozen=True):
    """A task. Addresses are of the present generation; 0 for none."""

    module: LoadedModule
    begins: int
    """Token of the method that begins it: the user's, or where that is not known its first piece."""
    awaiter: int
    """The boxed awaiter at which it is suspended; 0 while it runs."""
    awaited: int
    """What that waits for, in most cases a task; 0 where it is not known."""
    awaiter_type: TypeId | None
    closure: int
    """What goes on behind the await: it has the variables that are used there. 0 where it is not of the task's code."""
    closure_code: int
    place: Place | None
    """The `let!`, `do!` or `return!`; None where that is not known, and while it runs."""


class _Class(Struct, frozen=True):
    """What is known of the objects of one method table."""

    type: TypeId | None
    name: str
    module: LoadedModule | None
    token: TypeDefToken | None
    fields: dict[str, int]
    """Offsets of the references, by name."""
    awaited: int | None
    """Of a boxed awaiter, and of a cell with one: the offset of what it waits for."""


class ComputationReader:
    """Lives as long as one generation."""

    def __init__(self, program: Program, awaited_in: Callable[[Value], int | None]) -> None:
        """`awaited_in`: the offset, in a boxed awaiter, of the reference to what it waits for."""
        self._program = program
        self._awaited_in = awaited_in
        self._classes: dict[int, _Class] = {}

    def read(self, runner: int) -> Computation | None:
        """The task that the object at an address runs; None where it is not told by the objects."""
        try:
            first = self._first(runner)
            return self._read(runner, *first) if first is not None else None
        except DapDotnetError:
            return None

    def _read(self, runner: int, module: LoadedModule, first: int) -> Computation:
        awaiter = self._follow(runner, FSHARP_AWAITER)
        begins = kickoff(module, first) or closure_code(module, first) or 0
        if not awaiter:
            return Computation(module, begins, 0, 0, None, 0, 0, None)
        kind = self._class(awaiter)
        awaited = self._word(awaiter, kind.awaited) if kind.awaited is not None else 0
        closure = self._continuation(runner, awaited)
        place, code = None, None
        if closure:
            after = self._class(closure)
            if after.module is module and after.token is not None:
                place = await_place(module, first, after.token)
                code = closure_code(module, after.token)
            elif after.module is not None and after.module.is_language_library and RETURNS_FROM in after.name:
                place = return_place(module, first)
        if place is None or code is None:
            closure = 0
        return Computation(module, begins, awaiter, awaited, kind.type, closure, code or 0, place)

    def _first(self, runner: int) -> tuple[LoadedModule, int] | None:
        """The module and the class of the first piece."""
        address, kind = runner, self._class(runner)
        for _ in range(_MOST_OBJECTS):
            if kind.module is not None and kind.token is not None and closure_code(kind.module, kind.token) is not None:
                return kind.module, kind.token
            offset = next((kind.fields[name] for name in _TO_FIRST if name in kind.fields), None)
            address = self._word(address, offset) if offset is not None else 0
            if not address:
                return None
            kind = self._class(address)
        return None

    def _continuation(self, runner: int, awaited: int) -> int:
        """The closure that goes on when `awaited` has ended; 0 where that is not known."""
        delegate = self._follow(runner, FSHARP_NEXT)
        for _ in range(_MOST_DELEGATES):
            target = self._follow(delegate, _TARGET) if delegate else 0
            if not target:
                return 0
            around = [one for one in self._references(target) if self._class(one).name == _RESUMPTION]
            if not around:
                return self._follow(target, _CONTINUATION) if self._takes(target, awaited) else 0
            if len(around) > 1:
                return 0
            delegate = around[0]
        return 0

    def _takes(self, target: int, awaited: int) -> bool:
        """Whether a delegate's object takes the result of what is awaited, as far as its awaiter tells that."""
        own = self._follow(target, _OWN_AWAITER)
        if not own or not awaited:
            return not awaited
        box = self._class(own)
        return box.awaited is not None and self._word(own, box.awaited) == awaited

    def _follow(self, address: int, name: str) -> int:
        offset = self._class(address).fields.get(name)
        return self._word(address, offset) if offset is not None else 0

    def _references(self, address: int) -> list[int]:
        found = [self._word(address, offset) for offset in self._class(address).fields.values()]
        return [one for one in found if one]

    def _word(self, address: int, offset: int) -> int:
        return int.from_bytes(self._program.debuggee.read_memory(address + offset, _WORD), "little")

    def _class(self, address: int) -> _Class:
        table = self._word(address, 0)
        if table not in self._classes:
            self._classes[table] = self._look_at(address)
        return self._classes[table]

    def _look_at(self, address: int) -> _Class:
        program = self._program
        value = program.debuggee.heap_object(address)
        if value.type is None:
            return _Class(None, "", None, None, {}, None)
        info = program.debuggee.type_info(value.type)
        fields: dict[str, int] = {}
        for declaring, declared in lineage(program, value.type):
            module = program.modules.get(declared.module)
            names = {one.token: one for one in members(module, declared.token).fields if not one.is_static}
            try:
                layout = program.debuggee.type_layout(declaring)
            except DapDotnetError:
                continue  # System.Object has none
            for place in layout.fields:
                if place.field in names and _is_reference(module, place):
                    fields.setdefault(names[place.field].name, place.offset)
        return _Class(
            value.type,
            full_name(program, info),
            program.modules.get(info.module),
            info.token,
            fields,
            self._awaited_in(value),
        )


@if_damaged(False)
def _is_reference(module: LoadedModule | None, place: FieldLayout) -> bool:
    """Whether a field is a reference to an object that is no array.

    Of generic classes that the program has not used elsewhere the runtime does not tell it, but the metadata does.
    """
    from portablepdb.signatures import GenericInstance, NamedType

    if place.element_type is not ElementType.END:
        return place.element_type in (ElementType.CLASS, ElementType.OBJECT)
    if module is None or module.metadata is None:
        return False
    declared = module.metadata.field(place.field).signature
    definition = declared.generic if isinstance(declared, GenericInstance) else None
    return isinstance(definition, NamedType) and not definition.is_value_type
