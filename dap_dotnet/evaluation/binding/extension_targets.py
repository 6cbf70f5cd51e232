"""Extension properties of C# 14 left of an assignment."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.evaluation.binding.extension_members import (
    extension_properties,
    instance_extensions,
    static_extensions,
)
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Chosen, Given
from dap_dotnet.evaluation.operations.assignables import Assignable, Property
from dap_dotnet.evaluation.operations.overloads import choose, run_chosen
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.runtime.model import MethodToken


def extension_target(env: Environment, lookup: TypeLookup, target: Operand, name: str) -> Assignable | None:
    """An extension property of an object, which is in flight; None where there is none. CS0200."""
    getters = extension_properties(env, lookup, name) if target.type.is_reference else []
    chosen = choose(env.universe, getters, Given([target], has_receiver=True)) if getters else None
    if chosen is None:
        return None
    setter = _setter_of(env, chosen.candidate, instance_extensions(env, lookup, f"set_{name}"))
    declared = setter.parameter_types(env.universe, chosen.type_arguments)[-1] if setter is not None else None
    if setter is None or declared is None:
        raise _read_only(env, chosen.candidate, name)
    return _ExtensionProperty(declared, target, chosen, setter)


def static_extension_target(env: Environment, lookup: TypeLookup, owner: Type, name: str) -> Assignable | None:
    """A static extension property of a type; None where there is none. CS0200."""
    getter = next(iter(static_extensions(env, lookup, owner, f"get_{name}")), None)
    if getter is None:
        return None
    setter = next(iter(static_extensions(env, lookup, owner, f"set_{name}")), None)
    declared = setter.parameter_types(env.universe)[-1] if setter is not None else None
    if setter is None or declared is None:
        raise Diagnostic("CS0200", f"{getter.owner.name}.extension({owner.name}).{name}")
    return Property(declared, None, (_exact(getter), _exact(setter)))


class _ExtensionProperty(Assignable):
    """One that is changed by the static method that the compiler has made of its setter."""

    def __init__(self, declared: Type, target: Operand, getter: Chosen, setter: Candidate) -> None:
        super().__init__(declared)
        self.owner = target
        self._getter = getter
        self._setter = ExactMethod(setter.owner, MethodToken(setter.method.token), getter.type_arguments)

    @override
    def read(self, env: Environment) -> Operand:
        return run_chosen(env, self._getter, None)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        env.runner.run(env, self._setter, None, [*self._getter.arguments, operand])
        env.stored()


def _setter_of(env: Environment, getter: Candidate, setters: list[Candidate]) -> Candidate | None:
    wanted = getter.parameter_types(env.universe)
    return next(
        (one for one in setters if one.owner is getter.owner and one.parameter_types(env.universe)[:-1] == wanted), None
    )


def _read_only(env: Environment, getter: Candidate, name: str) -> Diagnostic:
    (receiver,) = getter.parameter_types(env.universe)
    shown = receiver.name if receiver is not None else "?"
    return Diagnostic("CS0200", f"{getter.owner.name}.extension({shown}).{name}")


def _exact(candidate: Candidate) -> ExactMethod:
    return ExactMethod(candidate.owner, MethodToken(candidate.method.token))
