"""Where a method begins for a thread that is in it, and what of its parameters beginning again does not undo. Pure."""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule

_RESUMED = ("MoveNext", "GenerateNext")
"""The code of methods that go on where they were left (F# names no method that such code is of)."""
_STORES = ("starg", "starg.s")
_ADDRESSES = ("ldarga", "ldarga.s")
_FIELD_STORES = ("stfld", "ldflda")
_MEMBER_REF = 0x0A


@if_damaged(None)
def il_offset_of_start(module: LoadedModule, method: MethodToken) -> int | None:
    """Where a method begins: its first instruction, and of one that can be left and resumed its first statement.

    None for methods without source, or with damaged symbols.
    """

    if module.pdb is None or module.metadata is None:
        return None
    points = [point.il_offset for point in module.pdb.sequence_points(method) if not point.is_hidden]
    if not points:
        return None
    is_resumed = module.pdb.kickoff_method(method) is not None or module.metadata.method(method).name in _RESUMED
    # What comes before the first statement makes the closure of the parameters, or goes to where it was left.
    return min(points) if is_resumed else 0


@if_damaged([])
def stored_parameters(module: LoadedModule, method: MethodToken) -> list[str]:
    """The names of the parameters that the method may have given other values, in their order."""

    if module.pdb is None or module.metadata is None:
        return []
    kickoff = module.pdb.kickoff_method(method)
    declared = module.metadata.params_of(kickoff or method)
    stored = _stored_fields(module, method) if kickoff is not None else _stored_arguments(module, method)
    return [one.name for one in declared if one.sequence and (one.name if kickoff else one.sequence) in stored]


def _stored_arguments(module: LoadedModule, method: MethodToken) -> set[int | str]:
    """By their numbers, from 1."""
    assert module.metadata is not None
    is_static = module.metadata.method(method).is_static
    found: set[int | str] = set()
    for one in instructions_of(module, method):
        if one.opcode.name in _STORES + _ADDRESSES and isinstance(one.operand, int):
            found.add(one.operand + is_static)
    return found


def _stored_fields(module: LoadedModule, method: MethodToken) -> set[int | str]:
    """The fields of a state machine, which has the parameters by their names."""
    assert module.metadata is not None
    machine = module.metadata.declaring_type(method)
    fields = {int(field.token): field.name for field in module.metadata.fields_of(machine)}
    found: set[int | str] = set()
    for one in instructions_of(module, method):
        if one.opcode.name in _FIELD_STORES and isinstance(one.operand, int):
            if one.operand in fields:
                found.add(fields[one.operand])
            elif one.operand >> 24 == _MEMBER_REF:  # of a generic machine
                found.add(module.metadata.display(one.operand).rpartition(".")[2])
    return found
