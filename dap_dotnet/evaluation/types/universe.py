"""All types of a session as expressions see them: interned, found by id, signature, definition or name.

Session thread only. Kept with the module catalogue for the session: numbers of modules and types are never used
again, so that what is known of unloaded modules does no harm, and only what was found is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.evaluation.types import csharp_types
from dap_dotnet.evaluation.types.csharp_types import PRIMITIVES, SYSTEM_NAMES, Kind, Type
from dap_dotnet.runtime.model import ElementType, FieldToken, TypeDefToken, TypeId
from dap_dotnet.symbols.metadata_names import Definition, base_of, find_definition, full_name_of, resolve
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.types import DECIMAL_CONSTANT
from dap_dotnet.values.context import Program
from dap_dotnet.values.typenames import Named, csharp_name, short_name
from portablepdb import signatures as sig

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.custom_attributes import CustomAttribute

_WORD = 0xFFFFFFFF
_ENUM_BASE, _VALUE_BASE = "System.Enum", "System.ValueType"
_MAX_DEPTH = 64

_MOST_DERIVED = 20_000
T = TypeVar("T")

Key = tuple[object, ...]
Arguments = tuple[Type, ...]


def attribute_of(module: LoadedModule | None, token: int, name: str) -> CustomAttribute | None:
    """The custom attribute of a type, by its full name, that a row of a module's metadata has; None: it has none."""
    metadata = module.metadata if module is not None else None
    attributes = metadata.attributes_of(token) if metadata is not None else ()
    return next((one for one in attributes if one.type_name == name), None)


def decimal_constant(module: LoadedModule, token: int) -> Decimal | None:
    """The value of a `const decimal` field, or the default of a parameter: the compiler writes an attribute for it."""
    attribute = attribute_of(module, token, DECIMAL_CONSTANT)
    if attribute is None or len(attribute.fixed_arguments) != 5:
        return None
    scale, sign, high, middle, low = (int(argument.value) for argument in attribute.fixed_arguments)
    high, middle, low = high & _WORD, middle & _WORD, low & _WORD  # one of its constructors takes ints
    digits = tuple(map(int, str(high << 64 | middle << 32 | low)))
    return Decimal((1 if sign else 0, digits, -scale))


class Universe:
    """The types of one session."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self.modules = modules
        self._interned: dict[Key, Type] = {}
        self._by_id: dict[TypeId, Type] = {}
        self._system: dict[str, Definition] = {}
        self.initialised: set[Type] = set()
        """Classes whose static initialiser is known to have run, or to have begun."""
        self.declaring_ids: dict[tuple[TypeId | None, Type], TypeId] = {}
        """By an object's exact type and a class: the exact base that the class is of it."""
        self._derived: dict[Key, Any] = {}
        self._derived_at = modules.version

    def derived(self, key: Key, make: Callable[[], T]) -> T:
        """What follows from the metadata of all modules together: made once, until a module comes, goes or grows.

        The answers are shared: nobody changes them.
        """
        modules, known = self.modules, self._derived
        modules.grow()
        if self._derived_at != modules.version or len(known) >= _MOST_DERIVED:
            known.clear()
            self._derived_at = modules.version
        if key not in known:
            known[key] = make()
        found: T = known[key]
        return found

    # making types

    def interned(self, key: Key, make: Callable[[], Type]) -> Type:
        """The one type of a key."""
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = make()
        return found

    def of_id(self, program: Program, type_id: TypeId | None, depth: int = 0) -> Type | None:
        """The type of an exact runtime type; None for None and where there is no metadata."""
        if type_id is None or depth > _MAX_DEPTH:
            return None
        found = self._by_id.get(type_id)
        if found is not None:
            return found
        info = program.debuggee.type_info(type_id)
        made = PRIMITIVES.get(info.element_type)
        if made is None:
            arguments = tuple(
                self.of_id(program, argument, depth + 1) or csharp_types.OBJECT for argument in info.arguments
            )
            if info.element_type in (ElementType.SZARRAY, ElementType.ARRAY):
                made = self.array(arguments[0], max(info.rank, 1), is_vector=info.element_type is ElementType.SZARRAY)
            elif info.element_type is ElementType.PTR:
                made = self.pointer(arguments[0] if arguments else csharp_types.VOID)
            elif info.module is not None and info.token is not None:
                made = self.of_definition((info.module, info.token), arguments)
        if made is None:
            return None
        if made.id is None and made not in csharp_types.SYSTEM_NAME_OF:
            made.id = type_id
        self._by_id[type_id] = made
        return made

    def of_definition(self, definition: Definition, arguments: Arguments = ()) -> Type | None:
        """The type of a TypeDef with generic arguments; the built-in ones are the constants of `csharp_types`."""
        key: Key = (definition, arguments)
        found = self._interned.get(key)
        if found is None:
            module = self.modules.get(definition[0])
            full_name = full_name_of(module, definition[1])
            if not full_name:
                return None
            found = SYSTEM_NAMES.get(full_name)
            if found is None:
                found = self._make(module, definition, arguments, full_name)
            self._interned[key] = found
        return found

    def _make(self, module: LoadedModule | None, definition: Definition, arguments: Arguments, full_name: str) -> Type:
        kind, code = Kind.CLASS, ElementType.CLASS
        underlying: Type | None = None
        base = base_of(module, definition[1])
        if base == _ENUM_BASE:
            kind, code = Kind.ENUM, ElementType.VALUETYPE
            underlying = self._underlying(module, definition[1])
        elif base == _VALUE_BASE and full_name != _ENUM_BASE:
            kind, code = Kind.STRUCT, ElementType.VALUETYPE
            if full_name == "System.Nullable`1" and arguments:
                kind = Kind.NULLABLE
        return Type(
            kind,
            code,
            _combined(full_name, tuple(argument.name for argument in arguments), kind, csharp_name),
            definition=definition,
            arguments=arguments,
            underlying=underlying,
            full_name=full_name,
        )

    def _underlying(self, module: LoadedModule | None, token: TypeDefToken) -> Type:
        fields = module.metadata.fields_of(token) if module is not None and module.metadata is not None else ()
        field = next((one for one in fields if not one.is_static), None)
        known = self.of_signature(module, field.signature) if module is not None and field is not None else None
        return known or csharp_types.I4

    def array(self, element: Type, rank: int = 1, *, is_vector: bool = True) -> Type:
        """An array type."""
        code = ElementType.SZARRAY if is_vector and rank == 1 else ElementType.ARRAY

        def new() -> Type:
            innermost, suffix = element, "[" + "," * (rank - 1) + "]"
            while innermost.kind is Kind.ARRAY:
                suffix += "[" + "," * (innermost.rank - 1) + "]"
                innermost = innermost.element
            return Type(Kind.ARRAY, code, innermost.name + suffix, arguments=(element,), rank=rank)

        return self.interned((code, element, rank), new)

    def pointer(self, element: Type) -> Type:
        """A pointer type."""
        name, code = element.name + "*", ElementType.PTR
        return self.interned((code, element), lambda: Type(Kind.POINTER, code, name, arguments=(element,)))

    def nullable(self, element: Type) -> Type:
        """`element?` of a value type; the type itself when it is not a value type or already nullable."""
        if not element.is_value_type or element.kind is Kind.NULLABLE:
            return element
        full_name, name, code = "System.Nullable`1", element.name + "?", ElementType.VALUETYPE
        return self.named(full_name, (element,)) or self.interned(
            ("nullable", element),
            lambda: Type(Kind.NULLABLE, code, name, arguments=(element,), full_name=full_name),
        )

    def named(self, full_name: str, arguments: Arguments = ()) -> Type | None:
        """A type by its full metadata name; None when no loaded module has it."""
        definition = find_definition(self.modules, full_name)
        return self.of_definition(definition, arguments) if definition is not None else None

    def of_token(self, module: LoadedModule, token: int, types: Arguments = (), methods: Arguments = ()) -> Type | None:
        """The type of a TypeDef, TypeRef or TypeSpec token; generic ones of a TypeDef or TypeRef are left open."""
        if token >> 24 == 0x1B:
            assert module.metadata is not None
            row = module.metadata.image.table(0x1B).row(token & 0xFFFFFF)
            return self.of_signature(module, sig.decode_type(module.metadata.blob(row.signature)), types, methods)
        definition = resolve(self.modules, module, token)
        return self.of_definition(definition) if definition is not None else None

    def of_signature(
        self,
        module: LoadedModule,
        signature: sig.TypeSignature,
        types: Arguments = (),
        methods: Sequence[Type | None] = (),
    ) -> Type | None:
        """The type that a signature of the module means, with the generic arguments in force; None: not resolvable."""
        if isinstance(signature, sig.PrimitiveType):
            return PRIMITIVES.get(ElementType(signature.code))
        if isinstance(signature, sig.NamedType):
            definition = resolve(self.modules, module, signature.token)
            return self.of_definition(definition) if definition is not None else None
        if isinstance(signature, sig.GenericInstance):
            if not isinstance(signature.generic, sig.NamedType):
                return None
            arguments = [self.of_signature(module, argument, types, methods) for argument in signature.arguments]
            known = tuple(argument for argument in arguments if argument is not None)
            definition = resolve(self.modules, module, signature.generic.token)
            if definition is None or len(known) != len(arguments):
                return None
            return self.of_definition(definition, known)
        if isinstance(signature, (sig.TypeParameter, sig.MethodParameter)):
            given: Sequence[Type | None] = types if isinstance(signature, sig.TypeParameter) else methods
            return given[signature.number] if signature.number < len(given) else None
        if isinstance(signature, sig.FunctionPointerType):
            return None
        element = self.of_signature(module, signature.element, types, methods)
        if element is None:
            return None
        if isinstance(signature, sig.SzArrayType):
            return self.array(element)
        if isinstance(signature, sig.ArrayType):
            return self.array(element, signature.rank, is_vector=False)
        if isinstance(signature, sig.PointerType):
            return self.pointer(element)
        return element  # by reference, pinned, modified: reads follow

    def definition_of(self, wanted: Type) -> Definition | None:
        """The TypeDef of a type, the built-in ones included; None for arrays, pointers and the null type."""
        if wanted.definition is not None:
            return wanted.definition
        name = csharp_types.SYSTEM_NAME_OF.get(wanted)
        if name is None:
            return None
        found = self._system.get(name)
        if found is None:
            found = find_definition(self.modules, name)
            if found is not None:
                self._system[name] = found
        return found

    def module_of(self, wanted: Type) -> LoadedModule | None:
        """The module that defines a type; None where there is no definition, or its module is gone."""
        definition = self.definition_of(wanted)
        return self.modules.get(definition[0]) if definition is not None else None

    def declaration(self, kind: Type) -> tuple[LoadedModule, Metadata, TypeDefToken] | None:
        """The module that defines a type, its metadata and the type's token; None where one of them is not there."""
        definition = self.definition_of(kind)
        module = self.modules.get(definition[0]) if definition is not None else None
        if definition is None or module is None or module.metadata is None:
            return None
        return module, module.metadata, definition[1]

    def has_attribute(self, wanted: Type, name: str) -> bool:
        """Whether a type's definition has a custom attribute of a type, by its full name."""
        declared = self.declaration(wanted)
        return declared is not None and attribute_of(declared[0], declared[2], name) is not None

    def field_type(self, program: Program, declaring: TypeId, field: FieldToken) -> Type | None:
        """The declared type of a field, with the generic arguments of the exact type that declares it."""
        owner = self.of_id(program, declaring)
        declared = self.declaration(owner) if owner is not None else None
        if owner is None or declared is None:
            return None
        module, metadata, _ = declared
        return self.of_signature(module, metadata.field(field).signature, owner.arguments)

    # asking the program

    def id_of(self, program: Program, wanted: Type) -> TypeId | None:
        """The exact runtime type of a type; None when the program has not loaded it, or it cannot be named so."""
        if wanted.id is not None:
            return wanted.id
        definition = self.definition_of(wanted)
        if definition is None:
            return None
        arguments = [self.id_of(program, argument) for argument in wanted.arguments]
        known = [argument for argument in arguments if argument is not None]
        if len(known) != len(arguments):
            return None
        try:
            made = program.debuggee.make_type(definition[0], definition[1], known)
        except RuntimeCallError:
            return None
        if wanted not in csharp_types.SYSTEM_NAME_OF:
            wanted.id = made
        return made


def _combined(full_name: str, names: tuple[str, ...], kind: Kind, named: Named) -> str:
    if kind is Kind.NULLABLE:
        return names[0] + "?"
    if full_name.startswith("System.ValueTuple`") and len(names) > 1:
        return f"({', '.join(names)})"
    return named(full_name, names)


def shown_name(kind: Type) -> str:
    """A type as values are shown with it: without namespaces, as `values.typenames.shown_type_name`."""
    suffix = ""
    while kind.kind is Kind.ARRAY:
        suffix += "[" + "," * (kind.rank - 1) + "]"
        kind = kind.element
    if kind.kind is Kind.POINTER:
        return shown_name(kind.element) + "*" + suffix
    if not kind.full_name or kind in csharp_types.SYSTEM_NAME_OF:
        return kind.name + suffix
    return _combined(kind.full_name, tuple(map(shown_name, kind.arguments)), kind.kind, short_name) + suffix


def universe_of(program: Program) -> Universe:
    """The universe of the program's session."""
    return program.modules.derived(Universe)
