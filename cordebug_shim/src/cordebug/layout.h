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

}  // namespace cds
