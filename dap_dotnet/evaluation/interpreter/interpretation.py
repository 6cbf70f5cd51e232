"""Methods that only read, run without the program: the machine with its instructions, from the outside.

Objects that only the debugger has are made so, too: by a constructor that does nothing but store and read. No address
of the program stands for one. It lives for one evaluation, as the data of an operand of its class.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable, code_of, refusals
from dap_dotnet.evaluation.interpreter.instructions import INSTRUCTIONS
from dap_dotnet.evaluation.interpreter.machine import Machine
from dap_dotnet.evaluation.interpreter.stack_values import Address, MadeObject, as_made, as_value, typed
from dap_dotnet.evaluation.operations.dispatch import parameter_types
from dap_dotnet.evaluation.operations.operand_values import boxed, to_value
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, members
from dap_dotnet.values.context import WrappedMember
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.rendering import render


def interpret(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> Operand:
    """The result of a method that only reads; `this` is the first argument where there is one.

    Raises `NotInterpretable` for all others, and when something could not be read. Bounded in steps and depth. A
    structure that was made on the way is given only where the program must not run, as a value without a place.
    """
    machine, allowance = Machine(env, INSTRUCTIONS), env.program.allowance
    machine.steps = allowed = allowance.steps(machine.steps)
    try:
        with refusals(f"method {method.token:#x} of {method.owner.name}"):
            result = machine.run(method, [as_made(argument) for argument in arguments])
            if isinstance(result, Address):
                result = _followed(env, method, result)
            may_call = not any(isinstance(one.program_value, MadeValue) for one in arguments)
            found = as_value(env, result, may_call=may_call)
    finally:
        allowance.took(allowed - machine.steps)
    env.is_interpreted = True
    return found


def _followed(env: Environment, method: ExactMethod, place: Address) -> Operand:
    """The value of the variable that a method returns."""
    kind = code_of(env, method).result.type
    return typed(kind, place.target) if kind is not None else place.target


def interpret_call(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> Operand:
    """As `interpret`, with the arguments as an expression gives them; `target` None for a static method."""
    receiver = [target] if target is not None else []
    return interpret(env, method, [*receiver, *(_as_declared(env, method, arguments) if arguments else ())])


def _as_declared(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> list[Operand]:
    """Arguments as values of the parameters' types: a stack knows no others.

    Value types are boxed where the method takes objects: there they have their own type's methods.
    """
    return [
        argument
        if kind is None
        else boxed(env, argument, kind)
        if kind.is_reference and argument.type.is_value_type
        else typed(kind, argument)
        for argument, kind in zip(arguments, parameter_types(env, method), strict=True)
    ]


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
        value = to_value(env, _read(env, made, declaring, member))
        if value.parts is not None and render(env.program, value).needs_call:
            raise NotInterpretable("a structure whose text only the program tells")
        is_property = isinstance(member, PropertyInfo)
        is_read_only = isinstance(member, PropertyInfo) and not member.has_setter
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
