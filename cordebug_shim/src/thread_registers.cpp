#include "thread_registers.h"

#include <cstring>

namespace cds {

#if defined(__x86_64__) || defined(_M_X64)
namespace {

// The CONTEXT of winnt.h for x64, which the runtime uses on every system.
constexpr std::uint32_t context_size = 1232;
// Some versions want room for the processor's extended state, others want that very size.
constexpr std::uint32_t roomy_size = 4096;
// Where RIP, RSP, RBP, RAX, RCX, RDX, RBX, RSI, RDI, R8 to R15 are in it: the order of CorDebugRegister.
constexpr std::array<std::uint32_t, ThreadRegisters::count> offsets = {
    0xf8, 0x98, 0xa0, 0x78, 0x80, 0x88, 0x90, 0xa8, 0xb0, 0xb8, 0xc0, 0xc8, 0xd0, 0xd8, 0xe0, 0xe8, 0xf0};

}  // namespace

std::optional<ThreadRegisters> thread_registers(ICorDebugProcess& process, std::uint32_t thread) {
    alignas(64) std::uint8_t context[roomy_size];
    std::memset(context, 0, context_size);
    HRESULT hr = process.GetThreadContext(thread, context_size, context);
    if (hr == E_INVALIDARG) {
        std::memset(context, 0, sizeof context);
        hr = process.GetThreadContext(thread, roomy_size, context);
    }
    if (failed(hr)) {
        return std::nullopt;
    }
    ThreadRegisters registers;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        std::memcpy(&registers.values[i], context + offsets[i], sizeof registers.values[i]);
    }
    return registers;
}

std::uint64_t stack_pointer(ICorDebugStackWalk& walk) {
    constexpr std::uint32_t all_registers = 0x10000b;
    alignas(64) std::uint8_t context[roomy_size];
    std::memset(context, 0, sizeof context);
    std::uint32_t size = 0;
    std::uint64_t pointer = 0;
    if (!failed(walk.GetContext(all_registers, sizeof context, &size, context))) {
        std::memcpy(&pointer, context + offsets[1], sizeof pointer);
    }
    return pointer;
}
#else
std::uint64_t stack_pointer(ICorDebugStackWalk&) { return 0; }
std::optional<ThreadRegisters> thread_registers(ICorDebugProcess&, std::uint32_t) { return std::nullopt; }
#endif

}  // namespace cds
