// Where the fields of objects are in memory.
#pragma once

#include "code.h"

namespace cds {

// Names an exact type for as long as it is loaded.
struct CorTypeId {
    std::uint64_t token1;
    std::uint64_t token2;
};

// COR_TYPE_LAYOUT
struct CorTypeLayout {
    CorTypeId parent;
    std::uint32_t object_size;
    std::uint32_t field_count;
    std::uint32_t box_offset;
    std::uint32_t element_type;
};

// COR_FIELD
struct CorField {
    std::uint32_t token;
    std::uint32_t offset;
    CorTypeId type;
    std::uint32_t element_type;
};

// COR_ARRAY_LAYOUT
struct CorArrayLayout {
    CorTypeId element;
    std::uint32_t element_type;
    std::uint32_t first_element_offset;
    std::uint32_t element_size;
    std::uint32_t count_offset;
    std::uint32_t rank_size;
    std::uint32_t rank_count;
    std::uint32_t rank_offset;
};

struct ICorDebugType2 : IUnknown {
    static constexpr Guid iid{0xe6e91d79, 0x693d, 0x48bc, {0xb4, 0x17, 0x82, 0x84, 0xb4, 0xf1, 0x0f, 0xb5}};
    virtual HRESULT GetTypeID(CorTypeId*) = 0;
};

struct ICorDebugProcess5 : IUnknown {
    static constexpr Guid iid{0x21e9d9c0, 0xfcb8, 0x11df, {0x8c, 0xff, 0x08, 0x00, 0x20, 0x0c, 0x9a, 0x66}};
    virtual HRESULT GetGCHeapInformation(void*) = 0;
    virtual HRESULT EnumerateHeap(IUnknown**) = 0;
    virtual HRESULT EnumerateHeapRegions(IUnknown**) = 0;
    virtual HRESULT GetObject(std::uint64_t, IUnknown**) = 0;
    virtual HRESULT EnumerateGCReferences(std::int32_t, IUnknown**) = 0;
    virtual HRESULT EnumerateHandles(std::uint32_t, IUnknown**) = 0;
    virtual HRESULT GetTypeID(std::uint64_t, CorTypeId*) = 0;
    virtual HRESULT GetTypeForTypeID(CorTypeId, ICorDebugType**) = 0;
    virtual HRESULT GetArrayLayout(CorTypeId, CorArrayLayout*) = 0;
    virtual HRESULT GetTypeLayout(CorTypeId, CorTypeLayout*) = 0;
    virtual HRESULT GetTypeFields(CorTypeId, std::uint32_t, CorField*, std::uint32_t*) = 0;
    virtual HRESULT EnableNGENPolicy(std::uint32_t) = 0;
};

}  // namespace cds
