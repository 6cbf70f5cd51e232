"""Type parameters in code: it is bound with them, and runs with what they stand for in the frame."""

from __future__ import annotations

from typing import TypeVar

from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code, Handler, Hole, Late, Stored, Target
from dap_dotnet.evaluation.operations.dispatch import implementation, method_of
from dap_dotnet.evaluation.rules.constraints import Instantiation
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.declarations import ancestors_of, is_interface

_STATIC, _VIRTUAL = 0x10, 0x40
T = TypeVar("T")


def reached(scope: Scope, method: ExactMethod, *kinds: Type) -> ExactMethod:
    """What a static member of an interface is for the type parameter, among some types, that it is reached through."""
    declared = method_of(scope.env, method)
    if not declared.flags & _STATIC or not declared.flags & _VIRTUAL or not is_interface(scope.universe, method.owner):
        return method
    for kind in (one.element if one.kind is Kind.NULLABLE else one for one in kinds):
        if kind.parameter is not None and method.owner in ancestors_of(scope.universe, kind):
            instantiation = scope.binder.lookup.instantiation(scope.env)
            return implementation(scope.env, _Closing(instantiation).of(method), instantiation.of(kind))
    return method


def closed(code: Code, instantiation: Instantiation) -> Code:
    """Code with what its type parameters stand for. Variables and targets of jumps stay the same within it."""
    return _Closing(instantiation).of(code) if instantiation else code


class _Closing:
    """What has no type parameters in it stays the same object."""

    def __init__(self, instantiation: Instantiation) -> None:
        self._instantiation = instantiation
        self._known: dict[int, tuple[object, object]] = {}
        """By the number of a part: the part, and what it has become."""

    def of(self, part: T) -> T:
        made: object = part
        if isinstance(part, Type):
            made = self._instantiation.of(part)
        elif isinstance(part, tuple):
            made = self._items(part)
        elif isinstance(part, Operand):
            made = self._operand(part)
        elif isinstance(part, Code | Handler | Hole | Target | ExactMethod):
            known = self._known.get(id(part))
            if known is None:
                known = self._known[id(part)] = part, self._struct(part)
            made = known[1]
        return made  # type: ignore[return-value]

    def _items(self, parts: tuple[object, ...]) -> tuple[object, ...]:
        made = tuple(self.of(one) for one in parts)
        if all(one is other for one, other in zip(made, parts, strict=True)):
            return parts
        if not isinstance(parts, TypeArguments):
            return made
        kinds = TypeArguments(one for one in made if isinstance(one, Type))
        kinds.names = parts.names
        return kinds

    def _struct(self, part: Code | Handler | Hole | Target | ExactMethod) -> object:
        fields = {name: getattr(part, name) for name in part.__struct_fields__}
        made = {name: self.of(value) for name, value in fields.items()}
        if isinstance(part, Stored) and made["type"] is not part.type:
            made["captured"] = lambda env: self.of(part.captured(env))
        elif isinstance(part, Late):
            made["bind"] = lambda env, given: self.of(part.bind(env, given))
        return part if all(made[name] is value for name, value in fields.items()) else type(part)(**made)

    def _operand(self, operand: Operand) -> Operand:
        kind = self.of(operand.type)
        data = self.of(operand.data) if isinstance(operand.data, Type) else operand.data
        if kind is operand.type and data is operand.data:
            return operand
        return Operand(kind, data, operand.value, operand.names, operand.place)
