"""Metadata: types, members, names and attributes of an opened image (ECMA-335 II.22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import members
from .handles import TableNumber, Token, make_token
from .members import ConstantField, Event, Field, GenericParameter, Method, Parameter, Property, TypeDef
from .metadata_index import MetadataIndex

if TYPE_CHECKING:
    from uuid import UUID

    from .custom_attributes import CustomAttribute

T = TableNumber

_NATIVE_ENTRY_POINT = 0x10


class Metadata(MetadataIndex):
    """The metadata of an assembly. Everything is looked up when asked for; names are kept once decoded.

    Tokens are ints as in IL (0x02000001). A token of a wrong table or a row that does not exist is a NoSuchEntryError.
    """

    # The module

    @property
    def entry_point(self) -> Token | None:
        """The MethodDef (or File) token of the entry point; None if there is none or it is native."""
        cli = self.pe.cli if self.pe is not None else None
        if cli is None or cli.flags & _NATIVE_ENTRY_POINT or not cli.entry_point & 0xFFFFFF:
            return None
        return Token(cli.entry_point)

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
        for attribute in self.attributes_of(make_token(T.ASSEMBLY, 1)):
            if attribute.type_name == "System.Diagnostics.DebuggableAttribute":
                values = [argument.value for argument in attribute.fixed_arguments]
                if not values or not all(isinstance(value, int) for value in values):
                    return None
                if len(values) == 1:
                    return bool(values[0] & 1), bool(values[0] & 0x100)
                return bool(values[0]), bool(values[1])
        return None

    # Types

    def type_def(self, token: int) -> TypeDef:
        """The type of a TypeDef token."""
        return members.type_def(self, token)

    def find_types(self, namespace: str) -> list[TypeDef]:
        """The types of a namespace, without nested ones, in row order."""
        table = self.image.table(T.TYPE_DEF)
        strings = self.image.strings
        offsets = table.raw_column("namespace")
        wanted = {offset for offset in set(offsets) if strings[offset] == namespace}
        return [
            self.type_def(make_token(T.TYPE_DEF, row_id))
            for row_id, offset in enumerate(offsets, 1)
            if offset in wanted and self.enclosing_type(make_token(T.TYPE_DEF, row_id)) is None
        ]

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
        return members.generic_parameters_of(self, token)

    # Members

    def method(self, token: int) -> Method:
        """The method of a MethodDef token."""
        return members.method(self, token)

    def field(self, token: int) -> Field:
        """The field of a Field token."""
        return Field(self, token, self.row(token, T.FIELD))

    def property(self, token: int) -> Property:
        """The property of a Property token."""
        return Property(self, token, self.row(token, T.PROPERTY))

    def event(self, token: int) -> Event:
        """The event of an Event token."""
        return Event(self, token, self.row(token, T.EVENT))

    def params_of(self, token: int) -> list[Parameter]:
        """The Param rows of a MethodDef in order."""
        return members.parameters_of(self, token)

    def constant_of(self, token: int) -> ConstantField | None:
        """The Constant row of a Field, Param or Property; None if it has none."""
        return members.constant_of(self, token)

    def attributes_of(self, token: int) -> list[CustomAttribute]:
        """The custom attributes of any token that can have some, in row order; values decode when asked for."""
        return members.attributes_of(self, token)

    def display_method(self, token: int) -> str:
        """A MethodDef in C# notation, as the user wrote it; see display_names.py."""
        from .display_names import display_method

        return display_method(self, token)
