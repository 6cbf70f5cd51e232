"""The opcodes of ECMA-335 III: their values, names and kinds of operand."""

from __future__ import annotations

from enum import Enum

from .records import Record


class Operand(Enum):
    """How an operand stands in the IL."""

    NONE = ""
    INT8 = "b"
    UINT8 = "B"
    UINT16 = "H"
    INT32 = "i"
    INT64 = "q"
    FLOAT32 = "f"
    FLOAT64 = "d"
    TARGET8 = "1"
    TARGET32 = "4"
    SWITCH = "s"
    METHOD = "m"
    FIELD = "l"
    TYPE = "t"
    STRING = "u"
    SIGNATURE = "g"
    TOKEN = "k"
    VARIABLE8 = "v"
    VARIABLE16 = "V"
    ARGUMENT8 = "a"
    ARGUMENT16 = "A"


class OpCode(Record):
    """An opcode: its value (two-byte ones 0xfe..), its name in ilasm, how its operand stands."""

    value: int
    name: str
    operand: Operand


# Name, and after a slash the code of the operand, from 0x00 on; "-" is unassigned.
_ONE_BYTE = """
nop break ldarg.0 ldarg.1 ldarg.2 ldarg.3 ldloc.0 ldloc.1 ldloc.2 ldloc.3 stloc.0 stloc.1 stloc.2 stloc.3
ldarg.s/a ldarga.s/a starg.s/a ldloc.s/v ldloca.s/v stloc.s/v ldnull ldc.i4.m1 ldc.i4.0 ldc.i4.1 ldc.i4.2 ldc.i4.3
ldc.i4.4 ldc.i4.5 ldc.i4.6 ldc.i4.7 ldc.i4.8 ldc.i4.s/b ldc.i4/i ldc.i8/q ldc.r4/f ldc.r8/d - dup pop jmp/m call/m
calli/g ret br.s/1 brfalse.s/1 brtrue.s/1 beq.s/1 bge.s/1 bgt.s/1 ble.s/1 blt.s/1 bne.un.s/1 bge.un.s/1 bgt.un.s/1
ble.un.s/1 blt.un.s/1 br/4 brfalse/4 brtrue/4 beq/4 bge/4 bgt/4 ble/4 blt/4 bne.un/4 bge.un/4 bgt.un/4 ble.un/4
blt.un/4 switch/s ldind.i1 ldind.u1 ldind.i2 ldind.u2 ldind.i4 ldind.u4 ldind.i8 ldind.i ldind.r4 ldind.r8 ldind.ref
stind.ref stind.i1 stind.i2 stind.i4 stind.i8 stind.r4 stind.r8 add sub mul div div.un rem rem.un and or xor shl shr
shr.un neg not conv.i1 conv.i2 conv.i4 conv.i8 conv.r4 conv.r8 conv.u4 conv.u8 callvirt/m cpobj/t ldobj/t ldstr/u
newobj/m castclass/t isinst/t conv.r.un - - unbox/t throw ldfld/l ldflda/l stfld/l ldsfld/l ldsflda/l stsfld/l stobj/t
conv.ovf.i1.un conv.ovf.i2.un conv.ovf.i4.un conv.ovf.i8.un conv.ovf.u1.un conv.ovf.u2.un conv.ovf.u4.un
conv.ovf.u8.un conv.ovf.i.un conv.ovf.u.un box/t newarr/t ldlen ldelema/t ldelem.i1 ldelem.u1 ldelem.i2 ldelem.u2
ldelem.i4 ldelem.u4 ldelem.i8 ldelem.i ldelem.r4 ldelem.r8 ldelem.ref stelem.i stelem.i1 stelem.i2 stelem.i4
stelem.i8 stelem.r4 stelem.r8 stelem.ref ldelem/t stelem/t unbox.any/t - - - - - - - - - - - - - conv.ovf.i1
conv.ovf.u1 conv.ovf.i2 conv.ovf.u2 conv.ovf.i4 conv.ovf.u4 conv.ovf.i8 conv.ovf.u8 - - - - - - - refanyval/t
ckfinite - - mkrefany/t - - - - - - - - - ldtoken/k conv.u2 conv.u1 conv.i conv.ovf.i conv.ovf.u add.ovf add.ovf.un
mul.ovf mul.ovf.un sub.ovf sub.ovf.un endfinally leave/4 leave.s/1 stind.i conv.u
"""

# The same after the prefix byte 0xfe.
_TWO_BYTE = """
arglist ceq cgt cgt.un clt clt.un ldftn/m ldvirtftn/m - ldarg/A ldarga/A starg/A ldloc/V ldloca/V stloc/V localloc -
endfilter unaligned./B volatile. tail. initobj/t constrained./t cpblk initblk no./B rethrow - sizeof/t refanytype
readonly.
"""


def _table(text: str, prefix: int) -> dict[int, OpCode]:
    table = {}
    for value, word in enumerate(text.split()):
        if word != "-":
            name, _, operand = word.partition("/")
            table[prefix | value] = OpCode(prefix | value, name, Operand(operand))
    return table


OPCODES = {**_table(_ONE_BYTE, 0), **_table(_TWO_BYTE, 0xFE00)}
"""All opcodes by value."""
