// The native code of frames.
#pragma once

#include "cordebug/code.h"
#include "stacks.h"

namespace cds {

// Throws CDS_E_KIND for a frame without code of its own.
ComPtr<ICorDebugCode> native_code_of(const StackFrame& frame);

}  // namespace cds
