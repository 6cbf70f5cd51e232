"""Binding without a site: names are members of one object."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.inheritance import bases_of


class _ObjectTypes(TypeLookup):
    """Names of types in the attributes of an object's class."""

    @override
    def type_parameter(self, env: Environment, name: str) -> Type | None:
        """What a generic parameter of the object's class, or of a base, stands for; None where several are so named."""
        found = set[Type]()
        for declaring in bases_of(env.universe, env.slots["this"].type):
            module = env.universe.module_of(declaring)
            if module is None or module.metadata is None or declaring.definition is None:
                continue
            parameters = module.metadata.generic_parameters_of(declaring.definition[1])
            given = zip(parameters, declaring.arguments, strict=False)
            found |= {argument for parameter, argument in given if parameter.name == name}
        return found.pop() if len(found) == 1 else None


class ObjectBinder(Binder):
    """Binds names to the members of the object in the slot `this`."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env, None)
        self.lookup = _ObjectTypes(None, env.universe)

    @override
    def this(self) -> Bound | None:
        """The object, seen as its own type."""
        return Bound(lambda env: env.slots["this"], self.env.slots["this"].type)

    @override
    def user_types(self) -> list[Type]:
        """The object's own type."""
        return [self.env.slots["this"].type]
