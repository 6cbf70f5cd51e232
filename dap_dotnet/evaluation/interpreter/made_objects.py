"""Objects that only the debugger has: made by following a constructor that does nothing but store and read.

No address of the program stands for one. It lives for one evaluation, as the data of an operand of its class.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.interpretation import interpret
from dap_dotnet.evaluation.interpreter.made_structs import as_value
from dap_dotnet.evaluation.interpreter.stack_values import MadeObject
from dap_dotnet.evaluation.operations.operand_values import to_value
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, members
from dap_dotnet.values.context import WrappedMember
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.rendering import render


def make_object(env: Environment, kind: Type, constructor: ExactMethod, arguments: Sequence[Operand]) -> Operand:
    """An object of a class by one of its constructors. Raises `NotInterpretable`."""
    made = Operand(kind, MadeObject())
    interpret(env, constructor, [made, *arguments])
    return made


def public_members(env: Environment, made: Operand) -> list[tuple[Type, LoadedModule, FieldInfo | PropertyInfo]]:
    """The public instance fields and properties of an object's class and its bases that are to be shown.

    And those that are RootHidden: such are there for their children alone, which stand in their place.
    """
    found: list[tuple[Type, LoadedModule, FieldInfo | PropertyInfo]] = []
    seen: set[str] = set()
    for declaring in bases_of(env.universe, made.type):
        definition = env.universe.definition_of(declaring)
        module = env.universe.modules.get(definition[0]) if definition is not None else None
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


def read_member(env: Environment, made: Operand, declaring: Type, member: FieldInfo | PropertyInfo) -> Operand:
    """The value of a member. Raises `NotInterpretable`."""
    if isinstance(member, PropertyInfo):
        return interpret(env, ExactMethod(declaring, MethodToken(member.getter)), [made])
    stored = made.data.fields.get((declaring, member.token))
    if not isinstance(stored, Operand):
        raise NotInterpretable("a field that was never set")
    return as_value(env, stored)


def wrapped_members(env: Environment, kind: Type, constructor: ExactMethod, target: Operand) -> list[WrappedMember]:
    """All members to show of an object that a constructor makes around another. Raises `NotInterpretable`."""
    made = make_object(env, kind, constructor, [target])
    found = []
    for declaring, module, member in public_members(env, made):
        value = to_value(env, read_member(env, made, declaring, member))
        if value.parts is not None and render(env.program, value).needs_call:
            raise NotInterpretable("a structure whose text only the program tells")
        is_property = isinstance(member, PropertyInfo)
        is_read_only = isinstance(member, PropertyInfo) and not member.has_setter
        found.append(WrappedMember(member.name, value, is_property, is_read_only, module.id, member.token))
    return found
