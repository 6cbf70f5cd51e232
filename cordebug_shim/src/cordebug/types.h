// Forward declarations, plain structures and enumerations of ICorDebug.
#pragma once

#include "cordebug/com.h"

namespace cds {

struct ICorDebug;
struct ICorDebugAppDomain;
struct ICorDebugAppDomainEnum;
struct ICorDebugArrayValue;
struct ICorDebugAssembly;
struct ICorDebugAssemblyEnum;
struct ICorDebugBoxValue;
struct ICorDebugBreakpoint;
struct ICorDebugBreakpointEnum;
struct ICorDebugClass;
struct ICorDebugClass2;
struct ICorDebugCode;
struct ICorDebugController;
struct ICorDebugEnum;
struct ICorDebugEval;
struct ICorDebugEval2;
struct ICorDebugFrame;
struct ICorDebugFunction;
struct ICorDebugFunctionBreakpoint;
struct ICorDebugGenericValue;
struct ICorDebugHandleValue;
struct ICorDebugHeapValue;
struct ICorDebugHeapValue2;
struct ICorDebugILFrame;
struct ICorDebugILFrame2;
struct ICorDebugInternalFrame;
struct ICorDebugInternalFrame2;
struct ICorDebugManagedCallback;
struct ICorDebugManagedCallback2;
struct ICorDebugManagedCallback3;
struct ICorDebugModule;
struct ICorDebugModule2;
struct ICorDebugModule4;
struct ICorDebugModuleEnum;
struct ICorDebugObjectValue;
struct ICorDebugProcess;
struct ICorDebugReferenceValue;
struct ICorDebugStackWalk;
struct ICorDebugStepper;
struct ICorDebugStepper2;
struct ICorDebugStepperEnum;
struct ICorDebugStringValue;
struct ICorDebugThread;
struct ICorDebugVariableHomeEnum;
struct ICorDebugThread2;
struct ICorDebugThread3;
struct ICorDebugThreadEnum;
struct ICorDebugType;
struct ICorDebugTypeEnum;
struct ICorDebugValue;
struct ICorDebugValue2;
struct ICorDebugValueEnum;

// Base of all enumerations.
struct ICorDebugEnum : IUnknown {
    static constexpr Guid iid{0xcc7bcb01, 0x8a68, 0x11d2, {0x98, 0x3c, 0x00, 0x00, 0xf8, 0x08, 0x34, 0x2d}};
    virtual HRESULT Skip(std::uint32_t) = 0;
    virtual HRESULT Reset() = 0;
    virtual HRESULT Clone(ICorDebugEnum**) = 0;
    virtual HRESULT GetCount(std::uint32_t*) = 0;
};

struct COR_TYPEID {
    std::uint64_t token1;
    std::uint64_t token2;
};

struct COR_DEBUG_STEP_RANGE {
    std::uint32_t start_offset;
    std::uint32_t end_offset;
};

// CorElementType, as far as the shim distinguishes values and types by it.
enum ElementType : std::uint32_t {
    ELEMENT_TYPE_VOID = 0x01,
    ELEMENT_TYPE_BOOLEAN = 0x02,
    ELEMENT_TYPE_CHAR = 0x03,
    ELEMENT_TYPE_I1 = 0x04,
    ELEMENT_TYPE_U1 = 0x05,
    ELEMENT_TYPE_I2 = 0x06,
    ELEMENT_TYPE_U2 = 0x07,
    ELEMENT_TYPE_I4 = 0x08,
    ELEMENT_TYPE_U4 = 0x09,
    ELEMENT_TYPE_I8 = 0x0a,
    ELEMENT_TYPE_U8 = 0x0b,
    ELEMENT_TYPE_R4 = 0x0c,
    ELEMENT_TYPE_R8 = 0x0d,
    ELEMENT_TYPE_STRING = 0x0e,
    ELEMENT_TYPE_PTR = 0x0f,
    ELEMENT_TYPE_BYREF = 0x10,
    ELEMENT_TYPE_VALUETYPE = 0x11,
    ELEMENT_TYPE_CLASS = 0x12,
    ELEMENT_TYPE_ARRAY = 0x14,
    ELEMENT_TYPE_TYPEDBYREF = 0x16,
    ELEMENT_TYPE_I = 0x18,
    ELEMENT_TYPE_U = 0x19,
    ELEMENT_TYPE_FNPTR = 0x1b,
    ELEMENT_TYPE_OBJECT = 0x1c,
    ELEMENT_TYPE_SZARRAY = 0x1d,
};

constexpr std::uint32_t CORDEBUG_JIT_DEFAULT = 1;
constexpr std::uint32_t CORDEBUG_JIT_DISABLE_OPTIMIZATION = 3;
constexpr std::uint32_t INTERCEPT_CLASS_INIT = 0x1;
constexpr std::uint32_t INTERCEPT_SECURITY = 0x4;
constexpr std::uint32_t INTERCEPT_ALL = 0xffff;
constexpr std::uint32_t STOP_NONE = 0;

// CorDebugMappingResult: code of the method's, or the handler's, own, before its IL begins.
constexpr std::uint32_t MAPPING_PROLOG = 1;

}  // namespace cds
