// The registers of a thread of the held process, as the debuggee's own processor has them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "cordebug/frame.h"
#include "cordebug/process.h"

namespace cds {

// By the numbers of CorDebugRegister: the instruction pointer is number 0, the stack and the frame pointer follow.
struct ThreadRegisters {
    static constexpr std::size_t count = 17;
    std::array<std::uint64_t, count> values{};

    std::uint64_t instruction_pointer() const { return values[0]; }
};

// Of a thread that stands at a breakpoint; nothing where they cannot be had, as on processors not known here. It takes
// a tenth of a stack walk.
std::optional<ThreadRegisters> thread_registers(ICorDebugProcess& process, std::uint32_t thread);

// Where the stack of the frame ends at which a walk is; 0 where that is not known.
std::uint64_t stack_pointer(ICorDebugStackWalk& walk);

}  // namespace cds
