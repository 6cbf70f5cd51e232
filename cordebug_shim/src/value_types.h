// Whether a TypeDef is a value type, by the metadata alone: the runtime says so only of types that it has loaded.
#pragma once

#include "cordebug/code.h"

namespace cds {

// False where the metadata cannot be read.
bool is_value_type(ICorDebugModule& module, std::uint32_t type_def);

}  // namespace cds
