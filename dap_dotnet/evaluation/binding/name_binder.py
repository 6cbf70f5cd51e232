"""Names at one site: variables, members of `this` and of the types around it, types.

What binds calls, operators and patterns takes a `NameBinder`: the names, and the way back to the rest of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from dap_dotnet.evaluation.binding.bound import Bound, Namespace
from dap_dotnet.evaluation.binding.special_names import bind_kept_variable, bind_special
from dap_dotnet.evaluation.binding.static_members import bind_static
from dap_dotnet.evaluation.binding.static_types import member_type
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup, refuse_unbound
from dap_dotnet.evaluation.binding.variables import Site, Variables
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.element_names import element_names
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.tuple_names import count
from dap_dotnet.symbols.primary_constructors import moved_parameters
from dap_dotnet.symbols.static_locals import static_locals
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo, TypeMembers, members


class BodyVariable(Struct):
    """A variable that a statement in a lambda's body declares, or a parameter of such a lambda."""

    type: Type | None = None
    """None where only its value shows it."""
    refusal: tuple[str, ...] = ()
    """What the compiler says of an assignment to it; empty where it can be assigned."""
    constant: Operand | None = None


class NameBinder:
    """Binds names at one site. `env` is a live frame there, for what only values can show."""

    def __init__(self, env: Environment, site: Site | None) -> None:
        self.env = env
        self.universe = env.universe
        self.lookup = TypeLookup(site, env.universe, self._is_variable)
        self.variables = Variables(site) if site is not None else None
        self.checked = False
        self.unchecked = False
        """Inside of `unchecked(…)`: else constants that overflow are refused."""
        self.opens_properties = False
        """Whether a member may be assigned of the structure that an automatic property keeps, which C# refuses."""
        self.receiver_type: Type | None = None
        """Of what stands before the innermost ``?.``"""
        self.declared: set[str] = set()
        """Variables that patterns have declared so far."""
        self.locals: dict[str, BodyVariable] = {}
        """Variables of the bodies of lambdas around the node that is bound."""

    def type(self, wanted: syntax.TypeSyntax) -> Type:
        """A type by its syntax. CS0246, and CS7003 for `List<>`, which only `typeof` takes."""
        refuse_unbound(wanted)
        return self.lookup.resolve(self.env, wanted)

    def _is_variable(self, name: str) -> bool:
        known = self.variables.stored(self.env, name) if self.variables is not None else None
        return name in self.locals or name in self.declared or known is not None

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

    def renaming(self, wanted: syntax.TypeSyntax | None, kind: Type | None) -> Callable[[Operand], Operand]:
        """What gives the elements of tuples in a value of a written type the names that they have there."""
        if wanted is None or kind is None or not count(kind):
            return lambda operand: operand
        names = element_names(wanted)
        return lambda operand: Operand(operand.type, operand.data, operand.value, names, operand.place)

    def variable(self, name: str) -> Bound | None:
        """A variable, or a member of `this` or of a type around the site, by its simple name."""
        local = self.locals.get(name)
        if local is not None:
            return Bound(lambda env: _local(env, name), local.type, local.constant)
        if name in self.declared:
            return Bound(lambda env: _slot(env, name))
        if name.startswith("$"):
            return bind_special(name)
        found = self.variables.bind(self.env, name) if self.variables is not None else None
        return found or self._implicit_member(name) or bind_kept_variable(self.env, name)

    def _implicit_member(self, name: str) -> Bound | None:
        this = self.this()
        if this is not None:
            for member in self.names_in_this(name):
                found = self._member_of(this, member)
                if found is not None:
                    return found
        for owner in self.user_types():
            static = bind_static(self.env, owner, self.static_local(name) or name)
            if static is not None:
                return static
        return None

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
        field = self._static_locals().get(name)
        return field.name if field is not None else None

    def static_locals(self) -> list[str]:
        """The names of all such locals of the site's method."""
        return list(self._static_locals())

    def _static_locals(self) -> Mapping[str, FieldInfo]:
        frame = self.env.context.frame
        module = self.lookup.module
        return static_locals(module, frame.method) if module is not None and frame.method is not None else {}

    def captured_parameters(self) -> list[str]:
        """The names of all such parameters."""
        return [field.shown_name for field in self._own_members().fields if field.is_parameter]

    def _own_members(self) -> TypeMembers:
        """What the type around the site declares itself."""
        return members(self.lookup.module, next(iter(self.lookup.user_type_tokens()), None))

    def _member_of(self, this: Bound, name: str) -> Bound | None:
        """Of a member only that it is there, and its type, are asked for."""
        kind = member_type(self.universe, this.type, name)
        return Bound(this.run, kind) if kind is not None else None

    def user_types(self) -> list[Type]:
        """The type around the site and those around it, with the frame's generic arguments where they are known."""
        return self.lookup.user_types(self.env)

    def this(self) -> Bound | None:
        """`this`, seen as the type whose code the frame runs; None in static code."""
        bound = self.variables.bind(self.env, "this") if self.variables is not None else None
        if bound is None:
            return None
        owners = self.user_types()
        if not owners:
            return bound
        if not owners[0].is_reference:
            return Bound(bound.run, owners[0])
        run, own = bound.run, self.lookup.instantiation(self.env).of(owners[0])

        def typed(env: Environment) -> Operand:
            operand = run(env)
            return Operand(own, operand.data, operand.value) if operand.type.is_reference else operand

        return Bound(typed, owners[0])

    def type_or_namespace(self, node: syntax.Name) -> Type | Namespace | None:
        """What a simple name means that is no variable and no member; None where it is unknown."""
        arguments = self.type_arguments(node.type_arguments)
        named = self.lookup.type_parameter(self.env, node.name) or self.lookup.simple(self.env, node.name, arguments)
        if named is None and node.name in ("nint", "nuint"):
            return types.I if node.name == "nint" else types.U
        namespace = self.lookup.namespace(node.name) if named is None else None
        return named or (Namespace(namespace) if namespace is not None else None)

    def in_namespace(self, outer: Namespace, node: syntax.Member) -> Type | Namespace:
        """The type or the namespace of a name in another namespace. CS0234 and the like."""
        named = self.lookup.in_namespace(outer.name, node.name, self.type_arguments(node.type_arguments))
        if named is not None:
            return named
        namespace = self.lookup.namespace(node.name, outer.name)
        if namespace is None:
            raise self.lookup.unknown(node.name, len(node.type_arguments), outer.name)
        return Namespace(namespace)


def _local(env: Environment, name: str) -> Operand:
    kept = env.slots.get(name)
    if kept is None or kept.type is types.UNASSIGNED:
        raise Diagnostic("CS0165", name)
    return Operand(kept.type, kept.data, kept.value, kept.names)  # a copy: the variable itself may change


def _slot(env: Environment, name: str) -> Operand:
    operand = env.slots.get(name)
    if operand is None:
        raise Diagnostic("CS0165", name)
    return operand
