"""Constants, variables of the frame and fields, as closures."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Captured, FieldOf, Stored
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import backing_field, dispatch
from dap_dotnet.evaluation.operations.fields import Reading, field_access
from dap_dotnet.evaluation.operations.static_fields import initialise
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import TUPLE_REST, ExactMethod, InternedText, Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_members
from dap_dotnet.runtime.model import TypeId
from dap_dotnet.symbols.types import FieldInfo
from dap_dotnet.values.members import hierarchy


def captured(code: Captured, closures: Closures) -> Run:
    """A value that is known."""
    operand = code.operand
    if code.is_constant and type(operand.data) is str:
        operand = Operand(operand.type, InternedText(operand.data), operand.value)
    return lambda env: operand


def stored(code: Stored, closures: Closures) -> Run:
    """A variable of the frame."""
    return code.read


def field_of(code: FieldOf, closures: Closures) -> Run:
    """A field of an object or a structure, or a static one."""
    field = declared_field(closures, code)
    if code.target is None:
        return _static(code, field)
    target, name, readings = closures.of(code.target), field.shown_name, dict[TypeId | None, Reading]()

    def run(env: Environment) -> Operand:
        operand = target(env)
        if operand.data is None:
            raise null_reference(f"the target of '.{name}'")
        if isinstance(operand.data, tuple) and name == "Rest":
            return Operand(types.TUPLE, operand.data[TUPLE_REST:])
        if isinstance(operand.data, tuple):
            item: Operand = operand.data[int(name[4:]) - 1]
            return item
        value = operand.program_value
        type_id = value.type if value is not None else None
        reading = readings.get(type_id)
        if reading is None:
            declaring = declaring_type(env, code.owner, type_id)
            reading = readings[type_id] = field_access(env, declaring, field)
        return reading(env, operand)

    return run


def declared_field(closures: Closures, code: FieldOf) -> FieldInfo:
    """The metadata of a field."""
    declared = declared_members(closures.universe, code.owner)
    return next(field for field in declared.fields if field.token == code.token)


def declaring_type(env: Environment, owner: Type, type_id: TypeId | None) -> TypeId:
    """The exact type in the program that declares a member of `owner`, of an object of an exact type."""
    for declaring, _ in hierarchy(env.program, type_id) if type_id is not None else ():
        info = env.debuggee.type_info(declaring)
        if (info.module, info.token) == owner.definition:
            return declaring
    exact = env.universe.id_of(env.program, owner)
    if exact is None:
        raise EvaluationError(f"The program has not loaded the type '{owner.name}' yet")
    return exact


def automatic_property(
    closures: Closures, getter: ExactMethod
) -> Callable[[Environment, Operand], Operand | None] | None:
    """What reads an automatic property by the field that it keeps its value in; None for other methods.

    It gives None where the object's class overrides the property, or the object is not in the program.
    """
    field = backing_field(closures.universe, getter)
    if field is None:
        return None
    readings = dict[TypeId | None, Reading | None]()

    def read(env: Environment, target: Operand) -> Operand | None:
        value = target.program_value
        if value is None or value.handle is None or value.is_boxed or isinstance(target.data, tuple):
            return None
        if value.type not in readings:
            is_own = dispatch(env, getter, target) is getter
            declaring = declaring_type(env, getter.owner, value.type) if is_own else None
            readings[value.type] = field_access(env, declaring, field) if declaring is not None else None
        reading = readings[value.type]
        return reading(env, target) if reading is not None else None

    return read


def hierarchy_types(env: Environment, type_id: TypeId) -> None:
    """Let the universe know the exact types of an object's classes in the program."""
    for declaring, _ in hierarchy(env.program, type_id):
        env.type_of(declaring)


def _static(code: FieldOf, field: FieldInfo) -> Run:
    reading: Reading | None = None

    def run(env: Environment) -> Operand:
        nonlocal reading
        if reading is None:
            if env.universe.id_of(env.program, code.owner) is None and env.caller is not None:
                initialise(env, code.owner)
            reading = field_access(env, declaring_type(env, code.owner, None), field)
        return reading(env, types.NULL_OPERAND)

    return run
