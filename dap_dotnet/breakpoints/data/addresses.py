"""What becomes of a field's address: who stores through it, and whether it outlives the expression that took it.

An address that is only read from is no store. One that is used up in its expression can be stored through until the
stack is empty again. One that is *kept* (in a `ref` local, a span, a pointer) can be stored through wherever the method
stores by reference or calls. One that leaves the method is stored through where nobody looks.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.signatures import MethodSignature, TypeSignature
    from portablepdb.stack_depth import StackDepths

_PREFIXES = ("volatile.", "unaligned.", "constrained.", "readonly.", "tail.", "no.")
_READS = ("ldfld", "ldobj", "ldind")
_IGNORES = ("pop", "ceq", "cgt", "clt", "br", "beq", "bne", "bge", "bgt", "ble", "blt", "throw", "leave")
_STORES = ("stind", "stobj", "stfld", "initobj", "cpobj", "cpblk", "initblk")
_NATIVE_INTEGERS = (0x18, 0x19)
_TYPED_REFERENCE = 0x16
_BY_REF_LIKE = ("System.Span`1", "System.ReadOnlySpan`1", "System.TypedReference", "System.ArgIterator")
_BY_REF_LIKE_ATTRIBUTE = "System.Runtime.CompilerServices.IsByRefLikeAttribute"
_FRAMEWORK = ("System", "Microsoft", "mscorlib", "netstandard")
_TYPE_DEF, _TYPE_REF = 0x02, 0x01


class Escape(enum.Enum):
    """How an address gets where stores through it are not watched."""

    RETURNED = "returned"
    """To the method's caller, as such or in a span or another `ref struct`."""
    POINTER = "pointer"
    """It becomes an unmanaged pointer."""


class AddressUse(NamedTuple):
    """What one method does with an address. `may_store` False: it is only read from."""

    may_store: bool
    is_kept: bool
    escapes: tuple[Escape, ...]


class AddressUses:
    """The addresses that one method takes. Raises PortablePdbError for signatures that cannot be read."""

    def __init__(self, metadata: Metadata, method: int, flow: StackDepths) -> None:
        self._metadata = metadata
        self._method = method
        self._flow = flow
        self._may_store = self._is_kept = self._is_returned = self._is_pointer = False

    def of(self, offset: int) -> AddressUse:
        """Of the address that the instruction at an IL offset leaves on top of the stack."""
        self._may_store = self._is_kept = self._is_returned = self._is_pointer = False
        flow = self._flow
        following = list(flow.successors(offset))
        pending = [(after, flow.depths[after] - 1) for after in following]
        seen: set[tuple[int, int]] = set()
        while pending:
            at, slot = pending.pop()
            if (at, slot) in seen or at not in flow.depths:
                continue
            seen.add((at, slot))
            name = flow.instructions[at].opcode.name
            copies = [slot]
            if name == "dup" and slot == flow.depths[at] - 1:
                copies.append(slot + 1)
            elif flow.untouched(at) <= slot and not name.startswith(_PREFIXES) and not self._goes_on(at, slot):
                continue
            pending += [(after, copy) for after in flow.successors(at) for copy in copies]
        if self._is_kept:
            self._look_after(offset)
        escapes = [Escape.RETURNED] * self._is_returned + [Escape.POINTER] * self._is_pointer
        return AddressUse(self._may_store or self._is_kept, self._is_kept, tuple(escapes))

    def stores_through_kept(self, offset: int) -> list[int]:
        """Where, after an IL offset, the method may store through an address that it keeps: by reference, in calls."""
        from portablepdb.stack_depth import is_call

        return [
            at
            for at in sorted(self._reached_from(offset))
            if self._flow.instructions[at].opcode.name.startswith(_STORES)
            or (is_call(self._flow.instructions[at]) and self._flow.untouched(at) < self._flow.depths[at])
        ]

    def _goes_on(self, at: int, slot: int) -> bool:
        """An instruction consumes the address. Whether its result is an address in the same slot again."""
        from portablepdb.stack_depth import is_call

        instruction, top = self._flow.instructions[at], self._flow.depths[at] - 1
        name = instruction.opcode.name
        if name == "ldflda":
            return True
        if is_call(instruction):
            self._given(at, slot)
        elif name.startswith(_STORES):
            is_target = slot < top or name == "initobj"
            self._may_store = True
            self._is_kept |= not is_target  # a field of a `ref struct`
        elif name == "ret":
            self._may_store = self._is_kept = self._is_returned = True
        elif name.startswith("conv"):
            self._may_store = self._is_kept = self._is_pointer = True
        elif not name.startswith((*_READS, *_IGNORES)):
            self._is_kept = True
        return False

    def _given(self, at: int, slot: int) -> None:
        """The address is an argument of a call."""
        instruction = self._flow.instructions[at]
        name = instruction.opcode.name
        signature = self._flow.called_signature(instruction.operand)
        self._may_store = True
        is_this = name != "newobj" and signature.has_this and slot == self._flow.untouched(at)
        keeps = name == "newobj" or self._may_hold(signature.return_type)
        keeps |= signature.has_this and not is_this and self._may_be_struct(instruction.operand)
        self._is_kept |= keeps or any(self._may_be_filled(parameter) for parameter in signature.parameters)
        if _is_pointer(signature.return_type):
            self._is_pointer = True

    def _may_be_struct(self, operand: object) -> bool:
        """Whether an instance method may belong to a struct, which can keep what it is given."""
        from portablepdb.signatures import GenericInstance, NamedType, decode_type

        assert isinstance(operand, int)
        image, token = self._metadata.image, operand
        if token >> 24 == 0x2B:  # MethodSpec
            token = image.table(0x2B).row(token & 0xFFFFFF).method
        if token >> 24 == 0x06:  # MethodDef
            return self._is_struct(self._metadata.declaring_type(token))
        if token >> 24 != 0x0A:  # MemberRef
            return True
        parent = image.table(0x0A).row(token & 0xFFFFFF).class_
        if parent >> 24 != 0x1B:  # TypeSpec
            return self._is_struct(parent)
        found = decode_type(self._metadata.signature_blob(image.table(0x1B).row(parent & 0xFFFFFF).signature))
        found = found.generic if isinstance(found, GenericInstance) else found
        return isinstance(found, NamedType) and found.is_value_type

    def _is_struct(self, token: int) -> bool:
        if token >> 24 != _TYPE_DEF:
            return True
        base = self._metadata.type_def(token).base
        return base is not None and self._metadata.type_name(base) == "System.ValueType"

    def _may_be_filled(self, parameter: TypeSignature) -> bool:
        """Whether a parameter refers to something that an address can be put into."""
        from portablepdb.signatures import ByRefType

        parameter = _bare(parameter)
        return isinstance(parameter, ByRefType) and self._is_by_ref_like(_bare(parameter.element))

    def _may_hold(self, found: TypeSignature) -> bool:
        """Whether a value of a type can be, or have in it, an address."""
        from portablepdb.signatures import ByRefType

        found = _bare(found)
        return isinstance(found, ByRefType) or _is_pointer(found) or self._is_by_ref_like(found)

    def _is_by_ref_like(self, found: TypeSignature) -> bool:
        """Whether a type is a `ref struct`; a struct of another library that is not the framework's may be one."""
        from portablepdb.signatures import GenericInstance, NamedType, PrimitiveType

        if isinstance(found, PrimitiveType):
            return found.code == _TYPED_REFERENCE
        found = found.generic if isinstance(found, GenericInstance) else found
        if not isinstance(found, NamedType) or not found.is_value_type:
            return False
        if self._metadata.type_name(found.token) in _BY_REF_LIKE:
            return True
        if found.token >> 24 == _TYPE_DEF:
            attributes = self._metadata.attributes_of(found.token)
            return any(attribute.type_name == _BY_REF_LIKE_ATTRIBUTE for attribute in attributes)
        return not (self._metadata.assembly_of(found.token) or "").startswith(_FRAMEWORK)

    def _look_after(self, offset: int) -> None:
        """Of an address that is kept: whether the method can return it or make a pointer of it later."""
        signature: MethodSignature = self._metadata.method(self._method).signature
        self._is_returned |= self._may_hold(signature.return_type)
        self._is_pointer |= any(
            self._flow.instructions[at].opcode.name in ("conv.u", "conv.i") for at in self._reached_from(offset)
        )

    def _reached_from(self, offset: int) -> set[int]:
        reached: set[int] = set()
        pending = [*self._flow.successors(offset), *self._flow.handlers_of(offset)]
        while pending:
            at = pending.pop()
            if at not in reached and at in self._flow.depths:
                reached.add(at)
                pending += [*self._flow.successors(at), *self._flow.handlers_of(at)]
        return reached


def _bare(found: TypeSignature) -> TypeSignature:
    from portablepdb.signatures import ModifiedType, PinnedType

    while isinstance(found, (ModifiedType, PinnedType)):
        found = found.element
    return found


def _is_pointer(found: TypeSignature) -> bool:
    from portablepdb.signatures import PointerType, PrimitiveType

    found = _bare(found)
    is_native = isinstance(found, PrimitiveType) and found.code in _NATIVE_INTEGERS
    return is_native or isinstance(found, PointerType)
