// Breakpoints of the runtime, as the table of a session has them.
#pragma once

#include <cstdint>

#include "session.h"

namespace cds {

// Gives a breakpoint its id and makes it count; its hits report `location`. A failure leaves nothing behind.
HRESULT arm_breakpoint(Session& session, const ComPtr<ICorDebugFunctionBreakpoint>& breakpoint,
                       const cds_breakpoint_location& location, std::uint32_t& out_id);

}  // namespace cds
