// A page of an array.
#pragma once

#include "cordebug/value.h"
#include "values.h"

namespace cds {

// Writes the elements of an array from a flat position on; all of them are there.
void add_elements(Session& session, ValueWriter& writer, std::uint64_t handle, std::uint32_t start,
                  std::uint32_t count);

}  // namespace cds
