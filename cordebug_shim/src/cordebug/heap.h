// The garbage collector's heap: vtables and structures of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/layout.h"

namespace cds {

struct CorHeapObject {
    std::uint64_t address;
    std::uint64_t size;
    CorTypeId type;
};

struct CorHeapInfo {
    std::int32_t are_structures_valid;
    std::uint32_t pointer_size;
    std::uint32_t heaps;
    std::int32_t concurrent;
    std::uint32_t kind;
};

struct CorGcReference {
    ICorDebugAppDomain* domain;
    ICorDebugValue* location;
    std::uint32_t type;
    std::uint64_t extra;
};

struct CorSegment {
    std::uint64_t start;
    std::uint64_t end;
    std::uint32_t generation;
    std::uint32_t heap;
};
// CorDebugGenerationTypes: the last generation that is collected; what is above is frozen.
constexpr std::uint32_t generation_pinned = 4;

// CorGCReferenceType
constexpr std::uint32_t gc_handle_strong = 1U << 0U;
constexpr std::uint32_t gc_handle_pinned = 1U << 1U;
constexpr std::uint32_t gc_handle_dependent = 1U << 6U;
constexpr std::uint32_t gc_handle_async_pinned = 1U << 7U;
constexpr std::uint32_t gc_stack = 0x80000001;
constexpr std::uint32_t gc_finalizer = 80000002;  // decimal, in the runtime too

struct ICorDebugHeapEnum : ICorDebugEnum {
    static constexpr Guid iid{0x76d7dab8, 0xd044, 0x11df, {0x9a, 0x15, 0x7e, 0x29, 0xdf, 0xd7, 0x20, 0x85}};
    virtual HRESULT Next(std::uint32_t, CorHeapObject*, std::uint32_t*) = 0;
};

struct ICorDebugHeapSegmentEnum : ICorDebugEnum {
    static constexpr Guid iid{0xa2fa0f8e, 0xd045, 0x11df, {0xac, 0x8e, 0xce, 0x2a, 0xdf, 0xd7, 0x20, 0x85}};
    virtual HRESULT Next(std::uint32_t, CorSegment*, std::uint32_t*) = 0;
};

struct ICorDebugGCReferenceEnum : ICorDebugEnum {
    static constexpr Guid iid{0x7f3c24d3, 0x7e1d, 0x4245, {0xac, 0x3a, 0xf7, 0x2f, 0x88, 0x59, 0xc8, 0x0c}};
    virtual HRESULT Next(std::uint32_t, CorGcReference*, std::uint32_t*) = 0;
};

struct ICorDebugProcess5 : IUnknown {
    static constexpr Guid iid{0x21e9d9c0, 0xfcb8, 0x11df, {0x8c, 0xff, 0x08, 0x00, 0x20, 0x0c, 0x9a, 0x66}};
    virtual HRESULT GetGCHeapInformation(CorHeapInfo*) = 0;
    virtual HRESULT EnumerateHeap(ICorDebugHeapEnum**) = 0;
    virtual HRESULT EnumerateHeapRegions(ICorDebugHeapSegmentEnum**) = 0;
    virtual HRESULT GetObject(std::uint64_t, ICorDebugObjectValue**) = 0;
    virtual HRESULT EnumerateGCReferences(std::int32_t, ICorDebugGCReferenceEnum**) = 0;
    virtual HRESULT EnumerateHandles(std::uint32_t, ICorDebugGCReferenceEnum**) = 0;
    virtual HRESULT GetTypeID(std::uint64_t, CorTypeId*) = 0;
    virtual HRESULT GetTypeForTypeID(CorTypeId, ICorDebugType**) = 0;
    virtual HRESULT GetArrayLayout(CorTypeId, CorArrayLayout*) = 0;
    virtual HRESULT GetTypeLayout(CorTypeId, CorTypeLayout*) = 0;
    virtual HRESULT GetTypeFields(CorTypeId, std::uint32_t, CorField*, std::uint32_t*) = 0;
    virtual HRESULT EnableNGENPolicy(std::uint32_t) = 0;
};

}  // namespace cds
