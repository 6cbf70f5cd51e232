"""Binding without a frame: names are members of one object, and what else its class sees where it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from typing_extensions import override

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.site import Site
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.bound_tree import Captured, Stored
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, TypeDefToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo


class _TypeScope(TypeLookup):
    """Names of types at the declaration of a type: in its attributes."""

    def __init__(self, scope: Type, universe: Universe, is_variable: Callable[[str], bool]) -> None:
        definition = universe.definition_of(scope)
        module = universe.modules.get(definition[0]) if definition is not None else None
        method = _method_beside(module, definition[1]) if module is not None and definition is not None else None
        location = BreakpointLocation(module.id, method, 0) if module is not None and method is not None else None
        super().__init__(Site(location, module) if location is not None else None, universe, is_variable)
        self._scope = scope
        self._module = module
        self.types = _with_enclosing(universe, module, definition, scope.arguments)
        """The type and those that it is nested in, with their type arguments."""

    @property
    @override
    def module(self) -> LoadedModule | None:
        return self._module

    @override
    def user_type_tokens(self) -> list[TypeDefToken]:
        return [one.definition[1] for one in self.types if one.definition is not None]

    @override
    def user_types(self, env: Environment) -> list[Type]:
        return self.types or [self._scope]

    @override
    def type_parameter(self, env: Environment, name: str) -> Type | None:
        """What a generic parameter of the type, or of one around it, stands for."""
        for around in self.types:
            if self._module is None or self._module.metadata is None or around.definition is None:
                continue
            parameters = self._module.metadata.generic_parameters_of(around.definition[1])
            for parameter, argument in zip(parameters, around.arguments, strict=False):
                if parameter.name == name:
                    return argument
        return None


def _with_enclosing(
    universe: Universe, module: LoadedModule | None, definition: Definition | None, arguments: tuple[Type, ...]
) -> list[Type]:
    """A nested type has the type parameters of those around it before its own (ECMA-335 I.10.7.1)."""
    if module is None or module.metadata is None or definition is None:
        return []
    found = []
    token: int | None = definition[1]
    while token is not None:
        count = len(module.metadata.generic_parameters_of(token))
        made = universe.of_definition((module.id, TypeDefToken(token)), arguments[:count])
        if made is not None:
            found.append(made)
        token = module.metadata.enclosing_type(token)
    return found


def _find_method_beside(module: LoadedModule, token: TypeDefToken) -> MethodToken | None:
    """A method for which the using directives are those in force at a type; None where the PDB has none.

    One of the type, of a type in it or around it; of a type without code, one of its namespace in the same file.
    """
    pdb = module.pdb
    if pdb is None or module.metadata is None:
        return None
    return next((one for one in _methods_near(module, token) if pdb.imports_at(one, 0)), None)


_method_beside = ModuleMemo("methods beside types", _find_method_beside)


def _methods_near(module: LoadedModule, token: TypeDefToken) -> Iterator[MethodToken]:
    metadata, pdb = module.metadata, module.pdb
    assert metadata is not None
    assert pdb is not None
    around: int | None = token
    outermost = token
    while around is not None:
        outermost = TypeDefToken(around)
        pending: list[int] = [around]
        while pending:
            inner = pending.pop(0)
            yield from (MethodToken(one.token) for one in metadata.methods_of(inner))
            pending += metadata.nested_types(inner)
        around = metadata.enclosing_type(around)
    namespace = metadata.type_def(outermost).namespace
    for entry in pdb.custom_debug_information(outermost):
        if entry.kind == "type_documents":
            for document in entry.decoded:
                for method in pdb.methods_of_document(document):
                    owner = metadata.method(method).declaring_type
                    if metadata.type_def(owner).namespace == namespace:
                        yield MethodToken(method)


class ObjectBinder(NameBinder):
    """Binds names where a type is declared, to the members of the object in the slot `this` and to static ones."""

    def __init__(self, env: Environment, scope: Type | None = None) -> None:
        """`scope`: the type, the object's own or a base of that, or one with a member that holds it; None: its own."""
        super().__init__(env)
        own = env.slots["this"].type
        self._seen_as = scope if scope is not None and scope in bases_of(env.universe, own) else own
        self.lookup = _TypeScope(scope or own, env.universe, self._is_variable)

    @override
    def this(self) -> Stored:
        """The object, seen as the type where it is one."""
        kind = self._seen_as

        def seen(env: Environment) -> Operand:
            operand = env.slots["this"]
            return Operand(kind, operand.data, operand.value) if kind.is_reference else operand

        return Stored(kind, "this", seen, None, lambda env: Captured(kind, seen(env)))
