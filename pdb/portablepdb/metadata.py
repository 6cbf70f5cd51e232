"""Metadata: types, members, names and attributes of an opened image (ECMA-335 II.22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import members, parameters
from .coded_indices import HAS_CUSTOM_ATTRIBUTE
from .errors import NoSuchEntryError
from .handles import TableNumber, Token, make_token, row_of, table_of
from .manifest import AssemblyDef, ExportedType
from .members import Event, Field, GenericParameter, Method, Property, TypeDef
from .metadata_index import MetadataIndex
from .parameters import Parameter
from .references import (
    AssemblyRef,
    Constant,
    File,
    Member,
    MemberRef,
    PInvokeImport,
    Resource,
    Rows,
    TypeRef,
    attributes_of,
    reference,
    references,
)
from .signatures import MethodSignature
from .token_checks import require_row, require_token, shown

if TYPE_CHECKING:
    from uuid import UUID

    from .custom_attributes import CustomAttribute
    from .parameter_style import ParameterStyle
    from .signatures import TypeSignature
    from .source import SourceLike

T = TableNumber

_NATIVE_ENTRY_POINT = 0x10
_USER_STRING = 0x70
_WITH_ATTRIBUTES = [table for table in HAS_CUSTOM_ATTRIBUTE.tables if table is not None]
_ASSEMBLY = make_token(T.ASSEMBLY, 1)


class Metadata(MetadataIndex):
    """The metadata of an assembly. Everything is looked up when asked for; names are kept once decoded.

    ``image`` are its tables and heaps, ``pe`` is the PE image around it or None, ``file`` its name in errors;
    ``resolve_enum`` may be set to a function that is asked for the width of other assemblies' enums (see
    custom_attributes.enums_of).

    Tokens are ints as in IL (0x02000001). A token of a wrong table or a row that does not exist is a NoSuchEntryError.
    """

    @classmethod
    def open(cls, source: SourceLike, *, name: str | None = None, text_errors: str = "strict") -> Metadata:
        """Open metadata without an image, from its root on (II.24.2.1), as IMetaDataEmit::SaveToMemory writes it.

        ``name`` is what errors call the source, ``text_errors`` as for PortablePdb.open. Raises UnreadableError,
        UnknownFormatError, TruncatedError, MalformedError, LimitError.
        """
        from .root import MetadataImage
        from .source import Source

        return cls(MetadataImage(Source.open(source, name).rest(), text_errors=text_errors))

    def __repr__(self) -> str:
        return f"<Metadata {self.file!r}>"

    # The module

    @property
    def entry_point(self) -> Token | None:
        """The entry point: a method, or the token of a File; None if there is none or it is native."""
        cli = self.pe.cli if self.pe is not None else None
        if cli is None or cli.flags & _NATIVE_ENTRY_POINT or not cli.entry_point & 0xFFFFFF:
            return None
        token = Token(cli.entry_point)
        return self.method(token) if table_of(token) == T.METHOD_DEF else token

    @property
    def module_name(self) -> str:
        """The name in the Module row."""
        return self.image.strings[self.image.table(T.MODULE).row(1).name]

    @property
    def mvid(self) -> UUID | None:
        """The module version id; None if nil."""
        return self.image.guids[self.image.table(T.MODULE).row(1).mvid]

    @property
    def debuggable(self) -> tuple[bool, bool] | None:
        """(JIT tracking, optimizations disabled) of the assembly's DebuggableAttribute; None if it has none."""
        for attribute in self.attributes_of(_ASSEMBLY):
            if attribute.type_name == "System.Diagnostics.DebuggableAttribute":
                values = [argument.value for argument in attribute.fixed_arguments]
                if not values or not all(isinstance(value, int) for value in values):
                    return None
                if len(values) == 1:
                    return bool(values[0] & 1), bool(values[0] & 0x100)
                return bool(values[0]), bool(values[1])
        return None

    @property
    def assembly_def(self) -> AssemblyDef | None:
        """The assembly itself; None for a module of another one, and for a PDB or delta."""
        table = self.image.table(T.ASSEMBLY)
        return AssemblyDef(self, make_token(T.ASSEMBLY, 1), table.row(1)) if table.row_count else None

    @property
    def exported_types(self) -> Sequence[ExportedType]:
        """The types that the assembly exports from elsewhere, as forwarded ones. Made when asked for, and not kept."""
        return Rows(self, T.EXPORTED_TYPE, ExportedType)

    @property
    def pinvoke_imports(self) -> Sequence[PInvokeImport]:
        """The native functions that methods call. Each is made when asked for, and not kept."""
        return Rows(self, T.IMPL_MAP, PInvokeImport)

    @property
    def assembly_refs(self) -> list[AssemblyRef]:
        """The assemblies that the module refers to."""
        return references(self, T.ASSEMBLY_REF)

    @property
    def type_refs(self) -> list[TypeRef]:
        """The types of other modules that the module refers to."""
        return references(self, T.TYPE_REF)

    @property
    def member_refs(self) -> list[MemberRef]:
        """The fields and methods that the module refers to by name."""
        return references(self, T.MEMBER_REF)

    @property
    def files(self) -> list[File]:
        """The other files of the assembly; few have any."""
        return references(self, T.FILE)

    @property
    def resources(self) -> list[Resource]:
        """The resources of the assembly."""
        return references(self, T.MANIFEST_RESOURCE)

    # Types

    @property
    def types(self) -> Sequence[TypeDef]:
        """All types in row order, nested ones and <Module> included. Each is made when asked for, and not kept."""
        return Rows(self, T.TYPE_DEF, TypeDef)

    def type_def(self, token: int) -> TypeDef:
        """The type of a TypeDef token."""
        return members.type_def(self, token)

    def find_type(self, full_name: str) -> TypeDef | None:
        """The type of a full name (``Ns.Outer+Inner`1``; the first, if several); None if the module has none.

        Where no type has the name, dots may stand for plus signs: ``Ns.Outer.Inner`1``.
        """
        _require_name(full_name)
        found = self._type_tokens_written(full_name)
        return self.type_def(found[0]) if found else None

    def types_named(self, name: str) -> list[TypeDef]:
        """The types with a simple name (without namespace and enclosing types), in row order."""
        _require_name(name)
        return [self.type_def(token) for token in self.type_tokens_named(name)]

    def find_types(self, namespace: str) -> list[TypeDef]:
        """The types of a namespace, without nested ones, in row order."""
        _require_name(namespace)
        table = self.image.table(T.TYPE_DEF)
        strings = self.image.strings
        offsets = table.raw_column("namespace")
        wanted = {offset for offset in set(offsets) if strings[offset] == namespace}
        tokens = [make_token(T.TYPE_DEF, row_id) for row_id, offset in enumerate(offsets, 1) if offset in wanted]
        return [self.type_def(token) for token in tokens if self.enclosing_type_token(token) is None]

    def enclosing_type(self, token: int) -> TypeDef | None:
        """The type that a TypeDef is nested in; None at top level."""
        found = self.enclosing_type_token(token)
        return None if found is None else self.type_def(found)

    def nested_types(self, token: int) -> list[TypeDef]:
        """The types nested directly in a TypeDef, in the order of the NestedClass rows."""
        return [self.type_def(found) for found in self.nested_type_tokens(token)]

    def declaring_type(self, token: int) -> TypeDef:
        """The type that has a MethodDef or Field. NoSuchEntryError when no type has it."""
        return self.type_def(self.declaring_type_token(token))

    def fields_of(self, token: int) -> Sequence[Field]:
        """The fields of a TypeDef in order."""
        return members.fields_of(self, token)

    def methods_of(self, token: int) -> Sequence[Method]:
        """The methods of a TypeDef in order."""
        return members.methods_of(self, token)

    def properties_of(self, token: int) -> Sequence[Property]:
        """The properties of a TypeDef in order."""
        return members.properties_of(self, token)

    def events_of(self, token: int) -> Sequence[Event]:
        """The events of a TypeDef in order."""
        return members.events_of(self, token)

    def generic_parameters_of(self, token: int) -> list[GenericParameter]:
        """The generic parameters of a TypeDef or MethodDef."""
        require_row(self.image, token, (T.TYPE_DEF, T.METHOD_DEF))
        return members.generic_parameters_of(self, token)

    # Members

    @property
    def methods(self) -> Sequence[Method]:
        """All methods in row order. Each is made when asked for, and not kept."""
        return Rows(self, T.METHOD_DEF, Method)

    def method(self, token: int) -> Method:
        """The method of a MethodDef token."""
        return members.method(self, token)

    def special_extension_member(self, token: int) -> Method | None:
        """The accessor or operator of a C# 14 extension block that a MethodDef is the code of; None for others."""
        from .extension_blocks import special_extension_member

        return special_extension_member(self, self.method(token))

    def find_methods(self, full_name: str) -> list[Method]:
        """The methods of a name like ``Ns.Outer+Inner`1.Method``, all overloads, in row order; [] if there is none.

        A constructor is ``Ns.Type..ctor``; an explicit implementation ``Ns.Type.Ns.IFace.Method``. Where no type has
        the name, dots may stand for plus signs, as in .NET's stack traces: ``Ns.Outer.Inner.Method``.
        """
        _require_name(full_name)
        found = []
        position = full_name.find(".")
        while position > 0:
            name = full_name[position + 1 :]
            for type_token in self._type_tokens_written(full_name[:position]):
                found += [method for method in self.methods_of(type_token) if method.name == name]
            position = full_name.find(".", position + 1)
        return found

    def _type_tokens_written(self, name: str) -> list[Token]:
        token = self.find_type_token(name)
        if token is not None:
            return [token]
        nested = self.type_tokens_named(name[name.rfind(".") + 1 :])
        return [token for token in nested if self.type_name(token).replace("+", ".") == name]

    def find_method(self, full_name: str) -> Method | None:
        """As :meth:`find_methods`, the first one; None if there is none."""
        found = self.find_methods(full_name)
        return found[0] if found else None

    def field(self, token: int) -> Field:
        """The field of a Field token."""
        return Field(self, token, self.row(token, T.FIELD))

    def property(self, token: int) -> Property:
        """The property of a Property token."""
        return Property(self, token, self.row(token, T.PROPERTY))

    def event(self, token: int) -> Event:
        """The event of an Event token."""
        return Event(self, token, self.row(token, T.EVENT))

    def entity(self, token: int) -> Member:
        """The object of a token of any table that has one. NoSuchEntryError for other tables and missing rows."""
        found = self.object_of(token)
        if not isinstance(found, Member):
            raise NoSuchEntryError(f"{shown(token)} has no object of its own", file=self.file)
        return found

    def object_of(self, token: int) -> Token:
        """As :meth:`entity`, but the token alone of a nil one, and of tables without objects."""
        require_token(token)
        kind = _DEFINITIONS.get(table_of(token))
        if kind is not None and row_of(token):
            return kind(self, token, self.row(token, T(table_of(token))))
        return reference(self, token)

    def user_string(self, token: int) -> str:
        """The text of a string token, as the operand of ldstr is (0x70......), as it is; display quotes it.

        NoSuchEntryError for other tokens. Raises MalformedError, TruncatedError.
        """
        require_token(token)
        if table_of(token) != _USER_STRING:
            raise NoSuchEntryError(f"{shown(token)} is not a token of a string (0x70......)", file=self.file)
        return self.image.user_strings.text(row_of(token))

    def params_of(self, token: int) -> list[Parameter]:
        """The Param rows of a MethodDef in order."""
        return parameters.parameters_of(self, token)

    def constant_of(self, token: int) -> Constant | None:
        """The Constant row of a Field, Param or Property; None if it has none."""
        require_row(self.image, token, (T.FIELD, T.PARAM, T.PROPERTY))
        return parameters.constant_of(self, token)

    def attributes_of(self, token: int) -> list[CustomAttribute]:
        """The custom attributes of any token that can have some, in row order; values decode when asked for.

        Of the assembly (0x20000001) [] in a bare module, too.
        """
        if token != _ASSEMBLY:
            require_row(self.image, token, _WITH_ATTRIBUTES)
        return attributes_of(self, token)

    # Names

    def display(self, token: int) -> str:
        """A type, method, field, property, event, reference or string token in C#'s words; see display_names.py."""
        from .display_names import display

        require_token(token)
        return display(self, token)

    def display_method(
        self, token: int, arguments: Sequence[str] = (), parameters: ParameterStyle | None = None
    ) -> str:
        """A MethodDef in C# notation, as the user wrote it, or with generic ``arguments``; see display_names.py.

        ``parameters``: what is written of them; None: their types and names.
        """
        from .display_names import ALL_PARAMETERS, display_method

        return display_method(self, token, arguments, parameters or ALL_PARAMETERS)

    def display_type(self, type_: TypeSignature, of: TypeDef | Method | None = None) -> str:
        """A type of a signature in C#'s words: of a field, a local, a parameter. TypeError for anything else.

        ``of`` is the type or method that the signature is in, by which generic parameters have names; without it they
        are ``!0`` and ``!!0``.
        """
        from .type_display import type_signature_display

        if isinstance(type_, (int, MethodSignature)) or not isinstance(type_, tuple):
            raise TypeError(
                "the type in a signature is wanted, as a field's signature or a method's signature.return_type, not"
                f" {type(type_).__name__} (display takes tokens and objects)"
            )
        owner = of.declaring_type if isinstance(of, Method) else of
        type_parameters = [] if owner is None else [parameter.name for parameter in owner.generic_parameters]
        of_method = of.generic_parameters if isinstance(of, Method) else []
        return type_signature_display(self, type_, type_parameters, [parameter.name for parameter in of_method])


def _require_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a full name is wanted, not {type(name).__name__} (entity gives the object of a token)")


_DEFINITIONS: dict[int, type[Member]] = {
    T.TYPE_DEF: TypeDef,
    T.FIELD: Field,
    T.METHOD_DEF: Method,
    T.PARAM: Parameter,
    T.PROPERTY: Property,
    T.EVENT: Event,
    T.GENERIC_PARAM: GenericParameter,
    T.ASSEMBLY: AssemblyDef,
    T.EXPORTED_TYPE: ExportedType,
    T.IMPL_MAP: PInvokeImport,
}
