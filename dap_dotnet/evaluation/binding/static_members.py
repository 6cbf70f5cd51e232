"""`Type.name`: constants, static fields and static properties, of the type and its bases."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, constant
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.fields import constant_of
from dap_dotnet.evaluation.operations.static_fields import initialise, read_static
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.inheritance import bases
from dap_dotnet.runtime.model import FieldRef, MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, members

_VIRTUAL = 0x40
_SPECIAL = {
    (types.R8, "NaN"): float("nan"),
    (types.R8, "PositiveInfinity"): float("inf"),
    (types.R8, "NegativeInfinity"): float("-inf"),
    (types.R4, "NaN"): float("nan"),
    (types.R4, "PositiveInfinity"): float("inf"),
    (types.R4, "NegativeInfinity"): float("-inf"),
}


def bind_static(env: Environment, owner: Type, name: str, *, of_parameter: bool = False) -> Bound | None:
    """A static field, constant or property as an expression; None when the type and its bases have none.

    `of_parameter`: the type stands for a type parameter, through which static members of interfaces are reached.
    """
    if owner is types.STRING and name == "Empty":
        return constant(Operand(types.STRING, ""))
    if (owner, name) in _SPECIAL:
        return constant(Operand(owner, _SPECIAL[owner, name]))
    universe = env.universe
    definition = universe.definition_of(owner)
    if definition is None:
        return None
    for declaring in bases(universe, definition, owner.arguments):
        definition = universe.definition_of(declaring)
        module = universe.modules.get(definition[0]) if definition is not None else None
        if definition is None or module is None:
            continue
        declared = members(module, definition[1])
        field = declared.field(name)
        if field is not None and field.is_static:
            return _field(env, declaring, module, field)
        for candidate in declared.properties:
            is_meant = candidate.name == name or (of_parameter and candidate.name.endswith("." + name))
            if is_meant and candidate.is_static and not candidate.parameter_count:
                if not of_parameter and module.metadata is not None:
                    _check_own(module.metadata.method(candidate.getter).flags)
                return Bound(_getter(declaring, candidate.getter))
    return None


def _field(env: Environment, declaring: Type, module: LoadedModule, field: FieldInfo) -> Bound:
    assert module.metadata is not None
    signature = module.metadata.field(field.token).signature
    declared = env.universe.of_signature(module, signature, declaring.arguments)
    known = constant_of(module, declared, field)
    if known is not None:
        return constant(known)

    def read(env: Environment) -> Operand:
        type_id = env.universe.id_of(env.program, declaring)
        if type_id is None and env.caller is not None:
            initialise(env, declaring)
            type_id = env.universe.id_of(env.program, declaring)
        if type_id is None:
            raise EvaluationError(f"The program has not loaded the type '{declaring.name}' yet")
        return read_static(env, declaring, FieldRef(type_id, field.token), declared, field.shown_name)

    return Bound(read, declared)


def _check_own(flags: int) -> None:
    """Of a static member of an interface, which only a type that implements it has. CS8926."""
    if flags & _VIRTUAL:
        raise Diagnostic("CS8926")


def _getter(declaring: Type, getter: MethodToken) -> Callable[[Environment], Operand]:
    exact = ExactMethod(declaring, getter)
    return lambda env: env.runner.run(env, exact, None, [])
