"""The IL of methods as text, with the names and the source of each instruction. Kept with their module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.symbols.local_names import locals_at
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleMemo
from dap_dotnet.symbols.spans import Span, span_of

if TYPE_CHECKING:
    from portablepdb.disassembler import Disassembler
    from portablepdb.instructions import Instruction
    from portablepdb.members import Method
    from portablepdb.stack_depth import StackDepths

_MOST_METHODS = 50


class ListedInstruction(Struct, frozen=True):
    """An instruction of a method. `span` and `path` (as the PDB has it) are None where it belongs to no source."""

    il_offset: int
    content: bytes
    text: str
    span: Span | None
    path: str | None
    stack_depth: int | None
    """How many values are on the evaluation stack before it; None where control never comes, or that is not known."""


def il_listing(module: LoadedModule, method: int) -> Sequence[ListedInstruction]:
    """The instructions of a method, by their offsets. Empty for one without IL.

    Raises `PortablePdbError` where there is no such method, or its IL cannot be read.
    """
    return _LISTINGS(module, method)


def _list(module: LoadedModule, token: int) -> Sequence[ListedInstruction]:
    if module.metadata is None:
        return ()
    method = module.metadata.method(token)
    body = method.body
    if body is None:
        return ()
    disassembler = module.cached(_DISASSEMBLER)
    depths = _depths(module, method)
    sources = sources_of(module, token)
    arguments = _argument_names(method)
    found = []
    span, path = None, None
    with module.metadata.metered(module.metadata.image.budgets.begin("signature_bytes")):
        for instruction in body.instructions():
            offset = instruction.offset
            span, path = sources.get(offset, (span, path))
            name = _variable_name(module, token, instruction, arguments)
            text = disassembler.instruction(instruction)
            content = body.il[offset : offset + instruction.size]
            depth = None if depths is None else depths.depths.get(offset)
            found.append(ListedInstruction(offset, content, f"{text} // {name}" if name else text, span, path, depth))
    return tuple(found)


def _depths(module: LoadedModule, method: Method) -> StackDepths | None:
    from portablepdb import PortablePdbError
    from portablepdb.stack_depth import StackDepths

    assert module.metadata is not None
    assert method.body is not None
    try:
        return StackDepths(module.metadata, method.body)
    except PortablePdbError:
        return None


def sources_of(module: LoadedModule, method: int) -> dict[int, tuple[Span | None, str | None]]:
    """From the IL offset of each sequence point on: the source there; None for both where the point is hidden."""
    if module.pdb is None:
        return {}
    return {
        point.il_offset: (None, None) if point.is_hidden else (span_of(point), point.document.name)
        for point in module.pdb.sequence_points(method)
    }


def _argument_names(method: Method) -> Mapping[int, str]:
    """Names by the number that instructions give arguments, which counts `this`."""
    first = 1 if method.signature.has_this else 0
    names = {number - 1 + first: name for number, name in method.parameters.items() if number > 0}
    return {0: "this", **names} if first else names


def _variable_name(
    module: LoadedModule, method: int, instruction: Instruction, arguments: Mapping[int, str]
) -> str | None:
    """The source's name of the variable that an instruction is about."""
    stem, _, rest = instruction.opcode.name.partition(".")
    if stem not in _OF_ARGUMENTS and stem not in _OF_LOCALS:
        return None
    number = instruction.operand if isinstance(instruction.operand, int) else int(rest)
    if stem in _OF_ARGUMENTS:
        return arguments.get(number)
    # A variable's first store stands before its scope begins.
    for offset in (instruction.offset, instruction.offset + instruction.size):
        for variable in locals_at(module, method, offset):
            if variable.slot == number:
                return variable.name
    return None


def _disassembler(module: LoadedModule) -> Disassembler:
    from portablepdb.disassembler import Disassembler

    assert module.metadata is not None
    return Disassembler(module.metadata)


_OF_ARGUMENTS = frozenset(["ldarg", "ldarga", "starg"])
_OF_LOCALS = frozenset(["ldloc", "ldloca", "stloc"])
_DISASSEMBLER = CacheSlot("disassembler", _disassembler)
_LISTINGS: ModuleMemo[int, Sequence[ListedInstruction]] = ModuleMemo("IL of methods", _list, _MOST_METHODS)
