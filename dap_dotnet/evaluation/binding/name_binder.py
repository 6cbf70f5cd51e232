"""Names at one site, or where a type is declared: of types, of members of `this`, of what the types around declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace
from typing_extensions import override

from dap_dotnet.evaluation.binding.type_lookup import Namespace, Site, TypeLookup, refuse_unbound, site_of
from dap_dotnet.evaluation.binding.variables import Variables
from dap_dotnet.evaluation.bound_tree import Captured, Code, Stored
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import element_names
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.declarations import bases_of, methods_named
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, TypeDefToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.primary_constructors import moved_parameters
from dap_dotnet.symbols.static_locals import static_locals
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, TypeMembers, members


class NameBinder:
    """Binds names at one site. `env` is a live frame there, for what only values can show."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.universe = env.universe
        site = site_of(env)
        self.lookup = TypeLookup(site, env.universe, self._is_variable)
        self.variables = Variables(site, self.lookup) if site is not None else None
        self.opens_properties = False
        """Whether a member may be assigned of the structure that an automatic property keeps, which C# refuses."""
        self.declared: set[str] = set()
        """Variables in the slots of the environment."""

    def type(self, wanted: syntax.TypeSyntax) -> Type:
        """A type by its syntax. CS0246, and CS7003 for `List<>`, which only `typeof` takes."""
        refuse_unbound(wanted)
        return self.lookup.resolve(self.env, wanted)

    def _is_variable(self, name: str) -> bool:
        return name in self.declared or (self.variables is not None and self.variables.is_there(self.env, name))

    def is_generic(self) -> bool:
        """Whether a type of the code here may be a type parameter's, of which the compiler knows less than we do."""
        context = self.env.context
        if not context.frame.is_on_stack:
            return True
        return bool(self.env.debuggee.frame_type_arguments(context.thread, context.frame.index))

    def owners(self) -> tuple[Type, ...]:
        """The types whose static members need no prefix: those around the site, then those of `using static`."""
        return (*self.user_types(), *self.lookup.imports.static_types)

    def is_method_group(self, name: str) -> bool:
        """Whether a simple name is that of methods."""
        return any(methods_named(self.universe, owner, name) for owner in self.owners())

    def type_of(self, wanted: syntax.TypeSyntax) -> Type:
        """A type as `typeof` takes it: `List<>` is one there, `List<List<>>` is none."""
        if not isinstance(wanted, syntax.NamedTypeSyntax):
            return self.type(wanted)
        refuse_unbound(tuple(part.arguments for part in wanted.parts))
        return self.lookup.resolve(self.env, wanted)

    def type_arguments(self, wanted: tuple[syntax.TypeSyntax, ...]) -> tuple[Type, ...]:
        """Several types."""
        found = TypeArguments(self.type(argument) for argument in wanted)
        found.names = tuple(element_names(argument) for argument in wanted)
        return found

    def names_in_this(self, name: str) -> list[str]:
        """The members of `this` that a simple name may mean, the nearest first, by their own names.

        A parameter of the own type's primary constructor is kept in a field: members hide it, but not in the
        initialisers.
        """
        static_local, parameter = self.static_local(name), self._own_members().parameter(name)
        named = [static_local, name] if static_local is not None else [name]
        if parameter is None:
            return named
        return [*named, parameter.name] if self._is_member(name) and not self._is_in_initialiser() else [parameter.name]

    def _is_member(self, name: str) -> bool:
        """Whether the type around the site has a member of a name, or inherits one that is not private."""
        own = self.user_types()[:1]
        for number, kind in enumerate(bases_of(self.universe, own[0]) if own else ()):
            definition = self.universe.definition_of(kind)
            if definition is None:
                continue
            declared = members(self.universe.modules.get(definition[0]), definition[1])
            named: list[FieldInfo | PropertyInfo] = [*declared.fields, *declared.properties]
            if any(one.name == name and (not number or one.visibility != "private") for one in named):
                return True
        return False

    def _is_in_initialiser(self) -> bool:
        """Whether the code is of a primary constructor, or of a lambda in one."""
        frame, module = self.env.context.frame, self.lookup.module
        if module is None or module.metadata is None or frame.method is None or frame.il_offset is None:
            return False
        is_lambda = module.metadata.method(frame.method).name.startswith("<.ctor>")
        return is_lambda or bool(moved_parameters(module, frame.method, frame.il_offset))

    def static_local(self, name: str) -> str | None:
        """The field of the own type that is a `Static` local of Visual Basic; None for other names."""
        field = self.static_locals().get(name)
        return field.name if field is not None else None

    def static_locals(self) -> Mapping[str, FieldInfo]:
        """All such locals of the site's method, by their names."""
        frame, module = self.env.context.frame, self.lookup.module
        return static_locals(module, frame.method) if module is not None and frame.method is not None else {}

    def captured_parameters(self) -> list[str]:
        """The names of all such parameters."""
        return [field.shown_name for field in self._own_members().fields if field.is_parameter]

    def _own_members(self) -> TypeMembers:
        """What the type around the site declares itself."""
        return members(self.lookup.module, next(iter(self.lookup.user_type_tokens()), None))

    def user_types(self) -> list[Type]:
        """The type around the site and those around it, with the frame's generic arguments where they are known."""
        return self.lookup.user_types(self.env)

    def this(self) -> Stored | None:
        """`this`, seen as the type whose code the frame runs; None in static code."""
        found = self.variables.bind(self.env, "this") if self.variables is not None else None
        owners = self.user_types()
        if not isinstance(found, Stored) or not owners:
            return found if isinstance(found, Stored) else None
        read, own = found.read, self.lookup.instantiation(self.env).of(owners[0])

        def seen(env: Environment) -> Operand:
            operand = read(env)
            return Operand(own, operand.data, operand.value) if operand.type.is_reference else operand

        def captured(env: Environment) -> Code:
            operand = seen(env)
            return Captured(operand.type, operand)

        return replace(found, type=owners[0], read=seen, captured=captured, is_typed_by_value=False)

    def type_or_namespace(self, node: syntax.Name) -> Type | Namespace | None:
        """What a simple name means that is no variable and no member; None where it is unknown."""
        arguments = self.type_arguments(node.type_arguments)
        return self.lookup.meant(self.env, node.name, arguments, arity=node.unbound or None)

    def in_namespace(self, outer: Namespace, node: syntax.Member) -> Type | Namespace:
        """The type or the namespace of a name in another namespace. CS0234 and the like."""
        return self.lookup.in_namespace(outer, node.name, self.type_arguments(node.type_arguments))


# names where a type is declared


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
        token: int | None = definition[1] if definition is not None else None
        self._tokens = list[TypeDefToken]()
        while token is not None and module is not None and module.metadata is not None:
            self._tokens.append(TypeDefToken(token))
            token = module.metadata.enclosing_type(token)

    @property
    @override
    def module(self) -> LoadedModule | None:
        return self._module

    @override
    def user_type_tokens(self) -> list[TypeDefToken]:
        return self._tokens

    @override
    def user_types(self, env: Environment) -> list[Type]:
        return super().user_types(env) or [self._scope]

    @override
    def in_force(self, env: Environment) -> tuple[Type, ...]:
        """A nested type has the type parameters of those around it before its own (ECMA-335 I.10.7.1)."""
        return self._scope.arguments

    @override
    def type_parameter(self, env: Environment, name: str) -> Type | None:
        """What a generic parameter of the type, or of one around it, stands for."""
        metadata = self._module.metadata if self._module is not None and self._tokens else None
        rows = metadata.generic_parameters_of(self._tokens[0]) if metadata is not None else ()
        pairs = zip(rows, self._scope.arguments, strict=False)
        return next((argument for row, argument in pairs if row.name == name), None)


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
