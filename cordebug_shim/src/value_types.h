// What types are by themselves: by their element type, or by the metadata alone, for the runtime says so only of types
// that it has loaded.
#pragma once

#include "cordebug/code.h"

namespace cds {

// Byrefs to references to boxes: two steps are the most that the type system makes; the rest guards against damage.
constexpr int most_steps = 8;

// Whether values of an element type refer to others.
bool is_reference_type(std::uint32_t element_type);

// Whether a TypeDef is a value type. False where the metadata cannot be read.
bool is_value_type(ICorDebugModule& module, std::uint32_t type_def);

}  // namespace cds
