"""Binding without a site: names are members of one object."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type


class ObjectBinder(Binder):
    """Binds names to the members of the object in the slot `this`."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env, None)

    @override
    def this(self) -> Bound | None:
        """The object, seen as its own type."""
        return Bound(lambda env: env.slots["this"], self.env.slots["this"].type)

    @override
    def user_types(self) -> list[Type]:
        """The object's own type."""
        return [self.env.slots["this"].type]
