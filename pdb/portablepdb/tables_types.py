# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The tables of types, their members and signatures (ECMA-335 II.22), declared once.

schema.py says what is derived from the declarations.
"""

from typing import Annotated

from construct import Int16ul, Int32ul

from .coded_indices import (
    CUSTOM_ATTRIBUTE_TYPE,
    EVENT_LIST,
    FIELD_LIST,
    HAS_CONSTANT,
    HAS_CUSTOM_ATTRIBUTE,
    HAS_DECL_SECURITY,
    HAS_FIELD_MARSHAL,
    HAS_SEMANTICS,
    MEMBER_FORWARDED,
    MEMBER_REF_PARENT,
    METHOD_DEF_OR_REF,
    METHOD_LIST,
    PARAM_LIST,
    PROPERTY_LIST,
    RESOLUTION_SCOPE,
    TYPE_DEF_OR_REF,
    TYPE_OR_METHOD_DEF,
)
from .handles import BlobOffset, RowId, StringOffset, TableNumber, Token
from .records import Record
from .schema import TableIndex
from .tables_pdb import BLOB, STRING

T = TableNumber


class TypeRefRow(Record):
    """TypeRef (II.22.38)."""

    resolution_scope: Annotated[Token, RESOLUTION_SCOPE]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]


class TypeDefRow(Record):
    """TypeDef (II.22.37)."""

    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]
    extends: Annotated[Token, TYPE_DEF_OR_REF]
    field_list: Annotated[RowId, FIELD_LIST]
    method_list: Annotated[RowId, METHOD_LIST]


class FieldPtrRow(Record):
    """FieldPtr: in #- images, the order of a type's fields."""

    field: Annotated[RowId, TableIndex(T.FIELD)]


class FieldRow(Record):
    """Field (II.22.15)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]


class MethodPtrRow(Record):
    """MethodPtr: in #- images, the order of a type's methods."""

    method: Annotated[RowId, TableIndex(T.METHOD_DEF)]


class MethodDefRow(Record):
    """MethodDef (II.22.26)."""

    rva: Annotated[int, Int32ul]
    impl_flags: Annotated[int, Int16ul]
    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]
    param_list: Annotated[RowId, PARAM_LIST]


class ParamPtrRow(Record):
    """ParamPtr: in #- images, the order of a method's parameters."""

    param: Annotated[RowId, TableIndex(T.PARAM)]


class ParamRow(Record):
    """Param (II.22.33)."""

    flags: Annotated[int, Int16ul]
    sequence: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]


class InterfaceImplRow(Record):
    """InterfaceImpl (II.22.23)."""

    class_: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    interface: Annotated[Token, TYPE_DEF_OR_REF]


class MemberRefRow(Record):
    """MemberRef (II.22.25)."""

    class_: Annotated[Token, MEMBER_REF_PARENT]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]


class ConstantRow(Record):
    """Constant (II.22.9). ``type`` is an element type; the high byte is padding."""

    type: Annotated[int, Int16ul]
    parent: Annotated[Token, HAS_CONSTANT]
    value: Annotated[BlobOffset, BLOB]


class CustomAttributeRow(Record):
    """CustomAttribute (II.22.10)."""

    parent: Annotated[Token, HAS_CUSTOM_ATTRIBUTE]
    type: Annotated[Token, CUSTOM_ATTRIBUTE_TYPE]
    value: Annotated[BlobOffset, BLOB]


class FieldMarshalRow(Record):
    """FieldMarshal (II.22.17)."""

    parent: Annotated[Token, HAS_FIELD_MARSHAL]
    native_type: Annotated[BlobOffset, BLOB]


class DeclSecurityRow(Record):
    """DeclSecurity (II.22.11)."""

    action: Annotated[int, Int16ul]
    parent: Annotated[Token, HAS_DECL_SECURITY]
    permission_set: Annotated[BlobOffset, BLOB]


class ClassLayoutRow(Record):
    """ClassLayout (II.22.8)."""

    packing_size: Annotated[int, Int16ul]
    class_size: Annotated[int, Int32ul]
    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]


class FieldLayoutRow(Record):
    """FieldLayout (II.22.16)."""

    offset: Annotated[int, Int32ul]
    field: Annotated[RowId, TableIndex(T.FIELD)]


class StandAloneSigRow(Record):
    """StandAloneSig (II.22.36)."""

    signature: Annotated[BlobOffset, BLOB]


class EventMapRow(Record):
    """EventMap (II.22.12)."""

    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    event_list: Annotated[RowId, EVENT_LIST]


class EventPtrRow(Record):
    """EventPtr: in #- images, the order of a type's events."""

    event: Annotated[RowId, TableIndex(T.EVENT)]


class EventRow(Record):
    """Event (II.22.13)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    type: Annotated[Token, TYPE_DEF_OR_REF]


class PropertyMapRow(Record):
    """PropertyMap (II.22.35)."""

    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    property_list: Annotated[RowId, PROPERTY_LIST]


class PropertyPtrRow(Record):
    """PropertyPtr: in #- images, the order of a type's properties."""

    property: Annotated[RowId, TableIndex(T.PROPERTY)]


class PropertyRow(Record):
    """Property (II.22.34)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    type: Annotated[BlobOffset, BLOB]


class MethodSemanticsRow(Record):
    """MethodSemantics (II.22.28)."""

    semantics: Annotated[int, Int16ul]
    method: Annotated[RowId, TableIndex(T.METHOD_DEF)]
    association: Annotated[Token, HAS_SEMANTICS]


class MethodImplRow(Record):
    """MethodImpl (II.22.27)."""

    class_: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    body: Annotated[Token, METHOD_DEF_OR_REF]
    declaration: Annotated[Token, METHOD_DEF_OR_REF]


class TypeSpecRow(Record):
    """TypeSpec (II.22.39)."""

    signature: Annotated[BlobOffset, BLOB]


class ImplMapRow(Record):
    """ImplMap (II.22.22)."""

    flags: Annotated[int, Int16ul]
    member_forwarded: Annotated[Token, MEMBER_FORWARDED]
    import_name: Annotated[StringOffset, STRING]
    import_scope: Annotated[RowId, TableIndex(T.MODULE_REF)]


class FieldRvaRow(Record):
    """FieldRVA (II.22.18)."""

    rva: Annotated[int, Int32ul]
    field: Annotated[RowId, TableIndex(T.FIELD)]


class NestedClassRow(Record):
    """NestedClass (II.22.32)."""

    nested_class: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    enclosing_class: Annotated[RowId, TableIndex(T.TYPE_DEF)]


class GenericParamRow(Record):
    """GenericParam (II.22.20)."""

    number: Annotated[int, Int16ul]
    flags: Annotated[int, Int16ul]
    owner: Annotated[Token, TYPE_OR_METHOD_DEF]
    name: Annotated[StringOffset, STRING]


class MethodSpecRow(Record):
    """MethodSpec (II.22.29)."""

    method: Annotated[Token, METHOD_DEF_OR_REF]
    instantiation: Annotated[BlobOffset, BLOB]


class GenericParamConstraintRow(Record):
    """GenericParamConstraint (II.22.21)."""

    owner: Annotated[RowId, TableIndex(T.GENERIC_PARAM)]
    constraint: Annotated[Token, TYPE_DEF_OR_REF]
