"""The metadata of a method, and the override that a virtual call reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import MethodToken

if TYPE_CHECKING:
    from portablepdb.members import Method

_VIRTUAL, _FINAL, _NEW_SLOT = 0x40, 0x20, 0x100


def method_of(env: Environment, method: ExactMethod) -> Method:
    """The metadata of a method."""
    module = env.universe.module_of(method.owner)
    if module is None or module.metadata is None:
        raise EvaluationError(f"The methods of '{method.owner.name}' cannot be found: its module has no metadata")
    return module.metadata.method(method.token)


def parameter_types(env: Environment, method: ExactMethod) -> list[Type | None]:
    """The types of a method's parameters, without `this`; None where they are not known."""
    module = env.universe.module_of(method.owner)
    return Candidate(method.owner, method_of(env, method), module).parameter_types(env.universe, method.type_arguments)


def dispatch(env: Environment, wanted: ExactMethod, target: Operand) -> ExactMethod:
    """The method that a virtual call on the target reaches. The method itself when it is not virtual."""
    owner, method = wanted.owner, method_of(env, wanted)
    if not method.flags & _VIRTUAL or method.flags & _FINAL or target.data is None:
        return wanted
    own = env.own_type(target)
    if own is owner:
        return wanted
    is_interface = owner.kind is Kind.CLASS and _is_interface(env, owner)
    explicit = f"{owner.full_name.partition('`')[0]}"
    count = len(method.signature.parameters)
    for declaring in bases_of(env.universe, own):
        if declaring is owner:
            break
        for candidate in candidates(env.universe, declaring):
            other = candidate.method
            if len(other.signature.parameters) != count or not other.flags & _VIRTUAL:
                continue
            is_explicit = is_interface and other.name.startswith(explicit) and other.name.endswith("." + method.name)
            overrides = other.name == method.name and (is_interface or not other.flags & _NEW_SLOT)
            if is_explicit or (overrides and _same_parameters(env, candidate, Candidate(owner, method, None))):
                return ExactMethod(declaring, MethodToken(other.token), wanted.type_arguments)
    return wanted


def _is_interface(env: Environment, owner: Type) -> bool:
    definition = env.universe.definition_of(owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    return bool(
        definition is not None
        and module is not None
        and module.metadata is not None
        and module.metadata.type_def(definition[1]).is_interface
    )


def _same_parameters(env: Environment, left: Candidate, right: Candidate) -> bool:
    return left.parameter_types(env.universe) == right.parameter_types(env.universe)


def shown_name(owner: Type, name: str) -> str:
    """A method's name as the user knows it: a getter is its property."""
    return f"{owner.name}.{name.removeprefix('get_')}"
