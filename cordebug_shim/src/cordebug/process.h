// Processes, application domains and threads: vtables of ICorDebug in the order of cordebug.idl
// (dotnet/diagnostics). Parameters have no names here; the interface's
// documentation is at learn.microsoft.com under each name. Types the shim never uses are IUnknown* or void*.
#pragma once

#include "cordebug/types.h"

namespace cds {

struct ICorDebug : IUnknown {
    static constexpr Guid iid{0x3d6f5f61, 0x7538, 0x11d3, {0x8d, 0x5b, 0x00, 0x10, 0x4b, 0x35, 0xe7, 0xef}};
    virtual HRESULT Initialize() = 0;
    virtual HRESULT Terminate() = 0;
    virtual HRESULT SetManagedHandler(ICorDebugManagedCallback*) = 0;
    virtual HRESULT SetUnmanagedHandler(IUnknown*) = 0;
    virtual HRESULT CreateProcess(const char16_t*, const void*, const void*, const void*, std::int32_t, std::uint32_t,
                                  void*, const char16_t*, const void*, const void*, std::uint32_t,
                                  ICorDebugProcess**) = 0;
    virtual HRESULT DebugActiveProcess(std::uint32_t, std::int32_t, ICorDebugProcess**) = 0;
    virtual HRESULT EnumerateProcesses(IUnknown**) = 0;
    virtual HRESULT GetProcess(std::uint32_t, ICorDebugProcess**) = 0;
    virtual HRESULT CanLaunchOrAttach(std::uint32_t, std::int32_t) = 0;
};

struct ICorDebugController : IUnknown {
    static constexpr Guid iid{0x3d6f5f62, 0x7538, 0x11d3, {0x8d, 0x5b, 0x00, 0x10, 0x4b, 0x35, 0xe7, 0xef}};
    virtual HRESULT Stop(std::uint32_t) = 0;
    virtual HRESULT Continue(std::int32_t) = 0;
    virtual HRESULT IsRunning(std::int32_t*) = 0;
    virtual HRESULT HasQueuedCallbacks(ICorDebugThread*, std::int32_t*) = 0;
    virtual HRESULT EnumerateThreads(ICorDebugThreadEnum**) = 0;
    virtual HRESULT SetAllThreadsDebugState(std::uint32_t, ICorDebugThread*) = 0;
    virtual HRESULT Detach() = 0;
    virtual HRESULT Terminate(std::uint32_t) = 0;
    virtual HRESULT CanCommitChanges(std::uint32_t, IUnknown**, IUnknown**) = 0;
    virtual HRESULT CommitChanges(std::uint32_t, IUnknown**, IUnknown**) = 0;
};

struct ICorDebugAppDomain : ICorDebugController {
    static constexpr Guid iid{0x3d6f5f63, 0x7538, 0x11d3, {0x8d, 0x5b, 0x00, 0x10, 0x4b, 0x35, 0xe7, 0xef}};
    virtual HRESULT GetProcess(ICorDebugProcess**) = 0;
    virtual HRESULT EnumerateAssemblies(IUnknown**) = 0;
    virtual HRESULT GetModuleFromMetaDataInterface(IUnknown*, ICorDebugModule**) = 0;
    virtual HRESULT EnumerateBreakpoints(ICorDebugBreakpointEnum**) = 0;
    virtual HRESULT EnumerateSteppers(ICorDebugStepperEnum**) = 0;
    virtual HRESULT IsAttached(std::int32_t*) = 0;
    virtual HRESULT GetName(std::uint32_t, std::uint32_t*, char16_t*) = 0;
    virtual HRESULT GetObject(ICorDebugValue**) = 0;
    virtual HRESULT Attach() = 0;
    virtual HRESULT GetID(std::uint32_t*) = 0;
};

struct ICorDebugAppDomainEnum : ICorDebugEnum {
    static constexpr Guid iid{0x63ca1b24, 0x4359, 0x4883, {0xbd, 0x57, 0x13, 0xf8, 0x15, 0xf5, 0x87, 0x44}};
    virtual HRESULT Next(std::uint32_t, ICorDebugAppDomain**, std::uint32_t*) = 0;
};

struct ICorDebugAssembly : IUnknown {
    static constexpr Guid iid{0xdf59507c, 0xd47a, 0x459e, {0xbc, 0xe2, 0x64, 0x27, 0xea, 0xc8, 0xfd, 0x06}};
    virtual HRESULT GetProcess(ICorDebugProcess**) = 0;
    virtual HRESULT GetAppDomain(ICorDebugAppDomain**) = 0;
    virtual HRESULT EnumerateModules(ICorDebugModuleEnum**) = 0;
    virtual HRESULT GetCodeBase(std::uint32_t, std::uint32_t*, char16_t*) = 0;
    virtual HRESULT GetName(std::uint32_t, std::uint32_t*, char16_t*) = 0;
};

struct ICorDebugAssemblyEnum : ICorDebugEnum {
    static constexpr Guid iid{0x4a2a1ec9, 0x85ec, 0x4bfb, {0x9f, 0x15, 0xa8, 0x9f, 0xdf, 0xe0, 0xfe, 0x83}};
    virtual HRESULT Next(std::uint32_t, ICorDebugAssembly**, std::uint32_t*) = 0;
};

struct ICorDebugModuleEnum : ICorDebugEnum {
    static constexpr Guid iid{0xcc7bcb09, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Next(std::uint32_t, ICorDebugModule**, std::uint32_t*) = 0;
};

struct ICorDebugProcess : ICorDebugController {
    static constexpr Guid iid{0x3d6f5f64, 0x7538, 0x11d3, {0x8d, 0x5b, 0x00, 0x10, 0x4b, 0x35, 0xe7, 0xef}};
    virtual HRESULT GetID(std::uint32_t*) = 0;
    virtual HRESULT GetHandle(void**) = 0;
    virtual HRESULT GetThread(std::uint32_t, ICorDebugThread**) = 0;
    virtual HRESULT EnumerateObjects(IUnknown**) = 0;
    virtual HRESULT IsTransitionStub(std::uint64_t, std::int32_t*) = 0;
    virtual HRESULT IsOSSuspended(std::uint32_t, std::int32_t*) = 0;
    virtual HRESULT GetThreadContext(std::uint32_t, std::uint32_t, std::uint8_t*) = 0;
    virtual HRESULT SetThreadContext(std::uint32_t, std::uint32_t, std::uint8_t*) = 0;
    virtual HRESULT ReadMemory(std::uint64_t, std::uint32_t, std::uint8_t*, std::size_t*) = 0;
    virtual HRESULT WriteMemory(std::uint64_t, std::uint32_t, std::uint8_t*, std::size_t*) = 0;
    virtual HRESULT ClearCurrentException(std::uint32_t) = 0;
    virtual HRESULT EnableLogMessages(std::int32_t) = 0;
    virtual HRESULT ModifyLogSwitch(char16_t*, std::int32_t) = 0;
    virtual HRESULT EnumerateAppDomains(ICorDebugAppDomainEnum**) = 0;
    virtual HRESULT GetObject(ICorDebugValue**) = 0;
    virtual HRESULT ThreadForFiberCookie(std::uint32_t, ICorDebugThread**) = 0;
    virtual HRESULT GetHelperThreadID(std::uint32_t*) = 0;
};

// CorDebugThreadState
constexpr std::uint32_t thread_run = 0;
constexpr std::uint32_t thread_suspend = 1;

struct ICorDebugThread : IUnknown {
    static constexpr Guid iid{0x938c6d66, 0x7fb6, 0x4f69, {0xb3, 0x89, 0x42, 0x5b, 0x89, 0x87, 0x32, 0x9b}};
    virtual HRESULT GetProcess(ICorDebugProcess**) = 0;
    virtual HRESULT GetID(std::uint32_t*) = 0;
    virtual HRESULT GetHandle(void**) = 0;
    virtual HRESULT GetAppDomain(ICorDebugAppDomain**) = 0;
    virtual HRESULT SetDebugState(std::uint32_t) = 0;
    virtual HRESULT GetDebugState(std::uint32_t*) = 0;
    virtual HRESULT GetUserState(std::uint32_t*) = 0;
    virtual HRESULT GetCurrentException(ICorDebugValue**) = 0;
    virtual HRESULT ClearCurrentException() = 0;
    virtual HRESULT CreateStepper(ICorDebugStepper**) = 0;
    virtual HRESULT EnumerateChains(IUnknown**) = 0;
    virtual HRESULT GetActiveChain(IUnknown**) = 0;
    virtual HRESULT GetActiveFrame(ICorDebugFrame**) = 0;
    virtual HRESULT GetRegisterSet(IUnknown**) = 0;
    virtual HRESULT CreateEval(ICorDebugEval**) = 0;
    virtual HRESULT GetObject(ICorDebugValue**) = 0;
};

struct ICorDebugThreadEnum : ICorDebugEnum {
    static constexpr Guid iid{0xcc7bcb06, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Next(std::uint32_t, ICorDebugThread**, std::uint32_t*) = 0;
};

struct ICorDebugThread2 : IUnknown {
    static constexpr Guid iid{0x2bd956d9, 0x7b07, 0x4bef, {0x8a, 0x98, 0x12, 0xaa, 0x86, 0x24, 0x17, 0xc5}};
    virtual HRESULT GetActiveFunctions(std::uint32_t, std::uint32_t*, void*) = 0;
    virtual HRESULT GetConnectionID(std::uint32_t*) = 0;
    virtual HRESULT GetTaskID(std::uint64_t*) = 0;
    virtual HRESULT GetVolatileOSThreadID(std::uint32_t*) = 0;
    virtual HRESULT InterceptCurrentException(ICorDebugFrame*) = 0;
};

struct ICorDebugThread3 : IUnknown {
    static constexpr Guid iid{0xf8544ec3, 0x5e4e, 0x46c7, {0x8d, 0x3e, 0xa5, 0x2b, 0x84, 0x05, 0xb1, 0xf5}};
    virtual HRESULT CreateStackWalk(ICorDebugStackWalk**) = 0;
    virtual HRESULT GetActiveInternalFrames(std::uint32_t, std::uint32_t*, ICorDebugInternalFrame2**) = 0;
};

// CorDebugBlockingObject; the layout of cordebug.h.
struct CorDebugBlockingObject {
    ICorDebugValue* object;
    std::uint32_t timeout_ms;
    std::uint32_t reason;
};

struct ICorDebugBlockingObjectEnum : ICorDebugEnum {
    static constexpr Guid iid{0x976a6278, 0x134a, 0x4a81, {0x81, 0xa3, 0x8f, 0x27, 0x79, 0x43, 0xf4, 0xc3}};
    virtual HRESULT Next(std::uint32_t, CorDebugBlockingObject*, std::uint32_t*) = 0;
};

struct ICorDebugThread4 : IUnknown {
    static constexpr Guid iid{0x1a1f204b, 0x1c66, 0x4637, {0x82, 0x3f, 0x3e, 0xe6, 0xc7, 0x44, 0xa6, 0x9c}};
    virtual HRESULT HasUnhandledException() = 0;
    virtual HRESULT GetBlockingObjects(ICorDebugBlockingObjectEnum**) = 0;
    virtual HRESULT GetCurrentCustomDebuggerNotification(ICorDebugValue**) = 0;
};

}  // namespace cds
