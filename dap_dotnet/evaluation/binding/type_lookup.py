"""Types and namespaces by the names that the source uses: nested ones, the frame's namespaces, its using directives."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import TypePart, TypeSyntax, parts_of, passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declarations import Instantiation, bases_of, type_parameters
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import BreakpointLocation, TypeDefToken
from dap_dotnet.symbols import metadata_names
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.generated_names import written_types
from dap_dotnet.values.generic_frames import instantiation

_NAMESPACE, _ASSEMBLY_NAMESPACE, _TYPE = 1, 2, 3
_NAMESPACE_ALIAS, _TYPE_ALIAS = 7, 9
_STANDARD_MODULE = "Microsoft.VisualBasic.CompilerServices.StandardModuleAttribute"
_VISUAL_BASIC = "Visual Basic"
_TYPE_DEF = 0x02


class Site(Struct, frozen=True):
    """A place in the code where an expression is bound, with its module's symbols."""

    location: BreakpointLocation
    module: LoadedModule | None


class Imports(Struct):
    """The using directives in force at a site, and the modules of Visual Basic that its code sees.

    Aliases of namespaces map to their full names.
    """

    namespaces: list[str]
    aliases: dict[str, str]
    type_aliases: dict[str, Type]
    static_types: list[Type]


def site_of(env: Environment) -> Site | None:
    """The site of the environment's frame; None for frames without IL."""
    frame = env.context.frame
    if frame.module is None or frame.method is None or frame.il_offset is None:
        return None
    location = BreakpointLocation(frame.module, frame.method, frame.il_offset)
    return Site(location, env.program.modules.get(frame.module))


def imports_at(universe: Universe, site: Site | None, around: Iterable[str]) -> Imports:
    """What is imported at a site, whose own namespace and those around it are `around`."""
    found = Imports([], {}, {}, [])
    if site is None or site.module is None or site.module.pdb is None:
        return found
    for scope in site.module.pdb.imports_at(site.location.method, site.location.il_offset):
        for entry in scope:
            if entry.kind in (_NAMESPACE, _ASSEMBLY_NAMESPACE) and entry.namespace:
                found.namespaces.append(entry.namespace)
            elif entry.kind == _NAMESPACE_ALIAS and entry.alias and entry.namespace:
                found.aliases.setdefault(entry.alias, entry.namespace)
            elif entry.kind in (_TYPE, _TYPE_ALIAS) and entry.type is not None:
                made = universe.of_token(site.module, entry.type)
                if made is not None and entry.kind == _TYPE:
                    found.static_types.append(made)
                elif made is not None and entry.alias:
                    found.type_aliases.setdefault(entry.alias, made)
    if _is_visual_basic(site):
        found.static_types += _standard_modules(universe, (*around, *found.namespaces))
    return found


def _is_visual_basic(site: Site) -> bool:
    if site.module is None or site.module.pdb is None:
        return False
    points = site.module.pdb.sequence_points(site.location.method)
    return bool(points) and points[0].document.language_name == _VISUAL_BASIC


def _standard_modules(universe: Universe, namespaces: Iterable[str]) -> list[Type]:
    """The modules of Visual Basic in namespaces, whose members its code names without them."""
    found = [
        universe.of_definition((module.id, token))
        for namespace in dict.fromkeys(namespaces)
        for module in universe.modules
        for token in module.cached(_STANDARD_MODULES).get(namespace, ())
    ]
    return [one for one in found if one is not None]


def _modules_by_namespace(module: LoadedModule) -> dict[str, list[TypeDefToken]]:
    found: dict[str, list[TypeDefToken]] = {}
    for token in metadata_names.marked(module, _STANDARD_MODULE, _TYPE_DEF):
        assert module.metadata is not None
        found.setdefault(module.metadata.type_def(token).namespace, []).append(TypeDefToken(token))
    return found


_STANDARD_MODULES = CacheSlot("modules of Visual Basic by namespace", _modules_by_namespace)


def file_local(site: Site | None, scope: str, name: str) -> metadata_names.Definition | None:
    """The type of a name behind a namespace (`A.B.`, or nothing) that the site's file declares; None: there is none.

    The compiler puts the file's name before that of the type, and a hash of its path: of two files of one name, whose
    types have one name, none is taken (C# specification 15.2.2.3).
    """
    module = site.module if site is not None else None
    if site is None or module is None or module.metadata is None or module.pdb is None:
        return None
    found = module.cached(_FILE_TYPES).get(scope + name)
    if not found:
        return None
    points = module.pdb.sequence_points(site.location.method)
    path = next((point.document.name for point in points if not point.is_hidden), "")
    stem = re.sub(r"\W", "_", re.split(r"[\\/]", path)[-1].rpartition(".")[0])
    tokens = [token for file, token in found if file == stem]
    return (module.id, tokens[0]) if len(tokens) == 1 else None


def _file_types(module: LoadedModule) -> dict[str, list[tuple[str, TypeDefToken]]]:
    """By their full names as the source has them: the files' names, and the types."""
    made: dict[str, list[tuple[str, TypeDefToken]]] = {}
    for name in metadata_names.names_of_types(module):
        prefix = metadata_names.FILE_LOCAL_PREFIX.match(name)
        for token in metadata_names.types_named(module, name) if prefix is not None else ():
            assert prefix is not None
            full_name = metadata_names.full_name_of(module, token).replace(prefix[0], "", 1)
            made.setdefault(full_name, []).append((prefix[0][1 : prefix[0].index(">")], token))
    return made


_FILE_TYPES: CacheSlot[dict[str, list[tuple[str, TypeDefToken]]]] = CacheSlot("types of files", _file_types)
_TUPLE_LIMIT = 7
_MOST_PARAMETERS = 8
"""Type parameters that are looked for, for the error alone; only delegates and tuples have more."""


class Namespace(Struct, frozen=True):
    """A namespace, where a name has turned out to be one."""

    name: str


def refuse_unbound(wanted: object) -> None:
    """Raises `EvaluationError` (CS7003) where a generic type is named without its type arguments."""
    for part in parts_of(wanted):
        if isinstance(part, TypePart) and part.unbound:
            with passing(part.at):
                raise Diagnostic("CS7003")


class TypeLookup:
    """Names of types at one site."""

    def __init__(self, site: Site | None, universe: Universe, is_variable: Callable[[str], bool]) -> None:
        """`is_variable`: whether the site has a variable of a name, which is none of a type then (CS0118)."""
        self._site = site
        self._universe = universe
        self._is_variable = is_variable
        self._imports: Imports | None = None
        self._given: tuple[Type, ...] | None = None
        self._open: tuple[Type, ...] | None = None
        self.is_open = False
        """Whether type parameters are types of their own; else they are what they stand for in the frame."""

    @property
    def module(self) -> LoadedModule | None:
        """The module of the site."""
        return self._site.module if self._site is not None else None

    def user_type_tokens(self) -> list[TypeDefToken]:
        """The type that the user wrote around the site, then the types around that; compiler-made ones left out."""
        module = self.module
        if module is None or module.metadata is None or self._site is None:
            return []
        return list(written_types(module.metadata, self._site.location.method))

    def look_again(self) -> None:
        """A module was loaded, which names may mean something in now."""
        self._imports = None

    @property
    def imports(self) -> Imports:
        """What the site's file imports."""
        if self._imports is None:
            location = self._site.location if self._site is not None else None
            around = (scope.removesuffix(".") for scope in self._scopes_around() if not scope.endswith("+"))
            universe = self._universe
            self._imports = universe.derived(("imports", location), lambda: imports_at(universe, self._site, around))
        return self._imports

    def _scopes(self) -> Iterator[str]:
        """What may stand before a name, innermost first: types with `+`, namespaces with `.`, and nothing."""
        yield from self._scopes_around()
        for imported in self.imports.namespaces:
            yield imported + "."

    def _scopes_around(self) -> Iterator[str]:
        """As `_scopes`, without the using directives."""
        module = self.module
        namespace = ""
        tokens = self.user_type_tokens()
        if module is not None and module.metadata is not None and tokens:
            for token in tokens:
                yield module.metadata.type_name(token) + "+"
            namespace = module.metadata.type_def(tokens[-1]).namespace
        while namespace:
            yield namespace + "."
            namespace = namespace.rpartition(".")[0]
        yield ""

    def namespaces(self) -> Iterator[str]:
        """The namespaces whose types need no prefix: the site's own and those around it, the global one, imports."""
        for scope in self._scopes():
            if not scope.endswith("+"):
                yield scope.removesuffix(".")

    def namespaces_outwards(self) -> Iterator[Collection[str]]:
        """As `namespaces`: those of the using directives together."""
        for scope in self._scopes_around():
            if not scope.endswith("+"):
                yield (scope.removesuffix("."),)
        yield self.imports.namespaces

    def simple(
        self, env: Environment, name: str, arguments: tuple[Type, ...] = (), *, arity: int | None = None
    ) -> Type | None:
        """The type that a simple name means here; None when there is none."""
        count = len(arguments) if arity is None else arity
        if not count and name in self.imports.type_aliases:
            return self.imports.type_aliases[name]
        for owner in self.user_types(env):
            nested = self.nested(owner, name, arguments, arity=count)
            if nested is not None:
                return nested
        metadata_name = f"{name}`{count}" if count else name
        for scope in self._scopes():
            if scope.endswith("+"):
                continue
            definition = metadata_names.find_definition(self._universe.modules, scope + metadata_name, self.module)
            definition = definition or file_local(self._site, scope, metadata_name)
            if definition is not None:
                return self._universe.of_definition(definition, arguments)
        nested_types = (self.nested(owner, name, arguments, arity=count) for owner in self.imports.static_types)
        return next((kind for kind in nested_types if kind is not None), None)

    def user_types(self, env: Environment) -> list[Type]:
        """The type around the site and those around it, with the type parameters that are in force."""
        module = self.module
        if module is None or module.metadata is None:
            return []
        made = list[Type]()
        for token in self.user_type_tokens():
            count = len(module.metadata.generic_parameters_of(token))
            given = self.in_force(env)[:count] if count else ()
            kind = self._universe.of_definition((module.id, token), given)
            made += [kind] if kind is not None else []
        return made

    def unknown(self, name: str, count: int, outer: Namespace | None = None, code: str = "CS0103") -> EvaluationError:
        """Of a name that means nothing with so many type arguments: CS0305, CS0308, else CS0234, or `code`."""
        if outer is not None:
            return self._wrong_arity([f"{outer.name}."], name, count) or Diagnostic("CS0234", name, outer.name)
        return self._wrong_arity(self._scopes(), name, count) or Diagnostic(code, name)

    def _wrong_arity(self, scopes: Iterable[str], name: str, count: int) -> EvaluationError | None:
        """CS0305 or CS0308 where a type of the name takes another number of type arguments; None: none does.

        `scopes` are what may stand before the name, innermost first.
        """
        modules, names = self._universe.modules, {
            arity: f"{name}`{arity}" if arity else name for arity in range(_MOST_PARAMETERS + 1) if arity != count
        }  # fmt: skip
        known = [
            arity for arity, one in names.items() if any(metadata_names.types_named(module, one) for module in modules)
        ]
        for scope in scopes if known else ():
            for arity in known:
                found = metadata_names.find_definition(modules, scope + names[arity], self.module)
                module = modules.get(found[0]) if found is not None else None
                if found is None or module is None or module.metadata is None:
                    continue
                if not arity:
                    return Diagnostic("CS0308", "type", name)
                parameters = ", ".join(one.name for one in module.metadata.generic_parameters_of(found[1])[-arity:])
                return Diagnostic("CS0305", "type", f"{name}<{parameters}>", arity)
        return None

    def wrong_nested(self, outer: Type, name: str, count: int) -> EvaluationError | None:
        """As `unknown`, of the name of a type nested in another; None where that has none of the name."""
        return self._wrong_arity([f"{outer.full_name}+"], name, count)

    def nested(
        self, outer: Type, name: str, arguments: tuple[Type, ...] = (), *, arity: int | None = None
    ) -> Type | None:
        """The type nested in another one or in its bases. `arity`: where it is named without its arguments."""
        universe, count = self._universe, len(arguments) if arity is None else arity
        metadata_name = f"{name}`{count}" if count else name
        for owner in bases_of(universe, outer):
            declared = universe.declaration(owner)
            if declared is None:
                continue
            module, metadata, outside = declared
            for token in metadata.nested_types(outside):
                if metadata.type_def(token).name == metadata_name:
                    outer_count = len(metadata.generic_parameters_of(outside))
                    outer_arguments = owner.arguments or (types.OBJECT,) * outer_count
                    return universe.of_definition((module.id, TypeDefToken(token)), (*outer_arguments, *arguments))
        return None

    def type_in(
        self, namespace: str, name: str, arguments: tuple[Type, ...] = (), *, arity: int | None = None
    ) -> Type | None:
        """The type of a namespace; `arity` as of `nested`."""
        count = len(arguments) if arity is None else arity
        full_name = f"{namespace}.{name}`{count}" if count else f"{namespace}.{name}"
        definition = metadata_names.find_definition(self._universe.modules, full_name, self.module)
        return self._universe.of_definition(definition, arguments) if definition is not None else None

    def namespace(self, name: str) -> str | None:
        """The full name of a namespace as the site sees it. None when there is none."""
        if name in self.imports.aliases:
            return self.imports.aliases[name]
        names = (scope + name for scope in self._scopes() if not scope.endswith("+"))
        return next((full for full in names if metadata_names.has_namespace(self._universe.modules, full)), None)

    # names with dots

    def meant(
        self, env: Environment, name: str, arguments: tuple[Type, ...] = (), *, arity: int | None = None
    ) -> Type | Namespace | None:
        """What a simple name means that is no variable and no member; None where it is unknown."""
        named = self.type_parameter(env, name) or self.simple(env, name, arguments, arity=arity)
        named = named or {"nint": types.I, "nuint": types.U}.get(name)
        namespace = self.namespace(name) if named is None else None
        return named or (Namespace(namespace) if namespace is not None else None)

    def in_namespace(
        self, outer: Namespace, name: str, arguments: tuple[Type, ...] = (), *, arity: int | None = None
    ) -> Type | Namespace:
        """The type or the namespace of a name in another namespace. CS0234 and the like."""
        named = self.type_in(outer.name, name, arguments, arity=arity)
        if named is not None:
            return named
        namespace = f"{outer.name}.{name}"
        if not metadata_names.has_namespace(self._universe.modules, namespace):
            raise self.unknown(name, arity or len(arguments), outer)
        return Namespace(namespace)

    # type syntax

    def resolve(self, env: Environment, wanted: TypeSyntax) -> Type:
        """The type that a piece of syntax means. Raises `EvaluationError`, CS0246."""
        with passing(wanted.at):
            return self._resolved(env, wanted)

    def _resolved(self, env: Environment, wanted: TypeSyntax) -> Type:
        universe = self._universe
        if isinstance(wanted, syntax.PredefinedTypeSyntax):
            return types.BY_KEYWORD.get(wanted.keyword) or self._unknown(wanted.keyword)
        if isinstance(wanted, syntax.NullableTypeSyntax):
            return universe.nullable(self.resolve(env, wanted.element))
        if isinstance(wanted, syntax.ArrayTypeSyntax):
            element = self.resolve(env, wanted.element)
            return universe.array(element, wanted.rank, is_vector=wanted.rank == 1)
        if isinstance(wanted, syntax.PointerTypeSyntax):
            return universe.pointer(self.resolve(env, wanted.element))
        if isinstance(wanted, syntax.TupleTypeSyntax):
            return self._tuple(env, wanted)
        return self._named(env, wanted.parts)

    def _unknown(self, name: str) -> Type:
        raise Diagnostic("CS0246", name)

    def _tuple(self, env: Environment, wanted: syntax.TupleTypeSyntax) -> Type:
        elements = tuple(self.resolve(env, element) for element in wanted.elements)
        if len(elements) > _TUPLE_LIMIT:
            raise EvaluationError(f"Tuple types of more than {_TUPLE_LIMIT} elements are not supported")
        made = self._universe.named(f"System.ValueTuple`{len(elements)}", elements)
        return made or self._unknown("System.ValueTuple")

    def _named(self, env: Environment, parts: tuple[TypePart, ...]) -> Type:
        if parts[0].name == "dynamic" and len(parts) == 1:
            return types.OBJECT
        current: Type | Namespace | None = None
        for part in parts:
            with passing(part.at):
                outer, current = current, self._next(env, current, part)
                if part is parts[-1] and isinstance(current, Namespace):
                    raise self._no_type(part, outer if isinstance(outer, Namespace) else None)
        assert isinstance(current, Type)
        return current

    def _next(self, env: Environment, outer: Type | Namespace | None, part: TypePart) -> Type | Namespace:
        """What a part of a name means behind what stands before it. CS0426 and as `_no_type`."""
        arguments = tuple(self.resolve(env, argument) for argument in part.arguments)
        name, arity = part.name, part.unbound or None
        if isinstance(outer, Namespace):
            return self.in_namespace(outer, name, arguments, arity=arity)
        if outer is None:
            named = self.meant(env, name, arguments, arity=arity)
            if named is None:
                raise self._no_type(part)
            return named
        nested = self.nested(outer, name, arguments, arity=arity)
        if nested is None:
            raise self.wrong_nested(outer, name, arity or len(arguments)) or Diagnostic("CS0426", name, outer.name)
        return nested

    def _no_type(self, part: TypePart, outer: Namespace | None = None) -> EvaluationError:
        """Of a name that means no type: CS0118 where it is a variable's, CS0246, and as `unknown`."""
        code = "CS0118" if self._is_variable(part.name) else "CS0246"
        return self.unknown(part.name, part.unbound or len(part.arguments), outer, code)

    def type_parameter(self, env: Environment, name: str) -> Type | None:
        """A type parameter of the frame's type or method: itself (`is_open`), or what it stands for in the frame."""
        for parameter, kind in zip(self._parameters(), self.in_force(env), strict=False):
            if parameter.name == name:
                return kind
        return None

    def in_force(self, env: Environment) -> tuple[Type, ...]:
        """The type parameters of the frame's type and method as `type_parameter`, where it is known what they are."""
        given = self.stood_for(env)
        return self._parameters() if self.is_open and given else given

    def instantiation(self, env: Environment) -> Instantiation:
        """What the type parameters stand for in the frame."""
        return Instantiation(self._universe, dict(zip(self._parameters(), self.stood_for(env), strict=False)))

    def split(self, kinds: tuple[Type, ...]) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
        """Type parameters or arguments of the frame's type, and those of its method."""
        count = sum(kind.parameter is not None and not kind.parameter.is_of_method for kind in self._parameters())
        return kinds[:count], kinds[count:]

    def _parameters(self) -> tuple[Type, ...]:
        if self._open is None:
            module, site = self.module, self._site
            if module is None or module.metadata is None or site is None:
                return ()
            owner = module.metadata.method(site.location.method).declaring_type
            of_type, of_method = type_parameters(self._universe, module, owner, site.location.method)
            self._open = (*of_type, *of_method)
        return self._open

    def stood_for(self, env: Environment) -> tuple[Type, ...]:
        """What the type parameters of the frame's type and method stand for, where that is known."""
        if self._given is None:
            self._given = tuple(env.type_of(one) or types.OBJECT for one in instantiation(env.context))
        return self._given if self._given and len(self._given) == len(self._parameters()) else ()
