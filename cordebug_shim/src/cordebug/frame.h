// Stack walks and frames: vtables of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/types.h"

namespace cds {

struct ICorDebugStackWalk : IUnknown {
    static constexpr Guid iid{0xa0647de9, 0x55de, 0x4816, {0x92, 0x9c, 0x38, 0x52, 0x71, 0xc6, 0x4c, 0xf7}};
    virtual HRESULT GetContext(std::uint32_t, std::uint32_t, std::uint32_t*, std::uint8_t*) = 0;
    virtual HRESULT SetContext(std::uint32_t, std::uint32_t, std::uint8_t*) = 0;
    virtual HRESULT Next() = 0;
    virtual HRESULT GetFrame(ICorDebugFrame**) = 0;
};

struct ICorDebugFrame : IUnknown {
    static constexpr Guid iid{0xcc7bcaef, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetChain(IUnknown**) = 0;
    virtual HRESULT GetCode(ICorDebugCode**) = 0;
    virtual HRESULT GetFunction(ICorDebugFunction**) = 0;
    virtual HRESULT GetFunctionToken(std::uint32_t*) = 0;
    virtual HRESULT GetStackRange(std::uint64_t*, std::uint64_t*) = 0;
    virtual HRESULT GetCaller(ICorDebugFrame**) = 0;
    virtual HRESULT GetCallee(ICorDebugFrame**) = 0;
    virtual HRESULT CreateStepper(ICorDebugStepper**) = 0;
};

struct ICorDebugInternalFrame : ICorDebugFrame {
    static constexpr Guid iid{0xb92cc7f7, 0x9d2d, 0x45c4, {0xbc, 0x2b, 0x62, 0x1f, 0xcc, 0x9d, 0xfb, 0xf4}};
    virtual HRESULT GetFrameType(std::uint32_t*) = 0;
};

struct ICorDebugInternalFrame2 : IUnknown {
    static constexpr Guid iid{0xc0815bdc, 0xcfab, 0x447e, {0xa7, 0x79, 0xc1, 0x16, 0xb4, 0x54, 0xeb, 0x5b}};
    virtual HRESULT GetAddress(std::uint64_t*) = 0;
    virtual HRESULT IsCloserToLeaf(ICorDebugFrame*, std::int32_t*) = 0;
};

struct ICorDebugILFrame : ICorDebugFrame {
    static constexpr Guid iid{0x03e26311, 0x4f76, 0x11d3, {0x88, 0xc6, 0x00, 0x60, 0x97, 0x94, 0x54, 0x18}};
    virtual HRESULT GetIP(std::uint32_t*, std::uint32_t*) = 0;
    virtual HRESULT SetIP(std::uint32_t) = 0;
    virtual HRESULT EnumerateLocalVariables(ICorDebugValueEnum**) = 0;
    virtual HRESULT GetLocalVariable(std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT EnumerateArguments(ICorDebugValueEnum**) = 0;
    virtual HRESULT GetArgument(std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT GetStackDepth(std::uint32_t*) = 0;
    virtual HRESULT GetStackValue(std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT CanSetIP(std::uint32_t) = 0;
};

struct ICorDebugILFrame2 : IUnknown {
    static constexpr Guid iid{0x5d88a994, 0x6c30, 0x479b, {0x89, 0x0f, 0xbc, 0xef, 0x88, 0xb1, 0x29, 0xa5}};
    virtual HRESULT RemapFunction(std::uint32_t) = 0;
    virtual HRESULT EnumerateTypeParameters(ICorDebugTypeEnum**) = 0;
};

struct ICorDebugILFrame3 : IUnknown {
    static constexpr Guid iid{0x9a9e2ed6, 0x04df, 0x4fe0, {0xbb, 0x50, 0xca, 0xb6, 0x41, 0x26, 0xad, 0x24}};
    virtual HRESULT GetReturnValueForILOffset(std::uint32_t, ICorDebugValue**) = 0;
};

struct ICorDebugNativeFrame : ICorDebugFrame {
    static constexpr Guid iid{0x03e26314, 0x4f76, 0x11d3, {0x88, 0xc6, 0x00, 0x60, 0x97, 0x94, 0x54, 0x18}};
    virtual HRESULT GetIP(std::uint32_t*) = 0;
    virtual HRESULT SetIP(std::uint32_t) = 0;
    virtual HRESULT GetRegisterSet(IUnknown**) = 0;
    virtual HRESULT GetLocalRegisterValue(std::uint32_t, std::uint32_t, const std::uint8_t*, ICorDebugValue**) = 0;
    virtual HRESULT GetLocalDoubleRegisterValue(std::uint32_t, std::uint32_t, std::uint32_t, const std::uint8_t*,
                                                ICorDebugValue**) = 0;
    virtual HRESULT GetLocalMemoryValue(std::uint64_t, std::uint32_t, const std::uint8_t*, ICorDebugValue**) = 0;
    virtual HRESULT GetLocalRegisterMemoryValue(std::uint32_t, std::uint64_t, std::uint32_t, const std::uint8_t*,
                                                ICorDebugValue**) = 0;
    virtual HRESULT GetLocalMemoryRegisterValue(std::uint64_t, std::uint32_t, std::uint32_t, const std::uint8_t*,
                                                ICorDebugValue**) = 0;
    virtual HRESULT CanSetIP(std::uint32_t) = 0;
};

struct ICorDebugNativeFrame2 : IUnknown {
    static constexpr Guid iid{0x35389ff1, 0x3684, 0x4c55, {0xa2, 0xee, 0x21, 0x0f, 0x26, 0xc6, 0x0e, 0x5e}};
    virtual HRESULT IsChild(std::int32_t*) = 0;
    virtual HRESULT IsMatchingParentFrame(ICorDebugNativeFrame2*, std::int32_t*) = 0;
    virtual HRESULT GetStackParameterSize(std::uint32_t*) = 0;
};
}  // namespace cds
