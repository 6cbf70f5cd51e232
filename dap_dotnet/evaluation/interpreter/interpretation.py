"""Methods that only read, run without the program: what each IL instruction does (ECMA-335 III), and the way in.

Objects that only the debugger has are made so, too: by a constructor that does nothing but store and read. No address
of the program stands for one. It lives for one evaluation, as the data of an operand of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter import machine
from dap_dotnet.evaluation.interpreter.code import Declared, NotInterpretable, Refusals, code_of
from dap_dotnet.evaluation.interpreter.machine import Activation, Instruction, Machine, Slots
from dap_dotnet.evaluation.interpreter.stack_values import (
    Address,
    MadeObject,
    as_made,
    as_value,
    default,
    in_program,
    integer,
    reference,
    typed,
)
from dap_dotnet.evaluation.operations.member_access import parameter_types
from dap_dotnet.evaluation.operations.operand_values import boxed, cast, is_instance
from dap_dotnet.evaluation.operations.operators import same_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType as E
from dap_dotnet.runtime.model import MethodToken, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, members
from dap_dotnet.values.context import WrappedMember
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.rendering import render

INSTRUCTIONS: dict[str, Instruction] = {}
"""By the names that ECMA-335 gives to their long forms. What is not here, the machine refuses."""

_NARROWED = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM})
_UNSIGNED = {E.I4: E.U4, E.I8: E.U8, E.I: E.U}
_SIGNED = {unsigned: signed for signed, unsigned in _UNSIGNED.items()}
_CONVERSIONS = {
    "i1": types.I1, "i2": types.I2, "i4": types.I4, "i8": types.I8, "i": types.I,
    "u1": types.U1, "u2": types.U2, "u4": types.U4, "u8": types.U8, "u": types.U,
    "r4": types.R4, "r8": types.R8,
}  # fmt: skip


def _add(name: str, instruction: Instruction) -> None:
    INSTRUCTIONS[name] = instruction


# arguments, locals, constants


def _store(frame: Activation, slots: Slots, index: int, declared: Declared) -> None:
    operand, kind = frame.pop_any(), declared.type
    slots[index] = reference(frame.env, kind, operand) if declared.is_reference else _stored(kind, operand)


def _stored(kind: Type | None, operand: Operand | Address) -> Operand | Address:
    """What the variable holds: methods that are called on it are those of its type, not of the stack's."""
    if kind is None or kind.kind not in _NARROWED or isinstance(operand, Address) or operand.type is kind:
        return operand
    return typed(kind, operand)


def _constant(kind: Type) -> Instruction:
    return lambda frame, value: frame.stack.append(Operand(kind, value))


_add("ldarg", lambda frame, index: frame.push(frame.arguments[index]))
_add("ldloc", lambda frame, index: frame.push(frame.locals[index]))
_add("stloc", lambda frame, index: _store(frame, frame.locals, index, frame.code.locals[index]))
_add("starg", lambda frame, index: _store(frame, frame.arguments, index, frame.code.parameters[index]))
_add("ldarga", lambda frame, index: frame.stack.append(Address(frame.arguments, index)))
_add("ldloca", lambda frame, index: frame.stack.append(Address(frame.locals, index)))
for _name, _type in {"ldc.i4": types.I4, "ldc.i8": types.I8, "ldc.r4": types.R8, "ldc.r8": types.R8}.items():
    _add(_name, _constant(_type))
_add("ldnull", lambda frame, _: frame.stack.append(types.NULL_OPERAND))
_add(
    "ldstr",
    lambda frame, token: frame.stack.append(Operand(types.STRING, frame.code.scope.metadata.user_string(token))),
)

# the stack


def _drop(frame: Activation, _: Any) -> None:
    frame.pop_any()


for _name in ("nop", "break", "volatile.", "unaligned.", "readonly.", "tail.", "constrained."):
    _add(_name, lambda frame, operand: None)
_add("dup", lambda frame, _: frame.stack.append(frame.top()))
_add("pop", _drop)
_add("ret", lambda frame, _: frame.finish())

# arithmetic


def _stack_code(*numbers: Operand) -> E:
    """III.1.5: the type in which stack numbers meet."""
    codes = {number.type.code for number in numbers}
    if numeric.DECIMAL in codes or any(number.type.kind is not Kind.NUMBER for number in numbers):
        raise NotInterpretable("arithmetic on something that is not a number")
    if codes & numeric.FLOATS:
        return E.R8
    return E.I8 if E.I8 in codes else E.I if E.I in codes else E.I4


def _numbers(*operands: Operand, unsigned: bool) -> tuple[E, list[Any]]:
    """(the type in which they meet, their values in it); with `unsigned` those of the unsigned type of its size."""
    code, data = _stack_code(*operands), [operand.data for operand in operands]
    if not unsigned or code not in _UNSIGNED:
        return code, data
    code = _UNSIGNED[code]
    return code, [numeric.wrap(code, number) for number in data]


def _arithmetic(operator: str, *, unsigned: bool = False, checked: bool = False) -> Instruction:
    def apply(frame: Activation, _: Any) -> None:
        right, left = frame.pop_direct(), frame.pop_direct()
        code, (a, b) = _numbers(left, right, unsigned=unsigned)
        kind, function = types.PRIMITIVES[_SIGNED.get(code, code)], numeric.binary(operator, code, checked=checked)
        if function is None:
            raise NotInterpretable(operator)
        result = function(a, b)
        frame.stack.append(Operand(kind, result if code in numeric.FLOATS else numeric.wrap(kind.code, result)))

    return apply


_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^"}
for _name, _operator in _OPERATORS.items():
    _add(_name, _arithmetic(_operator))
    _add(f"{_name}.un", _arithmetic(_operator, unsigned=True))
    _add(f"{_name}.ovf", _arithmetic(_operator, checked=True))
    _add(f"{_name}.ovf.un", _arithmetic(_operator, unsigned=True, checked=True))


def _shift(operator: str) -> Instruction:
    def apply(frame: Activation, _: Any) -> None:
        count, value = integer(frame.pop_direct()), frame.pop_direct()
        shifted = integer(value)
        frame.stack.append(Operand(value.type, numeric.shift(operator, value.type.code)(shifted, count)))

    return apply


_add("shl", _shift("<<"))
_add("shr", _shift(">>"))
_add("shr.un", _shift(">>>"))


def _negate(frame: Activation, _: Any) -> None:
    value = frame.pop_direct()
    _stack_code(value)
    frame.stack.append(Operand(value.type, numeric.negate(value.type.code)(value.data)))


def _not(frame: Activation, _: Any) -> None:
    value = frame.pop_direct()
    frame.stack.append(Operand(value.type, numeric.wrap(value.type.code, ~integer(value))))


_add("neg", _negate)
_add("not", _not)


def _convert(target: Type, *, unsigned: bool = False, checked: bool = False) -> Instruction:
    def apply(frame: Activation, _: Any) -> None:
        value = frame.pop_direct()
        extends_zeros = unsigned or (target in (types.U8, types.U) and value.type.code is E.I4 and not checked)
        source, (data,) = _numbers(value, unsigned=extends_zeros)
        convert = numeric.convert(source, target.code, checked=checked, saturates=frame.env.saturates)
        frame.push(Operand(target, convert(data)))

    return apply


for _suffix, _target in _CONVERSIONS.items():
    _add(f"conv.{_suffix}", _convert(_target))
    _add(f"conv.ovf.{_suffix}", _convert(_target, checked=True))
    _add(f"conv.ovf.{_suffix}.un", _convert(_target, unsigned=True, checked=True))
_add("conv.r.un", _convert(types.R8, unsigned=True))

# comparisons and branches


def _compares(operator: str, *, unsigned: bool = False) -> Callable[[Activation], bool]:
    """Pops two values and compares them. With `unsigned`, floats compare true when either is NaN (III.1.5)."""
    compare = numeric.COMPARISONS[operator]

    def apply(frame: Activation) -> bool:
        right, left = frame.pop_direct(), frame.pop_direct()
        if left.type.kind is Kind.NUMBER and right.type.kind is Kind.NUMBER:
            code, (a, b) = _numbers(left, right, unsigned=unsigned)
            if unsigned and code in numeric.FLOATS and (a != a or b != b):  # noqa: PLR0124 - NaN
                return True
            return compare(a, b)
        if left.type.is_value_type or right.type.is_value_type:
            raise NotInterpretable("a comparison of structures")
        if isinstance(left.data, str) and isinstance(right.data, str) and not (left.value and right.value):
            raise NotInterpretable("whether two strings are one object")
        equal = same_object(left, right)
        if operator == "==":
            return equal
        if operator == "!=" or (operator == ">" and unsigned):  # cgt.un with null: "is not null"
            return not equal
        raise NotInterpretable("an order of references")

    return apply


def _push_comparison(compare: Callable[[Activation], bool]) -> Instruction:
    return lambda frame, _: frame.stack.append(Operand(types.I4, 1 if compare(frame) else 0))


def _branch_if(compare: Callable[[Activation], bool]) -> Instruction:
    def apply(frame: Activation, target: int) -> None:
        if compare(frame):
            frame.jump(target)

    return apply


def _is_true(frame: Activation) -> bool:
    if isinstance(frame.top(), Address):
        frame.stack.pop()
        return True
    operand = frame.pop()
    if operand.type.is_value_type and operand.type.kind not in (Kind.NUMBER, Kind.POINTER):
        raise NotInterpretable("a condition that is a structure")
    return operand.data is not None and operand.data != 0 if operand.type.is_value_type else operand.data is not None


_add("br", lambda frame, target: frame.jump(target))
_add("brtrue", _branch_if(_is_true))
_add("brfalse", _branch_if(lambda frame: not _is_true(frame)))
for _name, _operator in {"eq": "==", "ne": "!=", "ge": ">=", "gt": ">", "le": "<=", "lt": "<"}.items():
    for _suffix in ("", ".un"):
        _compare = _compares(_operator, unsigned=bool(_suffix))
        _add(f"c{_name}{_suffix}", _push_comparison(_compare))
        _add(f"b{_name}{_suffix}", _branch_if(_compare))


def _switch(frame: Activation, targets: tuple[int, ...]) -> None:
    value = numeric.wrap(E.U4, integer(frame.pop()))
    if value < len(targets):
        frame.jump(targets[value])


def _leave(frame: Activation, target: int) -> None:
    """Runs each `finally` that is left, from the inside; nothing is thrown here, so that no other handler ever runs."""
    here, there = frame.next - 1, frame.code.index_of[target]
    left = [handler for start, end, handler in frame.code.finallies if start <= here < end and not start <= there < end]
    frame.left_to += [there, *reversed(left)]
    _end_finally(frame, None)


def _end_finally(frame: Activation, _: Any) -> None:
    if not frame.left_to:
        raise NotInterpretable("the end of a handler that was never entered")
    frame.stack.clear()
    frame.next = frame.left_to.pop()


_add("switch", _switch)
_add("leave", _leave)
_add("endfinally", _end_finally)

# objects


def _box(frame: Activation, token: int) -> None:
    kind, operand = frame.code.scope.type(token), frame.pop()
    frame.stack.append(boxed(frame.env, typed(kind, operand)) if kind.is_value_type else operand)


def _unbox(frame: Activation, token: int) -> None:
    frame.push(cast(frame.env, frame.pop(), frame.code.scope.type(token)))


def _is_instance(frame: Activation, token: int) -> None:
    kind, operand = frame.code.scope.type(token), frame.pop()
    frame.stack.append(operand if is_instance(frame.env, operand, kind) else types.NULL_OPERAND)


def _cast_class(frame: Activation, token: int) -> None:
    kind, operand = frame.code.scope.type(token), frame.pop()
    if operand.data is not None and not is_instance(frame.env, operand, kind):
        raise NotInterpretable("a cast that throws")
    frame.stack.append(operand)


def _load_indirect(frame: Activation, _: Any) -> None:
    """Through a managed pointer. An address that is a number leads to what the machine knows nothing of."""
    is_managed = isinstance(frame.top(), Address)
    value = frame.pop()
    if not is_managed and (value.type.kind is Kind.POINTER or value.type in (types.I, types.U)):
        raise NotInterpretable("a read through a pointer")
    frame.push(value)


def _store_indirect(frame: Activation, _: Any) -> None:
    """Into the machine's own locals and arguments only."""
    value, target = frame.pop(), frame.pop_any()
    target = target.place if isinstance(target, Address) else target
    if not isinstance(target, Address) or isinstance(target.slots, tuple):
        raise NotInterpretable("a write")
    target.slots[target.index] = _stored(target.slots[target.index].type, value)


def _initialize(frame: Activation, token: int) -> None:
    target, kind = frame.pop_any(), frame.code.scope.type(token)
    if not isinstance(target, Address) or isinstance(target.slots, tuple):
        raise NotInterpretable("a write")
    target.slots[target.index] = default(kind)


def _address(load: Instruction) -> Instruction:
    """The address of what an instruction loads, which nobody can write to."""

    def apply(frame: Activation, operand: Any) -> None:
        load(frame, operand)
        frame.stack.append(in_program(frame.pop()))

    return apply


def _length(frame: Activation, _: Any) -> None:
    data = frame.pop().data
    if not isinstance(data, Value):
        raise NotInterpretable("the length of null")
    frame.stack.append(Operand(types.I, data.length))


_add("box", _box)
_add("unbox.any", _unbox)
_add("unbox", _unbox)
_add("isinst", _is_instance)
_add("castclass", _cast_class)
_add("ldlen", _length)
_add("initobj", _initialize)
for _suffix in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "i", "r4", "r8", "ref"):
    _add(f"ldind.{_suffix}", _load_indirect)
    _add(f"stind.{_suffix}", _store_indirect)
    _add(f"ldelem.{_suffix}", machine.load_element)
_add("ldobj", _load_indirect)
_add("stobj", _store_indirect)
_add("ldelem", machine.load_element)
_add("ldelema", _address(machine.load_element))
_add("ldfld", machine.load_field)
_add("ldflda", machine.load_field_address)
_add("stfld", machine.store_field)
_add("ldsfld", machine.load_static)
_add("ldsflda", _address(machine.load_static))
_add("call", machine.call)
_add("callvirt", machine.call)
_add("newobj", machine.new_structure)

# the way in


def interpret(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> Operand:
    """The result of a method that only reads; `this` is the first argument where there is one.

    Raises `NotInterpretable` for all others, and when something could not be read. Bounded in steps and depth. A
    structure that was made on the way is given only where the program must not run, as a value without a place.
    """
    running, allowance = Machine(env, INSTRUCTIONS), env.program.allowance
    running.steps = allowed = allowance.steps(running.steps)
    try:
        with Refusals(method):
            result = running.run(method, [as_made(argument) for argument in arguments])
            if isinstance(result, Address):  # of a variable that the method returns
                kind = code_of(env, method).result.type
                result = typed(kind, result.target) if kind is not None else result.target
            may_call = not any(isinstance(one.program_value, MadeValue) for one in arguments)
            found = as_value(env, result, may_call=may_call)
    finally:
        allowance.took(allowed - running.steps)
    env.is_interpreted = True
    return found


def interpret_call(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> Operand:
    """As `interpret`, with the arguments as an expression gives them; `target` None for a static method.

    A stack knows only values of the parameters' types; where the method takes objects, they are boxed: there they have
    their own type's methods.
    """
    given = [target] if target is not None else []
    for argument, kind in zip(arguments, parameter_types(env, method) if arguments else (), strict=True):
        is_boxed = kind is not None and kind.is_reference and argument.type.is_value_type
        given.append(argument if kind is None else boxed(env, argument, kind) if is_boxed else typed(kind, argument))
    return interpret(env, method, given)


def only_reads(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> bool:
    """Whether a method, already dispatched, can be interpreted: to run it again changes nothing."""
    try:
        interpret_call(env, method, target, arguments)
    except NotInterpretable:
        return False
    return True


def _shown_members(universe: Universe, kind: Type) -> list[tuple[Type, LoadedModule, FieldInfo | PropertyInfo]]:
    """The public instance fields and properties of a class and its bases that are to be shown.

    And those that are RootHidden: such are there for their children alone, which stand in their place.
    """
    found: list[tuple[Type, LoadedModule, FieldInfo | PropertyInfo]] = []
    seen: set[str] = set()
    for declaring in bases_of(universe, kind):
        definition, module = universe.definition_of(declaring), universe.module_of(declaring)
        if definition is None or module is None:
            continue
        declared = members(module, definition[1])
        own: list[FieldInfo | PropertyInfo] = [
            *(one for one in declared.fields if not one.is_backing_field),
            *declared.properties,
        ]
        for one in own:
            is_indexer = isinstance(one, PropertyInfo) and one.parameter_count > 0
            if one.is_static or is_indexer or one.name in seen:
                continue
            browsable = browsable_of(module, one.token)
            if browsable is Browsable.ROOT_HIDDEN or (one.visibility == "public" and browsable is not Browsable.NEVER):
                found.append((declaring, module, one))
        seen |= {one.name for one in own}
    return found


def wrapped_members(env: Environment, kind: Type, constructor: ExactMethod, target: Operand) -> list[WrappedMember]:
    """All members to show of an object that a constructor makes around another. Raises `NotInterpretable`."""
    made = Operand(kind, MadeObject())
    interpret(env, constructor, [made, target])
    found = []
    for declaring, module, member in _shown_members(env.universe, kind):
        value = env.to_value(_read(env, made, declaring, member))
        if value.parts is not None and render(env.program, value).needs_call:
            raise NotInterpretable("a structure whose text only the program tells")
        is_property = isinstance(member, PropertyInfo)
        is_read_only = isinstance(member, PropertyInfo) and member.is_read_only
        found.append(WrappedMember(member.name, value, is_property, is_read_only, module.id, member.token))
    return found


def _read(env: Environment, made: Operand, declaring: Type, member: FieldInfo | PropertyInfo) -> Operand:
    """The value of a member. Raises `NotInterpretable`."""
    if isinstance(member, PropertyInfo):
        return interpret(env, ExactMethod(declaring, MethodToken(member.getter)), [made])
    stored = made.data.fields.get((declaring, member.token))
    if not isinstance(stored, Operand):
        raise NotInterpretable("a field that was never set")
    return as_value(env, stored)
