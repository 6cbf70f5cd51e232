"""What may follow in an unfinished expression: members, variables, types, namespaces, keywords. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.binding.expressions import bind_entity, outer_scope
from dap_dotnet.evaluation.binding.extensions import extension_names
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.binding.whole import argument_names
from dap_dotnet.evaluation.bound_tree import Variable
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.evaluator import Compiled, compiled
from dap_dotnet.evaluation.operations.default_values import zero_of
from dap_dotnet.evaluation.operations.dynamic_members import EXPANDO, expando_names
from dap_dotnet.evaluation.operations.element_names import names_as
from dap_dotnet.evaluation.operations.linq.sequences import sequence_of
from dap_dotnet.evaluation.operations.linq.table import LINQ_NAMES
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.completion_site import CompletionSite, Filled, LambdaParameter, completion_site
from dap_dotnet.evaluation.syntax.format_specifiers import SPECIFIERS
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of, sequence_element
from dap_dotnet.evaluation.types.tuple_names import is_tuple
from dap_dotnet.evaluation.types.tuple_names import length as tuple_length
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import members
from dap_dotnet.values.context import FrameContext

MOST = 1000
"""How many completions are given: nobody reads more."""
_KEYWORDS = (
    "as", "base", "bool", "byte", "char", "checked", "decimal", "default", "double", "false", "float", "int", "is",
    "long", "nameof", "new", "null", "object", "sbyte", "short", "sizeof", "string", "this", "true", "typeof", "uint",
    "ulong", "unchecked", "ushort", "with",
)  # fmt: skip


_RESERVED = frozenset({
    *_KEYWORDS, "abstract", "break", "case", "catch", "class", "const", "continue", "delegate", "do", "else", "enum",
    "event", "explicit", "extern", "finally", "fixed", "for", "foreach", "goto", "if", "implicit", "in", "interface",
    "internal", "lock", "namespace", "operator", "out", "override", "params", "private", "protected", "public",
    "readonly", "ref", "return", "sealed", "stackalloc", "static", "struct", "switch", "throw", "try", "unsafe",
    "using", "virtual", "void", "volatile", "while",
}) - {"with"}  # fmt: skip
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
        binder = NameBinder(env)
        _add_parameters(binder, site.parameters)
        items = _chosen(_found(binder, site), site.prefix)
    except (DapDotnetError, RecursionError):
        items = []
    finally:
        env.release()
    return Completions(site.start, len(site.prefix), items)


def _found(binder: NameBinder, site: CompletionSite) -> Iterator[Completion]:
    named = list(_filled_members(binder, site.filled)) if site.filled is not None else []
    if named or (site.filled is not None and site.target is None):
        return iter(named)
    if site.target is not None:
        return _members(binder, site, site.target)
    if site.prefix.startswith("$"):
        return iter([Completion(name, "variable") for name in _SPECIAL_NAMES])
    if site.takes_format:
        return iter([Completion(name, "keyword") for name in SPECIFIERS])
    if site.wants_type:
        return _types(binder, site)
    names = _arguments(binder, site.callee) if site.callee is not None else []
    return chain(names, _names(binder, site))


def _arguments(binder: NameBinder, callee: str) -> list[Completion]:
    """The names of arguments; none where it is not known what is called."""
    created = callee.removeprefix("new ")
    try:
        kind = _named(binder, created) if created != callee else None
        names = list(argument_names(binder, kind if kind is not None else parse(callee)))
    except DapDotnetError:
        return []
    return [Completion(f"{name}:", "variable") for name in names]


def _chosen(found: Iterator[Completion], prefix: str) -> list[Completion]:
    """Those that begin with the prefix, in any case; each name once, as it is found first."""
    wanted, chosen = prefix.lower().removeprefix("@"), dict[str, Completion]()
    for item in found:
        if item.label.lower().startswith(wanted) and item.label.removeprefix("$").removesuffix(":").isidentifier():
            label = f"@{item.label}" if item.kind == "variable" and item.label in _RESERVED else item.label
            chosen.setdefault(label, Completion(label, item.kind, item.is_accessible))
    ordered = sorted(
        chosen.values(), key=lambda item: (not item.is_accessible, item.label.lower().removeprefix("@"), item.label)
    )
    return ordered[:MOST]


def _add_parameters(binder: NameBinder, parameters: tuple[LambdaParameter, ...]) -> None:
    """Lambdas' parameters mean the first elements of their sequences; where only code has them, they have the type."""
    env = binder.env
    for parameter in parameters:
        source = compiled(binder, parse(parameter.source))
        element, kind = _first_element(env, source), None
        if source.type is not None:
            kind = sequence_element(binder.universe, source.type)
        if kind is not None and kind.is_reference and element is not None and isinstance(element.data, Value):
            element = Operand(kind, element.data, element.value, element.names)
        elif kind is not None and (element is None or element.type is not kind):
            names = element.names if element is not None else ()
            element = Operand(kind, zero_of(kind), None, names)  # what only expressions have is known by its type
        if element is not None:
            env.slots[parameter.name] = element
            binder.declared.add(parameter.name)


def _first_element(env: Environment, source: Compiled) -> Operand | None:
    """As far as reading tells it."""
    try:
        operand = source.run(env)
        sequence = sequence_of(env, operand)
        item = next(iter(sequence), None) if sequence is not None else None
    except DapDotnetError:
        return None
    enumerable = env.universe.named(_SEQUENCE)
    if item is not None and enumerable is not None:
        item.names = names_as(env, operand.type, operand.names, enumerable.definition)
    return item


# members


def _members(binder: NameBinder, site: CompletionSite, target: str) -> Iterator[Completion]:
    only_types = site.wants_type
    keyword = types.BY_KEYWORD.get(target.strip())
    if only_types:
        named = keyword or _named(binder, target)
        if named is not None:
            yield from _nested(binder, named)
            return
    entity = keyword if keyword is not None else _meaning(binder, parse(target))
    if isinstance(entity, Namespace):
        yield from _in_namespace(binder, entity.name)
    elif only_types:
        return
    elif isinstance(entity, Type):
        yield from _of_type(binder, entity, is_static=True)
        yield from _nested(binder, entity)
    else:
        yield from _of_value(binder, entity, site, target)


def _named(binder: NameBinder, target: str) -> Type | None:
    """The type that a text names, also where a variable has the same name; None where it names none."""
    try:
        meant = parse(f"typeof({target})")
        return binder.type(meant.type) if isinstance(meant, syntax.TypeOf) else None
    except DapDotnetError:
        return None


def _filled_members(binder: NameBinder, filled: Filled) -> Iterator[Completion]:
    """The fields and properties of a type, or of a value's type, that braces behind it name."""
    entity = _meaning(binder, parse(filled.target))
    kind = entity if isinstance(entity, Type) else entity.type if isinstance(entity, Compiled) else None
    for name in filled.path:
        inner = member(outer_scope(binder), Variable(kind, ""), name) if kind is not None else None
        kind = inner.type if inner is not None else None
    if kind is not None and kind.kind is Kind.NULLABLE and filled.is_pattern:
        kind = kind.element
    for item in _of_type(binder, kind, is_static=False) if kind is not None else ():
        if item.kind in ("field", "property") and (filled.is_pattern or item.is_settable):
            yield item


def _meaning(binder: NameBinder, node: Node) -> Compiled | Type | Namespace:
    """A value, a type or a namespace. Raises `EvaluationError`."""
    while isinstance(node, syntax.Parenthesized):
        node = node.inner
    if isinstance(node, syntax.Name | syntax.Member | syntax.KeywordType):
        with suppress(EvaluationError):  # what is wrong, a value says
            entity = bind_entity(binder, node)
            if isinstance(entity, Type | Namespace):
                return entity
    if isinstance(node, syntax.Await):  # what it gives is known without waiting
        awaiter = syntax.Call(syntax.Member(node.operand, "GetAwaiter"), ())
        node = syntax.Call(syntax.Member(awaiter, "GetResult"), ())
    return compiled(binder, node)


def _of_value(binder: NameBinder, value: Compiled, site: CompletionSite, target: str) -> Iterator[Completion]:
    env, is_base = binder.env, target.strip() == "base"
    try:
        operand = value.run(env)
    except DapDotnetError:
        if value.type is None:
            raise
        yield from _of_static_type(binder, value.type, site.prefix)
        return  # what only running it would show
    if operand.type.kind is Kind.TYPE:
        yield from _of_type(binder, binder.universe.named("System.Type") or operand.type, is_static=False)
        return
    start = value.type or operand.type
    if site.is_conditional and start.kind is Kind.NULLABLE:
        yield from _of_static_type(binder, start.element, site.prefix)
        return
    if is_base:
        yield from _of_type(binder, start, is_static=False)
        return
    for name in operand.names[: tuple_length(operand.type) if is_tuple(operand.type) else len(operand.names)]:
        if name is not None:
            yield Completion(name, "field")
    known = operand.program_value
    if known is not None and known.type is not None and env.own_type(operand).full_name == EXPANDO:
        yield from (Completion(name, "property") for name in expando_names(env, known))
    for kind in dict.fromkeys((start, env.own_type(operand))):
        yield from _of_type(binder, kind, is_static=False)
    yield from _special(operand)
    if sequence_of(env, operand) is not None:
        for name in LINQ_NAMES:
            yield Completion(name, "method")
    yield from (Completion(name, "method") for name in extension_names(env, binder.lookup, start, site.prefix))


def _of_static_type(binder: NameBinder, kind: Type, prefix: str) -> Iterator[Completion]:
    yield from _of_type(binder, kind, is_static=False)
    yield from (Completion(name, "method") for name in extension_names(binder.env, binder.lookup, kind, prefix))
    if sequence_element(binder.universe, kind) is not None:
        for name in LINQ_NAMES:
            yield Completion(name, "method")


_SEQUENCE = "System.Collections.Generic.IEnumerable`1"


def _special(operand: Operand) -> Iterator[Completion]:
    if operand.type.kind is Kind.NULLABLE:
        yield from (Completion(name, "property") for name in ("HasValue", "Value"))
    if operand.type is types.PAIR:
        yield from (Completion(name, "property") for name in ("Key", "Value"))
    if operand.type is types.TUPLE:
        for number in range(1, len(operand.data) + 1):
            yield Completion(f"Item{number}", "field")


def _of_type(binder: NameBinder, start: Type, *, is_static: bool) -> Iterator[Completion]:
    """The members that a type and its bases declare; compiler-made ones have no names in C#."""
    own = {owner.definition for owner in binder.user_types()}
    for owner in bases_of(binder.universe, start):
        definition = binder.universe.definition_of(owner)
        module = binder.universe.module_of(owner)
        declared = members(module, definition[1] if definition is not None else None)
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
            if method.is_static is is_static and not _is_accessor(method.name):
                yield Completion(method.name, "method", is_own or method.flags & 7 == 6)


def _is_accessor(name: str) -> bool:
    return name.startswith(("get_", "set_", "add_", "remove_", "op_", ".", "<")) or name == "Finalize"


def _nested(binder: NameBinder, outer: Type) -> Iterator[Completion]:
    definition, module = binder.universe.definition_of(outer), binder.universe.module_of(outer)
    if definition is not None and module is not None and module.metadata is not None:
        for nested in module.metadata.nested_types(definition[1]):
            yield Completion(nested.name.partition("`")[0], "class")


# simple names


def _names(binder: NameBinder, site: CompletionSite) -> Iterator[Completion]:
    for parameter in site.parameters:
        yield Completion(parameter.name, "variable")
    kept = binder.env.program.kept
    for name in kept.variables() if kept is not None else ():
        yield Completion(name, "variable")
    if binder.variables is not None:
        for name in binder.variables.names(binder.env):
            yield Completion(name, "keyword" if name == "this" else "variable")
    yield from (Completion(name, "variable") for name in binder.static_locals())
    if binder.this() is not None:
        yield from (Completion(name, "variable") for name in binder.captured_parameters())
    for owner in binder.user_types():
        yield from _of_type(binder, owner, is_static=True)
    this = binder.this()
    if this is not None:
        yield from _of_type(binder, this.type, is_static=False)
    yield from (Completion(word, "keyword") for word in _KEYWORDS)
    if not site.prefix:
        return  # all types of all namespaces would hide the rest
    for owner in binder.lookup.imports.static_types:
        yield from _of_type(binder, owner, is_static=True)
    for owner in binder.user_types():
        yield from _nested(binder, owner)
    for namespace in dict.fromkeys(binder.lookup.namespaces()):
        yield from _in_namespace(binder, namespace)


def _types(binder: NameBinder, site: CompletionSite) -> Iterator[Completion]:
    """Types and namespaces alone; before a letter is typed those of the user's code."""
    for name, kind in types.BY_KEYWORD.items():
        if kind is not types.VOID:
            yield Completion(name, "keyword")
    for owner in binder.user_types():
        yield from _nested(binder, owner)
    for namespace in dict.fromkeys(binder.lookup.namespaces()):
        yield from _in_namespace(binder, namespace, only_user_code=not site.prefix)


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
