"""What the program makes for an expression: strings and arrays, and what calls by reflection give.

A function evaluation takes no place of the debugger's for a byref, and no nullable: `MethodBase.Invoke` takes them in
an array, which has what they are afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import store_new
from dap_dotnet.evaluation.operations.framework import call_framework, framework_method, framework_type, type_object
from dap_dotnet.evaluation.operations.member_access import field_access, initialise
from dap_dotnet.evaluation.operations.operand_values import boxed, cast, held_operand, number_conversion
from dap_dotnet.evaluation.operations.text import call_to_string
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates, declared_members, declared_method, is_subtype
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import FieldToken, MethodToken, TypeId, Value
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.symbols.reflection_names import ReflectionName

MOST_ITEMS = 100_000
"""The longest array that an expression makes."""
_BATCH = 256


def new_string(env: Environment, operands: Sequence[Operand]) -> Operand:
    """`new string(operands)`, which no function evaluation can make. Raises `EvaluationError`."""
    if len(operands) == 2 and operands[0].type is types.CHAR and operands[1].type is types.I4:
        if operands[1].data < 0:
            raise EvaluationError(
                "System.ArgumentOutOfRangeException: 'count' must be non-negative. (Parameter 'count')"
            )
        if operands[1].data > MOST_ITEMS:
            raise EvaluationError(f"A string of more than {MOST_ITEMS} characters cannot be created here")
        return Operand(types.STRING, chr(operands[0].data) * operands[1].data)
    if len(operands) == 1 and operands[0].type.full_name in SPANS and operands[0].type.arguments == (types.CHAR,):
        return Operand(types.STRING, call_to_string(env, operands[0]))
    if operands and operands[0].type.kind is Kind.ARRAY and operands[0].type.element is types.CHAR:
        return _string_of(env, operands[0], *operands[1:])
    raise EvaluationError(
        "Of the constructors of string only new string(char, int) and those of char[] can be used here"
    )


def _string_of(env: Environment, chars: Operand, start: Operand | None = None, count: Operand | None = None) -> Operand:
    """Of an array of chars, or so many of them."""
    if chars.data is None:
        if start is None:
            return Operand(types.STRING, "")
        raise null_reference("the array of chars")
    value: Value = chars.data
    first, most = (start.data, count.data) if start is not None and count is not None else (0, value.length)
    check_range(first, first + most, value.length)
    if most > MOST_ITEMS or value.handle is None:
        raise EvaluationError(f"A string of more than {MOST_ITEMS} characters cannot be created here")
    raw = b"".join(one.raw for one in env.debuggee.elements(value.handle, first, most))
    return Operand(types.STRING, raw.decode("utf-16-le", "surrogatepass"))


def check_length(length: int) -> None:
    """Raises `EvaluationError` for an array that is too long."""
    if length > MOST_ITEMS:
        raise EvaluationError(f"An array of {length} elements cannot be created here; the limit is {MOST_ITEMS}")


def create_array(env: Environment, element: Type, items: Sequence[Operand]) -> Operand:
    """A new array with items, which convert to the element's type. Raises `EvaluationError`."""
    check_length(len(items))
    converted = list[Operand]()
    for item in items:
        env.go_on()
        kept = Operand(item.type, item.data, item.value, item.names)
        if not (kept.type is types.PAIR and kept.data[2] is element):
            kept = cast(env, kept, element)
        for inner in with_items(kept):
            env.runner.put_on_heap(env, inner)
        converted.append(kept)
    made = env.runner.new_array(env, element, len(items))
    fill(env, made, converted)
    return made


def with_items(operand: Operand) -> list[Operand]:
    """The elements of a tuple or pair that the expression made, and of those in it; other operands themselves."""
    if not isinstance(operand.data, tuple):
        return [operand]
    items = operand.data[:2] if operand.type is types.PAIR else operand.data
    return [inner for item in items for inner in with_items(item)]


def fill(env: Environment, array: Operand, items: Sequence[Operand]) -> None:
    """Store items, of the element's type and in the program already where they are objects, in a new array."""
    value: Value = array.data
    assert value.handle is not None
    for start in range(0, len(items), _BATCH):
        part = items[start : start + _BATCH]
        for place, item in zip(env.debuggee.elements(value.handle, start, len(part), text_limit=0), part, strict=True):
            env.go_on()
            if item.data is not None:
                store_new(env, place, array.type.element, item)


def check_range(start: int, end: int, length: int) -> None:
    """Raises `EvaluationError` as System.Range does."""
    if not 0 <= start <= end <= length:
        raise EvaluationError(
            "System.ArgumentOutOfRangeException: Specified argument was out of the range of valid values. "
            f"(the range {start}..{end} of {length} elements)"
        )


def wrapping_constructor(
    env: Environment, target: Operand, wrapper: ReflectionName, arguments_of: TypeId
) -> tuple[Type, ExactMethod]:
    """The exact class of a name, and its constructor that takes the target, public or not.

    It is looked for in its assembly, else in the module of the type `arguments_of`, whose generic arguments the class
    takes where the name has none. Raises `EvaluationError` when there is none.
    """
    universe = env.universe
    shown_for = universe.of_id(env.program, arguments_of)
    if shown_for is None:
        raise EvaluationError(f"The type '{wrapper.full_name}' is not in a loaded module")
    kind = _exact(universe, wrapper, shown_for)
    for candidate in candidates(universe, kind):
        method = candidate.method
        if method.name != ".ctor" or method.is_static or len(method.signature.parameters) != 1:
            continue
        (parameter,) = candidate.parameter_types(universe)
        if parameter is not None and is_subtype(universe, env.own_type(target), parameter):
            return kind, ExactMethod(kind, MethodToken(method.token))
    raise EvaluationError(f"No constructor of '{kind.name}' takes a '{target.type.name}'")


def _exact(universe: Universe, name: ReflectionName, shown_for: Type) -> Type:
    first = universe.module_of(shown_for) if name.assembly is None else None
    definition = find_definition(universe.modules, name.full_name, first=first, assembly=name.assembly)
    found = universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or found is None or found.metadata is None:
        raise EvaluationError(f"The type '{name.full_name}' is not in a loaded module")
    count = len(found.metadata.generic_parameters_of(definition[1]))
    given = tuple(_exact(universe, one, shown_for) for one in name.arguments) or shown_for.arguments[:count]
    kind = universe.of_definition(definition, given)
    if kind is None or len(kind.arguments) != count:
        raise EvaluationError(f"The type '{name.full_name}' does not take the arguments of '{shown_for.name}'")
    for rank in name.ranks:
        kind = universe.array(kind, rank, is_vector=rank == 1)
    return kind


_EMIT = "System.Reflection.Emit"
_GENERATOR = f"{_EMIT}.ILGenerator"
_METHOD_BASE = "System.Reflection.MethodBase"
_DO_NOT_WRAP_EXCEPTIONS = 0x02000000
_ALL_DECLARED = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
"""BindingFlags: DeclaredOnly, Instance, Static, Public, NonPublic."""


def run_reflected(
    env: Environment, exact: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> tuple[Operand, list[Operand]]:
    """(the result, the arguments afterwards in the order of the parameters); that of a constructor is the new object.

    Raises `EvaluationError` where code may not run, and as `MethodRunner.run`.
    """
    declared = declared_method(env.universe, exact)
    kinds = declared.parameter_types(env.universe, exact.type_arguments)
    if env.caller is None:
        raise calls_forbidden(f"'{declared.method.name}' with ref or out arguments")
    given = [_as_object(env, _as_number(operand, kind)) for operand, kind in zip(arguments, kinds, strict=True)]
    array = create_array(env, types.OBJECT, given)
    info = method_object(env, exact)
    if declared.method.name == ".ctor":
        kind: Type | None = exact.owner
        made = invoke_method(env, info, array)
    else:
        kind = declared.return_type(env.universe, exact.type_arguments)
        made = invoke_method(env, info, array, _as_object(env, target) if target is not None else types.NULL_OPERAND)
    result = _typed(env, made, kind)
    assert array.data.handle is not None
    values = env.debuggee.elements(array.data.handle, 0, len(kinds))
    after = [_typed(env, env.operand(value, types.OBJECT), kind) for value, kind in zip(values, kinds, strict=True)]
    return result, after


def invoke_method(env: Environment, method: Operand, array: Operand, receiver: Operand | None = None) -> Operand:
    """`MethodBase.Invoke`, which lets an exception through as it was thrown; without a receiver, a constructor's."""
    none = types.NULL_OPERAND
    given = [_flags(env, _DO_NOT_WRAP_EXCEPTIONS), none, array, none]
    if receiver is None:
        return call_framework(env, method, "System.Reflection.ConstructorInfo", "Invoke", given)
    return call_framework(env, method, _METHOD_BASE, "Invoke", [receiver, *given])


def _as_number(operand: Operand, kind: Type | None) -> Operand:
    """A number as one of the parameter's type: reflection converts none to what a nullable holds."""
    wanted = kind.stripped if kind is not None else None
    given = held_operand(operand) if operand.type.kind is Kind.NULLABLE and operand.data is not None else operand
    if wanted is None or wanted is given.type or operand.data is None:
        return operand
    return number_conversion(given.type, wanted, operand.data) or operand


def _as_object(env: Environment, operand: Operand) -> Operand:
    if operand.data is None:
        return Operand(types.OBJECT, None)
    return boxed(env, operand) if operand.type.is_value_type else Operand(operand.type, operand.data, operand.value)


def _typed(env: Environment, operand: Operand, kind: Type | None) -> Operand:
    """What reflection gives as an object, as the type that the method declares."""
    if kind is None or kind is types.VOID:
        return Operand(types.VOID, None)
    if operand.data is None:
        return Operand(kind, None)
    return cast(env, operand, kind)


def method_object(env: Environment, exact: ExactMethod) -> Operand:
    """The MethodBase of a method, on its exact type and with its type arguments."""
    kind = type_object(env, exact.owner)
    module = call_framework(env, kind, "System.Type", "get_Module")
    token = Operand(types.I4, int(exact.token))
    method = call_framework(env, module, "System.Reflection.Module", "ResolveMethod", [token])
    if exact.owner.arguments:
        handle = call_framework(env, method, _METHOD_BASE, "get_MethodHandle")
        of_type = call_framework(env, kind, "System.Type", "get_TypeHandle")
        method = call_framework(env, None, _METHOD_BASE, "GetMethodFromHandle", [handle, of_type])
    if exact.type_arguments:
        items = [type_object(env, argument) for argument in exact.type_arguments]
        array = create_array(env, framework_type(env, "System.Type"), items)
        method = call_framework(env, method, "System.Reflection.MethodInfo", "MakeGenericMethod", [array])
    return method


def field_object(env: Environment, owner: Type, token: FieldToken) -> Operand:
    """The FieldInfo of a field, of its exact type."""
    kind = type_object(env, owner)
    module = env.universe.module_of(owner)
    if not owner.arguments or module is None or module.metadata is None:
        of_type = call_framework(env, kind, "System.Type", "get_Module")
        given = [Operand(types.I4, int(token))]
        return call_framework(env, of_type, "System.Reflection.Module", "ResolveField", given)
    name = Operand(types.STRING, module.metadata.field(token).name)
    return call_framework(env, kind, "System.Type", "GetField", [name, _flags(env, _ALL_DECLARED)])


def _flags(env: Environment, flags: int) -> Operand:
    return Operand(framework_type(env, "System.Reflection.BindingFlags"), flags)


# function pointers (C# specification 23.9.4)


def call_pointer(
    env: Environment, address: int, parameters: Sequence[Type], returned: Type, arguments: Sequence[Operand]
) -> Operand:
    """What the method at an address gives, which takes `parameters`, as the variable that has it is declared.

    The runtime tells neither the method that a function pointer leads to nor calls one by its address. A dynamic method
    of the program does, whose code is the instruction `calli`.
    """
    array = create_array(env, types.OBJECT, [*arguments, Operand(types.I8, address)])
    return _typed(
        env, invoke_method(env, _dynamic_method(env, parameters, returned), array, types.NULL_OPERAND), returned
    )


def _dynamic_method(env: Environment, parameters: Sequence[Type], returned: Type) -> Operand:
    """A method that takes the parameters and then the address, and calls it."""
    codes, one_code = framework_type(env, f"{_EMIT}.OpCodes"), framework_type(env, f"{_EMIT}.OpCode")
    type_type, method_type = framework_type(env, "System.Type"), framework_type(env, f"{_EMIT}.DynamicMethod")
    initialise(env, codes)

    def emit(instruction: str, *operands: Operand) -> None:
        kinds = [one_code, *(one.type for one in operands)]
        call_framework(env, code, _GENERATOR, "Emit", [_constant(env, codes, instruction), *operands], parameters=kinds)

    result = type_object(env, returned) if returned is not types.VOID else types.NULL_OPERAND
    kinds = [type_object(env, kind) for kind in (*parameters, types.I8)]
    own, taken = create_array(env, type_type, kinds), create_array(env, type_type, kinds[:-1])
    constructor = framework_method(env, method_type, ".ctor", 4, [types.STRING, type_type, own.type, types.BOOL])
    given = [Operand(types.STRING, "call"), result, own, types.TRUE]
    method = env.runner.construct(env, method_type, constructor, given)
    code = call_framework(env, method, method_type, "GetILGenerator")
    for number in range(len(parameters) + 1):
        emit("Ldarg", Operand(types.I2, number))
    emit("Conv_I")
    standard = Operand(framework_type(env, "System.Reflection.CallingConventions"), 1)
    calli = _constant(env, codes, "Calli")
    call_framework(env, code, _GENERATOR, "EmitCalli", [calli, standard, result, taken, types.NULL_OPERAND])
    emit("Ret")
    return method


def _constant(env: Environment, owner: Type, name: str) -> Operand:
    """A static field of a class of the framework that is initialised."""
    declaring, field = env.universe.id_of(env.program, owner), declared_members(env.universe, owner).field(name)
    assert field is not None
    assert declaring is not None
    return field_access(env, declaring, field)(env, types.NULL_OPERAND)
