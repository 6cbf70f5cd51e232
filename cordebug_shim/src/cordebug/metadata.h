// The starts of vtables of metadata, in the order of cor.h (dotnet/runtime): as much as the shim calls.
#pragma once

#include "cordebug/com.h"

namespace cds {

struct IMetaDataImport : IUnknown {
    static constexpr Guid iid{0x7dac8207, 0xd3ae, 0x4c75, {0x9b, 0x67, 0x92, 0x80, 0x1a, 0x49, 0x7d, 0x44}};
    virtual void CloseEnum(void*) = 0;
    virtual HRESULT CountEnum(void*, std::uint32_t*) = 0;
    virtual HRESULT ResetEnum(void*, std::uint32_t) = 0;
    virtual HRESULT EnumTypeDefs(void**, std::uint32_t*, std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT EnumInterfaceImpls(void**, std::uint32_t, std::uint32_t*, std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT EnumTypeRefs(void**, std::uint32_t*, std::uint32_t, std::uint32_t*) = 0;
    // Name of a top-level type, token of the enclosing one or 0, the TypeDef.
    virtual HRESULT FindTypeDefByName(const char16_t*, std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT GetScopeProps() = 0;
    virtual HRESULT GetModuleFromScope() = 0;
    // TypeDef, name with its capacity and its length with the final 0, flags, what it extends.
    virtual HRESULT GetTypeDefProps(std::uint32_t, char16_t*, std::uint32_t, std::uint32_t*, std::uint32_t*,
                                    std::uint32_t*) = 0;
    virtual HRESULT GetInterfaceImplProps() = 0;
    // TypeRef, resolution scope, name as above.
    virtual HRESULT GetTypeRefProps(std::uint32_t, std::uint32_t*, char16_t*, std::uint32_t, std::uint32_t*) = 0;
};

// Methods that are not called have no parameters here.
struct IMetaDataEmit : IUnknown {
    static constexpr Guid iid{0xba3fee4c, 0xecb9, 0x4e41, {0x83, 0xb7, 0x18, 0x3f, 0xa4, 0x1c, 0xd8, 0x59}};
    virtual HRESULT SetModuleProps() = 0;
    virtual HRESULT Save() = 0;
    virtual HRESULT SaveToStream() = 0;
    virtual HRESULT GetSaveSize(std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT DefineTypeDef() = 0;
    virtual HRESULT DefineNestedType() = 0;
    virtual HRESULT SetHandler() = 0;
    virtual HRESULT DefineMethod() = 0;
    virtual HRESULT DefineMethodImpl() = 0;
    virtual HRESULT DefineTypeRefByName() = 0;
    virtual HRESULT DefineImportType() = 0;
    virtual HRESULT DefineMemberRef() = 0;
    virtual HRESULT DefineImportMember() = 0;
    virtual HRESULT DefineEvent() = 0;
    virtual HRESULT SetClassLayout() = 0;
    virtual HRESULT DeleteClassLayout() = 0;
    virtual HRESULT SetFieldMarshal() = 0;
    virtual HRESULT DeleteFieldMarshal() = 0;
    virtual HRESULT DefinePermissionSet() = 0;
    virtual HRESULT SetRVA() = 0;
    virtual HRESULT GetTokenFromSig() = 0;
    virtual HRESULT DefineModuleRef() = 0;
    virtual HRESULT SetParent() = 0;
    virtual HRESULT GetTokenFromTypeSpec() = 0;
    virtual HRESULT SaveToMemory(void*, std::uint32_t) = 0;
};

}  // namespace cds
