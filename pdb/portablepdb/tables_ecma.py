# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The metadata tables of ECMA-335 II.22, declared once; see schema.py for what is derived."""

from typing import Annotated, NamedTuple

from construct import Int16ul, Int32ul

from .handles import BlobOffset, GuidIndex, RowId, StringOffset, TableNumber, Token
from .schema import CodedIndex, TableIndex
from .tables_pdb import BLOB, GUID, STRING

T = TableNumber

TYPE_DEF_OR_REF = CodedIndex("TypeDefOrRef", 2, (T.TYPE_DEF, T.TYPE_REF, T.TYPE_SPEC))
HAS_CONSTANT = CodedIndex("HasConstant", 2, (T.FIELD, T.PARAM, T.PROPERTY))
HAS_CUSTOM_ATTRIBUTE = CodedIndex(
    "HasCustomAttribute",
    5,
    (
        T.METHOD_DEF,
        T.FIELD,
        T.TYPE_REF,
        T.TYPE_DEF,
        T.PARAM,
        T.INTERFACE_IMPL,
        T.MEMBER_REF,
        T.MODULE,
        T.DECL_SECURITY,
        T.PROPERTY,
        T.EVENT,
        T.STAND_ALONE_SIG,
        T.MODULE_REF,
        T.TYPE_SPEC,
        T.ASSEMBLY,
        T.ASSEMBLY_REF,
        T.FILE,
        T.EXPORTED_TYPE,
        T.MANIFEST_RESOURCE,
        T.GENERIC_PARAM,
        T.GENERIC_PARAM_CONSTRAINT,
        T.METHOD_SPEC,
    ),
)
HAS_FIELD_MARSHAL = CodedIndex("HasFieldMarshal", 1, (T.FIELD, T.PARAM))
HAS_DECL_SECURITY = CodedIndex("HasDeclSecurity", 2, (T.TYPE_DEF, T.METHOD_DEF, T.ASSEMBLY))
MEMBER_REF_PARENT = CodedIndex("MemberRefParent", 3, (T.TYPE_DEF, T.TYPE_REF, T.MODULE_REF, T.METHOD_DEF, T.TYPE_SPEC))
HAS_SEMANTICS = CodedIndex("HasSemantics", 1, (T.EVENT, T.PROPERTY))
METHOD_DEF_OR_REF = CodedIndex("MethodDefOrRef", 1, (T.METHOD_DEF, T.MEMBER_REF))
MEMBER_FORWARDED = CodedIndex("MemberForwarded", 1, (T.FIELD, T.METHOD_DEF))
IMPLEMENTATION = CodedIndex("Implementation", 2, (T.FILE, T.ASSEMBLY_REF, T.EXPORTED_TYPE))
CUSTOM_ATTRIBUTE_TYPE = CodedIndex("CustomAttributeType", 3, (None, None, T.METHOD_DEF, T.MEMBER_REF))
RESOLUTION_SCOPE = CodedIndex("ResolutionScope", 2, (T.MODULE, T.MODULE_REF, T.ASSEMBLY_REF, T.TYPE_REF))
TYPE_OR_METHOD_DEF = CodedIndex("TypeOrMethodDef", 1, (T.TYPE_DEF, T.METHOD_DEF))

FIELD_LIST = TableIndex(T.FIELD, T.FIELD_PTR)
METHOD_LIST = TableIndex(T.METHOD_DEF, T.METHOD_PTR)
PARAM_LIST = TableIndex(T.PARAM, T.PARAM_PTR)
EVENT_LIST = TableIndex(T.EVENT, T.EVENT_PTR)
PROPERTY_LIST = TableIndex(T.PROPERTY, T.PROPERTY_PTR)


class ModuleRow(NamedTuple):
    """Module (II.22.30)."""

    generation: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    mvid: Annotated[GuidIndex, GUID]
    enc_id: Annotated[GuidIndex, GUID]
    enc_base_id: Annotated[GuidIndex, GUID]


class TypeRefRow(NamedTuple):
    """TypeRef (II.22.38)."""

    resolution_scope: Annotated[Token, RESOLUTION_SCOPE]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]


class TypeDefRow(NamedTuple):
    """TypeDef (II.22.37)."""

    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]
    extends: Annotated[Token, TYPE_DEF_OR_REF]
    field_list: Annotated[RowId, FIELD_LIST]
    method_list: Annotated[RowId, METHOD_LIST]


class FieldPtrRow(NamedTuple):
    """FieldPtr: in #- images, the order of a type's fields."""

    field: Annotated[RowId, TableIndex(T.FIELD)]


class FieldRow(NamedTuple):
    """Field (II.22.15)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]


class MethodPtrRow(NamedTuple):
    """MethodPtr: in #- images, the order of a type's methods."""

    method: Annotated[RowId, TableIndex(T.METHOD_DEF)]


class MethodDefRow(NamedTuple):
    """MethodDef (II.22.26)."""

    rva: Annotated[int, Int32ul]
    impl_flags: Annotated[int, Int16ul]
    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]
    param_list: Annotated[RowId, PARAM_LIST]


class ParamPtrRow(NamedTuple):
    """ParamPtr: in #- images, the order of a method's parameters."""

    param: Annotated[RowId, TableIndex(T.PARAM)]


class ParamRow(NamedTuple):
    """Param (II.22.33)."""

    flags: Annotated[int, Int16ul]
    sequence: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]


class InterfaceImplRow(NamedTuple):
    """InterfaceImpl (II.22.23)."""

    class_: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    interface: Annotated[Token, TYPE_DEF_OR_REF]


class MemberRefRow(NamedTuple):
    """MemberRef (II.22.25)."""

    class_: Annotated[Token, MEMBER_REF_PARENT]
    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]


class ConstantRow(NamedTuple):
    """Constant (II.22.9). ``type`` is an element type; the high byte is padding."""

    type: Annotated[int, Int16ul]
    parent: Annotated[Token, HAS_CONSTANT]
    value: Annotated[BlobOffset, BLOB]


class CustomAttributeRow(NamedTuple):
    """CustomAttribute (II.22.10)."""

    parent: Annotated[Token, HAS_CUSTOM_ATTRIBUTE]
    type: Annotated[Token, CUSTOM_ATTRIBUTE_TYPE]
    value: Annotated[BlobOffset, BLOB]


class FieldMarshalRow(NamedTuple):
    """FieldMarshal (II.22.17)."""

    parent: Annotated[Token, HAS_FIELD_MARSHAL]
    native_type: Annotated[BlobOffset, BLOB]


class DeclSecurityRow(NamedTuple):
    """DeclSecurity (II.22.11)."""

    action: Annotated[int, Int16ul]
    parent: Annotated[Token, HAS_DECL_SECURITY]
    permission_set: Annotated[BlobOffset, BLOB]


class ClassLayoutRow(NamedTuple):
    """ClassLayout (II.22.8)."""

    packing_size: Annotated[int, Int16ul]
    class_size: Annotated[int, Int32ul]
    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]


class FieldLayoutRow(NamedTuple):
    """FieldLayout (II.22.16)."""

    offset: Annotated[int, Int32ul]
    field: Annotated[RowId, TableIndex(T.FIELD)]


class StandAloneSigRow(NamedTuple):
    """StandAloneSig (II.22.36)."""

    signature: Annotated[BlobOffset, BLOB]


class EventMapRow(NamedTuple):
    """EventMap (II.22.12)."""

    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    event_list: Annotated[RowId, EVENT_LIST]


class EventPtrRow(NamedTuple):
    """EventPtr: in #- images, the order of a type's events."""

    event: Annotated[RowId, TableIndex(T.EVENT)]


class EventRow(NamedTuple):
    """Event (II.22.13)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    type: Annotated[Token, TYPE_DEF_OR_REF]


class PropertyMapRow(NamedTuple):
    """PropertyMap (II.22.35)."""

    parent: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    property_list: Annotated[RowId, PROPERTY_LIST]


class PropertyPtrRow(NamedTuple):
    """PropertyPtr: in #- images, the order of a type's properties."""

    property: Annotated[RowId, TableIndex(T.PROPERTY)]


class PropertyRow(NamedTuple):
    """Property (II.22.34)."""

    flags: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    type: Annotated[BlobOffset, BLOB]


class MethodSemanticsRow(NamedTuple):
    """MethodSemantics (II.22.28)."""

    semantics: Annotated[int, Int16ul]
    method: Annotated[RowId, TableIndex(T.METHOD_DEF)]
    association: Annotated[Token, HAS_SEMANTICS]


class MethodImplRow(NamedTuple):
    """MethodImpl (II.22.27)."""

    class_: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    body: Annotated[Token, METHOD_DEF_OR_REF]
    declaration: Annotated[Token, METHOD_DEF_OR_REF]


class ModuleRefRow(NamedTuple):
    """ModuleRef (II.22.31)."""

    name: Annotated[StringOffset, STRING]


class TypeSpecRow(NamedTuple):
    """TypeSpec (II.22.39)."""

    signature: Annotated[BlobOffset, BLOB]


class ImplMapRow(NamedTuple):
    """ImplMap (II.22.22)."""

    flags: Annotated[int, Int16ul]
    member_forwarded: Annotated[Token, MEMBER_FORWARDED]
    import_name: Annotated[StringOffset, STRING]
    import_scope: Annotated[RowId, TableIndex(T.MODULE_REF)]


class FieldRvaRow(NamedTuple):
    """FieldRVA (II.22.18)."""

    rva: Annotated[int, Int32ul]
    field: Annotated[RowId, TableIndex(T.FIELD)]


class EncLogRow(NamedTuple):
    """EncLog (edit-and-continue deltas): what the delta does to ``token``."""

    token: Annotated[Token, Int32ul]
    operation: Annotated[int, Int32ul]


class EncMapRow(NamedTuple):
    """EncMap (edit-and-continue deltas): the token that a row of the delta stands for."""

    token: Annotated[Token, Int32ul]


class AssemblyRow(NamedTuple):
    """Assembly (II.22.2)."""

    hash_algorithm: Annotated[int, Int32ul]
    major_version: Annotated[int, Int16ul]
    minor_version: Annotated[int, Int16ul]
    build_number: Annotated[int, Int16ul]
    revision_number: Annotated[int, Int16ul]
    flags: Annotated[int, Int32ul]
    public_key: Annotated[BlobOffset, BLOB]
    name: Annotated[StringOffset, STRING]
    culture: Annotated[StringOffset, STRING]


class AssemblyProcessorRow(NamedTuple):
    """AssemblyProcessor (II.22.4)."""

    processor: Annotated[int, Int32ul]


class AssemblyOsRow(NamedTuple):
    """AssemblyOS (II.22.3)."""

    platform_id: Annotated[int, Int32ul]
    major_version: Annotated[int, Int32ul]
    minor_version: Annotated[int, Int32ul]


class AssemblyRefRow(NamedTuple):
    """AssemblyRef (II.22.5)."""

    major_version: Annotated[int, Int16ul]
    minor_version: Annotated[int, Int16ul]
    build_number: Annotated[int, Int16ul]
    revision_number: Annotated[int, Int16ul]
    flags: Annotated[int, Int32ul]
    public_key_or_token: Annotated[BlobOffset, BLOB]
    name: Annotated[StringOffset, STRING]
    culture: Annotated[StringOffset, STRING]
    hash_value: Annotated[BlobOffset, BLOB]


class AssemblyRefProcessorRow(NamedTuple):
    """AssemblyRefProcessor (II.22.7)."""

    processor: Annotated[int, Int32ul]
    assembly_ref: Annotated[RowId, TableIndex(T.ASSEMBLY_REF)]


class AssemblyRefOsRow(NamedTuple):
    """AssemblyRefOS (II.22.6)."""

    platform_id: Annotated[int, Int32ul]
    major_version: Annotated[int, Int32ul]
    minor_version: Annotated[int, Int32ul]
    assembly_ref: Annotated[RowId, TableIndex(T.ASSEMBLY_REF)]


class FileRow(NamedTuple):
    """File (II.22.19)."""

    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    hash_value: Annotated[BlobOffset, BLOB]


class ExportedTypeRow(NamedTuple):
    """ExportedType (II.22.14)."""

    flags: Annotated[int, Int32ul]
    type_def_id: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]
    implementation: Annotated[Token, IMPLEMENTATION]


class ManifestResourceRow(NamedTuple):
    """ManifestResource (II.22.24)."""

    offset: Annotated[int, Int32ul]
    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    implementation: Annotated[Token, IMPLEMENTATION]


class NestedClassRow(NamedTuple):
    """NestedClass (II.22.32)."""

    nested_class: Annotated[RowId, TableIndex(T.TYPE_DEF)]
    enclosing_class: Annotated[RowId, TableIndex(T.TYPE_DEF)]


class GenericParamRow(NamedTuple):
    """GenericParam (II.22.20)."""

    number: Annotated[int, Int16ul]
    flags: Annotated[int, Int16ul]
    owner: Annotated[Token, TYPE_OR_METHOD_DEF]
    name: Annotated[StringOffset, STRING]


class MethodSpecRow(NamedTuple):
    """MethodSpec (II.22.29)."""

    method: Annotated[Token, METHOD_DEF_OR_REF]
    instantiation: Annotated[BlobOffset, BLOB]


class GenericParamConstraintRow(NamedTuple):
    """GenericParamConstraint (II.22.21)."""

    owner: Annotated[RowId, TableIndex(T.GENERIC_PARAM)]
    constraint: Annotated[Token, TYPE_DEF_OR_REF]


ROW_TYPES = {
    T.MODULE: ModuleRow,
    T.TYPE_REF: TypeRefRow,
    T.TYPE_DEF: TypeDefRow,
    T.FIELD_PTR: FieldPtrRow,
    T.FIELD: FieldRow,
    T.METHOD_PTR: MethodPtrRow,
    T.METHOD_DEF: MethodDefRow,
    T.PARAM_PTR: ParamPtrRow,
    T.PARAM: ParamRow,
    T.INTERFACE_IMPL: InterfaceImplRow,
    T.MEMBER_REF: MemberRefRow,
    T.CONSTANT: ConstantRow,
    T.CUSTOM_ATTRIBUTE: CustomAttributeRow,
    T.FIELD_MARSHAL: FieldMarshalRow,
    T.DECL_SECURITY: DeclSecurityRow,
    T.CLASS_LAYOUT: ClassLayoutRow,
    T.FIELD_LAYOUT: FieldLayoutRow,
    T.STAND_ALONE_SIG: StandAloneSigRow,
    T.EVENT_MAP: EventMapRow,
    T.EVENT_PTR: EventPtrRow,
    T.EVENT: EventRow,
    T.PROPERTY_MAP: PropertyMapRow,
    T.PROPERTY_PTR: PropertyPtrRow,
    T.PROPERTY: PropertyRow,
    T.METHOD_SEMANTICS: MethodSemanticsRow,
    T.METHOD_IMPL: MethodImplRow,
    T.MODULE_REF: ModuleRefRow,
    T.TYPE_SPEC: TypeSpecRow,
    T.IMPL_MAP: ImplMapRow,
    T.FIELD_RVA: FieldRvaRow,
    T.ENC_LOG: EncLogRow,
    T.ENC_MAP: EncMapRow,
    T.ASSEMBLY: AssemblyRow,
    T.ASSEMBLY_PROCESSOR: AssemblyProcessorRow,
    T.ASSEMBLY_OS: AssemblyOsRow,
    T.ASSEMBLY_REF: AssemblyRefRow,
    T.ASSEMBLY_REF_PROCESSOR: AssemblyRefProcessorRow,
    T.ASSEMBLY_REF_OS: AssemblyRefOsRow,
    T.FILE: FileRow,
    T.EXPORTED_TYPE: ExportedTypeRow,
    T.MANIFEST_RESOURCE: ManifestResourceRow,
    T.NESTED_CLASS: NestedClassRow,
    T.GENERIC_PARAM: GenericParamRow,
    T.METHOD_SPEC: MethodSpecRow,
    T.GENERIC_PARAM_CONSTRAINT: GenericParamConstraintRow,
}
"""The row class of each table of ECMA-335 II.22."""

SORTED_BY = {
    T.INTERFACE_IMPL: "class_",
    T.CONSTANT: "parent",
    T.CUSTOM_ATTRIBUTE: "parent",
    T.FIELD_MARSHAL: "parent",
    T.DECL_SECURITY: "parent",
    T.CLASS_LAYOUT: "parent",
    T.FIELD_LAYOUT: "field",
    T.METHOD_SEMANTICS: "association",
    T.METHOD_IMPL: "class_",
    T.IMPL_MAP: "member_forwarded",
    T.FIELD_RVA: "field",
    T.NESTED_CLASS: "nested_class",
    T.GENERIC_PARAM: "owner",
    T.GENERIC_PARAM_CONSTRAINT: "owner",
}
"""The column by which the rows of a table must be sorted (II.22), of the tables that must be."""
