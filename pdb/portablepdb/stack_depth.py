"""How many values are on the evaluation stack before each instruction of a method (ECMA-335 III.1.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import MalformedError
from .handles import TableNumber as T
from .il import CATCH, FILTER, MethodBody
from .instructions import Instruction
from .opcodes import Operand

if TYPE_CHECKING:
    from .metadata import Metadata
    from .signatures import MethodSignature

_END = frozenset(["ret", "throw", "rethrow", "jmp", "endfinally", "endfilter"])
_JUMPS = frozenset(["br", "br.s", "leave", "leave.s"])
_VOID = 0x01
_WITH_SIGNATURE = (T.METHOD_DEF, T.MEMBER_REF, T.STAND_ALONE_SIG)


def _changes() -> dict[str, int]:
    """What an instruction does to the depth, by its name, or by the part of it before the first dot."""
    table = {}
    for change, names in (
        (1, "ldarg ldarga ldloc ldloca ldnull ldc dup ldstr ldsfld ldsflda ldtoken arglist ldftn sizeof"),
        (-1, "stloc starg pop brfalse brtrue switch add sub mul div rem and or xor shl shr ceq cgt clt stsfld"),
        (-1, "ldelem ldelema initobj throw"),
        (-2, "beq bge bgt ble blt bne stind cpobj stfld stobj"),
        (-3, "stelem cpblk initblk"),
    ):
        table.update(dict.fromkeys(names.split(), change))
    return table


_CHANGES = _changes()
# What replaces the topmost values by one.
_OF_ONE = frozenset(
    [
        "ldfld",
        "ldflda",
        "ldind",
        "ldobj",
        "castclass",
        "isinst",
        "unbox",
        "box",
        "newarr",
        "ldlen",
        "conv",
        "neg",
        "not",
        "mkrefany",
        "refanyval",
        "refanytype",
        "ckfinite",
        "localloc",
        "ldvirtftn",
    ]
)
_OF_TWO = frozenset(
    ["add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "ceq", "cgt", "clt", "ldelem", "ldelema"]
)


class StackDepths:
    """The depth before each instruction that can be reached, and where control goes from it."""

    def __init__(self, metadata: Metadata, body: MethodBody) -> None:
        """Raises MalformedError, TruncatedError for IL, and for signatures of called methods, that cannot be read."""
        self._metadata = metadata
        self._body = body
        self.instructions: dict[int, Instruction] = {entry.offset: entry for entry in body.instructions()}
        self.depths: dict[int, int] = {}
        self._follow()

    def successors(self, il_offset: int) -> Iterator[int]:
        """The IL offsets that may come next, in the method; none after ``ret`` and ``throw``."""
        instruction = self.instructions[il_offset]
        name, operand = instruction.opcode.name, instruction.operand
        if name in _END:
            return
        if instruction.opcode.operand in (Operand.TARGET8, Operand.TARGET32):
            assert isinstance(operand, int)
            yield operand
        elif isinstance(operand, tuple):
            yield from operand
        if name not in _JUMPS:
            yield il_offset + instruction.size

    def handlers_of(self, il_offset: int) -> Iterator[int]:
        """Where control may go when an instruction throws: the handlers and filters of the try blocks around it."""
        for clause in self._body.exception_clauses:
            if clause.try_offset <= il_offset < clause.try_offset + clause.try_length:
                yield clause.handler_offset
                if clause.kind == FILTER and clause.filter_offset is not None:
                    yield clause.filter_offset

    def untouched(self, il_offset: int) -> int:
        """How many of the values on the stack, from the bottom, an instruction leaves as they are. `dup` takes none."""
        instruction = self.instructions[il_offset]
        name = instruction.opcode.name
        depth = self.depths[il_offset]
        if name in _END or name.startswith("leave"):
            return 0
        if is_call(instruction):
            return depth - self._call(name, instruction.operand)[0]
        stem = name.partition(".")[0]
        if stem in _OF_ONE:
            return depth - 1
        if stem in _OF_TWO:
            return depth - 2
        return depth + min(self._change(instruction), 0)

    def _follow(self) -> None:
        pending = [(0, 0)]
        for clause in self._body.exception_clauses:
            pending.append((clause.handler_offset, 1 if clause.kind in (CATCH, FILTER) else 0))
            if clause.kind == FILTER and clause.filter_offset is not None:
                pending.append((clause.filter_offset, 1))
        while pending:
            offset, depth = pending.pop()
            if offset in self.depths or offset not in self.instructions:
                continue
            self.depths[offset] = depth
            instruction = self.instructions[offset]
            after = max(depth + self._change(instruction), 0)
            if instruction.opcode.name.startswith("leave"):
                after = 0
            pending.extend((target, after) for target in self.successors(offset))

    def _change(self, instruction: Instruction) -> int:
        name = instruction.opcode.name
        if is_call(instruction):
            popped, pushed = self._call(name, instruction.operand)
            return pushed - popped
        found = _CHANGES.get(name)
        return _CHANGES.get(name.partition(".")[0], 0) if found is None else found

    def _call(self, name: str, operand: object) -> tuple[int, int]:
        """How many values a call or ``newobj`` pops and pushes. Raises as `called_signature` does."""
        from .signatures import ModifiedType, PrimitiveType

        signature = self.called_signature(operand)
        popped = len(signature.parameters)
        if name == "newobj":
            return popped, 1
        returned = signature.return_type
        while isinstance(returned, ModifiedType):  # an init setter returns `void modreq(IsExternalInit)`
            returned = returned.element
        is_void = isinstance(returned, PrimitiveType) and returned.code == _VOID
        popped += (signature.has_this and not signature.has_explicit_this) + (name == "calli")
        return popped, int(not is_void)

    def called_signature(self, operand: object) -> MethodSignature:
        """The signature of the method that a call's operand names, or for ``calli`` the operand itself.

        Raises MalformedError, NoSuchEntryError, TruncatedError.
        """
        from .signatures import decode_method

        assert isinstance(operand, int)
        token: int = operand
        image = self._metadata.image
        if token >> 24 == T.METHOD_SPEC:
            token = image.table(T.METHOD_SPEC).row(token & 0xFFFFFF).method
        if token >> 24 not in _WITH_SIGNATURE:
            raise MalformedError(f"0x{token:08x} names no method that can be called", file=self._metadata.file)
        row: Any = image.table(token >> 24).row(token & 0xFFFFFF)
        return decode_method(self._metadata.signature_blob(row.signature))


def is_call(instruction: Instruction) -> bool:
    """Whether an instruction calls a method: also ``newobj`` and ``calli``."""
    kinds = (Operand.METHOD, Operand.SIGNATURE)
    return instruction.opcode.operand in kinds and not instruction.opcode.name.startswith(("ld", "jmp"))
