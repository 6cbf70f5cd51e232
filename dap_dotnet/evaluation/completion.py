"""What may follow in an unfinished expression: members, variables, types, namespaces, keywords. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.binding.extensions import extension_names
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.scope import CursorReached, Scope
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.binding.whole import argument_names, outer_scope
from dap_dotnet.evaluation.bound_tree import Code, Variable, parts_of
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.known_members import EXPANDO, expando_names
from dap_dotnet.evaluation.operations.linq.table import LINQ_NAMES
from dap_dotnet.evaluation.running.run import closure
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import KEYWORDS
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.syntax.user_texts import SPECIFIERS, CompletionSite, completion_site
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, is_tuple, tuple_length
from dap_dotnet.evaluation.types.declarations import bases_of, candidates, declared_members, sequence_element
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import FrameContext

MOST = 1000
"""How many completions are given: nobody reads more."""
_KEYWORDS = (
    "as", "base", "bool", "byte", "char", "checked", "decimal", "default", "double", "false", "float", "int", "is",
    "long", "nameof", "new", "null", "object", "sbyte", "short", "sizeof", "string", "this", "true", "typeof", "uint",
    "ulong", "unchecked", "ushort", "with",
)  # fmt: skip
_SPECIAL_NAMES = ("$exception", "$pid", "$returnValue", "$tid")


class Completion(Struct, frozen=True):
    """One text. `kind` is of DAP's CompletionItemType; `is_accessible` False: C# itself would not allow it here.

    `is_settable` False: a property without a setter.
    """

    label: str
    kind: str
    is_accessible: bool = True
    is_settable: bool = True


class Completions(Struct, frozen=True):
    """The completions of what stands in the text from character `start`, `length` characters long."""

    start: int
    length: int
    items: list[Completion]


def complete(text: str, cursor: int, context: FrameContext) -> Completions:
    """The completions at a cursor, which counts characters of the text: accessible ones first, then by name.

    None where the text before it means nothing here. Session thread.
    """
    site = completion_site(text, cursor)
    if site is None:
        return Completions(cursor, 0, [])
    env = Environment(context, None, METHOD_RUNNER)
    try:
        items = _chosen(_possible(NameBinder(env), site), site.prefix)
    except (DapDotnetError, RecursionError):
        items = []
    finally:
        env.release()
    return Completions(site.start, len(site.prefix), items)


def _possible(binder: NameBinder, site: CompletionSite) -> Iterator[Completion]:
    cursor = site.cursor
    if site.prefix.startswith("$"):
        return iter([Completion(name, "variable") for name in _SPECIAL_NAMES])
    if cursor.is_format:
        return iter([Completion(name, "keyword") for name in SPECIFIERS])
    if cursor.is_type:
        return _types(binder, site.prefix) if cursor.qualifier is None else _in_type(binder, cursor.qualifier)
    reached = _reached(binder, site)
    if cursor.filled is not None:
        return _filled(reached.scope, cursor.filled, is_pattern=cursor.is_pattern)
    if reached.target is not None:
        return _members(reached, site)
    return chain(_arguments(reached.scope, cursor.callee), _names(reached.scope, site.prefix))


def _reached(binder: NameBinder, site: CompletionSite) -> CursorReached:
    """Where the cursor stands; outside of lambdas where what is around it cannot be bound."""
    for tree in (site.tree, site.cursor):
        try:
            outer_scope(binder).entity(tree)
        except CursorReached as reached:
            return reached
        except EvaluationError as error:
            refused = error
    raise refused


def _arguments(scope: Scope, callee: Node | None) -> list[Completion]:
    """The names of arguments; none where it is not known what is called."""
    if callee is None:
        return []
    try:
        return [Completion(f"{name}:", "variable") for name in argument_names(scope, callee)]
    except EvaluationError:
        return []


def _chosen(found: Iterator[Completion], prefix: str) -> list[Completion]:
    """Those that begin with the prefix, in any case; each name once, as it is found first."""
    wanted, chosen = prefix.lower().removeprefix("@"), dict[str, Completion]()
    for item in found:
        if item.label.lower().startswith(wanted) and item.label.removeprefix("$").removesuffix(":").isidentifier():
            label = f"@{item.label}" if item.kind == "variable" and item.label in KEYWORDS else item.label
            chosen.setdefault(label, Completion(label, item.kind, item.is_accessible))
    ordered = sorted(
        chosen.values(), key=lambda item: (not item.is_accessible, item.label.lower().removeprefix("@"), item.label)
    )
    return ordered[:MOST]


# members


def _members(reached: CursorReached, site: CompletionSite) -> Iterator[Completion]:
    entity, binder = reached.target, reached.scope.binder
    if isinstance(entity, Namespace):
        yield from _in_namespace(binder, entity.name)
    elif isinstance(entity, Type):
        yield from _of_type(binder, entity, is_static=True)
        yield from _nested(binder, entity)
    elif isinstance(entity, Code) and isinstance(site.cursor.target, syntax.Base):
        yield from _of_type(binder, entity.type, is_static=False)
    elif isinstance(entity, Code):
        yield from _of_value(reached.scope, entity, site.prefix)


def _filled(scope: Scope, value: Node, *, is_pattern: bool) -> Iterator[Completion]:
    """The fields and properties that braces may name."""
    kind = scope.code(value).type
    if kind.kind is Kind.NULLABLE and is_pattern:
        kind = kind.element
    for item in _of_type(scope.binder, kind, is_static=False):
        if item.kind in ("field", "property") and (is_pattern or item.is_settable):
            yield item


def _of_value(scope: Scope, value: Code, prefix: str) -> Iterator[Completion]:
    """The members of its static type and, where reading shows it, of its actual one, which expressions may name too."""
    binder, env = scope.binder, scope.env
    actual = _read(scope, value)
    names = scope.names_of(value) or (actual.names if actual is not None else ())
    if is_tuple(value.type):
        yield from (Completion(name, "field") for name in names[: tuple_length(value.type)] if name is not None)
    known = actual.program_value if actual is not None else None
    kinds = dict.fromkeys((value.type, env.own_type(actual) if actual is not None else value.type))
    if known is not None and known.type is not None and any(kind.full_name == EXPANDO for kind in kinds):
        yield from (Completion(name, "property") for name in expando_names(env, known))
    for kind in kinds:
        yield from _of_type(binder, kind, is_static=False)
    if any(sequence_element(binder.universe, kind) is not None for kind in kinds):
        yield from (Completion(name, "method") for name in LINQ_NAMES)
    yield from (Completion(name, "method") for name in extension_names(env, binder.lookup, value.type, prefix))


def _read(scope: Scope, value: Code) -> Operand | None:
    """The value itself; None where it is made of what the expression declares, or only running would show it."""
    if any(isinstance(part, Variable) for part in parts_of(value)):
        return None
    try:
        return closure(scope.universe, value)(scope.env)
    except DapDotnetError:
        return None


def _of_type(binder: NameBinder, start: Type, *, is_static: bool) -> Iterator[Completion]:
    """The members that a type and its bases declare; compiler-made ones have no names in C#."""
    own = {owner.definition for owner in binder.user_types()}
    for owner in bases_of(binder.universe, start):
        declared = declared_members(binder.universe, owner)
        is_own = owner.definition in own and owner.definition is not None
        for field in declared.fields:
            if field.is_static is is_static and not field.is_backing_field and not field.is_parameter:
                is_enum = owner.kind is Kind.ENUM and field.is_literal
                kind = "enum" if is_enum else "field"
                yield Completion(field.shown_name, kind, is_own or field.visibility == "public")
        for found in declared.properties:
            if found.is_static is is_static and not found.parameter_count:
                yield Completion(
                    found.name, "property", is_own or found.visibility == "public", is_settable=found.has_setter
                )
        for candidate in candidates(binder.universe, owner):
            method = candidate.method
            if method.is_static is is_static and not (method.name.startswith(_UNNAMED) or method.name == "Finalize"):
                yield Completion(method.name, "method", is_own or method.flags & 7 == 6)


_UNNAMED = ("get_", "set_", "add_", "remove_", "op_", ".", "<")


def _nested(binder: NameBinder, outer: Type) -> Iterator[Completion]:
    declared = binder.universe.declaration(outer)
    for nested in declared[1].nested_types(declared[2]) if declared is not None else ():
        yield Completion(nested.name.partition("`")[0], "class")


# simple names


def _names(scope: Scope, prefix: str) -> Iterator[Completion]:
    binder = scope.binder
    yield from (Completion(name, "variable") for name in scope.variables)
    kept = binder.env.program.kept
    yield from (Completion(name, "variable") for name in (kept.variables() if kept is not None else ()))
    if binder.variables is not None:
        for name in binder.variables.names(binder.env):
            yield Completion(name, "keyword" if name == "this" else "variable")
    yield from (Completion(name, "variable") for name in binder.static_locals())
    this = binder.this()
    if this is not None:
        yield from (Completion(name, "variable") for name in binder.captured_parameters())
    for owner in binder.user_types():
        yield from _of_type(binder, owner, is_static=True)
    if this is not None:
        yield from _of_type(binder, this.type, is_static=False)
    yield from (Completion(word, "keyword") for word in _KEYWORDS)
    if not prefix:
        return  # all types of all namespaces would hide the rest
    for owner in binder.lookup.imports.static_types:
        yield from _of_type(binder, owner, is_static=True)
    yield from _known_types(binder)


def _types(binder: NameBinder, prefix: str) -> Iterator[Completion]:
    """Types and namespaces alone; before a letter is typed those of the user's code."""
    yield from (Completion(name, "keyword") for name, kind in types.BY_KEYWORD.items() if kind is not types.VOID)
    yield from _known_types(binder, only_user_code=not prefix)


def _known_types(binder: NameBinder, *, only_user_code: bool = False) -> Iterator[Completion]:
    """The types and namespaces that a name alone may mean."""
    for owner in binder.user_types():
        yield from _nested(binder, owner)
    for namespace in dict.fromkeys(binder.lookup.namespaces()):
        yield from _in_namespace(binder, namespace, only_user_code=only_user_code)


def _in_type(binder: NameBinder, qualifier: syntax.NamedTypeSyntax) -> Iterator[Completion]:
    """The types in a type or a namespace."""
    try:
        yield from _nested(binder, binder.type(qualifier))
    except EvaluationError:
        yield from _in_namespace(binder, ".".join(part.name for part in qualifier.parts))


def _in_namespace(binder: NameBinder, namespace: str, *, only_user_code: bool = False) -> Iterator[Completion]:
    """The types of a namespace and the namespaces in it, of all loaded modules."""
    start = f"{namespace}." if namespace else ""
    for module in binder.universe.modules:
        if only_user_code and not module.is_user_code:
            continue
        index = module.cached(_TYPES_BY_NAMESPACE)
        for name, is_public in index.get(namespace, ()):
            yield Completion(name, "class", is_public or module.is_user_code)
        for other in index:
            if other.startswith(start) and other != namespace:
                yield Completion(other[len(start) :].partition(".")[0], "module")


def _index_types(module: LoadedModule) -> dict[str, list[tuple[str, bool]]]:
    """Names of the types in each namespace, without their number of parameters, with whether they are public."""
    index: dict[str, list[tuple[str, bool]]] = {}
    metadata = module.metadata
    if metadata is not None:
        strings, table = metadata.image.strings, metadata.image.table(0x02)
        columns = (table.raw_column(name) for name in ("namespace", "name", "flags"))
        for namespace, name, flags in zip(*columns, strict=True):
            if flags & 7 < 2:
                index.setdefault(strings[namespace], []).append((strings[name].partition("`")[0], flags & 7 == 1))
    return index


_TYPES_BY_NAMESPACE = CacheSlot("types by namespace", _index_types)
