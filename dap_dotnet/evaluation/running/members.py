"""Fields and methods of the program on operands, above all on structures: in variables, or on copies where C# has no
variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.calling.program_calls import load_assembly
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, box_on_heap
from dap_dotnet.evaluation.operations.framework import type_object
from dap_dotnet.evaluation.operations.linq.sequences import plain
from dap_dotnet.evaluation.operations.linq.table import Lambda
from dap_dotnet.evaluation.operations.linq.values import in_program as sequence_in_program
from dap_dotnet.evaluation.operations.member_access import Reading, backing_field, dispatch, field_access, initialise
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.rules.variables import is_variable
from dap_dotnet.evaluation.running.steps import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import TUPLE_REST, ExactMethod, InternedText, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_members, declared_method, is_stack_only
from dap_dotnet.runtime.model import TypeId
from dap_dotnet.symbols.reference_modules import is_reference
from dap_dotnet.symbols.types import FieldInfo
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.members import hierarchy


def captured(code: nodes.Captured, closures: Closures) -> Run:
    """A value that is known."""
    operand = code.operand
    if code.is_constant and type(operand.data) is str:
        operand = Operand(operand.type, InternedText(operand.data), operand.value)
    return lambda env: operand


def stored(code: nodes.Stored, closures: Closures) -> Run:
    """A variable of the frame."""
    return code.read


def field_of(code: nodes.FieldOf, closures: Closures) -> Run:
    """A field of an object or a structure, or a static one."""
    field, readings = declared_field(closures, code), dict[TypeId | None, Reading]()
    name, target = field.shown_name, closures.of(code.target) if code.target is not None else None

    def run(env: Environment) -> Operand:
        operand = target(env) if target is not None else types.NULL_OPERAND
        if target is not None and operand.data is None:
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
            if target is None and env.caller is not None and env.universe.id_of(env.program, code.owner) is None:
                initialise(env, code.owner)
            reading = readings[type_id] = field_access(env, declaring_type(env, code.owner, type_id), field)
        return reading(env, operand)

    return run


def declared_field(closures: Closures, code: nodes.FieldOf) -> FieldInfo:
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


_READ_ONLY = "System.Runtime.CompilerServices.IsReadOnlyAttribute"
Result = TypeVar("Result")
_PLAIN = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM})


def run_method(
    env: Environment,
    method: ExactMethod,
    target: Operand | None,
    arguments: list[Operand],
    *,
    is_changeable: bool = True,
    is_virtual: bool = True,
    is_last: bool = False,
) -> Operand:
    """A method of the program, with arguments in the form that it takes. `is_last`: only its result is needed then."""
    method = loaded(env, method)
    if target is not None:
        value = target.program_value
        if value is not None and value.type is not None and env.universe.id_of(env.program, method.owner) is None:
            for declaring, _ in hierarchy(env.program, value.type):  # the universe learns them
                env.type_of(declaring)
        target = passed(env, target)
    arguments = [passed(env, one) for one in arguments]
    is_fixed = target is not None and not is_changeable and env.caller is not None
    if target is not None and is_fixed and is_unboxed(env, target) and not is_stack_only(env.universe, target.type):
        return on_copy(env, method, target, arguments)
    env.is_last_call = is_last
    result = env.runner.run(env, method, target, arguments, is_virtual=is_virtual)
    env.is_last_call = False  # it may have been followed only
    return result


def loaded(env: Environment, method: ExactMethod) -> ExactMethod:
    """The method itself, in a module of the program: an assembly that was known by its file only is loaded."""
    module = env.universe.module_of(method.owner)
    if module is None or not is_reference(module):
        return method
    if env.caller is None:
        raise calls_forbidden(f"'{method.owner.name}' is in '{module.name}', which is not loaded yet; that")
    load_assembly(env, module.name.rpartition(".")[0])
    owner = env.universe.named(method.owner.full_name, method.owner.arguments)
    if owner is None:
        raise EvaluationError(f"The program cannot load {module.name}")
    return ExactMethod(owner, method.token, method.type_arguments)


def is_unboxed(env: Environment, operand: Operand) -> bool:
    """Whether an operand is a structure where it is kept, perhaps seen as an interface: its box is a copy."""
    if operand.type.kind is Kind.STRUCT or not isinstance(operand.data, MadeBox):
        return operand.type.kind is Kind.STRUCT
    return env.own_type(operand).kind is Kind.STRUCT


def boxed_copy(env: Environment, operand: Operand) -> Operand:
    """A structure that becomes an object, as one: a copy in a box of the program's. Other operands as they are."""
    if env.caller is None or not is_unboxed(env, operand):
        return operand
    box = box_on_heap(env, Operand(env.own_type(operand), operand.data, operand.value))
    return Operand(operand.type, box.data, box.value)


def on_copy(
    env: Environment, method: ExactMethod, target: Operand, arguments: list[Operand], place: Assignable | None = None
) -> Operand:
    """On a structure: where the method does more than read, it runs on a copy, which `place` gets then."""
    known = _reading(env, method, target, arguments)
    if known is not None:
        return known
    if place is not None:
        place.write(env, target)  # a place that nothing can be stored in is refused before the method runs
    box = box_on_heap(env, Operand(env.own_type(target), target.data, target.value, target.names))
    result = env.runner.run(env, method, box, arguments)
    if place is not None:
        held_now = env.content(structs.replace(box.data, raw=b""))  # its bytes are those from before the run
        place.write(env, Operand(target.type, held_now, held_now, target.names))
    return result


def changes_variable(code: nodes.Invoked, closures: Closures) -> bool:
    """Whether a call may change the structure in a variable of the program."""
    target, universe = code.target, closures.universe
    if target is None or type(target) is nodes.Variable or target.type.kind is not Kind.STRUCT:
        return False
    declared = declared_method(universe, code.method)
    if not declared.module.is_user_code or is_stack_only(universe, target.type):
        return False
    attributes = declared.metadata.attributes_of(code.method.token)
    if universe.has_attribute(code.method.owner, _READ_ONLY) or any(one.type_name == _READ_ONLY for one in attributes):
        return False
    return code.method.owner is target.type and is_variable(universe, target)


def in_place(
    code: nodes.Invoked, find: Callable[[Environment], Assignable], evaluate: Callable[[Environment], list[Operand]]
) -> Run:
    """A method on the structure in a variable of the program.

    Where the structure has no handle, or the program has to run before the method itself does, for the arguments, the
    structure is out of reach: then the method runs on a copy, which is stored afterwards.
    """
    method, is_plain = code.method, all(one.type.kind in _PLAIN for one in code.arguments)

    def run(env: Environment) -> Operand:
        place, arguments = find(env), evaluate(env)
        target = place.read(env)
        value = target.program_value
        if not is_plain or value is None or value.handle is None:
            return on_copy(env, method, target, arguments, place)
        known = _reading(env, method, target, arguments)
        if known is not None:
            return known
        kept = structs.replace(value)  # what was read of the structure before stays what it was
        env.roots.note(kept)
        env.roots.keep_apart(kept)
        return run_method(env, method, Operand(target.type, kept, kept, target.names, target.place), arguments)

    return run


def _reading(env: Environment, method: ExactMethod, target: Operand, arguments: list[Operand]) -> Operand | None:
    """The result where the method only reads; None where it has to run. Raises `EvaluationError` where it may not.

    A structure that the method makes has a place only where it runs; one without a place is left at that.
    """
    try:
        result = without_calls(env, lambda: run_method(env, method, target, arguments))
    except EvaluationError as error:
        if not error.forbids_calls or env.caller is None:
            raise
        return None
    is_made_here = isinstance(result.program_value, MadeValue) and not isinstance(target.program_value, MadeValue)
    return result if env.caller is None or not is_made_here else None


def without_calls(env: Environment, compute: Callable[[], Result]) -> Result:
    """What is computed without code of the program. Variables of the code are as before where an error comes out.

    Raises `EvaluationError`, which says so where calls are needed.
    """
    caller, env.caller = env.caller, None
    kept = [(cell, cell.operand) for cell in env.all_cells()]
    try:
        return compute()
    except EvaluationError:
        for cell, operand in kept:
            cell.operand = operand
        raise
    finally:
        env.caller = caller


def passed(env: Environment, operand: Operand) -> Operand:
    """What only expressions have as a value of the program; other operands as they are."""
    if isinstance(operand.data, Lambda):
        return operand.data.in_program(env)
    if operand.type.kind is Kind.SEQUENCE:
        made_by = operand.data.in_program if env.caller is not None else None
        return made_by(env) if made_by is not None else sequence_in_program(env, operand.data)
    if operand.type.kind is Kind.TYPE and isinstance(operand.data, Type):
        return type_object(env, operand.data)
    if operand.type.kind is Kind.TUPLE:
        whole = Operand(operand.type, operand.data, None, operand.names)
        env.runner.put_on_heap(env, whole)
        return whole
    return plain(env, operand)
