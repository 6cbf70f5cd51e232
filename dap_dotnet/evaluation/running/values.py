"""Constants, variables of the frame and fields, as closures."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import dispatch
from dap_dotnet.evaluation.operations.known_members import KNOWN
from dap_dotnet.evaluation.operations.member_access import MemberReader, field_access
from dap_dotnet.evaluation.operations.program_code import Captured, FieldOf, Stored
from dap_dotnet.evaluation.operations.static_fields import initialise
from dap_dotnet.evaluation.rules.diagnostics import null_reference
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, InternedText, Kind, Operand, Type
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
    target, name, known = closures.of(code.target), field.shown_name, dict[TypeId | None, TypeId]()
    is_tuple = code.owner.full_name.startswith("System.ValueTuple`")

    def run(env: Environment) -> Operand:
        operand = target(env)
        if operand.data is None:
            raise null_reference(f"the target of '.{name}'")
        if isinstance(operand.data, tuple):
            item: Operand = operand.data[int(name[4:]) - 1]
            return item
        if is_tuple and operand.names:
            return MemberReader(name).read(env, operand)
        value = operand.program_value
        type_id = value.type if value is not None else None
        declaring = known.get(type_id)
        if declaring is None:
            declaring = known[type_id] = declaring_type(env, code.owner, type_id)
        return field_access(env, declaring, field)(env, operand)

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


def automatic_property(closures: Closures, getter: ExactMethod, name: str) -> FieldInfo | None:
    """The field that an automatic property keeps its value in; None for other getters."""
    definition = closures.universe.definition_of(getter.owner)
    if definition is None or not name.startswith("get_"):
        return None
    field = members(closures.universe.module_of(getter.owner), definition[1]).field(name.removeprefix("get_"))
    return field if field is not None and field.is_backing_field and not field.is_static else None


def read_automatic(env: Environment, getter: ExactMethod, field: FieldInfo, target: Operand) -> Operand | None:
    """An automatic property by its field; None where the object's class overrides it, or it is not in the program."""
    value = target.program_value
    if value is None or value.handle is None or value.is_boxed or isinstance(target.data, tuple):
        return None
    if dispatch(env, getter, target) is not getter:
        return None
    return field_access(env, declaring_type(env, getter.owner, value.type), field)(env, target)


def hierarchy_types(env: Environment, type_id: TypeId) -> None:
    """Let the universe know the exact types of an object's classes in the program."""
    for declaring, _ in hierarchy(env.program, type_id):
        env.type_of(declaring)


def _static(code: FieldOf, field: FieldInfo) -> Run:
    def run(env: Environment) -> Operand:
        if env.universe.id_of(env.program, code.owner) is None and env.caller is not None:
            initialise(env, code.owner)
        return field_access(env, declaring_type(env, code.owner, None), field)(env, types.NULL_OPERAND)

    return run


def known_member(env: Environment, target: Operand, name: str) -> Operand | None:
    """A property that needs no getter of the program; None for others."""
    if target.type.kind is Kind.NULLABLE:
        return None
    kind = env.own_type(target).kind if target.type.kind is Kind.CLASS else target.type.kind
    access = KNOWN.get((kind, name))
    return access(env, target) if access is not None else None
