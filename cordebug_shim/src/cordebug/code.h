// Modules, functions, types, breakpoints and steppers: vtables of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/types.h"

namespace cds {

struct ICorDebugModule : IUnknown {
    static constexpr Guid iid{0xdba2d8c1, 0xe5c5, 0x4069, {0x8c, 0x13, 0x10, 0xa7, 0xc6, 0xab, 0xf4, 0x3d}};
    virtual HRESULT GetProcess(ICorDebugProcess**) = 0;
    virtual HRESULT GetBaseAddress(std::uint64_t*) = 0;
    virtual HRESULT GetAssembly(IUnknown**) = 0;
    virtual HRESULT GetName(std::uint32_t, std::uint32_t*, char16_t*) = 0;
    virtual HRESULT EnableJITDebugging(std::int32_t, std::int32_t) = 0;
    virtual HRESULT EnableClassLoadCallbacks(std::int32_t) = 0;
    virtual HRESULT GetFunctionFromToken(std::uint32_t, ICorDebugFunction**) = 0;
    virtual HRESULT GetFunctionFromRVA(std::uint64_t, ICorDebugFunction**) = 0;
    virtual HRESULT GetClassFromToken(std::uint32_t, ICorDebugClass**) = 0;
    virtual HRESULT CreateBreakpoint(IUnknown**) = 0;
    virtual HRESULT GetEditAndContinueSnapshot(IUnknown**) = 0;
    virtual HRESULT GetMetaDataInterface(const Guid&, IUnknown**) = 0;
    virtual HRESULT GetToken(std::uint32_t*) = 0;
    virtual HRESULT IsDynamic(std::int32_t*) = 0;
    virtual HRESULT GetGlobalVariableValue(std::uint32_t, ICorDebugValue**) = 0;
    virtual HRESULT GetSize(std::uint32_t*) = 0;
    virtual HRESULT IsInMemory(std::int32_t*) = 0;
};

struct ICorDebugModule2 : IUnknown {
    static constexpr Guid iid{0x7fcc5fb5, 0x49c0, 0x41de, {0x99, 0x38, 0x3b, 0x88, 0xb5, 0xb9, 0xad, 0xd7}};
    virtual HRESULT SetJMCStatus(std::int32_t, std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT ApplyChanges(std::uint32_t, std::uint8_t*, std::uint32_t, std::uint8_t*) = 0;
    virtual HRESULT SetJITCompilerFlags(std::uint32_t) = 0;
    virtual HRESULT GetJITCompilerFlags(std::uint32_t*) = 0;
    virtual HRESULT ResolveAssembly(std::uint32_t, IUnknown**) = 0;
};

struct ICorDebugModule4 : IUnknown {
    static constexpr Guid iid{0xff8b8eaf, 0x25cd, 0x4316, {0x88, 0x59, 0x84, 0x41, 0x6d, 0xe4, 0x40, 0x2e}};
    virtual HRESULT IsMappedLayout(std::int32_t*) = 0;
};

struct ICorDebugFunction : IUnknown {
    static constexpr Guid iid{0xcc7bcaf3, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetModule(ICorDebugModule**) = 0;
    virtual HRESULT GetClass(ICorDebugClass**) = 0;
    virtual HRESULT GetToken(std::uint32_t*) = 0;
    virtual HRESULT GetILCode(ICorDebugCode**) = 0;
    virtual HRESULT GetNativeCode(ICorDebugCode**) = 0;
    virtual HRESULT CreateBreakpoint(ICorDebugFunctionBreakpoint**) = 0;
    virtual HRESULT GetLocalVarSigToken(std::uint32_t*) = 0;
    virtual HRESULT GetCurrentVersionNumber(std::uint32_t*) = 0;
};

// The runtime's own layouts of a piece of native code, and of what of it came from which IL.
struct CodeChunkInfo {
    std::uint64_t address;
    std::uint32_t size;
};

struct IlToNativeMap {
    std::uint32_t il_offset;
    std::uint32_t native_start;
    std::uint32_t native_end;
};

struct ICorDebugCode : IUnknown {
    static constexpr Guid iid{0xcc7bcaf4, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT IsIL(std::int32_t*) = 0;
    virtual HRESULT GetFunction(ICorDebugFunction**) = 0;
    virtual HRESULT GetAddress(std::uint64_t*) = 0;
    virtual HRESULT GetSize(std::uint32_t*) = 0;
    virtual HRESULT CreateBreakpoint(std::uint32_t, ICorDebugFunctionBreakpoint**) = 0;
    virtual HRESULT GetCode(std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t*, std::uint32_t*) = 0;
    virtual HRESULT GetVersionNumber(std::uint32_t*) = 0;
    virtual HRESULT GetILToNativeMapping(std::uint32_t, std::uint32_t*, IlToNativeMap*) = 0;
    virtual HRESULT GetEnCRemapSequencePoints(std::uint32_t, std::uint32_t*, std::uint32_t*) = 0;
};

struct ICorDebugCode2 : IUnknown {
    static constexpr Guid iid{0x5f696509, 0x452f, 0x4436, {0xa3, 0xfe, 0x4d, 0x11, 0xfe, 0x7e, 0x23, 0x47}};
    virtual HRESULT GetCodeChunks(std::uint32_t, std::uint32_t*, CodeChunkInfo*) = 0;
    virtual HRESULT GetCompilerFlags(std::uint32_t*) = 0;
};

struct ICorDebugCode3 : IUnknown {
    static constexpr Guid iid{0xd13d3e88, 0xe1f2, 0x4020, {0xaa, 0x1d, 0x3d, 0x16, 0x2d, 0xcb, 0xe9, 0x66}};
    virtual HRESULT GetReturnValueLiveOffset(std::uint32_t, std::uint32_t, std::uint32_t*, std::uint32_t*) = 0;
};

struct ICorDebugCode4 : IUnknown {
    static constexpr Guid iid{0x18221fa4, 0x20cb, 0x40fa, {0xb1, 0x9d, 0x9f, 0x91, 0xc4, 0xfa, 0x8c, 0x14}};
    virtual HRESULT EnumerateVariableHomes(ICorDebugVariableHomeEnum**) = 0;
};

struct ICorDebugVariableHome : IUnknown {
    static constexpr Guid iid{0x50847b8d, 0xf43f, 0x41b0, {0x92, 0x4c, 0x63, 0x83, 0xa5, 0xf2, 0x27, 0x8b}};
    virtual HRESULT GetCode(ICorDebugCode**) = 0;
    virtual HRESULT GetSlotIndex(std::uint32_t*) = 0;
    virtual HRESULT GetArgumentIndex(std::uint32_t*) = 0;
    virtual HRESULT GetLiveRange(std::uint32_t*, std::uint32_t*) = 0;
    virtual HRESULT GetLocationType(std::uint32_t*) = 0;
    virtual HRESULT GetRegister(std::uint32_t*) = 0;
    virtual HRESULT GetOffset(std::int32_t*) = 0;
};

struct ICorDebugVariableHomeEnum : ICorDebugEnum {
    static constexpr Guid iid{0xe76b7a57, 0x4f7a, 0x4309, {0x85, 0xa7, 0x5d, 0x91, 0x8c, 0x3d, 0xea, 0xf7}};
    virtual HRESULT Next(std::uint32_t, ICorDebugVariableHome**, std::uint32_t*) = 0;
};

struct ICorDebugClass : IUnknown {
    static constexpr Guid iid{0xcc7bcaf5, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetModule(ICorDebugModule**) = 0;
    virtual HRESULT GetToken(std::uint32_t*) = 0;
    virtual HRESULT GetStaticFieldValue(std::uint32_t, ICorDebugFrame*, ICorDebugValue**) = 0;
};

struct ICorDebugClass2 : IUnknown {
    static constexpr Guid iid{0xb008ea8d, 0x7ab1, 0x43f7, {0xbb, 0x20, 0xfb, 0xb5, 0xa0, 0x40, 0x38, 0xae}};
    virtual HRESULT GetParameterizedType(std::uint32_t, std::uint32_t, ICorDebugType**, ICorDebugType**) = 0;
    virtual HRESULT SetJMCStatus(std::int32_t) = 0;
};

struct ICorDebugType : IUnknown {
    static constexpr Guid iid{0xd613f0bb, 0xace1, 0x4c19, {0xbd, 0x72, 0xe4, 0xc0, 0x8d, 0x5d, 0xa7, 0xf5}};
    virtual HRESULT GetType(std::uint32_t*) = 0;
    virtual HRESULT GetClass(ICorDebugClass**) = 0;
    virtual HRESULT EnumerateTypeParameters(ICorDebugTypeEnum**) = 0;
    virtual HRESULT GetFirstTypeParameter(ICorDebugType**) = 0;
    virtual HRESULT GetBase(ICorDebugType**) = 0;
    virtual HRESULT GetStaticFieldValue(std::uint32_t, ICorDebugFrame*, ICorDebugValue**) = 0;
    virtual HRESULT GetRank(std::uint32_t*) = 0;
};

struct ICorDebugTypeEnum : ICorDebugEnum {
    static constexpr Guid iid{0x10f27499, 0x9df2, 0x43ce, {0x83, 0x33, 0xa3, 0x21, 0xd7, 0xc9, 0x9c, 0xb4}};
    virtual HRESULT Next(std::uint32_t, ICorDebugType**, std::uint32_t*) = 0;
};

struct ICorDebugBreakpoint : IUnknown {
    static constexpr Guid iid{0xcc7bcae8, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Activate(std::int32_t) = 0;
    virtual HRESULT IsActive(std::int32_t*) = 0;
};

struct ICorDebugBreakpointEnum : ICorDebugEnum {
    static constexpr Guid iid{0xcc7bcb03, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Next(std::uint32_t, ICorDebugBreakpoint**, std::uint32_t*) = 0;
};

struct ICorDebugFunctionBreakpoint : ICorDebugBreakpoint {
    static constexpr Guid iid{0xcc7bcae9, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT GetFunction(ICorDebugFunction**) = 0;
    virtual HRESULT GetOffset(std::uint32_t*) = 0;
};

struct ICorDebugStepper : IUnknown {
    static constexpr Guid iid{0xcc7bcaec, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT IsActive(std::int32_t*) = 0;
    virtual HRESULT Deactivate() = 0;
    virtual HRESULT SetInterceptMask(std::uint32_t) = 0;
    virtual HRESULT SetUnmappedStopMask(std::uint32_t) = 0;
    virtual HRESULT Step(std::int32_t) = 0;
    virtual HRESULT StepRange(std::int32_t, COR_DEBUG_STEP_RANGE*, std::uint32_t) = 0;
    virtual HRESULT StepOut() = 0;
    virtual HRESULT SetRangeIL(std::int32_t) = 0;
};

struct ICorDebugStepper2 : IUnknown {
    static constexpr Guid iid{0xc5b6e9c3, 0xe7d1, 0x4a8e, {0x87, 0x3b, 0x7f, 0x04, 0x7f, 0x07, 0x06, 0xf7}};
    virtual HRESULT SetJMC(std::int32_t) = 0;
};

struct ICorDebugStepperEnum : ICorDebugEnum {
    static constexpr Guid iid{0xcc7bcb04, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Next(std::uint32_t, ICorDebugStepper**, std::uint32_t*) = 0;
};
}  // namespace cds
