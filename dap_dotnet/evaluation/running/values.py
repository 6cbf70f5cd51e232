"""Constants, variables of the frame and fields, as closures."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Captured, FieldOf, Stored
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import backing_field, dispatch
from dap_dotnet.evaluation.operations.known_members import KNOWN
from dap_dotnet.evaluation.operations.member_access import MemberReader, Reading, field_access
from dap_dotnet.evaluation.operations.static_fields import initialise
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Elements, ExactMethod, InternedText, Kind, Operand, Type
from dap_dotnet.evaluation.types.tuple_names import TUPLE_REST
from dap_dotnet.runtime.model import TypeId
from dap_dotnet.symbols.types import FieldInfo, members
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
    is_tuple = code.owner.full_name.startswith("System.ValueTuple`")

    def run(env: Environment) -> Operand:
        operand = target(env)
        if operand.data is None:
            raise null_reference(f"the target of '.{name}'")
        if isinstance(operand.data, tuple) and name == "Rest":
            return Operand(types.TUPLE, Elements(operand.data[TUPLE_REST:]))
        if isinstance(operand.data, tuple):
            item: Operand = operand.data[int(name[4:]) - 1]
            return item
        if is_tuple and operand.names:
            return MemberReader(name).read(env, operand)
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
    definition, module = closures.universe.definition_of(code.owner), closures.universe.module_of(code.owner)
    declared = members(module, definition[1] if definition is not None else None)
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


def automatic_property(closures: Closures, getter: ExactMethod) -> AutomaticProperty | None:
    """An automatic property by its getter; None for other methods."""
    field = backing_field(closures.universe, getter)
    return AutomaticProperty(getter, field) if field is not None else None


class AutomaticProperty:
    """Reads an automatic property by the field that it keeps its value in."""

    __slots__ = ("_field", "_getter", "_readings")

    def __init__(self, getter: ExactMethod, field: FieldInfo) -> None:
        self._getter = getter
        self._field = field
        self._readings: dict[TypeId | None, Reading | None] = {}
        """By the exact type of the object; None: its class overrides the property."""

    def read(self, env: Environment, target: Operand) -> Operand | None:
        """The value; None where the object's class overrides the property, or the object is not in the program."""
        value = target.program_value
        if value is None or value.handle is None or value.is_boxed or isinstance(target.data, tuple):
            return None
        if value.type not in self._readings:
            self._readings[value.type] = self._reading(env, target, value.type)
        reading = self._readings[value.type]
        return reading(env, target) if reading is not None else None

    def _reading(self, env: Environment, target: Operand, type_id: TypeId | None) -> Reading | None:
        if dispatch(env, self._getter, target) is not self._getter:
            return None
        return field_access(env, declaring_type(env, self._getter.owner, type_id), self._field)


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


KNOWN_NAMES = frozenset(name for _, name in KNOWN)
"""The names of all members that `known_member` may have."""


def known_member(env: Environment, target: Operand, name: str) -> Operand | None:
    """A property that needs no getter of the program; None for others."""
    if target.type.kind is Kind.NULLABLE:
        return None
    kind = env.own_type(target).kind if target.type.kind is Kind.CLASS else target.type.kind
    access = KNOWN.get((kind, name))
    return access(env, target) if access is not None else None
