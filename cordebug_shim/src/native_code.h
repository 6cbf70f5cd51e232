// The native code of frames.
#pragma once

#include <vector>

#include "cordebug/code.h"
#include "cordebug_shim.h"
#include "stacks.h"

namespace cds {

// By which IL each piece of code was made.
std::vector<cds_code_mapping> mappings_of(ICorDebugCode& code);

// Throws CDS_E_KIND for a frame without code of its own.
ComPtr<ICorDebugCode> native_code_of(const StackFrame& frame);

}  // namespace cds
