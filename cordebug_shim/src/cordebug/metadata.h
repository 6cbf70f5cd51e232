// The start of IMetaDataImport's vtable, in the order of cor.h (dotnet/runtime): as much as the shim calls.
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
};

}  // namespace cds
