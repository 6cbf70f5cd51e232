// Values and function evaluations: vtables of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/types.h"

namespace cds {

struct ICorDebugValue : IUnknown {
    static constexpr Guid iid{0xcc7bcaf7, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetType(std::uint32_t*) = 0;
    virtual HRESULT GetSize(std::uint32_t*) = 0;
    virtual HRESULT GetAddress(std::uint64_t*) = 0;
    virtual HRESULT CreateBreakpoint(IUnknown**) = 0;
};

struct ICorDebugValue2 : IUnknown {
    static constexpr Guid iid{0x5e0b54e7, 0xd88a, 0x4626, {0x94, 0x20, 0xa6, 0x91, 0xe0, 0xa7, 0x8b, 0x49}};
    virtual HRESULT GetExactType(ICorDebugType**) = 0;
};

struct ICorDebugValueEnum : ICorDebugEnum {
    static constexpr Guid iid{0xcc7bcb0a, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Next(std::uint32_t, ICorDebugValue**, std::uint32_t*) = 0;
};

struct ICorDebugGenericValue : ICorDebugValue {
    static constexpr Guid iid{0xcc7bcaf8, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetValue(void*) = 0;
    virtual HRESULT SetValue(void*) = 0;
};

struct ICorDebugReferenceValue : ICorDebugValue {
    static constexpr Guid iid{0xcc7bcaf9, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT IsNull(std::int32_t*) = 0;
    virtual HRESULT GetValue(std::uint64_t*) = 0;
    virtual HRESULT SetValue(std::uint64_t) = 0;
    virtual HRESULT Dereference(ICorDebugValue**) = 0;
    virtual HRESULT DereferenceStrong(ICorDebugValue**) = 0;
};

struct ICorDebugHandleValue : ICorDebugReferenceValue {
    static constexpr Guid iid{0x029596e8, 0x276b, 0x46a1, {0x98, 0x21, 0x73, 0x2e, 0x96, 0xbb, 0xb0, 0x0b}};
    virtual HRESULT GetHandleType(std::uint32_t*) = 0;
    virtual HRESULT Dispose() = 0;
};

struct ICorDebugHeapValue : ICorDebugValue {
    static constexpr Guid iid{0xcc7bcafa, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT IsValid(std::int32_t*) = 0;
    virtual HRESULT CreateRelocBreakpoint(IUnknown**) = 0;
};

struct ICorDebugHeapValue2 : IUnknown {
    static constexpr Guid iid{0xe3ac4d6c, 0x9cb7, 0x43e6, {0x96, 0xcc, 0xb2, 0x15, 0x40, 0xe5, 0x08, 0x3c}};
    virtual HRESULT CreateHandle(std::uint32_t, ICorDebugHandleValue**) = 0;
};

struct ICorDebugObjectValue : ICorDebugValue {
    static constexpr Guid iid{0x18ad3d6e, 0xb7d2, 0x11d2, {0xbd, 0x04, 0x00, 0x00, 0xf8, 0x08, 0x49, 0xbd}};
    virtual HRESULT GetClass(ICorDebugClass**) = 0;
    virtual HRESULT GetFieldValue(ICorDebugClass*, std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT GetVirtualMethod(std::uint32_t, ICorDebugFunction**) = 0;
    virtual HRESULT GetContext(IUnknown**) = 0;
    virtual HRESULT IsValueClass(std::int32_t*) = 0;
    virtual HRESULT GetManagedCopy(IUnknown**) = 0;
    virtual HRESULT SetFromManagedCopy(IUnknown*) = 0;
};

struct ICorDebugBoxValue : ICorDebugHeapValue {
    static constexpr Guid iid{0xcc7bcafc, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetObject(ICorDebugObjectValue**) = 0;
};

struct ICorDebugStringValue : ICorDebugHeapValue {
    static constexpr Guid iid{0xcc7bcafd, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetLength(std::uint32_t*) = 0;
    virtual HRESULT GetString(std::uint32_t, std::uint32_t*, char16_t*) = 0;
};

struct ICorDebugArrayValue : ICorDebugHeapValue {
    static constexpr Guid iid{0x0405b0df, 0xa660, 0x11d2, {0xbd, 0x02, 0x00, 0x00, 0xf8, 0x08, 0x49, 0xbd}};
    virtual HRESULT GetElementType(std::uint32_t*) = 0;
    virtual HRESULT GetRank(std::uint32_t*) = 0;
    virtual HRESULT GetCount(std::uint32_t*) = 0;
    virtual HRESULT GetDimensions(std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT HasBaseIndicies(std::int32_t*) = 0;
    virtual HRESULT GetBaseIndicies(std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT GetElement(std::uint32_t, std::uint32_t*, ICorDebugValue**) = 0;
    virtual HRESULT GetElementAtPosition(std::uint32_t, ICorDebugValue**) = 0;
};

struct ICorDebugEval : IUnknown {
    static constexpr Guid iid{0xcc7bcaf6, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT CallFunction(ICorDebugFunction*, std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT NewObject(ICorDebugFunction*, std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT NewObjectNoConstructor(ICorDebugClass*) = 0;
    virtual HRESULT NewString(const char16_t*) = 0;
    virtual HRESULT NewArray(std::uint32_t, ICorDebugClass*, std::uint32_t, std::uint32_t*, std::uint32_t*) = 0;
    virtual HRESULT IsActive(std::int32_t*) = 0;
    virtual HRESULT Abort() = 0;
    virtual HRESULT GetResult(ICorDebugValue**) = 0;
    virtual HRESULT GetThread(ICorDebugThread**) = 0;
    virtual HRESULT CreateValue(std::uint32_t, ICorDebugClass*, ICorDebugValue**) = 0;
};

struct ICorDebugEval2 : IUnknown {
    static constexpr Guid iid{0xfb0d9ce7, 0xbe66, 0x4683, {0x9d, 0x32, 0xa4, 0x2a, 0x04, 0xe2, 0xfd, 0x91}};
    virtual HRESULT CallParameterizedFunction(ICorDebugFunction*, std::uint32_t, ICorDebugType**, std::uint32_t,
                                              ICorDebugValue**) = 0;
    virtual HRESULT CreateValueForType(ICorDebugType*, ICorDebugValue**) = 0;
    virtual HRESULT NewParameterizedObject(ICorDebugFunction*, std::uint32_t, ICorDebugType**, std::uint32_t,
                                           ICorDebugValue**) = 0;
    virtual HRESULT NewParameterizedObjectNoConstructor(ICorDebugClass*, std::uint32_t, ICorDebugType**) = 0;
    virtual HRESULT NewParameterizedArray(ICorDebugType*, std::uint32_t, std::uint32_t*, std::uint32_t*) = 0;
    virtual HRESULT NewStringWithLength(const char16_t*, std::uint32_t) = 0;
    virtual HRESULT RudeAbort() = 0;
};

struct ExceptionStackFrame {
    ICorDebugModule* module;
    std::uint64_t ip;
    std::uint32_t method;
    std::int32_t is_last_foreign;
};

struct ICorDebugExceptionObjectCallStackEnum : ICorDebugEnum {
    static constexpr Guid iid{0xed775530, 0x4dc4, 0x41f7, {0x86, 0xd0, 0x9e, 0x2d, 0xef, 0x7d, 0xfc, 0x66}};
    virtual HRESULT Next(std::uint32_t, ExceptionStackFrame*, std::uint32_t*) = 0;
};

struct ICorDebugExceptionObjectValue : IUnknown {
    static constexpr Guid iid{0xae4ca65d, 0x59dd, 0x42a2, {0x83, 0xa5, 0x57, 0xe8, 0xa0, 0x8d, 0x87, 0x19}};
    virtual HRESULT EnumerateExceptionCallStack(ICorDebugExceptionObjectCallStackEnum**) = 0;
};

struct ICorDebugDelegateObjectValue : IUnknown {
    static constexpr Guid iid{0x3af70cc7, 0x6047, 0x47f6, {0xa5, 0xc5, 0x09, 0x0a, 0x1a, 0x62, 0x26, 0x38}};
    virtual HRESULT GetTarget(ICorDebugReferenceValue**) = 0;
    virtual HRESULT GetFunction(ICorDebugFunction**) = 0;
};

struct ICorDebugHeapValue3 : IUnknown {
    static constexpr Guid iid{0xa69acad8, 0x2374, 0x46e9, {0x9f, 0xf8, 0xb1, 0xf1, 0x41, 0x20, 0xd2, 0x96}};
    virtual HRESULT GetThreadOwningMonitorLock(ICorDebugThread**, std::uint32_t*) = 0;
    virtual HRESULT GetMonitorEventWaitList(ICorDebugThreadEnum**) = 0;
};

}  // namespace cds
