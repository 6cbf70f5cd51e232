"""What the tables of ECMA-335 refer to each other with: coded indices (II.24.2.6) and lists of rows."""

from __future__ import annotations

from .handles import TableNumber
from .schema import CodedIndex, TableIndex

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
