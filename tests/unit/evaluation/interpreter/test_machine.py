"""The IL machine: what it reads, and that it refuses everything else."""

from __future__ import annotations

import ctypes
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.interpretation import INSTRUCTIONS, interpret
from dap_dotnet.evaluation.interpreter.machine import Activation
from dap_dotnet.evaluation.types.csharp_types import I4, ExactMethod, I, Operand
from dap_dotnet.runtime.model import MethodToken, TypeId
from dap_dotnet.startup.options import DEFECTS_VARIABLE
from portablepdb.opcodes import OPCODES
from portablepdb.opcodes import Operand as Operands
from portablepdb.signatures import ByRefType, PrimitiveType
from tests.unit.evaluation.fakes import World
from tests.unit.evaluation.il import Il

INTS = st.integers(-(1 << 31), (1 << 31) - 1)


def run(
    il: bytes, *arguments: object, returns: object = "int", parameters: int | None = None, world: World | None = None
) -> object:
    world = world or World()
    count = len(arguments) if parameters is None else parameters
    method = world.method(
        world.program_type, "M", returns, [(f"p{index}", "int") for index in range(count)], static=True, il=il
    )
    env = Environment(world.context, None, METHOD_RUNNER)
    owner = env.universe.of_definition((world.module.id, world.program_type.token))  # type: ignore[arg-type]
    assert owner is not None
    operands = [entry if isinstance(entry, Operand) else Operand(I4, entry) for entry in arguments]
    return interpret(env, ExactMethod(owner, MethodToken(method.token)), operands).data


WORLD = World()


@settings(max_examples=60)
@given(INTS, INTS, st.sampled_from(["add", "sub", "mul", "and", "or", "xor"]))
def test_interpreter_arithmetic_wraps_as_the_processor(left: int, right: int, name: str) -> None:
    exact = {
        "add": left + right, "sub": left - right, "mul": left * right, "and": left & right, "or": left | right,
        "xor": left ^ right,
    }[name]  # fmt: skip
    assert run(Il().ldarg(0).ldarg(1).op(name).ret(), left, right, world=WORLD) == ctypes.c_int32(exact).value


@settings(max_examples=60)
@given(INTS, INTS)
def test_interpreter_unsigned_instructions_see_unsigned_numbers(left: int, right: int) -> None:
    a, b = ctypes.c_uint32(left).value, ctypes.c_uint32(right).value
    assert run(Il().ldarg(0).ldarg(1).op("clt.un").ret(), left, right, world=WORLD) == (a < b)
    if b:
        assert run(Il().ldarg(0).ldarg(1).op("div.un").ret(), left, right, world=WORLD) == ctypes.c_int32(a // b).value
    assert run(Il().ldarg(0).ldc(3).op("shr.un").ret(), left, world=WORLD) == a >> 3


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("conv.u1", 300, 44), ("conv.i1", 200, -56), ("conv.u2", -1, 65535), ("conv.i8", -1, -1), ("conv.u8", -1, -1)],
)
def test_interpreter_conversions(name: str, value: int, expected: int) -> None:
    assert run(Il().ldarg(0).op(name).op("conv.i4").ret(), value) == expected


def test_interpreter_branches_and_loops() -> None:
    # n -> 0 + 1 + … + n-1
    body = Il().ldarg(0).branch("brfalse.s", 14)
    body = body.ldarg(1).ldarg(0).op("add").op("starg.s", b"\1").ldarg(0).ldc(1).op("sub").op("starg.s", b"\0")
    il = body._bytes
    il += struct.pack("<Bb", 0x2B, -(len(il) + 2))
    il = il[:3] + struct.pack("<b", len(il) - 4) + il[4:]
    assert run(il + Il().ldarg(1).ret(), 10, 0) == 55


def test_interpreter_gives_up_an_endless_loop() -> None:
    with pytest.raises(NotInterpretable, match="steps"):
        run(struct.pack("<Bb", 0x2B, -2))


def test_interpreter_takes_no_more_steps_for_one_request_than_are_allowed_together() -> None:
    world = World()
    body = Il().ldarg(0).ldc(1).op("sub").op("starg.s", b"\0").ldarg(0)._bytes
    countdown = body + struct.pack("<Bb", 0x2D, -(len(body) + 2)) + Il().ldc(7).ret()  # six steps for each number
    method = world.method(world.program_type, "Down", "int", [("from", "int")], static=True, il=countdown)
    env = Environment(world.context, None, METHOD_RUNNER)
    owner = env.universe.of_definition((world.module.id, world.program_type.token))  # type: ignore[arg-type]
    assert owner is not None
    exact = ExactMethod(owner, MethodToken(method.token))

    def count_down(start: int) -> object:
        return interpret(env, exact, [Operand(I4, start)]).data

    with env.program.allowance.limited():
        assert [count_down(2_000) for _ in range(3)] == [7, 7, 7]
        with pytest.raises(NotInterpretable, match="steps"):
            count_down(2_000)
        assert count_down(10) == 7
    assert [count_down(2_000) for _ in range(5)] == [7] * 5


def test_interpreter_variables_hold_what_their_type_can() -> None:
    world = World()
    body = Il().ldc(300).op("starg.s", b"\0").ldarg(0).ret()
    low_byte = world.method(world.program_type, "Low", "int", [("x", "byte")], static=True, il=body)
    assert run(Il().ldc(1).token("call", low_byte).ret(), world=world) == 44


def test_interpreter_gives_up_endless_recursion() -> None:
    world = World()
    token = 0x06000001 + len(world.metadata.all_methods)
    with pytest.raises(NotInterpretable, match="deep"):
        run(Il().token("call", token).ret(), world=world)


def test_interpreter_calls_other_methods() -> None:
    world = World()
    double = world.method(
        world.program_type, "Double", "int", [("x", "int")], static=True, il=Il().ldarg(0).ldc(2).op("mul").ret()
    )
    assert run(Il().ldarg(0).token("call", double).ldc(1).op("add").ret(), 20, world=world) == 41


def test_interpreter_reads_nothing_through_a_pointer_that_is_a_number() -> None:
    handle = Operand(I, 0x7F00_0000_1000)
    for name in ("ldind.i4", "ldind.i", "ldind.ref"):
        with pytest.raises(NotInterpretable, match="pointer"):
            run(Il().ldarg(0).op(name).ret(), handle, returns="object")
    with pytest.raises(NotInterpretable, match="as an object"):
        run(Il().ldarg(0).ret(), handle, returns="object")


def test_interpreter_returns_the_variable_that_a_pointer_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    world, address = World(), 0x7F00_0000_1000
    monkeypatch.setattr(
        world.debuggee,
        "read_memory",
        lambda at, size: bytes(reversed(range(9, 9 + size))) if at == address else b"",
        raising=False,
    )
    variable, pointer = ByRefType(PrimitiveType(I4.code)), Operand(I, address)
    wanted = 9 << 24 | 10 << 16 | 11 << 8 | 12
    assert run(Il().ldarg(0).ret(), pointer, returns=variable, world=world) == wanted
    returned = world.method(
        world.program_type, "D", variable, [("p", "nint")], static=True, il=Il().ldarg(0).op("conv.u").ret()
    )
    assert run(Il().ldarg(0).token("call", returned).op("ldind.i4").ret(), pointer, world=world) == wanted
    with pytest.raises(NotInterpretable, match="address"):
        run(Il().ldarg(0).token("call", returned).op("conv.u").op("conv.i4").ret(), pointer, world=world)
    for nowhere in (0, 8):
        with pytest.raises(NotInterpretable):
            run(Il().ldarg(0).ret(), Operand(I, nowhere), returns=variable, world=world)
    with pytest.raises(NotInterpretable, match="no address"):
        run(Il().ldc(4).ret(), returns=variable, world=world)


def test_interpreter_reads_static_fields_but_believes_no_zero_before_the_constructor() -> None:
    world = World()
    known = world.field(world.program_type, "known", "int", static=True)
    zero = world.field(world.program_type, "zero", "int", static=True)
    owner = world.definition_id(world.program_type.token)
    world.statics[owner, known.token] = world.scalar("int", 3)
    world.statics[owner, zero.token] = world.scalar("int", 0)
    assert run(Il().token("ldsfld", known).ret(), world=world) == 3
    assert run(Il().token("ldsfld", zero).ret(), world=world) == 0
    world.method(world.program_type, ".cctor", "void", static=True)
    world.statics[owner, known.token] = world.scalar("int", 0)
    with pytest.raises(NotInterpretable, match="initialised"):
        run(Il().token("ldsfld", zero).ret(), world=world)
    world.statics[owner, known.token] = world.scalar("int", 3)  # it has begun
    assert run(Il().token("ldsfld", known).ret(), world=world) == 3
    assert run(Il().token("ldsfld", zero).ret(), world=world) == 0


@pytest.mark.parametrize(
    "name",
    ["stfld", "stsfld", "newobj", "newarr", "throw", "ldftn", "localloc", "cpblk", "calli", "stelem.i4", "rethrow"],
)
def test_interpreter_refuses_what_writes_allocates_or_throws(name: str) -> None:
    operand = b"" if name in ("throw", "localloc", "cpblk", "stelem.i4", "rethrow") else struct.pack("<I", 0x04000001)
    with pytest.raises(NotInterpretable):
        run(Il().ldc(1).ldc(2).ldc(3).op(name, operand).ret())


NUMBERS = st.sampled_from([0, 1, 2, 3, 7, 0x02000003, 0x04000001, 0x06000001, 0x0A000001, 0x1B000001, 0x2B000001])


@st.composite
def instructions(draw: st.DrawFn) -> bytes:
    known = [one for one in OPCODES.values() if {one.name, one.name.rpartition(".")[0]} & INSTRUCTIONS.keys()]
    opcode = draw(st.sampled_from(known))
    number, form = draw(NUMBERS), opcode.operand
    if form is Operands.NONE:
        operand = b""
    elif form is Operands.SWITCH:
        operand = struct.pack("<Ii", 1, number & 3)
    elif form in (Operands.FLOAT32, Operands.FLOAT64):
        operand = struct.pack(f"<{form.value}", draw(st.floats(width=32)))
    else:
        size = {"b": 1, "B": 1, "1": 1, "v": 1, "a": 1, "H": 2, "V": 2, "A": 2, "q": 8}.get(form.value, 4)
        operand = number.to_bytes(8, "little")[:size]
    return Il().op(opcode.name, operand)._bytes


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=24), st.lists(instructions(), max_size=12).map(lambda some: b"".join(some) + b"*")))
def test_interpreter_any_code_gives_a_value_or_is_refused(il: bytes) -> None:
    """An exception that nobody expected would be raised here: see `defects`."""
    for returns in ("int", "object"):
        try:
            run(il, 1, 2, returns=returns, world=World())
        except NotInterpretable:
            pass


@pytest.mark.parametrize(
    ("il", "why"),
    [
        (b"", "sound"),
        (Il().ldc(1)._bytes, "sound"),
        (Il().branch("br.s", 1).ldc(1).ret(), "sound"),
        (Il().op("switch", struct.pack("<Ii", 1, 1)).ldc(1).ret(), "sound"),
        (Il().ldarg(1).ret(), "sound"),
        (Il().op("ldloc.0").ret(), "sound"),
        (Il().ret(), "without its operands"),
        (Il().ldc(1).op("add").ret(), "without its operands"),
        (Il().op("dup").ret(), "without its operands"),
        (Il().op("endfinally")._bytes, "never entered"),
        (Il().op("ldnull").ret(), "a number that is none"),
        (Il().op("ldnull").op("neg").ret(), "not a number"),
        (Il().op("ldc.r8", struct.pack("<d", float("inf"))).ret(), "a float as an integer"),
        (Il().op("ldc.r8", bytes(8)).op("not").ret(), "an integer that is none"),
        (Il().ldc(1).op("ldc.r8", bytes(8)).op("shl").ret(), "an integer that is none"),
        (Il().op("ldnull").op("switch", bytes(4)).ldc(1).ret(), "an integer that is none"),
        (Il().op("ldarga.s", b"\0").op("starg.s", b"\0").ldarg(0).ret(), "leads to itself"),
    ],
)
def test_interpreter_refuses_what_breaks_the_rules(il: bytes, why: str) -> None:
    with pytest.raises(NotInterpretable, match=why):
        run(il, 1)


def test_a_defect_fails_tests_and_is_a_line_of_the_log_and_a_call_for_users(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def torn(frame: Activation, operand: object) -> None:
        raise KeyError("torn")

    monkeypatch.setitem(INSTRUCTIONS, "nop", torn)
    with pytest.raises(KeyError, match="torn"):
        run(Il().op("nop").ldc(1).ret())
    monkeypatch.delenv(DEFECTS_VARIABLE)
    with pytest.raises(NotInterpretable, match="defect"):
        run(Il().op("nop").ldc(1).ret())
    (line,) = caplog.messages
    assert "App.Program" in line
    assert "KeyError('torn') at " in line
    assert f"test_machine.py:{torn.__code__.co_firstlineno + 1}" in line


@pytest.mark.parametrize("after", [Il().op("conv.u"), Il().ldc(1).op("add"), Il().ldc(7).op("ceq")])
def test_interpreter_does_not_compute_with_addresses(after: Il) -> None:
    """`*(long*)&number`, `((byte*)&number)[1]`: what is there is seen as another type than the variable's."""
    assert run(Il().op("ldarga.s", b"\0").op("ldind.i4").ret(), 7) == 7
    with pytest.raises(NotInterpretable, match="address"):
        run(Il().op("ldarga.s", b"\0").ret()[:-1] + after.op("ret")._bytes, 7)


def test_interpreter_keeps_the_type_of_a_this_whose_method_is_inherited() -> None:
    world = World()
    colour = world.enum("App.Colour", Red=0, Green=1)
    enum = world.metadata.types[world.token("System.Enum")]
    method = world.method(enum, "Self", "object", il=Il().ldarg(0).ret())
    env = Environment(world.context, None, METHOD_RUNNER)
    kind, owner = env.type_of(TypeId(world.type_id(colour))), env.universe.named("System.Enum")
    assert kind is not None
    assert owner is not None
    result = interpret(env, ExactMethod(owner, MethodToken(method.token)), [Operand(kind, 1)])
    assert env.own_type(result) is kind
