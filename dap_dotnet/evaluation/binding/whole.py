"""Whole expressions in code, bound before anything runs, with the assemblies that they need; names of arguments."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.conversions import implicit, tuple_type, typed
from dap_dotnet.evaluation.binding.expressions import CodeScope
from dap_dotnet.evaluation.binding.extensions import extensions, may_receive
from dap_dotnet.evaluation.binding.members import this, variable
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code, Invoked, Steps, TupleLiteral, TypedOperation, parts_of
from dap_dotnet.evaluation.calling.anonymous_types import prepare_type
from dap_dotnet.evaluation.calling.program_calls import load_assembly
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declarations import Candidate, ancestors_of, constructors, methods_named
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.unloaded_assemblies import unloaded_type

_VISUAL_BASIC = "Microsoft.VisualBasic"
_VISUAL_BASIC_ASSEMBLY = "Microsoft.VisualBasic.Core"
_VISUAL_BASIC_TYPE = "Microsoft.VisualBasic.Strings"
_ENUMERABLE, _QUERYABLE, _PROVIDED = "System.Linq.Enumerable", "System.Linq.Queryable", "System.Linq.IQueryable"
Names = tuple["str | None", ...]


def bound_whole(binder: NameBinder, tree: syntax.Node, target: Type | None = None) -> tuple[Code, Names]:
    """An expression that is evaluated here, and the names of the elements where it is a tuple.

    `target`: the type that its value is converted to. Raises `EvaluationError`, in the compiler's words where it
    is no C#. No code of the expression runs; where it is a query that its provider runs, the program loads
    System.Linq.Queryable first, and the assemblies of types that are not loaded yet.
    """
    for part in syntax.parts_of(tree):
        if isinstance(part, syntax.Anonymous):
            prepare_type(binder.env, part.names)
    for _ in range(_MOST_ASSEMBLIES):
        try:
            made = _bound(binder, tree, target)
        except EvaluationError as error:
            is_named = isinstance(error, Diagnostic) and bool({"AsQueryable", "Queryable"} & set(error.arguments))
            has_loaded = (is_named and _load_queryable(binder)) or _load_language_library(binder, error)
            if not has_loaded and not _load_missing(binder, tree):
                raise
            continue
        if not _asks_provider(binder.universe, made[0]) or not _load_queryable(binder):
            return made
    return _bound(binder, tree, target)


_MOST_ASSEMBLIES = 8
"""So many may be loaded for one expression."""


def _load_queryable(binder: NameBinder) -> bool:
    """Whether the program has loaded what queries of providers need: it had not yet, and may run."""
    env, universe = binder.env, binder.universe
    if env.caller is None or universe.named(_PROVIDED) is None or universe.named(_QUERYABLE) is not None:
        return False
    load_assembly(env, _QUERYABLE)
    return True


def _asks_provider(universe: Universe, code: Code) -> bool:
    """Whether a method of Enumerable was taken for what has a provider: Queryable is not loaded."""
    return universe.named(_QUERYABLE) is None and any(
        isinstance(part, Invoked)
        and part.method.owner.full_name == _ENUMERABLE
        and bool(part.arguments)
        and isinstance(part.arguments[0], TypedOperation)
        and any(one.full_name == _PROVIDED for one in ancestors_of(universe, part.arguments[0].operand.type))
        for part in parts_of(code)
    )


# assemblies that are not loaded yet


def _load_language_library(binder: NameBinder, error: EvaluationError) -> bool:
    """Whether the program has loaded that of Visual Basic for a name that means nothing else.

    Code that imports it, and uses its constants and no more, runs without it.
    """
    env, is_unknown = binder.env, isinstance(error, Diagnostic) and error.compiler_code == "CS0103"
    if env.caller is None or not is_unknown or _VISUAL_BASIC not in binder.lookup.imports.namespaces:
        return False
    if env.universe.named(_VISUAL_BASIC_TYPE) is not None:
        return False
    load_assembly(env, _VISUAL_BASIC_ASSEMBLY)
    binder.lookup.look_again()
    return True


def _is_value(binder: NameBinder, name: str) -> bool:
    """Whether a simple name means a variable, a member that needs no target, or methods."""
    if name.startswith("$"):
        return True
    return variable(outer_scope(binder), name) is not None or binder.is_method_group(name)


def _load_missing(binder: NameBinder, tree: syntax.Node) -> bool:
    """Whether the program has loaded an assembly for a type that a name in the expression may mean.

    Raises `EvaluationError` where there is such an assembly, and the program may not run.
    """
    env = binder.env
    declared = set(_declared_names(tree))
    names = [name for root, path in _paths(tree) if path[0] not in declared for name in _meant(binder, root, path)]
    found = env.universe.derived(("not loaded", *names), lambda: unloaded_type(env.program.modules, names))
    if found is None:
        return False
    if env.caller is None:
        raise calls_forbidden(f"The type '{found.full_name}' is in '{found.assembly}', which is not loaded yet; that")
    load_assembly(env, found.assembly)
    binder.lookup.look_again()
    return True


def _paths(tree: syntax.Node) -> Iterator[tuple[syntax.Name | syntax.TypePart, tuple[str, ...]]]:
    """The names with dots in an expression, and what begins each; of `a.b.c` the longest one."""
    parts = list(syntax.parts_of(tree))
    inner = {id(part.target) for part in parts if isinstance(part, syntax.Member)}
    for part in parts:
        if isinstance(part, syntax.NamedTypeSyntax) and part.parts:
            yield part.parts[0], tuple(one.name for one in part.parts)
        if isinstance(part, syntax.Name | syntax.Member) and id(part) not in inner:
            names, node = list[str](), part
            while isinstance(node, syntax.Member):
                names.append(node.name)
                node = node.target  # type: ignore[assignment]
            if isinstance(node, syntax.Name):
                yield node, (node.name, *reversed(names))


def _declared_names(tree: syntax.Node) -> Iterator[str]:
    """The names of the variables that an expression declares, and of the parameters of its lambdas."""
    for part in syntax.parts_of(tree):
        if isinstance(part, syntax.Lambda):
            yield from (name for name in syntax.parts_of(part.parameters) if isinstance(name, str))
        elif not isinstance(part, syntax.Name | syntax.Member | syntax.TypePart):
            name = getattr(part, "name", None)
            yield from (name,) if isinstance(name, str) else ()


def _meant(binder: NameBinder, root: syntax.Name | syntax.TypePart, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The types, as (namespace, name), that a name may mean which means no variable, member or type that there is."""
    lookup, env, first = binder.lookup, binder.env, names[0]
    if lookup.simple(env, first, arity=len(root.arguments if isinstance(root, syntax.TypePart) else ())) is not None:
        return []
    if isinstance(root, syntax.Name) and _is_value(binder, first):
        return []
    around = lookup.namespace(first)
    found = [] if around is not None else [(namespace, first) for namespace in lookup.namespaces()]
    for count in range(1, len(names)):
        namespace = ".".join((around or first, *names[1:count]))
        if lookup.type_in(namespace, names[count]) is not None:
            return []
        found.append((namespace, names[count]))
    return found


# the names that arguments of a call may have: those of the parameters of the methods that it may mean


def argument_names(scope: Scope, callee: syntax.Node) -> Iterator[str]:
    """Of what stands before the parentheses, or of a new object. Raises `EvaluationError`; nothing runs."""
    if isinstance(callee, syntax.New) and callee.type is not None:
        yield from _names(constructors(scope.universe, scope.binder.type(callee.type)))
    elif isinstance(callee, syntax.Name):
        yield from _names(_of_name(scope, callee.name))
    elif isinstance(callee, syntax.Member):
        target = scope.entity(callee.target)
        if not isinstance(target, Namespace):
            yield from _names(
                methods_named(scope.universe, target if isinstance(target, Type) else target.type, callee.name)
            )
        if isinstance(target, Code):
            found = extensions(scope.env, scope.binder.lookup, callee.name)
            yield from _names([one for one in found if may_receive(scope.universe, one, target.type)], first=2)


def _of_name(scope: Scope, name: str) -> list[Candidate]:
    delegate = variable(scope, name)
    if delegate is not None:
        return methods_named(scope.universe, delegate.type, "Invoke")
    own = this(scope)
    owners = [own.type] if own is not None else []
    owners += scope.binder.owners()
    return [one for owner in owners for one in methods_named(scope.universe, owner, name)]


def _names(found: list[Candidate], first: int = 1) -> Iterator[str]:
    """Those of the parameters from number `first` on."""
    for candidate in found:
        yield from (name for number, name in candidate.method.parameters.items() if number >= first and name)


def _shown_type(scope: Scope, literal: TupleLiteral) -> Type:
    """The type of a literal of a tuple that is only shown: `null` is an object."""
    kinds = list[Type]()
    for item in literal.items:
        if not isinstance(item, Code):
            raise Diagnostic("CS8917")
        if item.type is types.DEFAULT:
            raise Diagnostic("CS8716")
        plain = types.OBJECT if item.type is types.NULL else item.type
        kinds.append(_shown_type(scope, item) if isinstance(item, TupleLiteral) else plain)
    return tuple_type(scope, kinds)


def outer_scope(binder: NameBinder) -> CodeScope:
    """The scope of a whole expression."""
    known = {name: operand for name, operand in binder.env.slots.items() if name in binder.declared}
    return CodeScope(binder, {}, known)


def _bound(binder: NameBinder, tree: Node, target: Type | None) -> tuple[Code, Names]:
    """As `bound_whole`, of what is loaded now."""
    scope = outer_scope(binder)
    binder.lookup.is_open = True
    try:
        code = typed(scope, tree, target) if target is not None else scope.code(tree)
        if isinstance(code, TupleLiteral):
            code = implicit(scope, code, _shown_type(scope, code))
        if code.type is types.DEFAULT:
            raise Diagnostic("CS8716")
    finally:
        binder.lookup.is_open = False
    whole = Steps(code.type, tuple(scope.own), (code,)) if scope.own else code
    return scope.closed(whole), scope.names_of(code)
