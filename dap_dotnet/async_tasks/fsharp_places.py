"""Where F#'s `task { … }` without optimisation awaits: by the closures that the compiler has made of its code. Pure.

What runs after a `let!` or `do!` is a closure, a class of its own (`load@14-1`). The statement that makes an object of
it is the `let!` or `do!`; what makes one of the first closure (`load@12`) is the method that the user has written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from dap_dotnet.async_tasks.fsharp_pieces import PIECE
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Metadata, SequencePoint

_GIVES = "Microsoft.FSharp.Core.CompilerServices.ResumableCode<"
RETURNS_FROM = "ReturnFrom"
_CALLS = ("call", "callvirt")
_MAKES = "newobj"
_NOTHING = ("nop", "ldarg", "stloc", "pop")
_BRANCHES = ("beq", "bge", "bgt", "ble", "blt", "bne", "brfalse", "brtrue", "switch")
_MOST_INSTRUCTIONS = 400_000


class Place(Struct, frozen=True):
    """A statement: `il_offset` is that of its sequence point."""

    method: MethodToken
    il_offset: int


class _Made(Struct):
    """What the methods of a class, and of those nested in it, make and call. Places are of instructions."""

    makers: dict[int, list[Place]] = field(default_factory=dict)
    """By the token of a closure's class."""
    made_in: dict[int, list[int]] = field(default_factory=dict)
    """The closures that the methods of a class make, by its token."""
    returns_from: dict[int, list[Place]] = field(default_factory=dict)
    """The calls for a `return!`, by the token of the class."""


@if_damaged(None)
def closure_code(module: LoadedModule, closure: int) -> MethodToken | None:
    """The code of a class that is a piece of a task, whose result is more of the task; None for any other class."""
    from portablepdb.type_display import type_signature_display

    if module.metadata is None:
        return None
    if PIECE.match(module.metadata.type_def(closure).name) is None:
        return None
    for method in module.metadata.methods_of(closure):
        returned = type_signature_display(module.metadata, method.signature.return_type, [], [])
        if method.name == "Invoke" and returned.startswith(_GIVES):
            return MethodToken(method.token)
    return None


def kickoff(module: LoadedModule, first: int) -> MethodToken | None:
    """The method that begins the task whose first piece is of a class; None where that is not known."""
    makers = _made(module, first).makers.get(first, [])
    return makers[0].method if len(makers) == 1 else None


def await_place(module: LoadedModule, first: int, closure: int) -> Place | None:
    """The `let!` or `do!` behind which the closure runs, in the task whose first piece is of the class `first`.

    None where that is not known.
    """
    makers = _made(module, first).makers.get(closure, [])
    if len(makers) != 1 or not _is_same_task(module, first, makers[0].method):
        return None
    return _statement(module, makers[0])


def return_place(module: LoadedModule, first: int) -> Place | None:
    """The `return!` of a task whose first piece is of a class; None for a task that has several, or none."""
    made = _made(module, first)
    found: list[Place] = []
    pending, seen = [first], {first}
    while pending:
        one = pending.pop()
        found += made.returns_from.get(one, [])
        for other in made.made_in.get(one, []):
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return _statement(module, found[0]) if len(found) == 1 else None


def _is_same_task(module: LoadedModule, first: int, method: MethodToken) -> bool:
    assert module.metadata is not None
    maker = module.metadata.declaring_type(method)
    first_name, maker_name = PIECE.match(module.metadata.type_def(first).name), PIECE.match(maker.name)
    if first_name is None or maker_name is None or first_name[1] != maker_name[1]:
        return False
    return closure_code(module, int(maker)) == method


def _statement(module: LoadedModule, place: Place) -> Place | None:
    """The statement that an instruction is in; None where the compiler's marks of its parts may be taken for it.

    The mark of a `let!` goes around those of its parts, that of a `do!` is the keyword alone.
    """
    points = module.pdb.sequence_points(place.method) if module.pdb is not None else ()
    before = sorted((one for one in points if one.il_offset <= place.il_offset), key=lambda one: one.il_offset)
    visible = [one for one in before if not one.is_hidden]
    if not visible:
        return None
    last = visible.pop()
    around = next((one for one in visible if _encloses(one, last)), None)
    if around is not None:
        return Place(place.method, around.il_offset)
    ranges = _ranges(module, place.method, [one.il_offset for one in points])
    found = last
    for one in reversed(visible):
        begins_before = one.document == found.document and one.start_line <= found.start_line
        if not begins_before or one.start_column >= found.start_column:
            continue
        names = ranges.get(one.il_offset, [])
        if all(name.startswith(_NOTHING) for name in names):  # of `try` and `with`
            continue
        if any(name.startswith(_BRANCHES) for name in names):  # of `if` and `match`, whose branch this is in
            break
        if one.start_line != found.start_line:
            return None
        found = one
    is_sure = found is not last or not before[-1].is_hidden
    return Place(place.method, found.il_offset) if is_sure else None


def _ranges(module: LoadedModule, method: MethodToken, offsets: list[int]) -> dict[int, list[str]]:
    """The names of the instructions from each sequence point to the next one."""
    found: dict[int, list[str]] = {one: [] for one in offsets}
    here: list[str] = []
    for each in instructions_of(module, method):
        here = found.get(each.offset, here)
        here.append(each.opcode.name)
    return found


def _encloses(outer: SequencePoint, inner: SequencePoint) -> bool:
    if outer.document != inner.document:
        return False
    begins = (outer.start_line, outer.start_column) <= (inner.start_line, inner.start_column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _find_made(module: LoadedModule, outer: int) -> _Made:
    from portablepdb import PortablePdbError

    metadata = module.metadata
    found = _Made()
    if metadata is None:
        return found
    left = _MOST_INSTRUCTIONS
    types = [metadata.type_def(outer)]
    try:
        while types:
            one = types.pop()
            types += one.nested
            for method in one.methods:
                body = metadata.method_body(method.token)
                instructions = list(body.instructions()) if body is not None else []
                left -= len(instructions)
                if left < 0:
                    return _Made()  # whether a closure is made elsewhere, too, is not known
                for each in instructions:
                    name, operand = each.opcode.name, each.operand
                    place = Place(MethodToken(method.token), each.offset)
                    if not isinstance(operand, int):
                        continue
                    if name == _MAKES:
                        made = _class_of(metadata, operand)
                        if made is not None and PIECE.match(metadata.type_def(made).name) is not None:
                            found.makers.setdefault(made, []).append(place)
                            found.made_in.setdefault(int(one), []).append(made)
                    elif name in _CALLS and RETURNS_FROM in _name(metadata, operand):
                        found.returns_from.setdefault(int(one), []).append(place)
    except PortablePdbError:
        return _Made()
    return found


_MADE = ModuleMemo("closures of F#, and what makes them", _find_made)


def _made(module: LoadedModule, closure: int) -> _Made:
    from portablepdb import PortablePdbError

    try:
        outer = module.metadata.enclosing_type(closure) if module.metadata is not None else None
        while module.metadata is not None and outer is not None:
            around = module.metadata.enclosing_type(outer)
            if around is None:
                return _MADE(module, int(outer))
            outer = around
    except PortablePdbError:
        pass
    return _Made()


def _class_of(metadata: Metadata, constructor: int) -> int | None:
    """The class of the module that a constructor makes an object of; None for one of another module."""
    from portablepdb import MemberRef, Method, TypeDef, TypeSpec

    member = metadata.object_of(constructor)
    if isinstance(member, Method):
        return int(member.declaring_type)
    if not isinstance(member, MemberRef):
        return None
    parent = member.parent
    owner = parent.definition if isinstance(parent, TypeSpec) else parent
    return int(owner) if isinstance(owner, TypeDef) else None


def _name(metadata: Metadata, method: int) -> str:
    from portablepdb import MethodSpec

    member = metadata.object_of(method)
    if isinstance(member, MethodSpec):
        member = member.method
    return str(getattr(member, "name", ""))
