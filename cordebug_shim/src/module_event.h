// What is reported of a module that is loaded.
#pragma once

#include "cordebug/code.h"
#include "events.h"

namespace cds {

Event module_event(std::uint32_t id, ICorDebugModule* module);

}  // namespace cds
