// A page of an array.
#pragma once

#include "cordebug/value.h"
#include "values.h"

namespace cds {

// Writes the elements of an array from `first` on, which names the array by its handle; all of them are there.
void add_elements(Session& session, ValueWriter& writer, ICorDebugArrayValue& array, ArrayElement first,
                  std::uint32_t count);

}  // namespace cds
