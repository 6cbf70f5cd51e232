// Callbacks that the shim implements: vtables of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/types.h"

namespace cds {

struct ICorDebugManagedCallback : IUnknown {
    static constexpr Guid iid{0x3d6f5f60, 0x7538, 0x11d3, {0x8d, 0x5b, 0x00, 0x10, 0x4b, 0x35, 0xe7, 0xef}};
    virtual HRESULT Breakpoint(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugBreakpoint*) = 0;
    virtual HRESULT StepComplete(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugStepper*, std::uint32_t) = 0;
    virtual HRESULT Break(ICorDebugAppDomain*, ICorDebugThread*) = 0;
    virtual HRESULT Exception(ICorDebugAppDomain*, ICorDebugThread*, std::int32_t) = 0;
    virtual HRESULT EvalComplete(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugEval*) = 0;
    virtual HRESULT EvalException(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugEval*) = 0;
    virtual HRESULT CreateProcess(ICorDebugProcess*) = 0;
    virtual HRESULT ExitProcess(ICorDebugProcess*) = 0;
    virtual HRESULT CreateThread(ICorDebugAppDomain*, ICorDebugThread*) = 0;
    virtual HRESULT ExitThread(ICorDebugAppDomain*, ICorDebugThread*) = 0;
    virtual HRESULT LoadModule(ICorDebugAppDomain*, ICorDebugModule*) = 0;
    virtual HRESULT UnloadModule(ICorDebugAppDomain*, ICorDebugModule*) = 0;
    virtual HRESULT LoadClass(ICorDebugAppDomain*, ICorDebugClass*) = 0;
    virtual HRESULT UnloadClass(ICorDebugAppDomain*, ICorDebugClass*) = 0;
    virtual HRESULT DebuggerError(ICorDebugProcess*, HRESULT, std::uint32_t) = 0;
    virtual HRESULT LogMessage(ICorDebugAppDomain*, ICorDebugThread*, std::int32_t, char16_t*, char16_t*) = 0;
    virtual HRESULT LogSwitch(ICorDebugAppDomain*, ICorDebugThread*, std::int32_t, std::uint32_t, char16_t*,
                              char16_t*) = 0;
    virtual HRESULT CreateAppDomain(ICorDebugProcess*, ICorDebugAppDomain*) = 0;
    virtual HRESULT ExitAppDomain(ICorDebugProcess*, ICorDebugAppDomain*) = 0;
    virtual HRESULT LoadAssembly(ICorDebugAppDomain*, IUnknown*) = 0;
    virtual HRESULT UnloadAssembly(ICorDebugAppDomain*, IUnknown*) = 0;
    virtual HRESULT ControlCTrap(ICorDebugProcess*) = 0;
    virtual HRESULT NameChange(ICorDebugAppDomain*, ICorDebugThread*) = 0;
    virtual HRESULT UpdateModuleSymbols(ICorDebugAppDomain*, ICorDebugModule*, IUnknown*) = 0;
    virtual HRESULT EditAndContinueRemap(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*, std::int32_t) = 0;
    virtual HRESULT BreakpointSetError(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugBreakpoint*, std::uint32_t) = 0;
};

struct ICorDebugManagedCallback2 : IUnknown {
    static constexpr Guid iid{0x250e5eea, 0xdb5c, 0x4c76, {0xb6, 0xf3, 0x8c, 0x46, 0xf1, 0x2e, 0x32, 0x03}};
    virtual HRESULT FunctionRemapOpportunity(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*,
                                             ICorDebugFunction*, std::uint32_t) = 0;
    virtual HRESULT CreateConnection(ICorDebugProcess*, std::uint32_t, char16_t*) = 0;
    virtual HRESULT ChangeConnection(ICorDebugProcess*, std::uint32_t) = 0;
    virtual HRESULT DestroyConnection(ICorDebugProcess*, std::uint32_t) = 0;
    virtual HRESULT Exception(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFrame*, std::uint32_t, std::uint32_t,
                              std::uint32_t) = 0;
    virtual HRESULT ExceptionUnwind(ICorDebugAppDomain*, ICorDebugThread*, std::uint32_t, std::uint32_t) = 0;
    virtual HRESULT FunctionRemapComplete(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*) = 0;
    virtual HRESULT MDANotification(ICorDebugController*, ICorDebugThread*, IUnknown*) = 0;
};

struct ICorDebugManagedCallback3 : IUnknown {
    static constexpr Guid iid{0x264ea0fc, 0x2591, 0x49aa, {0x86, 0x8e, 0x83, 0x5e, 0x65, 0x15, 0x32, 0x3f}};
    virtual HRESULT CustomNotification(ICorDebugThread*, ICorDebugAppDomain*) = 0;
};
}  // namespace cds
