"""Which constructor makes an object around another: that of a DebuggerTypeProxy."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import is_subtype
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken, TypeId
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.symbols.reflection_names import ReflectionName


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
