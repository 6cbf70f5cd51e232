"""Interprets methods that only read, so that a property costs reads instead of a call into the program.

A stack machine over operands (ECMA-335 III). Nothing of the program is ever written: whatever would write, allocate,
throw or do something unknown ends the interpretation with `NotInterpretable`, and the caller may make a real call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter import stack_values as stack
from dap_dotnet.evaluation.interpreter.code import Code, ExactField, NotInterpretable, code_of
from dap_dotnet.evaluation.interpreter.intrinsics import intrinsic
from dap_dotnet.evaluation.interpreter.stack_values import Address, MadeObject, MadeStruct, in_program, typed
from dap_dotnet.evaluation.operations.member_access import (
    dispatch,
    has_begun,
    is_by_reference,
    method_of,
    parameter_types,
    read_static,
)
from dap_dotnet.evaluation.operations.operand_values import boxed, unbox
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand
from dap_dotnet.runtime.model import ElementType, FieldRef, FieldToken, Value

MAX_STEPS = 20_000
MAX_DEPTH = 24
_ASKS_EACH = 256
"""Steps between two questions whether the evaluation is still wanted."""
_LONGEST_OPENED = 32_768
"""In UTF-16 units: longer strings are read from memory only, for the runtime's interface would copy them."""


class Machine:
    """One interpretation: its instructions, and how many steps it may still take."""

    def __init__(self, env: Environment, instructions: Mapping[str, Instruction]) -> None:
        self.env = env
        self.instructions = instructions
        self.steps = MAX_STEPS
        self.depth = 0

    def run(self, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand | Address:
        """The result of a method: where it is a variable (`ref`), its place. Raises `NotInterpretable`."""
        known = intrinsic(self.env, method, arguments)
        if known is not None:
            return known
        code = code_of(self.env, method)
        if self.depth >= MAX_DEPTH:
            raise NotInterpretable("calls too deep")
        if code.has_this and method.owner.is_reference:
            this, *others = arguments
            if isinstance(this, Operand) and this.type.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
                arguments = [boxed(self.env, this), *others]  # the stack would forget which type a number has
        self.depth += 1
        try:
            return Activation(self, code, arguments).run()
        finally:
            self.depth -= 1


Slots = list[Operand | Address] | dict[int, Operand | Address]
"""Arguments or locals, by their numbers."""


class Activation:
    """One activation of a method: arguments, locals and the stack."""

    __slots__ = ("arguments", "code", "env", "left_to", "locals", "machine", "next", "result", "stack")

    def __init__(self, machine: Machine, code: Code, arguments: Sequence[Operand | Address]) -> None:
        self.machine = machine
        self.env = machine.env
        self.code = code
        self.arguments: Slots = [
            in_program(argument) if declared.is_reference and isinstance(argument, Operand) else argument
            for argument, declared in zip(arguments, code.parameters, strict=False)
        ]
        self.locals: Slots = [stack.default(declared.type) for declared in code.locals]
        self.stack: list[Operand | Address] = []
        self.next = 0
        self.left_to: list[int] = []
        """Where the `finally` that runs goes on at its end, then where that one does, from the last on."""
        self.result: Operand | Address | None = None

    def run(self) -> Operand | Address:
        """Until `ret`; the result."""
        self.run_until(frozenset())
        assert self.result is not None
        return self.result

    def run_until(self, ends: frozenset[int]) -> None:
        """Until an instruction by its number, which is not done, or to the end of the method."""
        code, machine, instructions = self.code, self.machine, self.machine.instructions
        while self.result is None and self.next not in ends:
            machine.steps -= 1
            if machine.steps < 0:
                raise NotInterpretable("too many steps")
            if not machine.steps % _ASKS_EACH:
                self.env.go_on()
            number = self.next
            instruction = instructions.get(code.names[number])
            if instruction is None:
                raise NotInterpretable(code.names[number])
            self.next = number + 1
            instruction(self, code.operands[number])

    def push(self, operand: Operand | Address) -> None:
        """Push a value as the stack has it: small integers widened."""
        self.stack.append(operand if isinstance(operand, Address) else stack.on_stack(operand))

    def pop(self) -> Operand:
        """Pop a value; an address is followed."""
        top = self.pop_any()
        return top.target if isinstance(top, Address) else top

    def pop_direct(self) -> Operand:
        """Pop a value that is no address: what computes with addresses is not followed."""
        top = self.pop_any()
        if isinstance(top, Address):
            raise NotInterpretable("arithmetic on an address")
        return top

    def pop_any(self) -> Operand | Address:
        """Pop a value or an address as it is."""
        if not self.stack:
            raise NotInterpretable("an instruction without its operands")
        return self.stack.pop()

    def top(self) -> Operand | Address:
        """What is on top of the stack, which stays there."""
        self.stack.append(self.pop_any())
        return self.stack[-1]

    def pop_many(self, count: int) -> list[Operand | Address]:
        """Pop the arguments of a call, the first of them first."""
        return [self.pop_any() for _ in range(count)][::-1]

    def jump(self, il_offset: int) -> None:
        """Go on at an IL offset."""
        self.next = self.code.index_of[il_offset]

    def finish(self) -> None:
        """`ret`."""
        kind = self.code.result.type
        if self.code.result.is_reference:
            self.result = stack.reference(self.env, kind, self.pop_any())
            return
        if kind is types.VOID:
            self.result = Operand(types.VOID, None)
            return
        result = self.pop()
        if kind is not None and kind.is_reference and result.type.is_value_type:
            raise NotInterpretable("a number as an object")
        self.result = typed(kind, result) if kind is not None else result


Instruction = Callable[[Activation, Any], None]
"""What an instruction does to the activation, given its operand (ECMA-335 III); raises `NotInterpretable`."""


# fields, elements and methods: what the program has is read, never written


def load_field(frame: Activation, token: int) -> None:
    """`ldfld`."""
    field = frame.code.scope.field(token)
    found = _field_of(frame, frame.pop(), field)
    frame.push(in_program(found) if field.is_reference else found)


def load_field_address(frame: Activation, token: int) -> None:
    """`ldflda`. Only fields of structures that the machine itself has can be written to through it."""
    field = frame.code.scope.field(token)
    top = frame.pop_any()
    place = top.place if isinstance(top, Address) else in_program(top)
    target = place.slots[place.index]
    if stack.made_struct(target) is not None or isinstance(target.data, MadeObject):
        frame.stack.append(Address(_FieldOfMade(place, field), 0))
    else:
        frame.stack.append(in_program(_field_of(frame, target, field)))


class _FieldOfMade:
    """The slots of an `Address`: the one field of a structure or an object that the machine has in a variable."""

    __slots__ = ("_field", "_target")

    def __init__(self, target: Address, field: ExactField) -> None:
        self._target = target
        self._field = field

    def __getitem__(self, _index: int) -> Operand:
        made = self._target.slots[self._target.index].data
        if not isinstance(made, (MadeObject, MadeStruct)):
            raise NotInterpretable("a structure that was replaced")
        return _made_field(made, self._field)

    def __setitem__(self, _index: int, operand: Operand) -> None:
        _store_in(self._target, self._field, operand)


def _field_of(frame: Activation, operand: Operand, field: ExactField) -> Operand:
    if isinstance(operand.data, (MadeObject, MadeStruct)) and operand.type.kind is not Kind.NULLABLE:
        return _made_field(operand.data, field)
    if operand.type.kind is Kind.NULLABLE:
        return _nullable_field(operand, field)
    value = operand.program_value
    if value is not None and value.parts is not None and FieldToken(field.token) in value.parts:
        return frame.env.operand(value.parts[FieldToken(field.token)], field.type)
    if value is None or value.handle is None or operand.data is None:
        raise NotInterpretable("a field of null or of a computed value")
    if value.element_type is ElementType.STRING and value.length > _LONGEST_OPENED:
        raise NotInterpretable("a field of a long string")
    declaring = stack.declaring_id(frame.env, value, field.owner)
    if declaring is None:
        raise NotInterpretable("a field of another type")
    read = frame.env.fields(value, [FieldRef(declaring, field.token)])[0]
    return frame.env.operand(read, field.type)


def _nullable_field(operand: Operand, field: ExactField) -> Operand:
    if field.name == "hasValue":
        return types.boolean(operand.data is not None)
    if operand.data is None or isinstance(operand.data, Value):
        raise NotInterpretable("the value of a nullable without one")
    return Operand(operand.type.element, operand.data)


def _made_field(made: MadeObject | MadeStruct, field: ExactField) -> Operand:
    stored = made.fields.get((field.owner, field.token))
    if isinstance(stored, Operand):
        return stored
    if field.type is None:
        raise NotInterpretable("a field of an unknown type")
    return stack.default(field.type)


def store_field(frame: Activation, token: int) -> None:
    """`stfld`, into objects and structures that only the debugger has."""
    field = frame.code.scope.field(token)
    stored, target = frame.pop_direct(), frame.pop_any()
    _store_in(target.place if isinstance(target, Address) else in_program(target), field, stored)


def _store_in(place: Address, field: ExactField, stored: Operand) -> None:
    """Into an object that only the machine has, or a structure that it has in a variable."""
    target = place.slots[place.index]
    if field.type is None or field.overlaps or field.is_reference:
        raise NotInterpretable("a write to a field that is not known as such")
    made, stored = stack.made_struct(target), typed(field.type, stored)
    if isinstance(target.data, MadeObject):
        target.data.fields[field.owner, field.token] = stored
    elif made is not None and not isinstance(place.slots, tuple):
        place.slots[place.index] = Operand(target.type, made.changed(field.owner, field.token, stored))
    else:
        raise NotInterpretable("a write")


def load_static(frame: Activation, token: int) -> None:
    """`ldsfld`. A zero that a static constructor may not have replaced yet is not believed: a call would run it."""
    field = frame.code.scope.field(token)
    if field.owner in (types.I, types.U) and field.name == "Zero":  # before anything has read it, it has no place
        frame.push(stack.default(field.owner))
        return
    env = frame.env
    type_id = env.universe.id_of(env.program, field.owner)
    if type_id is None:
        raise NotInterpretable("a type that is not loaded")
    operand = read_static(env, None, FieldRef(type_id, field.token), field.type, field.name)
    if not operand.data and not has_begun(env, field.owner, type_id):
        raise NotInterpretable("a static field that may not be initialised")
    frame.push(operand)


def load_element(frame: Activation, _: Any) -> None:
    """`ldelem`."""
    index, array = frame.pop(), frame.pop()
    value = array.data
    if not isinstance(value, Value) or value.handle is None or not 0 <= stack.integer(index) < value.length:
        raise NotInterpretable("an element that is not there")
    read = frame.env.element(value, index.data, index.value)
    frame.push(frame.env.operand(read, array.type.element if array.type.kind is Kind.ARRAY else None))


def call(frame: Activation, token: int) -> None:
    """`call` and `callvirt`."""
    follow(frame, frame.code.scope.method(token))


def follow(frame: Activation, exact: ExactMethod, arguments: list[Operand | Address] | None = None) -> None:
    """Push what the method of the call that is being done gives for arguments, which are changed; None: the stack's."""
    env, signature = frame.env, method_of(frame.env, exact).signature
    if arguments is None:
        arguments = frame.pop_many(len(signature.parameters) + signature.has_this)
    is_virtual = frame.code.names[frame.next - 1] == "callvirt"
    if not signature.has_this and "constrained." in frame.code.names[max(frame.next - 2, 0) : frame.next - 1]:
        raise NotInterpretable("a static member of an interface, which a type argument may implement itself")
    if signature.has_this:
        this = arguments[0]
        target = this.target if isinstance(this, Address) else this
        is_made = stack.made_struct(target) is not None
        if target.data is None and target.type.kind is not Kind.NULLABLE and not is_made:
            raise NotInterpretable("a call on null")
        if is_virtual:
            exact = dispatch(env, exact, target)
            if exact.owner.is_value_type and isinstance(target.data, Value) and target.data.is_boxed:
                target = unbox(env, target)
        if not is_made:  # a method may change a structure that the machine has made
            arguments[0] = target
    if signature.parameters:
        _as_declared(frame, exact, arguments, signature.has_this)
    result = frame.machine.run(exact, arguments)
    if isinstance(result, Address) or result.type.kind is not Kind.VOID:
        frame.push(result)


def new_structure(frame: Activation, token: int) -> None:
    """`newobj` of a structure: its constructor runs on one of zeros. Objects are not made."""
    exact = frame.code.scope.method(token)
    if exact.owner.kind not in (Kind.STRUCT, Kind.NULLABLE):
        raise NotInterpretable("a new object")
    arguments = frame.pop_many(len(method_of(frame.env, exact).signature.parameters))
    _as_declared(frame, exact, arguments, 0)
    if exact.owner.kind is Kind.NULLABLE:
        (held,) = arguments
        if isinstance(held, Address):
            raise NotInterpretable("a nullable of an address")
        frame.push(Operand(exact.owner, held.data))
        return
    made: list[Operand] = [stack.default(exact.owner)]
    frame.machine.run(exact, [Address(made, 0), *arguments])
    frame.push(made[0])


def _as_declared(frame: Activation, exact: ExactMethod, arguments: list[Operand | Address], first: int) -> None:
    """Make values of the stack those of the parameters' types, from the argument `first` on."""
    signatures = method_of(frame.env, exact).signature.parameters
    for position, kind in enumerate(parameter_types(frame.env, exact)):
        argument = arguments[first + position]
        if is_by_reference(signatures[position]):
            arguments[first + position] = stack.reference(frame.env, kind, argument)
        elif kind is not None and not isinstance(argument, Address):
            arguments[first + position] = typed(kind, argument)
