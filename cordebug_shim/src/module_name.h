#pragma once

#include <string>

#include "cordebug/code.h"

namespace cds {

// What the runtime calls a module: a path, or a bare name for one without a file. Empty when the runtime has no name
// for it.
inline std::u16string module_name(ICorDebugModule* module) {
    std::u16string name;
    std::uint32_t length = 0;  // with the terminator
    if (failed(module->GetName(0, &length, nullptr)) || length == 0) {
        return name;
    }
    name.resize(length);
    if (failed(module->GetName(length, &length, name.data())) || length == 0 || length > name.size()) {
        return {};
    }
    name.resize(length - 1);
    return name;
}

}  // namespace cds
